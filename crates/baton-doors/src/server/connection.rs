//! One connection: HTTP/1.1 by hyper, with limits on a request's head and on how long it takes to arrive.
//! An answer may take as long as it likes to begin, claims wait and streams stay open, but must then be read.

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use baton_core::limits;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tower::Service;

use super::paced::{Pace, Paced, TooSlow};
use crate::body;
use crate::hub::Shutdown;
use crate::metrics::{ConnectionsClosed, Tally};

/// Also how long a connection may be idle between requests.
const HEAD: Duration = Duration::from_secs(limits::REQUEST_READ_MAX_SECONDS as u64);
/// What hyper reads ahead of a connection: the whole head, and a good piece of a body.
const BUFFER_BYTES: usize = 4 * limits::HEADERS_MAX_BYTES;

/// What a connection is served with.
#[derive(Clone)]
pub(super) struct ConnectionContext {
    pub(super) router: Router,
    pub(super) shutdown: Shutdown,
    pub(super) pace: Pace,
    pub(super) closed: Arc<Tally<ConnectionsClosed>>,
}

/// Serves a connection until it ends or, when the hub stops, until its request in flight is answered.
pub(super) async fn serve<S>(stream: S, peer: SocketAddr, served: ConnectionContext)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let ConnectionContext { router, shutdown, pace, closed } = served;
    let requests = Arc::new(());
    let in_flight = Arc::downgrade(&requests);
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let (answer, request_in_flight) = (router.clone().call(request.map(Body::new)), requests.clone());
        async move {
            let response = answer.await?;
            Ok::<_, Infallible>(response.map(|body| body::holding(body, request_in_flight)))
        }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD);
    builder.max_header_size(limits::HEADERS_MAX_BYTES).max_buf_size(BUFFER_BYTES);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(Paced::new(stream, pace)), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.wait() => {
            connection.as_mut().graceful_shutdown();
            if in_flight.strong_count() > 1 {
                connection.await
            } else {
                // Nothing but bytes to be flushed, or a request that has not arrived and never may.
                tokio::time::timeout(limits::STOP_FLUSH_MAX, connection).await.unwrap_or(Ok(()))
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

fn is_too_slow(error: &hyper::Error) -> bool {
    let io = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    io.and_then(io::Error::get_ref).is_some_and(|inner| inner.is::<TooSlow>())
}
