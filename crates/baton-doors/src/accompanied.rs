//! An answer's body that takes something along until it has gone.

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A body, and what is dropped with it.
pub(crate) struct Accompanied<T> {
    body: Body,
    _along: T,
}

impl<T> Accompanied<T> {
    pub(crate) fn new(body: Body, along: T) -> Self {
        Self { body, _along: along }
    }
}

impl<T: Unpin> HttpBody for Accompanied<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
