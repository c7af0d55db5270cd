//! A small blocking HTTP/1.1 client over a plain socket: one request a connection, every wait bounded.
//! `Client` speaks JSON, `raw` sends bytes as they are, `Stream` reads server-sent events.

use serde_json::Value;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longer than any answer may take; a claim may wait 50 seconds.
const PATIENCE: Duration = Duration::from_secs(70);

/// A hub's address and whose token is sent along.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) token: Option<String>,
}

/// What was answered.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, token: None }
    }

    /// The same hub with another token.
    pub(crate) fn with_token(&self, token: &str) -> Self {
        Self { address: self.address, token: Some(token.into()) }
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.send("GET", path, &[], None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Response {
        self.send("POST", path, &[], Some(body))
    }

    pub(crate) fn put(&self, path: &str, body: &Value) -> Response {
        self.send("PUT", path, &[], Some(body))
    }

    pub(crate) fn delete(&self, path: &str) -> Response {
        self.send("DELETE", path, &[], None)
    }

    /// Any request, with more headers; a header named here replaces the one that would be sent.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Response {
        self.send_text(method, path, headers, body.map(Value::to_string).as_deref())
    }

    /// The same with any text as its body.
    pub(crate) fn send_text(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Response {
        raw(self.address, &self.request(method, path, headers, body))
    }

    /// The bytes of such a request.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Vec<u8> {
        let bytes = body.unwrap_or_default().as_bytes();
        let mut all = vec![("host", self.address.to_string()), ("connection", "close".into())];
        if let Some(token) = &self.token {
            all.push(("authorization", format!("Bearer {token}")));
        }
        if body.is_some() {
            all.push(("content-type", "application/json".into()));
        }
        if body.is_some() || method != "GET" {
            all.push(("content-length", bytes.len().to_string()));
        }
        all.retain(|(name, _)| !headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
        all.extend(headers.iter().map(|(name, value)| (*name, (*value).to_owned())));
        let mut request = format!("{method} {path} HTTP/1.1\r\n");
        for (name, value) in all {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        let mut request = request.into_bytes();
        request.extend(bytes);
        request
    }

    /// Opens a stream of events; anything but 200 is the answer instead.
    pub(crate) fn stream(&self, path: &str, last_event_id: Option<&str>) -> Result<Stream, Response> {
        let last = last_event_id.map(|id| ("last-event-id", id));
        let headers: Vec<_> = [("accept", "text/event-stream")].into_iter().chain(last).collect();
        self.stream_of("GET", path, &headers, None)
    }

    /// Opens the stream of events that any request is answered with; anything else is the answer instead.
    pub(crate) fn stream_of(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Stream, Response> {
        let request = self.request(method, path, headers, body.map(Value::to_string).as_deref());
        let mut socket = connect(self.address);
        socket.write_all(&request).unwrap();
        let mut reader = BufReader::new(socket);
        let (status, headers) = read_head(&mut reader).expect("a response head");
        let is_stream = |(name, value): &(String, String)| {
            name.eq_ignore_ascii_case("content-type") && value.starts_with("text/event-stream")
        };
        if status == 200 && headers.iter().any(is_stream) {
            return Ok(Stream { reader, line: Vec::new(), comments: 0 });
        }
        Err(Response { status, body: read_body(&mut reader, &headers), headers })
    }
}

impl Response {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in {} {:?}", self.status, self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Sends bytes as they are and reads the answer. Panics if none comes.
pub(crate) fn raw(address: SocketAddr, request: &[u8]) -> Response {
    let mut socket = connect(address);
    // A hub that has heard enough may answer and hang up before everything is sent.
    if let Err(error) = socket.write_all(request) {
        assert!(matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset), "{error}");
    }
    read_response(socket).expect("an answer")
}

/// A connection whose reads and writes are bounded.
pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let socket = TcpStream::connect_timeout(&address, PATIENCE).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.set_write_timeout(Some(PATIENCE)).unwrap();
    socket.set_nodelay(true).unwrap();
    socket
}

/// The answer on a connection; none if it is closed without one.
pub(crate) fn read_response(socket: impl Read) -> Option<Response> {
    let mut reader = BufReader::new(socket);
    let (status, headers) = read_head(&mut reader)?;
    Some(Response { status, body: read_body(&mut reader, &headers), headers })
}

fn read_head(reader: &mut impl BufRead) -> Option<(u16, Vec<(String, String)>)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let status = line.split(' ').nth(1)?.parse().unwrap();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_owned(), value.trim().to_owned())),
            None => return Some((status, headers)),
        }
    }
}

fn read_body(reader: &mut impl BufRead, headers: &[(String, String)]) -> Vec<u8> {
    let header = |name: &str| headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
    let mut body = Vec::new();
    if header("transfer-encoding").is_some() {
        while read_chunk(reader, &mut body) {}
    } else if let Some((_, length)) = header("content-length") {
        body.resize(length.parse().unwrap(), 0);
        reader.read_exact(&mut body).unwrap();
    } else {
        reader.read_to_end(&mut body).unwrap();
    }
    body
}

/// One chunk; false at the end of the body or of the connection.
fn read_chunk(reader: &mut impl BufRead, into: &mut Vec<u8>) -> bool {
    let mut size = String::new();
    reader.read_line(&mut size).unwrap();
    let Ok(size) = usize::from_str_radix(size.trim(), 16) else { return false };
    let start = into.len();
    into.resize(start + size + 2, 0);
    reader.read_exact(&mut into[start..]).unwrap();
    into.truncate(start + size);
    size > 0
}

/// An open stream of server-sent events.
#[derive(Debug)]
pub(crate) struct Stream {
    reader: BufReader<TcpStream>,
    line: Vec<u8>,
    /// How many comments `next_frame` has passed over.
    pub(crate) comments: usize,
}

/// One frame: its id if it has one, and its data.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) id: Option<String>,
    pub(crate) data: Value,
}

impl Stream {
    /// The next frame, comments passed over; none when the hub ends the stream.
    pub(crate) fn next_frame(&mut self) -> Option<Frame> {
        let mut id = None;
        loop {
            let line = self.next_line()?;
            if let Some(value) = line.strip_prefix("id:") {
                id = Some(value.trim().to_owned());
            } else if let Some(data) = line.strip_prefix("data:") {
                return Some(Frame { id, data: serde_json::from_str(data.trim()).unwrap() });
            } else if line.starts_with(':') {
                self.comments += 1;
            }
        }
    }

    /// The next frame of this type, others passed over.
    pub(crate) fn next_of(&mut self, kind: &str) -> Option<Frame> {
        loop {
            let frame = self.next_frame()?;
            if frame.data["type"] == kind {
                return Some(frame);
            }
        }
    }

    fn next_line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.line.drain(..=end).collect();
                return Some(String::from_utf8(line).unwrap().trim_end().to_owned());
            }
            if !read_chunk(&mut self.reader, &mut self.line) {
                return None;
            }
        }
    }
}
