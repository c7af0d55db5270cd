//! One call as bytes, whatever they are, and what came back within a bound of time.

use serde_json::{Value, json};
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::stage::Operation;
use super::values::Values;

/// Longer than any answer that does not wait takes on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);
/// What may wait is left after this long.
const GLIMPSE: Duration = Duration::from_millis(150);
/// No more of an answer is read than this: an export is streamed, a stream has no end.
const READ_MAX_BYTES: usize = 24 << 20;

/// The argument by which a call waits.
const WAIT: &[u8] = b"wait_seconds";

/// A call.
pub(super) struct Call {
    method: String,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: Option<Vec<u8>>,
    glimpse: bool,
}

/// What was answered.
#[derive(Debug, Default)]
pub(super) struct Answered {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    /// The answer continues, or has not begun.
    pub(super) is_open: bool,
}

impl Answered {
    /// The body as JSON, or null: of an event stream its first line of data.
    pub(super) fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        let data = text.lines().find_map(|line| line.strip_prefix("data: {").map(|rest| format!("{{{rest}")));
        serde_json::from_str(data.as_deref().unwrap_or(&text)).unwrap_or_default()
    }
}

impl Call {
    /// Whether its answer may come late or never.
    pub(super) const fn may_wait(&self) -> bool {
        self.glimpse
    }

    /// A call of this operation by somebody with this token.
    pub(super) fn made_up(values: &mut Values<'_>, operation: &Operation, token: Option<&str>) -> Self {
        let mut headers = vec![("accept", "application/json, text/event-stream".to_owned())];
        match token {
            Some(token) if !values.random.percent(2) => {
                headers.push(("authorization", format!("Bearer {token}")));
            }
            Some(_) => headers.push(("authorization", values.header())),
            None => {}
        }
        if operation.path.starts_with("/a2a") {
            headers.push((
                "a2a-version",
                if values.random.percent(95) { "1.0".into() } else { values.header() },
            ));
        }
        if values.random.percent(3) {
            headers.push(("last-event-id", values.header()));
        }
        let path = values.path(&operation.path) + &values.query(&operation.query);
        let body = operation.body.as_ref().map(|schema| match &operation.tool {
            Some(name) => {
                let params = json!({"name": name, "arguments": values.of_schema(schema, 0)});
                json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
                    .to_string()
                    .into()
            }
            None => values.body(schema),
        });
        if body.is_some() {
            let form = if values.random.percent(97) { operation.form.clone() } else { values.header() };
            headers.push(("content-type", form));
        }
        // Any call that names a wait may be answered late.
        let waits = |bytes: &[u8]| bytes.windows(WAIT.len()).any(|window| window == WAIT);
        let glimpse = operation.may_wait() || waits(path.as_bytes()) || body.as_deref().is_some_and(waits);
        Self { method: operation.method.clone(), path, headers, body, glimpse }
    }

    pub(super) fn send(&self, address: SocketAddr) -> Answered {
        let body = self.body.as_deref().unwrap_or_default();
        let mut request =
            format!("{} {} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if self.body.is_some() || self.method != "GET" {
            request.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        let mut socket = TcpStream::connect_timeout(&address, PATIENCE).unwrap();
        socket.set_write_timeout(Some(PATIENCE)).unwrap();
        let sent = [request.as_bytes(), b"\r\n", body].concat();
        // The hub may answer and close the connection before the whole request is sent.
        if let Err(error) = socket.write_all(&sent) {
            assert!(
                matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset),
                "{error}: {self}"
            );
        }
        self.read(&mut socket)
    }

    fn read(&self, socket: &mut TcpStream) -> Answered {
        let until = Instant::now() + if self.glimpse { GLIMPSE } else { PATIENCE };
        let (mut received, mut piece) = (Vec::new(), vec![0; 64 << 10]);
        let is_open = loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || received.len() > READ_MAX_BYTES {
                break true;
            }
            socket.set_read_timeout(Some(left)).unwrap();
            match socket.read(&mut piece) {
                Ok(0) => break false,
                Ok(count) => received.extend_from_slice(&piece[..count]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) if error.kind() == ErrorKind::ConnectionReset => break false,
                Err(error) => panic!("{error}: {self}"),
            }
        };
        let end = received.windows(4).position(|four| four == b"\r\n\r\n");
        let head = String::from_utf8_lossy(&received[..end.unwrap_or(received.len())]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        // A hub that closes without a word has refused bytes that are no request.
        let status = if received.is_empty() && !is_open { 400 } else { status };
        Answered { status, body: end.map(|end| received.split_off(end + 4)).unwrap_or_default(), is_open }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:?}", self.method, self.path, self.headers)?;
        match &self.body {
            Some(body) => {
                write!(f, " {} bytes {}", body.len(), String::from_utf8_lossy(&body[..body.len().min(2_000)]))
            }
            None => Ok(()),
        }
    }
}
