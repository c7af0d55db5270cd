//! An answer's body on its way out: large ones leave in pieces, each piece's share of the hub's memory goes back when
//! the next is asked for, and the request counts as one of its token's until the body has gone.

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use baton_core::limits;
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::hub::in_flight::{RequestInFlight, ReservationSlot};

const PIECE: usize = limits::SMALL_BODY_MAX_BYTES;

/// Gives an answer's body what it holds until it has gone. A small body holds nothing.
pub(super) fn held(response: Response, share: ReservationSlot, request: Option<RequestInFlight>) -> Response {
    let bytes = response.body().size_hint().exact();
    if bytes.is_some_and(|bytes| bytes <= PIECE as u64) {
        share.release();
        return response;
    }
    if let Some(bytes) = bytes {
        share.change(|reservation| reservation.shrink_to(bytes));
    }
    let is_whole = bytes.is_some();
    let sending = |body| Sending { body, piece: Bytes::new(), frame: 0, is_whole, share, _request: request };
    response.map(|body| Body::new(sending(body)))
}

struct Sending {
    body: Body,
    /// What is left of the frame that is being sent.
    piece: Bytes,
    /// What that frame holds of the share.
    frame: u64,
    /// Whether the size of the body was known at its beginning.
    is_whole: bool,
    share: ReservationSlot,
    _request: Option<RequestInFlight>,
}

impl HttpBody for Sending {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.piece.is_empty() {
            // The connection has all of the last frame. A stream may now be idle for hours: it must hold nothing.
            let sent = std::mem::take(&mut self.frame);
            if sent > 0 {
                self.share.change(|reservation| reservation.shrink_by(sent));
            }
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.begin(data),
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                other => return Poll::Ready(other),
            }
        }
        let next = self.piece.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.piece.split_to(next)))))
    }

    fn is_end_stream(&self) -> bool {
        self.piece.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.piece.len() as u64);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}

impl Sending {
    fn begin(&mut self, data: Bytes) {
        // The share is for the answer of a tool, or the task a stream begins with: one frame, and whatever that was made
        // of has gone. Comments may come before it.
        let is_comment = !self.is_whole && data.starts_with(b":");
        self.frame = if is_comment { 0 } else { data.len() as u64 };
        if !self.is_whole && !is_comment {
            let bytes = if data.len() > PIECE { self.frame } else { 0 };
            self.share.change(|reservation| reservation.shrink_to(bytes));
        }
        self.piece = data;
    }
}

#[cfg(test)]
mod tests {
    use baton_core::SystemRole;
    use futures_util::{FutureExt, StreamExt, stream};
    use http_body_util::BodyExt;
    use std::convert::Infallible;

    use super::*;
    use crate::fixture::TestHub;
    use crate::hub::in_flight::Cost;

    #[tokio::test]
    async fn a_stream_whose_first_frame_was_handed_over_holds_no_memory_while_it_is_idle() {
        let test = TestHub::start();
        let token = test.person("ada", SystemRole::User, &[]).await;
        let who = test.hub.identify(&token).await.unwrap();
        let share = ReservationSlot::default();
        share.put(test.hub.in_flight.reserve(&who, Cost::Item).await.unwrap());
        let large = Bytes::from(vec![b'x'; 3 * PIECE]);
        let frames =
            [Bytes::from_static(b": still here\n\n"), large, Bytes::from_static(b": still here\n\n")];
        let frames = stream::iter(frames.map(Ok::<_, Infallible>)).chain(stream::pending());
        let mut body = held(Response::new(Body::from_stream(frames)), share, None).into_body();
        let mut next = || body.frame().now_or_never().map(|frame| frame.unwrap().unwrap());
        assert!(next().is_some());
        assert_eq!(
            test.hub.in_flight.bytes(),
            limits::ANSWER_MAX_BYTES as u64,
            "a comment uses nothing of it"
        );
        for _ in 0..3 {
            assert_eq!(next().unwrap().into_data().unwrap().len(), PIECE);
            assert_eq!(test.hub.in_flight.bytes(), 3 * PIECE as u64);
        }
        assert!(next().is_some(), "a comment");
        assert_eq!(test.hub.in_flight.bytes(), 0);
        assert!(next().is_none(), "it is idle");
        assert_eq!(test.hub.in_flight.bytes(), 0);
    }
}
