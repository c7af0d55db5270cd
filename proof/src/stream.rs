//! An open event stream (SSE) of one agent, as far as the generator reads it: which type of frame comes next.

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use std::io;
use tokio::net::TcpStream;

use super::request::Address;
use super::tenant::Agent;
use super::trouble::Trouble;

const CALL: &str = "listening";

/// The stream of one agent.
pub(super) struct Stream {
    body: Incoming,
    unread: Vec<u8>,
}

#[derive(Deserialize)]
struct Frame {
    r#type: String,
}

impl Stream {
    /// Opens the stream and waits until the hub says that it is connected.
    pub(super) async fn open(address: &Address, agent: &Agent) -> Result<Self, Trouble> {
        let socket = TcpStream::connect(&address.authority).await.map_err(Trouble::during(CALL))?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(socket)).await.map_err(broken)?;
        // Ends with the stream: the hub's end or ours.
        tokio::spawn(connection);
        let request = Request::get(format!("/events/{}", agent.alias))
            .header("host", &address.authority)
            .header("authorization", format!("Bearer {}", agent.token))
            .header("accept", "text/event-stream")
            .body(Empty::<Bytes>::new())
            .map_err(|error| broken(io::Error::other(error)))?;
        let answer = sender.send_request(request).await.map_err(broken)?;
        let status = answer.status();
        let mut stream = Self { body: answer.into_body(), unread: Vec::new() };
        if !status.is_success() {
            return Err(Trouble::Refused { call: CALL, status: status.as_u16(), body: stream.rest().await });
        }
        stream.wait_for("connected").await?;
        Ok(stream)
    }

    /// Reads up to and including the next frame of a type.
    pub(super) async fn wait_for(&mut self, wanted: &str) -> Result<(), Trouble> {
        while self.next_type().await? != wanted {}
        Ok(())
    }

    async fn next_type(&mut self) -> Result<String, Trouble> {
        loop {
            while let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                if let Some(Frame { r#type }) =
                    line.strip_prefix(b"data: ").and_then(|json| serde_json::from_slice(json).ok())
                {
                    return Ok(r#type);
                }
            }
            match self.body.frame().await {
                Some(Ok(frame)) => self.unread.extend_from_slice(&frame.into_data().unwrap_or_default()),
                Some(Err(error)) => return Err(broken(error)),
                None => return Err(broken(io::Error::other("the stream ended"))),
            }
        }
    }

    async fn rest(&mut self) -> String {
        let bytes = (&mut self.body).collect().await.map(http_body_util::Collected::to_bytes);
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }
}

fn broken(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Trouble {
    Trouble::Connection { call: CALL, error: io::Error::other(error) }
}
