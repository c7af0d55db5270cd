//! Which HTTP a connection speaks. Over TLS both sides have agreed on it; on a plain connection the first bytes tell:
//! HTTP/2 begins with a preface that no HTTP/1.1 request can have (RFC 9113, 3.3 and 3.4).

use bytes::Bytes;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A version of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Http {
    One,
    Two,
}

impl Http {
    /// What was agreed on in a TLS handshake; nothing is HTTP/1.1.
    pub(super) fn of_alpn(agreed: Option<&[u8]>) -> Self {
        if agreed == Some(b"h2") { Self::Two } else { Self::One }
    }

    /// Reads until it is clear. What was read is read again by whoever serves the connection.
    pub(super) async fn of_first_bytes<S: AsyncRead + Unpin>(
        mut stream: S,
    ) -> io::Result<(Self, Rewound<S>)> {
        let mut read = [0; PREFACE.len()];
        let mut length = 0;
        while length < PREFACE.len() && PREFACE.starts_with(&read[..length]) {
            match stream.read(&mut read[length..]).await? {
                0 => break,
                more => length += more,
            }
        }
        let http = if read == PREFACE { Self::Two } else { Self::One };
        Ok((http, Rewound { read: Bytes::copy_from_slice(&read[..length]), stream }))
    }
}

/// A stream some bytes of which have been read already.
pub(super) struct Rewound<S> {
    read: Bytes,
    stream: S,
}

impl<S: AsyncRead + Unpin> AsyncRead for Rewound<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, into);
        }
        let length = self.read.len().min(into.remaining());
        into.put_slice(&self.read.split_to(length));
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Rewound<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_bytes_tell_the_version_and_are_read_again() {
        for (sent, expected) in [
            (&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nframes"[..], Http::Two),
            (b"POST /x HTTP/1.1\r\n\r\n", Http::One),
            (b"PRI * HTTP/1.1\r\n\r\n", Http::One),
            (b"P", Http::One),
            (b"", Http::One),
        ] {
            let (http, mut rewound) = Http::of_first_bytes(sent).await.unwrap();
            let mut read = Vec::new();
            rewound.read_to_end(&mut read).await.unwrap();
            assert_eq!((http, &*read), (expected, sent));
        }
    }

    #[tokio::test]
    async fn a_preface_that_comes_byte_by_byte_is_one() {
        let (mut client, server) = tokio::io::duplex(1);
        let sent = tokio::spawn(async move {
            tokio::io::AsyncWriteExt::write_all(&mut client, PREFACE).await.unwrap();
        });
        assert_eq!(Http::of_first_bytes(server).await.unwrap().0, Http::Two);
        sent.await.unwrap();
    }
}
