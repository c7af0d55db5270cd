//! One HTTP/1.1 connection that reads any answer, with a length or in chunks, and keeps as little of it as is asked.
//! It opens itself again after an error, connects from an address of choice, and can read slowly. An attacker needs
//! all of that; `connection` is the faster client for answers whose form is known.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::failure::Failure;
use crate::request::Address;

/// Also the longest line of a head.
const BUFFER_BYTES: usize = 16 * 1024;

/// Where a connection goes to and comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Route {
    to: SocketAddr,
    from: Ipv4Addr,
    pace: Option<Pace>,
}

/// A reader that takes so many bytes, then waits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) bytes: usize,
    pub(crate) every: Duration,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Of the body, as it was received.
    pub(crate) bytes: u64,
    /// Its beginning, as much as was to be kept.
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl Route {
    pub(crate) fn new(to: &Address, from: Ipv4Addr) -> Result<Self, Failure> {
        let to = to.authority.parse().map_err(Failure::of("the hub's address"))?;
        Ok(Self { to, from, pace: None })
    }

    pub(crate) fn slowly(self, pace: Pace) -> Self {
        Self { pace: Some(pace), ..self }
    }

    async fn connect(self) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        if let Some(pace) = self.pace {
            // What the kernel would take on its own account the hub would be rid of.
            socket.set_recv_buffer_size(u32::try_from(pace.bytes).unwrap_or(u32::MAX))?;
        }
        socket.bind(SocketAddr::new(self.from.into(), 0))?;
        let stream = socket.connect(self.to).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

/// A connection that is opened when it is needed.
#[derive(Debug)]
pub(crate) struct Wire {
    route: Route,
    stream: Option<TcpStream>,
    buffer: Vec<u8>,
}

impl Wire {
    pub(crate) fn new(route: Route) -> Self {
        let bytes = route.pace.map_or(BUFFER_BYTES, |pace| pace.bytes);
        Self { route, stream: None, buffer: vec![0; bytes] }
    }

    /// Sends a request and reads its answer to the end, keeping at most `kept` bytes of the body. Dropped before it has
    /// ended, the connection goes with it.
    pub(crate) async fn call(&mut self, request: &[u8], kept: usize) -> io::Result<Answer> {
        let stream = match self.stream.take() {
            Some(stream) => stream,
            None => self.route.connect().await?,
        };
        let mut reader = Reader { stream, buffer: &mut self.buffer, unread: 0..0, pace: self.route.pace };
        reader.stream.write_all(request).await?;
        let (answer, is_kept_open) = reader.answer(kept).await?;
        self.stream = is_kept_open.then_some(reader.stream);
        Ok(answer)
    }
}

/// How the end of a body is known.
enum Length {
    Bytes(u64),
    Chunks,
    UntilClosed,
}

struct Reader<'a> {
    stream: TcpStream,
    buffer: &'a mut [u8],
    unread: Range<usize>,
    pace: Option<Pace>,
}

impl Reader<'_> {
    /// The answer, and whether the connection takes another request.
    async fn answer(&mut self, kept: usize) -> io::Result<(Answer, bool)> {
        let status = self.line().await?.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| malformed("no status line"))?;
        let (mut length, mut is_kept_open) = (Length::UntilClosed, true);
        loop {
            let line = self.line().await?;
            let Some((name, value)) = line.split_once(':') else { break };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = Length::Bytes(value.parse().map_err(|_| malformed("length"))?),
                "transfer-encoding" => length = Length::Chunks,
                "connection" => is_kept_open = !value.eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        let mut answer = Answer { status, bytes: 0, body: Vec::new() };
        match length {
            Length::Bytes(bytes) => self.skip(bytes, kept, &mut answer).await?,
            Length::Chunks => self.chunks(kept, &mut answer).await?,
            Length::UntilClosed if status == 204 || status == 304 => {}
            Length::UntilClosed => return Err(malformed("an answer without a length")),
        }
        Ok((answer, is_kept_open))
    }

    async fn chunks(&mut self, kept: usize, answer: &mut Answer) -> io::Result<()> {
        loop {
            let line = self.line().await?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = u64::from_str_radix(size, 16).map_err(|_| malformed("a chunk's size"))?;
            self.skip(size, kept, answer).await?;
            self.line().await?;
            if size == 0 {
                return Ok(());
            }
        }
    }

    /// Reads so many bytes of the body.
    async fn skip(&mut self, mut left: u64, kept: usize, answer: &mut Answer) -> io::Result<()> {
        while left > 0 {
            if self.unread.is_empty() {
                self.unread = 0..0;
                self.fill().await?;
            }
            let taken = self.unread.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let wanted = kept.saturating_sub(answer.body.len()).min(taken);
            answer.body.extend_from_slice(&self.buffer[self.unread.start..self.unread.start + wanted]);
            self.unread.start += taken;
            answer.bytes += taken as u64;
            left -= taken as u64;
        }
        Ok(())
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        loop {
            let unread = &self.buffer[self.unread.clone()];
            let end = unread.iter().position(|byte| *byte == b'\n');
            line.extend_from_slice(&unread[..end.unwrap_or(unread.len())]);
            match end {
                Some(end) => {
                    self.unread.start += end + 1;
                    return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
                }
                None if line.len() > BUFFER_BYTES => return Err(malformed("a line without an end")),
                None => {
                    self.unread = 0..0;
                    self.fill().await?;
                }
            }
        }
    }

    /// Reads what there is into the empty buffer.
    async fn fill(&mut self) -> io::Result<()> {
        if let Some(pace) = self.pace {
            tokio::time::sleep(pace.every).await;
        }
        let read = self.stream.read(self.buffer).await?;
        if read == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.unread = 0..read;
        Ok(())
    }
}

fn malformed(what: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    /// Calls a server that answers every request with the same bytes.
    async fn answered(bytes: &'static [u8], kept: usize) -> io::Result<Answer> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = Address { authority: listener.local_addr().unwrap().to_string() };
        let server = async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut request = [0; 4];
            socket.read_exact(&mut request).await.unwrap();
            socket.write_all(bytes).await.unwrap();
        };
        let mut wire = Wire::new(Route::new(&address, Ipv4Addr::LOCALHOST).unwrap());
        tokio::join!(wire.call(b"GET ", kept), server).0
    }

    #[tokio::test]
    async fn a_body_is_read_to_its_end_whether_it_has_a_length_or_comes_in_chunks() {
        let whole = answered(b"HTTP/1.1 429 Slow\r\nContent-Length: 5\r\n\r\nhello", 3).await.unwrap();
        assert_eq!((whole.status, whole.bytes, &whole.body[..]), (429, 5, &b"hel"[..]));
        let chunked =
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n";
        let chunked = answered(chunked, 99).await.unwrap();
        assert_eq!((chunked.status, chunked.bytes, &chunked.body[..]), (200, 5, &b"abcde"[..]));
    }

    #[tokio::test]
    async fn an_answer_that_is_cut_short_is_an_error() {
        let cut = answered(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", 9).await;
        assert_eq!(cut.unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
