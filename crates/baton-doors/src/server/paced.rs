//! A connection whose reader must keep up. While bytes wait to be written the peer must take them at a minimum rate;
//! one that falls too far behind is cut off, so that what it was to be sent is not held for it. A connection with
//! nothing to write, a quiet stream for example, is never behind.

use baton_core::limits;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How fast an answer must be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pub(super) bytes_per_second: u32,
    /// How far a reader may fall behind.
    pub(super) grace: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            bytes_per_second: limits::SEND_MIN_BYTES_PER_SECOND,
            grace: Duration::from_secs(limits::SEND_GRACE_SECONDS.into()),
        }
    }
}

impl Pace {
    /// How far behind a reader is that kept bytes waiting for so long, then took so many.
    fn behind(self, before: Duration, waited: Duration, taken: usize) -> Duration {
        let credit = Duration::from_secs_f64(taken as f64 / f64::from(self.bytes_per_second));
        (before + waited).saturating_sub(credit)
    }
}

/// Why a connection was closed.
#[derive(Debug, thiserror::Error)]
#[error("the reader was too slow")]
pub(super) struct TooSlow;

/// A stream of bytes to a reader that must keep up.
pub(super) struct Paced<S> {
    stream: S,
    pace: Pace,
    behind: Duration,
    /// Since when bytes wait, and when that has been too long.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
    gathers: bool,
}

impl<S> Paced<S> {
    pub(super) fn new(stream: S, pace: Pace) -> Self {
        Self { stream, pace, behind: Duration::ZERO, waiting: None, gathers: true }
    }

    /// Takes one buffer at a time. h2 copies frames of up to 1 KiB into its buffer then, and what several streams have to send
    /// leaves in one write. With vectored writes it flushes after each frame of over 256 bytes: 3.8 writes for a gRPC call.
    pub(super) fn without_gathering(self) -> Self {
        Self { gathers: false, ..self }
    }

    /// What became of a write, in the light of how long it took.
    fn judge(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(taken)) => {
                let waited = self.waiting.take().map_or(Duration::ZERO, |(since, _)| since.elapsed());
                self.behind = self.pace.behind(self.behind, waited, taken);
                Poll::Ready(Ok(taken))
            }
            Poll::Pending => {
                let left = self.pace.grace.saturating_sub(self.behind);
                let (_, too_long) =
                    self.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
                ready!(too_long.as_mut().poll(cx));
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, TooSlow)))
            }
            failed => failed,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.judge(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.judge(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.gathers && self.stream.is_write_vectored()
    }

    // Over TLS this is where written bytes wait for the peer.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx).map_ok(|()| 0);
        self.judge(cx, flushed).map_ok(drop)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_behind_a_reader_is_follows_from_what_it_took() {
        let pace = Pace { bytes_per_second: 1_000, grace: Duration::from_secs(10) };
        let seconds = Duration::from_secs;
        for (before, waited, taken, behind) in [
            (0, 0, 1_000, 0),  // it takes what comes
            (0, 4, 1_000, 3),  // a quarter of the rate
            (3, 4, 1_000, 6),  // and again
            (6, 1, 1_000, 6),  // just the rate: no further behind
            (6, 1, 5_000, 2),  // faster: it catches up
            (2, 1, 60_000, 0), // and has no credit for later
        ] {
            assert_eq!(
                pace.behind(seconds(before), seconds(waited), taken),
                seconds(behind),
                "{before} {waited}"
            );
        }
    }
}
