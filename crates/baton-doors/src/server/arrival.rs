//! A request's body must arrive in time and within bounds, no matter who reads it. A body that does not is cut off where
//! it is read, and whatever the reader made of that is replaced by the answer that says why.

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{Method, header};
use axum::middleware::Next;
use axum::response::Response;
use baton_core::limits;
use futures_util::future::BoxFuture;
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use crate::hub::in_flight::{Cost, Reservation, ReservationSlot};
use crate::hub::{Hub, Identity, Shutdown};
use crate::rest::artifacts::ARTIFACTS;
use crate::rest::{DoorError, discard, refuse};
use crate::service::Error;

/// What a body must keep to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) bytes: usize,
    pub(super) time: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            bytes: limits::JSON_BODY_MAX_BYTES,
            time: Duration::from_secs(limits::REQUEST_READ_MAX_SECONDS.into()),
        }
    }
}

/// Why a body was cut off.
#[derive(Debug, Clone, Copy)]
enum CutReason {
    Late,
    Large,
    /// The hub stops: a request that is not there yet is new work.
    Stopping,
    /// There was no share of memory for the rest of it.
    Busy,
}

impl CutReason {
    fn answer(self) -> Response {
        match self {
            Self::Late => refuse::and_close(DoorError::BodyTooLate),
            Self::Large => refuse::and_close(DoorError::BodyTooLarge),
            Self::Stopping => refuse::for_now(DoorError::ShuttingDown),
            Self::Busy => refuse::for_now(DoorError::Busy),
        }
    }
}

/// Whether a request's body may be larger than anybody may send.
pub(super) fn needs_known_caller(request: &Request) -> bool {
    !is_upload(request) && may_exceed(request, limits::PUBLIC_BODY_MAX_BYTES)
}

fn is_upload(request: &Request) -> bool {
    request.method() == Method::PUT && request.uri().path() == ARTIFACTS
}

fn may_exceed(request: &Request, bytes: usize) -> bool {
    !request.body().is_end_stream() && declared_bytes(request).is_none_or(|declared| declared > bytes as u64)
}

/// Runs the rest of the way with a body that keeps to the limits. A large one of a caller who is known takes a share of
/// the hub's memory once its first part is there. Without a known caller no more than `PUBLIC_BODY_MAX_BYTES` are read;
/// that is enforced where the body is read, so that a door which looks at the token first still answers 401.
pub(super) async fn bounded(
    bounds: Bounds,
    hub: &Arc<Hub>,
    who: Option<Identity>,
    request: Request,
    next: Next,
) -> Response {
    // An upload is streamed: its handler holds it to bounds of its own.
    if request.body().is_end_stream() || is_upload(&request) {
        return next.run(request).await;
    }
    if declared_bytes(&request).is_some_and(|bytes| bytes > bounds.bytes as u64) {
        discard::body(request.into_body().into_data_stream()).await;
        return CutReason::Large.answer();
    }
    let cut = Arc::new(OnceLock::new());
    let whole = declared_bytes(&request).unwrap_or(bounds.bytes as u64);
    let reserved = ReservationSlot::default();
    let bounds = match who {
        Some(_) => bounds,
        None => Bounds { bytes: bounds.bytes.min(limits::PUBLIC_BODY_MAX_BYTES), ..bounds },
    };
    let who = who.filter(|_| may_exceed(&request, limits::SMALL_BODY_MAX_BYTES));
    let share = who.map(|who| Share::new(hub.clone(), who, whole, reserved.clone()));
    let shutdown = hub.shutdown.clone();
    let arriving = |body| IncomingBody { body, bounds, shutdown, share, waiting: None, cut: cut.clone() };
    let request = request.map(|body| Body::new(arriving(body)));
    let response = next.run(request).await;
    reserved.release();
    cut.get().map_or(response, |cut| cut.answer())
}

fn declared_bytes(request: &Request) -> Option<u64> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// A body on its way in.
struct IncomingBody {
    body: Body,
    /// What is left of them.
    bounds: Bounds,
    shutdown: Shutdown,
    share: Option<Share>,
    /// Most bodies come with their head, and nothing is waited for.
    waiting: Option<Pin<Box<dyn Future<Output = CutReason> + Send>>>,
    cut: Arc<OnceLock<CutReason>>,
}

impl IncomingBody {
    /// Whether waiting for more has come to an end.
    fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<CutReason> {
        let (time, shutdown) = (self.bounds.time, &self.shutdown);
        let waiting = self.waiting.get_or_insert_with(|| {
            let shutdown = shutdown.clone();
            Box::pin(async move {
                tokio::select! {
                    () = tokio::time::sleep(time) => CutReason::Late,
                    () = shutdown.wait() => CutReason::Stopping,
                }
            })
        });
        waiting.as_mut().poll(cx)
    }

    fn cut_off<T>(&self, why: CutReason) -> Poll<Option<Result<T, axum::Error>>> {
        let why = *self.cut.get_or_init(|| why);
        Poll::Ready(Some(Err(axum::Error::new(format!("the body was cut off: {why:?}")))))
    }
}

/// The share of memory of a large body. Its first part is free; for the rest the whole is reserved at once, so that no
/// body holds some and waits for more.
struct Share {
    hub: Arc<Hub>,
    who: Identity,
    whole: u64,
    arrived: usize,
    reserving: Option<BoxFuture<'static, Result<Reservation, Error>>>,
    /// Where it is kept until the request is answered: what was read is held for as long.
    reserved: ReservationSlot,
}

impl Share {
    fn new(hub: Arc<Hub>, who: Identity, whole: u64, reserved: ReservationSlot) -> Self {
        Self { hub, who, whole, arrived: 0, reserving: None, reserved }
    }

    fn arrived(&mut self, bytes: usize) {
        self.arrived += bytes;
    }

    /// Whether more may be read.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if self.reserved.is_some() || self.arrived < limits::SMALL_BODY_MAX_BYTES {
            return Poll::Ready(Ok(()));
        }
        let (hub, who, whole) = (&self.hub, &self.who, self.whole);
        let reserving = self.reserving.get_or_insert_with(|| {
            let (hub, who) = (hub.clone(), who.clone());
            Box::pin(async move { hub.in_flight.reserve(&who, Cost::Bytes(whole)).await })
        });
        self.reserved.put(ready!(reserving.as_mut().poll(cx))?);
        self.reserving = None;
        Poll::Ready(Ok(()))
    }
}

impl HttpBody for IncomingBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(share) = &mut self.share
            && ready!(share.poll(cx)).is_err()
        {
            return self.cut_off(CutReason::Busy);
        }
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Pending => match self.poll_wait(cx) {
                Poll::Ready(why) => self.cut_off(why),
                Poll::Pending => Poll::Pending,
            },
            Poll::Ready(Some(Ok(frame))) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                match self.bounds.bytes.checked_sub(bytes) {
                    Some(left) => self.bounds.bytes = left,
                    None => return self.cut_off(CutReason::Large),
                }
                if let Some(share) = &mut self.share {
                    share.arrived(bytes);
                }
                Poll::Ready(Some(Ok(frame)))
            }
            other => other,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
