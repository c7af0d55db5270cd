//! Something outside that the hub calls: a small HTTP server on loopback that answers by a script and remembers what
//! it heard. One request a connection; nothing sleeps, whoever waits is woken by the next request.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use super::http::{Answer, Client};

const PATIENCE: Duration = Duration::from_secs(40);

/// What was asked.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) method: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    Json(u16, Value),
    /// To be found elsewhere.
    Moved(String),
    /// Nothing, as long as the connection stands.
    Silence,
}

pub(crate) const OK: fn() -> Reply = || Reply::Json(200, Value::Null);

#[derive(Default)]
struct Memory {
    heard: Mutex<Vec<Heard>>,
    more: Condvar,
    /// Connections that get no answer.
    silent: Mutex<Vec<TcpStream>>,
}

/// A server outside.
pub(crate) struct Outside {
    address: SocketAddr,
    memory: Arc<Memory>,
}

impl Outside {
    /// Answers each request by what this gives for its number, from 0, and itself.
    pub(crate) fn start(script: impl Fn(usize, &Heard) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let memory = Arc::new(Memory::default());
        let (script, remembers) = (Arc::new(script), memory.clone());
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let (script, memory) = (script.clone(), remembers.clone());
                std::thread::spawn(move || answer(socket, &*script, &memory));
            }
        });
        Self { address, memory }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Everything heard so far.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.memory.heard.lock().unwrap().clone()
    }

    /// Waits until what was heard is as wanted, and gives it.
    pub(crate) fn wait_until(&self, wanted: impl Fn(&[Heard]) -> bool) -> Vec<Heard> {
        let deadline = Instant::now() + PATIENCE;
        let mut heard = self.memory.heard.lock().unwrap();
        while !wanted(&heard) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "heard only {heard:#?}");
            heard = self.memory.more.wait_timeout(heard, left).unwrap().0;
        }
        heard.clone()
    }

    pub(crate) fn wait_for(&self, count: usize) -> Vec<Heard> {
        self.wait_until(|heard| heard.len() >= count)
    }
}

fn answer(socket: TcpStream, script: &dyn Fn(usize, &Heard) -> Reply, memory: &Memory) {
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let Some(heard) = read(&socket) else { return };
    let number = {
        let all = memory.heard.lock().unwrap();
        all.len()
    };
    let reply = script(number, &heard);
    memory.heard.lock().unwrap().push(heard);
    let (status, more, body) = match reply {
        Reply::Json(status, body) => (status, String::new(), body.to_string()),
        Reply::Moved(to) => (307, format!("location: {to}\r\n"), String::new()),
        Reply::Silence => {
            memory.silent.lock().unwrap().push(socket);
            memory.more.notify_all();
            return;
        }
    };
    let head =
        format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-type: application/json\r\n{more}");
    // Who hung up meanwhile hears nothing.
    let _ = (&socket).write_all(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes());
    memory.more.notify_all();
}

fn read(socket: &TcpStream) -> Option<Heard> {
    let mut reader = BufReader::new(socket);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut words = line.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_owned(), value.trim().to_owned())),
            None => break,
        }
    }
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(Heard { method, path, headers, body })
}

/// A call of an agent's JSON-RPC door.
pub(crate) fn rpc(client: &Client, network: &str, alias: &str, method: &str, params: &Value) -> Value {
    let body = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let path = format!("/a2a/{network}/{alias}/");
    client.send("POST", &path, &[("a2a-version", "1.0")], Some(&body)).json()
}

/// A call of an agent's HTTP+JSON door.
pub(crate) fn http(
    client: &Client,
    network: &str,
    alias: &str,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> Answer {
    client.send(method, &format!("/a2a/{network}/{alias}/{path}"), &[("a2a-version", "1.0")], body)
}
