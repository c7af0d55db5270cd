//! Answers over HTTP/2 whose reader grants no window. The bytes of one connection keep moving while one of its answers
//! stands still, so `paced` does not see it: here each answer notes when it was last asked for more, and each piece of
//! it since when it waits to be sent. A connection with one that has stood still for too long is cut off.

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;

/// How much is passed on at once. What is taken more slowly than this in the time that is allowed stands still.
const PIECE: usize = 16 * 1024; // not a limit: a frame of HTTP/2, unless its reader asks for more

/// The answers of a connection that have something to send, and since when nobody took it.
#[derive(Clone, Default)]
pub(super) struct Unread {
    waiting: Arc<Mutex<HashMap<u64, Instant>>>,
    next: Arc<AtomicU64>,
}

impl Unread {
    /// Whether one will have stood still for so long by then.
    pub(super) fn is_older_than(&self, grace: Duration, now: Instant) -> bool {
        self.waiting().values().any(|since| now.duration_since(*since) > grace)
    }

    /// Whether all was taken.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    /// Notes how an answer is taken.
    pub(super) fn noted(&self, body: Body) -> Body {
        Body::new(Noted { body, rest: Bytes::new(), asked: Some(self.wait()), unread: self.clone() })
    }

    /// Something waits from now on.
    fn wait(&self) -> Wait {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.waiting().insert(number, Instant::now());
        Wait { number, unread: self.clone() }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, Instant>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something that waits until this is dropped.
struct Wait {
    number: u64,
    unread: Unread,
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.unread.waiting().remove(&self.number);
    }
}

/// Bytes that wait to be sent. hyper asks for them before there is window for them, and drops the answer's body with the last;
/// they are dropped once they are sent.
struct Piece {
    bytes: Bytes,
    _waits: Wait,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// An answer's body.
struct Noted {
    body: Body,
    /// What is left of the frame that is passed on in pieces.
    rest: Bytes,
    /// Waits to be asked for more; none if it has nothing.
    asked: Option<Wait>,
    unread: Unread,
}

impl HttpBody for Noted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            let frame = match Pin::new(&mut self.body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => frame,
                nothing => {
                    self.asked = None;
                    return nothing;
                }
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        self.asked = Some(self.unread.wait());
        let length = self.rest.len().min(PIECE);
        let piece = Piece { bytes: self.rest.split_to(length), _waits: self.unread.wait() };
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_owner(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (left, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(left.lower() + rest);
        if let Some(most) = left.upper() {
            hint.set_upper(most + rest);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use http_body_util::BodyExt;
    use std::convert::Infallible;

    use super::*;

    #[tokio::test]
    async fn an_answer_stands_still_from_its_beginning_until_all_of_it_was_taken() {
        let (unread, grace) = (Unread::default(), Duration::from_secs(10));
        let stands_still = || unread.is_older_than(grace, Instant::now() + 2 * grace);
        let frames = futures_util::stream::iter(["a", "b"].map(Ok::<_, Infallible>));
        let idle = futures_util::StreamExt::chain(frames, futures_util::stream::pending());
        let mut body = unread.noted(Body::from_stream(idle));
        assert!(stands_still(), "it was never asked for");
        assert!(!unread.is_older_than(grace, Instant::now()), "but not for long");
        for _ in 0..2 {
            body.frame().await.unwrap().unwrap();
            assert!(stands_still(), "nobody asked for more");
        }
        assert!(body.frame().now_or_never().is_none());
        assert!(!stands_still(), "there is nothing to take");
        let ended = unread.noted(Body::from("x"));
        assert!(stands_still());
        drop(ended);
        assert!(!stands_still());
    }

    #[tokio::test]
    async fn bytes_that_were_not_sent_stand_still_although_their_answer_has_ended() {
        let (unread, grace) = (Unread::default(), Duration::from_secs(10));
        let stands_still = || unread.is_older_than(grace, Instant::now() + 2 * grace);
        let sent: Vec<u8> = (0..2 * PIECE + 5).map(|n| n as u8).collect();
        let mut body = unread.noted(Body::from(sent.clone()));
        assert_eq!(body.size_hint().exact(), Some(sent.len() as u64));
        let mut pieces = Vec::new();
        while !body.is_end_stream() {
            pieces.push(body.frame().await.unwrap().unwrap().into_data().unwrap());
            let taken: usize = pieces.iter().map(Bytes::len).sum();
            assert_eq!(body.size_hint().exact(), Some((sent.len() - taken) as u64));
        }
        drop(body);
        assert_eq!(pieces.iter().map(Bytes::len).collect::<Vec<_>>(), [PIECE, PIECE, 5]);
        assert_eq!(pieces.concat(), sent);
        while let Some(piece) = pieces.pop() {
            assert!(stands_still() && !unread.is_empty());
            drop(piece);
        }
        assert!(!stands_still() && unread.is_empty());
    }
}
