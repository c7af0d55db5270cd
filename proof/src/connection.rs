//! One persistent HTTP/1.1 connection, no more than the hub's JSON answers need: a status, a content-length, a body.
//! A client library would cost the generator as much as the hub spends on a call.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::request::Address;
use super::trouble::Trouble;

/// Larger than any answer of the calls measured.
const ANSWER_MAX_BYTES: usize = 512 * 1024;

/// An open connection.
#[derive(Debug)]
pub(super) struct Connection {
    socket: TcpStream,
    received: Vec<u8>,
}

/// Where the parts of a received answer lie.
struct Answer {
    status: u16,
    body_at: usize,
    end: usize,
}

impl Connection {
    pub(super) async fn open(address: &Address) -> Result<Self, Trouble> {
        let failed = Trouble::during("connecting to the hub");
        let socket = TcpStream::connect(&address.authority).await.map_err(&failed)?;
        socket.set_nodelay(true).map_err(&failed)?;
        Ok(Self { socket, received: vec![0; ANSWER_MAX_BYTES] })
    }

    /// Sends a request and waits for its answer: the body of a success.
    pub(super) async fn call(&mut self, call: &'static str, request: &[u8]) -> Result<&[u8], Trouble> {
        let failed = Trouble::during(call);
        self.socket.write_all(request).await.map_err(&failed)?;
        let mut filled = 0;
        let answer = loop {
            let read = self.socket.read(&mut self.received[filled..]).await.map_err(&failed)?;
            filled += read;
            match Answer::find(&self.received[..filled]) {
                Some(answer) if answer.end <= filled => break answer,
                _ if read == 0 => return Err(self.cut_short(call, filled)),
                _ => {}
            }
        };
        let body = &self.received[answer.body_at..answer.end];
        if (200..300).contains(&answer.status) {
            return Ok(body);
        }
        let body = String::from_utf8_lossy(body).into_owned();
        Err(Trouble::Refused { call, status: answer.status, body })
    }

    fn cut_short(&self, call: &'static str, filled: usize) -> Trouble {
        let head = String::from_utf8_lossy(&self.received[..filled.min(200)]).into_owned();
        let error = std::io::Error::other(format!("the connection ended within an answer: {head:?}"));
        Trouble::Connection { call, error }
    }
}

impl Answer {
    /// Reads the head once it is whole. An answer without a length is none of the calls measured.
    fn find(received: &[u8]) -> Option<Self> {
        let head_end = received.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = std::str::from_utf8(&received[..head_end]).ok()?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let length: usize = lines
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            .and_then(|(_, value)| value.trim().parse().ok())?;
        let body_at = head_end + 4;
        Some(Self { status, body_at, end: body_at + length })
    }
}

#[cfg(test)]
mod tests {
    use super::Answer;

    #[test]
    fn an_answer_is_found_only_when_its_head_is_whole() {
        let whole = b"HTTP/1.1 202 Accepted\r\nContent-Length: 11\r\n\r\n{\"ok\":true}";
        assert!(Answer::find(&whole[..40]).is_none());
        let answer = Answer::find(whole).unwrap();
        assert_eq!((answer.status, answer.end), (202, whole.len()));
        assert_eq!(&whole[answer.body_at..], b"{\"ok\":true}");
    }
}
