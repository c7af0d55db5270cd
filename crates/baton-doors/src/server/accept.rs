//! Takes connections until the hub stops, never more than there is room for, then lets those that are busy end.
//!
//! hyper-util's `GracefulShutdown` waits for every connection: one whose request has half arrived would delay the stop until
//! its head times out. Here it is cut (`connection.rs`), and the permits that bound connections also show when all have ended.

use axum::Router;
use baton_core::limits;
use socket2::SockRef;
use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::addresses::{Addresses, ConnectionSlot};
use super::certificate::CertificateInUse;
use super::connection::{self, ConnectionContext};
use super::paced::Pace;
use super::preface::Http;
use crate::hub::{Hub, Shutdown};
use crate::metrics::{ConnectionsClosed, Tally};
use crate::rest::refuse;

const DRAIN: Duration = Duration::from_secs(limits::DRAIN_MAX_SECONDS as u64);
const HANDSHAKE: Duration = Duration::from_secs(limits::TLS_HANDSHAKE_MAX_SECONDS as u64);

/// Marks the hub as started; dropping it closes connections that have sent no request yet.
#[derive(Default)]
struct Started(Shutdown);

impl Drop for Started {
    fn drop(&mut self) {
        self.0.begin();
    }
}

/// What the system keeps of an answer that its reader has not asked for yet. Without a bound it is megabytes.
const UNSENT_BYTES: u32 = 2 * limits::SMALL_BODY_MAX_BYTES as u32;

/// The answer to an address that has as many connections as it may.
const TOO_MANY: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\n\
    retry-after: 1\r\nconnection: close\r\n\r\n\
    {\"ok\":false,\"error\":\"rate_limited\",\"message\":\"this address has as many connections as it may; \
    close some and try again\",\"retry_after_ms\":1000}";

/// How many connections there may be.
#[derive(Debug, Clone, Copy)]
pub struct Connections {
    pub most: usize,
    /// Of one client address, if that is bounded.
    pub per_address: Option<usize>,
}

/// A bound socket.
pub struct Listener {
    socket: TcpListener,
    tls: Option<Arc<CertificateInUse>>,
    connections_max: usize,
    addresses: Arc<Addresses>,
}

impl Listener {
    pub fn bind(
        address: SocketAddr,
        tls: Option<Arc<CertificateInUse>>,
        connections: Connections,
    ) -> io::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        // A hub that starts again takes its port back from connections that still linger.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let addresses = Addresses::new(connections.per_address);
        let (socket, connections_max) = (socket.listen(limits::ACCEPTS_WAITING_MAX_COUNT)?, connections.most);
        Ok(Self { socket, tls, connections_max, addresses })
    }

    /// Where it really listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// While the hub is still starting, callers that have waited a moment get that error. Ends by being dropped.
    pub async fn turn_away(&self) -> Infallible {
        tokio::time::sleep(limits::START_WAIT_MAX).await;
        let router = Router::new().fallback(async || refuse::while_starting());
        let (started, seats) = (Started::default(), Arc::new(Semaphore::new(self.connections_max)));
        let served = served(router, &started.0, Arc::default());
        loop {
            self.accept_all(&served, &seats).await;
        }
    }

    /// Serves until the hub stops and what was in flight has ended, or has had its time.
    pub async fn serve(self, hub: &Arc<Hub>) {
        let seats = Arc::new(Semaphore::new(self.connections_max));
        let closed = hub.metrics.connections_closed.clone();
        let served = served(super::router(hub.clone()), &hub.shutdown, closed);
        tokio::select! {
            () = self.accept_all(&served, &seats) => {}
            () = hub.shutdown.wait() => {}
        }
        drop(self.socket);
        let all = u32::try_from(self.connections_max).unwrap_or(u32::MAX);
        if tokio::time::timeout(DRAIN, seats.acquire_many(all)).await.is_err() {
            let open = self.connections_max - seats.available_permits();
            tracing::warn!(open, "connections were cut that did not end in time");
        }
    }

    async fn accept_all(&self, served: &ConnectionContext, seats: &Arc<Semaphore>) {
        loop {
            // Full: the next caller waits in the system's queue until somebody leaves.
            let Ok(seat) = seats.clone().acquire_owned().await else { return };
            match self.socket.accept().await {
                Ok((stream, peer)) => match self.addresses.take(peer.ip()) {
                    Some(place) => self.welcome(stream, peer, served.clone(), (seat, place)),
                    None => self.turn_down(stream, peer, served),
                },
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(limits::ACCEPT_PAUSE).await;
                }
            }
        }
    }

    fn welcome(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        served: ConnectionContext,
        seat: (OwnedSemaphorePermit, ConnectionSlot),
    ) {
        // Without it each streamed answer waits some 40 ms for the peer's acknowledgement. A socket that refuses
        // is one whose peer has gone already.
        if stream.set_nodelay(true).is_err() {
            return;
        }
        bound_unsent(&stream);
        // Two tasks and not one with a branch: a plain connection need not hold the room a handshake takes.
        match self.tls.as_ref().map(|tls| tls.acceptor()) {
            None => drop(tokio::spawn(async move {
                connection::serve_plain(stream, peer, served).await;
                drop(seat);
            })),
            Some(tls) => drop(tokio::spawn(async move {
                match tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await {
                    Ok(Ok(stream)) => {
                        let http = Http::of_alpn(stream.get_ref().1.alpn_protocol());
                        connection::serve(stream, http, peer, served).await;
                    }
                    Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                    Err(_) => tracing::debug!("a TLS handshake took too long"),
                }
                drop(seat);
            })),
        }
    }

    /// An address has as many connections as it may. It gets an answer if that takes no waiting.
    fn turn_down(&self, stream: TcpStream, peer: SocketAddr, served: &ConnectionContext) {
        served.closed.note(ConnectionsClosed::AddressLimit);
        tracing::debug!(%peer, "the address has as many connections as it may");
        if self.tls.is_some() {
            return;
        }
        let Ok(mut stream) = stream.into_std() else { return };
        // What is not read of a request before the end makes the system throw the answer away.
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write(TOO_MANY);
        let _ = stream.shutdown(std::net::Shutdown::Write);
    }
}

fn served(router: Router, shutdown: &Shutdown, closed: Arc<Tally<ConnectionsClosed>>) -> ConnectionContext {
    ConnectionContext { router, shutdown: shutdown.clone(), pace: Pace::default(), closed }
}

fn bound_unsent(stream: &TcpStream) {
    // An older kernel refuses, and keeps as much as it likes.
    let _ = SockRef::from(stream).set_tcp_notsent_lowat(UNSENT_BYTES);
}
