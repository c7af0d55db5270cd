//! A hub that answers by script, for tests of what a client does when the real one does not answer so.

use serde_json::Value;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::{Client, HubAddress, Options, Token};

pub(crate) const TOKEN: &str = "ntok_00112233445566778899aabbccddeeff";

/// A hub that answers each connection with the next line of its script and hangs up.
pub(crate) struct Fake {
    pub(crate) address: String,
    heard: Arc<Mutex<Vec<String>>>,
    answering: JoinHandle<()>,
}

impl Fake {
    pub(crate) async fn start(script: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (incoming, script) =
            (heard.clone(), script.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        let answering = tokio::spawn(async move {
            for answer in script {
                let (mut socket, _) = listener.accept().await.unwrap();
                let request = read(&mut socket).await;
                incoming.lock().unwrap().push(request);
                socket.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Self { address, heard, answering }
    }

    /// A hub that receives every call and answers none.
    pub(crate) async fn silent() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let incoming = heard.clone();
        let answering = tokio::spawn(async move {
            let mut open = Vec::new(); // or the caller would hear them hang up
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                let request = read(&mut socket).await;
                incoming.lock().unwrap().push(request);
                open.push(socket);
            }
        });
        Self { address, heard, answering }
    }

    /// Waits until its script is at its end: nobody listens there any more.
    pub(crate) async fn is_gone(&self) {
        while !self.answering.is_finished() {
            tokio::task::yield_now().await;
        }
    }

    pub(crate) fn client(&self) -> Client {
        let hub: HubAddress = self.address.parse().unwrap();
        Client::new(hub, Token::parse(TOKEN), &Options::default()).unwrap()
    }

    pub(crate) fn received(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

async fn read(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = socket.read(&mut buffer).await.unwrap();
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let length =
            text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        if let Some((_, body)) = text.split_once("\r\n\r\n")
            && body.len() >= length.unwrap_or(0)
        {
            return text;
        }
        assert_ne!(count, 0, "half a request: {text}");
    }
}

pub(crate) fn answer(status: &str, body: &Value) -> String {
    let body = body.to_string();
    format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

pub(crate) fn stream(frames: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n{frames}")
}
