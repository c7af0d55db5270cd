//! One connection: HTTP/1.1 or HTTP/2 by hyper, with limits on a request's head and on how long it takes to arrive.
//! An answer may take as long as it likes to begin, claims wait and streams stay open, but must then be read.

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, header};
use baton_core::limits;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tower::Service;

use super::paced::{Pace, Paced, TooSlow};
use super::preface::Http;
use super::unread::Unread;
use crate::body;
use crate::hub::Shutdown;
use crate::metrics::{ConnectionsClosed, Tally};

/// Also how long a connection may be idle between requests.
const HEAD: Duration = Duration::from_secs(limits::REQUEST_READ_MAX_SECONDS as u64);
/// What hyper reads ahead of a connection: the whole head, and a good piece of a body.
const BUFFER_BYTES: usize = 4 * limits::HEADERS_MAX_BYTES;
/// How often HTTP/2 asks a quiet peer whether it is still there, and how long that may take.
const PING: Duration = Duration::from_secs(limits::STREAM_COMMENT_SECONDS as u64);

/// What a connection is served with.
#[derive(Clone)]
pub(super) struct ConnectionContext {
    pub(super) router: Router,
    pub(super) shutdown: Shutdown,
    pub(super) pace: Pace,
    pub(super) closed: Arc<Tally<ConnectionsClosed>>,
}

/// Serves a plain connection, in the version of HTTP that its client begins with.
pub(super) async fn serve_plain<S>(stream: S, peer: SocketAddr, served: ConnectionContext)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let shutdown = served.shutdown.clone();
    let begun = tokio::select! {
        begun = tokio::time::timeout(HEAD, Http::of_first_bytes(stream)) => begun,
        // No request has arrived.
        () = shutdown.wait() => return,
    };
    match begun {
        Ok(Ok((http, stream))) => serve(stream, http, peer, served).await,
        Ok(Err(error)) => tracing::debug!(%error, %peer, "a connection broke off"),
        Err(_) => tracing::debug!(%peer, "a connection sent nothing"),
    }
}

/// Serves a connection until it ends or, when the hub stops, until its requests in flight are answered.
pub(super) async fn serve<S>(stream: S, http: Http, peer: SocketAddr, served: ConnectionContext)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (requests, unread, begun) = (Arc::new(()), Unread::default(), Arc::new(AtomicU64::new(0)));
    let watched =
        Watched { requests: Arc::downgrade(&requests), unread: unread.clone(), begun: begun.clone(), peer };
    let router = served.router.clone();
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        if http == Http::Two {
            begun.fetch_add(1, Ordering::Relaxed);
            name_host(&mut request);
        }
        let (answer, request_in_flight) = (router.clone().call(request.map(Body::new)), requests.clone());
        let unread = (http == Http::Two).then(|| unread.clone());
        async move {
            let response = answer.await?.map(|body| match unread {
                Some(unread) => unread.noted(body),
                None => body,
            });
            Ok::<_, Infallible>(response.map(|body| body::holding(body, request_in_flight)))
        }
    });
    let stream = Paced::new(stream, served.pace);
    match http {
        Http::One => {
            let mut one = http1::Builder::new();
            one.timer(TokioTimer::new()).header_read_timeout(HEAD);
            one.max_header_size(limits::HEADERS_MAX_BYTES).max_buf_size(BUFFER_BYTES);
            let connection = one.serve_connection(TokioIo::new(stream), service);
            watched.run(connection, http1::Connection::graceful_shutdown, http, served).await;
        }
        Http::Two => {
            let mut two = http2::Builder::new(TokioExecutor::new());
            two.timer(TokioTimer::new()).keep_alive_interval(PING).keep_alive_timeout(PING);
            two.max_concurrent_streams(limits::HTTP2_STREAMS_MAX_COUNT);
            two.max_header_list_size(limits::HEADERS_MAX_BYTES as u32);
            two.initial_stream_window_size(limits::SMALL_BODY_MAX_BYTES as u32);
            two.initial_connection_window_size(limits::HTTP2_WINDOW_BYTES);
            two.max_send_buf_size(limits::SMALL_BODY_MAX_BYTES);
            let connection = two.serve_connection(TokioIo::new(stream.without_gathering()), service);
            watched.run(connection, http2::Connection::graceful_shutdown, http, served).await;
        }
    }
}

/// What is known of a connection while it is served.
struct Watched {
    /// One more than there are requests in flight.
    requests: Weak<()>,
    unread: Unread,
    /// Requests so far.
    begun: Arc<AtomicU64>,
    peer: SocketAddr,
}

impl Watched {
    async fn run<C: Future<Output = hyper::Result<()>>>(
        self,
        connection: C,
        shut_down: fn(Pin<&mut C>),
        http: Http,
        served: ConnectionContext,
    ) {
        let ConnectionContext { shutdown, pace, closed, .. } = served;
        let (mut connection, peer) = (pin!(connection), self.peer);
        let (mut seen, mut idle) = (0, Duration::ZERO);
        let ended = loop {
            tokio::select! {
                ended = connection.as_mut() => break ended,
                () = shutdown.wait() => {
                    shut_down(connection.as_mut());
                    if self.is_busy() {
                        break connection.await;
                    }
                    // Nothing but bytes to be flushed, or a request that has not arrived and never may.
                    break tokio::time::timeout(limits::STOP_FLUSH_MAX, connection).await.unwrap_or(Ok(()));
                }
                // HTTP/1.1 has a limit of its own on the time between requests, and shows that it is not read.
                () = tokio::time::sleep(pace.grace), if http == Http::Two => {
                    if self.unread.is_older_than(pace.grace, Instant::now()) {
                        closed.note(ConnectionsClosed::SlowReader);
                        tracing::debug!(%peer, "an answer was not read");
                        return;
                    }
                    let begun = self.begun.load(Ordering::Relaxed);
                    let is_idle = begun == seen && !self.is_busy() && self.unread.is_empty();
                    idle = if is_idle { idle + pace.grace } else { Duration::ZERO };
                    seen = begun;
                    if idle >= HEAD {
                        shut_down(connection.as_mut());
                    }
                    // A client that received the GOAWAY leaves by then; there is nothing more to send it.
                    if idle >= HEAD + pace.grace {
                        return;
                    }
                }
            }
        };
        if let Err(error) = ended {
            if is_too_slow(&error) {
                closed.note(ConnectionsClosed::SlowReader);
            }
            tracing::debug!(%error, %peer, "a connection broke off");
        }
    }

    fn is_busy(&self) -> bool {
        self.requests.strong_count() > 1
    }
}

/// HTTP/2 names the host beside the headers. Everything here looks for it among them, as HTTP/1.1 has it; where there are two
/// they are left to the gate, which refuses a request with both.
fn name_host(request: &mut Request<Incoming>) {
    let host = request.uri().authority().map(|authority| HeaderValue::from_str(authority.as_str()));
    if let Some(Ok(host)) = host
        && request.headers().get(header::HOST) != Some(&host)
    {
        request.headers_mut().append(header::HOST, host);
    }
}

fn is_too_slow(error: &hyper::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        let io = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if io.is_some_and(|inner| inner.is::<TooSlow>()) {
            return true;
        }
        cause = error.source();
    }
    false
}
