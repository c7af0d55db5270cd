//! JSON in pieces: an answer is printed into pieces of bounded size, so that a large one needs no single block of memory
//! and each piece is freed as soon as it has been sent.

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use baton_core::limits;
use hyper::body::{Frame, SizeHint};
use serde::Serialize;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

const PIECE: usize = limits::SMALL_BODY_MAX_BYTES;
/// Most answers are no longer: one with a task is about 1 KiB.
const FIRST: usize = 2048; // not a limit: an estimate

/// A value as the JSON body of a response.
pub fn json(status: StatusCode, media_type: &'static str, value: &impl Serialize) -> Response {
    let mut pieces = Pieces { full: VecDeque::new(), last: Vec::with_capacity(FIRST) };
    if let Err(error) = serde_json::to_writer(&mut pieces, value) {
        tracing::error!(%error, "an answer could not be printed");
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let head = [(header::CONTENT_TYPE, HeaderValue::from_static(media_type))];
    (status, head, pieces.into_body()).into_response()
}

struct Pieces {
    full: VecDeque<Bytes>,
    last: Vec<u8>,
}

impl Pieces {
    fn into_body(mut self) -> Body {
        if self.full.is_empty() {
            return self.last.into();
        }
        self.full.push_back(self.last.into());
        let left = self.full.iter().map(|piece| piece.len() as u64).sum();
        Body::new(Whole { pieces: self.full, left })
    }
}

impl io::Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.last.len() == PIECE {
            let full = std::mem::replace(&mut self.last, Vec::with_capacity(PIECE));
            self.full.push_back(full.into());
        }
        let fits = bytes.len().min(PIECE - self.last.len());
        self.last.extend_from_slice(&bytes[..fits]);
        Ok(fits)
    }

    // What serde writes is a few bytes at a time, and nearly always fits.
    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while bytes.len() > PIECE - self.last.len() {
            let written = self.write(bytes)?;
            bytes = &bytes[written..];
        }
        self.last.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A body whose pieces are all there.
struct Whole {
    pieces: VecDeque<Bytes>,
    left: u64,
}

impl HttpBody for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.pieces.pop_front();
        self.left -= piece.as_ref().map_or(0, |piece| piece.len() as u64);
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    #[tokio::test]
    async fn a_large_answer_is_the_same_text_in_pieces_of_bounded_size() {
        for count in [0, 10, PIECE - 2, PIECE - 1, 3 * PIECE, 200_000] {
            let value = "ä".repeat(count);
            let mut body = json(StatusCode::OK, "application/json", &value).into_body();
            let text = serde_json::to_string(&value).unwrap();
            assert_eq!(body.size_hint().exact(), Some(text.len() as u64));
            let mut read = Vec::new();
            while let Some(frame) = body.frame().await {
                let data = frame.unwrap().into_data().unwrap();
                assert!(data.len() <= PIECE);
                read.extend_from_slice(&data);
            }
            assert_eq!(read, text.as_bytes(), "{count}");
        }
    }
}
