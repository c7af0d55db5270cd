//! Something outside that the hub calls: a small HTTP server on loopback that answers by a script and remembers what
//! it heard. One request a connection; nothing sleeps, whoever waits is woken by the next request. Plain, or behind TLS
//! with a certificate of an authority that only the test knows.

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use super::http::{Client, Response};

const PATIENCE: Duration = Duration::from_secs(40);

/// What was asked.
#[derive(Debug, Clone)]
pub(crate) struct RecordedCall {
    pub(crate) method: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl RecordedCall {
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
    /// All is well, and then a body that never comes.
    Unfinished,
}

pub(crate) const OK: fn() -> Reply = || Reply::Json(200, Value::Null);

#[derive(Default)]
struct Memory {
    heard: Mutex<Vec<RecordedCall>>,
    more: Condvar,
    /// Connections that get no answer.
    silent: Mutex<Vec<Box<dyn Send>>>,
}

/// An authority of the test's own, and what it signed for this machine.
pub(crate) struct Authority {
    pem: String,
    leaf: rcgen::Certificate,
    key: rcgen::KeyPair,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let (root_key, key) = (rcgen::KeyPair::generate().unwrap(), rcgen::KeyPair::generate().unwrap());
        // No two have the same name: one who is not known is not taken for one who is.
        let name = format!("authority {:?}", &root_key.public_key_raw()[..8]);
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        let pem = params.self_signed(&root_key).unwrap().pem();
        let issuer = rcgen::Issuer::new(params, root_key);
        let leaf = rcgen::CertificateParams::new(vec!["127.0.0.1".into()]).unwrap();
        Self { pem, leaf: leaf.signed_by(&key, &issuer).unwrap(), key }
    }

    /// Its own certificate, in a file.
    pub(crate) fn write_to(&self, folder: &Path) -> PathBuf {
        let file = folder.join("authority.pem");
        std::fs::write(&file, &self.pem).unwrap();
        file
    }

    fn server(&self) -> Arc<ServerConfig> {
        let key = rustls::pki_types::PrivatePkcs8KeyDer::from(self.key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.unwrap().with_no_client_auth();
        Arc::new(config.with_single_cert(vec![self.leaf.der().clone()], key.into()).unwrap())
    }
}

/// A server outside.
pub(crate) struct Outside {
    scheme: &'static str,
    address: SocketAddr,
    memory: Arc<Memory>,
}

impl Outside {
    /// Answers each request by what this gives for its number, from 0, and itself.
    pub(crate) fn start(script: impl Fn(usize, &RecordedCall) -> Reply + Send + Sync + 'static) -> Self {
        Self::serve("http", None, script)
    }

    /// The same behind TLS.
    pub(crate) fn start_tls(
        authority: &Authority,
        script: impl Fn(usize, &RecordedCall) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::serve("https", Some(authority.server()), script)
    }

    fn serve(
        scheme: &'static str,
        tls: Option<Arc<ServerConfig>>,
        script: impl Fn(usize, &RecordedCall) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let memory = Arc::new(Memory::default());
        let (script, remembers) = (Arc::new(script), memory.clone());
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let (script, memory, tls) = (script.clone(), remembers.clone(), tls.clone());
                std::thread::spawn(move || {
                    socket.set_read_timeout(Some(PATIENCE)).unwrap();
                    match tls {
                        None => answer(socket, &*script, &memory),
                        Some(tls) => {
                            let session = ServerConnection::new(tls).unwrap();
                            answer(StreamOwned::new(session, socket), &*script, &memory);
                        }
                    }
                });
            }
        });
        Self { scheme, address, memory }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// The same place by a name that leads to it.
    pub(crate) fn url_by_name(&self, path: &str) -> String {
        format!("{}://localhost:{}{path}", self.scheme, self.address.port())
    }

    /// Host and port.
    pub(crate) fn authority(&self) -> String {
        self.address.to_string()
    }

    /// Everything received so far.
    pub(crate) fn received(&self) -> Vec<RecordedCall> {
        self.memory.heard.lock().unwrap().clone()
    }

    /// Waits until what was received is as wanted, and returns it.
    pub(crate) fn wait_until(&self, wanted: impl Fn(&[RecordedCall]) -> bool) -> Vec<RecordedCall> {
        let deadline = Instant::now() + PATIENCE;
        let mut heard = self.memory.heard.lock().unwrap();
        while !wanted(&heard) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "heard only {heard:#?}");
            heard = self.memory.more.wait_timeout(heard, left).unwrap().0;
        }
        heard.clone()
    }

    pub(crate) fn wait_for(&self, count: usize) -> Vec<RecordedCall> {
        self.wait_until(|heard| heard.len() >= count)
    }
}

fn answer(
    mut socket: impl Read + Write + Send + 'static,
    script: &dyn Fn(usize, &RecordedCall) -> Reply,
    memory: &Memory,
) {
    let Some(heard) = read(&mut socket) else { return };
    let number = {
        let all = memory.heard.lock().unwrap();
        all.len()
    };
    let reply = script(number, &heard);
    memory.heard.lock().unwrap().push(heard);
    let (status, more, body) = match reply {
        Reply::Json(status, body) => (status, String::new(), body.to_string()),
        Reply::Moved(to) => (307, format!("location: {to}\r\n"), String::new()),
        Reply::Unfinished => {
            let _ = socket.write_all(b"HTTP/1.1 200 x\r\ncontent-length: 1000\r\n\r\n1");
            let _ = socket.flush();
            memory.silent.lock().unwrap().push(Box::new(socket));
            memory.more.notify_all();
            return;
        }
        Reply::Silence => {
            memory.silent.lock().unwrap().push(Box::new(socket));
            memory.more.notify_all();
            return;
        }
    };
    let head =
        format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-type: application/json\r\n{more}");
    // Who hung up meanwhile receives nothing.
    let _ = socket.write_all(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes());
    memory.more.notify_all();
}

fn read(socket: impl Read) -> Option<RecordedCall> {
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
    Some(RecordedCall { method, path, headers, body })
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
) -> Response {
    client.send(method, &format!("/a2a/{network}/{alias}/{path}"), &[("a2a-version", "1.0")], body)
}
