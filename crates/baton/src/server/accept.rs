//! Takes connections until the hub stops, never more than there is room for, then lets those that are busy end.

use axum::Router;
use baton_core::limits;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsAcceptor;

use super::{connection, refuse};
use crate::hub::{Hub, Shutdown};

const DRAIN: Duration = Duration::from_secs(limits::DRAIN_MAX_SECONDS as u64);
const HANDSHAKE: Duration = Duration::from_secs(limits::TLS_HANDSHAKE_MAX_SECONDS as u64);
/// Callers that may wait to be accepted; beyond it the system lets them try again in a second. It may allow less.
const QUEUE: u32 = 4096;
/// After the system refused a connection: out of files or memory, which passes.
const REST: Duration = Duration::from_millis(100);

/// Most hubs are there sooner, and their callers need not come back.
const START_PATIENCE: Duration = Duration::from_secs(1);

/// The end of the time before the hub: it closes the connections of who has not asked yet.
#[derive(Default)]
struct Started(Shutdown);

impl Drop for Started {
    fn drop(&mut self) {
        self.0.begin();
    }
}

/// A bound socket.
pub(crate) struct Listener {
    socket: TcpListener,
    tls: Option<TlsAcceptor>,
    connections_max: usize,
}

impl Listener {
    pub(crate) fn bind(
        address: SocketAddr,
        tls: Option<TlsAcceptor>,
        connections_max: usize,
    ) -> io::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        // A hub that starts again takes its port back from connections that still linger.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(Self { socket: socket.listen(QUEUE)?, tls, connections_max })
    }

    /// Where it really listens.
    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// While the hub is not there yet, whoever has waited a moment for it is told so. Ends by being dropped.
    pub(crate) async fn turn_away(&self) -> Infallible {
        tokio::time::sleep(START_PATIENCE).await;
        let router = Router::new().fallback(async || refuse::while_starting());
        let (started, seats) = (Started::default(), Arc::new(Semaphore::new(self.connections_max)));
        loop {
            self.accept_all(&router, &started.0, &seats).await;
        }
    }

    /// Serves until the hub stops and what was in flight has ended, or has had its time.
    pub(crate) async fn serve(self, hub: &Arc<Hub>) {
        let seats = Arc::new(Semaphore::new(self.connections_max));
        let router = super::router(hub.clone());
        tokio::select! {
            () = self.accept_all(&router, &hub.shutdown, &seats) => {}
            () = hub.shutdown.wait() => {}
        }
        drop(self.socket);
        let all = u32::try_from(self.connections_max).unwrap_or(u32::MAX);
        if tokio::time::timeout(DRAIN, seats.acquire_many(all)).await.is_err() {
            let open = self.connections_max - seats.available_permits();
            tracing::warn!(open, "connections were cut that did not end in time");
        }
    }

    async fn accept_all(&self, router: &Router, shutdown: &Shutdown, seats: &Arc<Semaphore>) {
        loop {
            // Full: the next caller waits in the system's queue until somebody leaves.
            let Ok(seat) = seats.clone().acquire_owned().await else { return };
            match self.socket.accept().await {
                Ok((stream, peer)) => self.welcome(stream, peer, router, shutdown, seat),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(REST).await;
                }
            }
        }
    }

    fn welcome(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        router: &Router,
        shutdown: &Shutdown,
        seat: OwnedSemaphorePermit,
    ) {
        // Without it each streamed answer waits some 40 ms for the peer's acknowledgement. A socket that refuses
        // is one whose peer has gone already.
        if stream.set_nodelay(true).is_err() {
            return;
        }
        let (router, shutdown) = (router.clone(), shutdown.clone());
        // Two tasks and not one with a branch: a plain connection need not hold the room a handshake takes.
        match self.tls.clone() {
            None => drop(tokio::spawn(async move {
                connection::serve(stream, peer, router, &shutdown).await;
                drop(seat);
            })),
            Some(tls) => drop(tokio::spawn(async move {
                match tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await {
                    Ok(Ok(stream)) => connection::serve(stream, peer, router, &shutdown).await,
                    Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                    Err(_) => tracing::debug!("a TLS handshake took too long"),
                }
                drop(seat);
            })),
        }
    }
}
