//! The same blocking sends over gRPC, as many in flight as over JSON-RPC. Calls share connections, which is what HTTP/2 is
//! for and what gRPC's clients do; over HTTP/1.1 each needs one of its own. The messages are few enough to be put together by
//! hand: a code generator would tell no more.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{self, SendRequest};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, TE};
use hyper::{Request, Uri};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::io;
use std::time::Duration;
use tokio::net::TcpStream;

use crate::lives::{Alive, repeat};
use crate::request::Address;
use crate::tally::{Tally, together};
use crate::trouble::Trouble;

const CALL: &str = "a blocking send over gRPC";
/// Calls that share a connection.
const CALLS_PER_CONNECTION: usize = 8;
/// What a task's status begins with that is TASK_STATE_COMPLETED: the field `state` of type enum, and 3.
const COMPLETED: [u8; 2] = [0x08, 0x03];
/// The field `status` of a task.
const STATUS: u8 = 0x1a;

/// A hub under load, and the call that is repeated.
pub(super) struct Target {
    address: Address,
    uri: Uri,
    bearer: HeaderValue,
    message: Bytes,
}

impl Target {
    /// An agent of a network.
    pub(super) fn new(address: Address, tenant: &str, token: &str, text: &str) -> Result<Self, Trouble> {
        let invalid = |error: &dyn std::fmt::Display| broken(io::Error::other(error.to_string()));
        let uri = format!("http://{}/lf.a2a.v1.A2AService/SendMessage", address.authority);
        let uri = uri.parse().map_err(|error: hyper::http::uri::InvalidUri| invalid(&error))?;
        let bearer = HeaderValue::try_from(format!("Bearer {token}")).map_err(|error| invalid(&error))?;
        Ok(Self { uri, bearer, message: framed(&send_message(tenant, text)).into(), address })
    }

    fn request(&self) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(self.message.clone()));
        *request.method_mut() = hyper::Method::POST;
        *request.uri_mut() = self.uri.clone();
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        headers.insert(TE, HeaderValue::from_static("trailers"));
        headers.insert("a2a-version", HeaderValue::from_static("1.0"));
        headers.insert(AUTHORIZATION, self.bearer.clone());
        request
    }
}

/// Loads the hub for a while with so many calls in flight.
pub(super) async fn measure(target: &Target, calls: usize, length: Duration) -> Result<Tally, Trouble> {
    let mut senders = Vec::with_capacity(calls);
    while senders.len() < calls {
        let socket = TcpStream::connect(&target.address.authority).await.map_err(Trouble::during(CALL))?;
        socket.set_nodelay(true).map_err(Trouble::during(CALL))?;
        let shaken = http2::handshake(TokioExecutor::new(), TokioIo::new(socket)).await;
        let (sender, connection) = shaken.map_err(broken)?;
        // Ends with its senders.
        tokio::spawn(connection);
        let left = (calls - senders.len()).min(CALLS_PER_CONNECTION);
        let sharing = std::iter::repeat_n(sender, left);
        senders.extend(sharing.map(|sender| repeat(Sender { request: target.request(), sender }, length)));
    }
    Ok(together(senders).await)
}

struct Sender {
    request: Request<Full<Bytes>>,
    sender: SendRequest<Full<Bytes>>,
}

impl Alive for Sender {
    async fn live(&mut self) -> Result<(), Trouble> {
        self.sender.ready().await.map_err(broken)?;
        let answer = self.sender.send_request(self.request.clone()).await.map_err(broken)?;
        let status = answer.status().as_u16();
        let (head, body) = answer.into_parts();
        let body = body.collect().await.map_err(broken)?;
        let trailer = body.trailers().and_then(|trailers| trailers.get("grpc-status"));
        if trailer.is_none_or(|code| code != "0") {
            let said = head
                .headers
                .get("grpc-message")
                .map(|said| String::from_utf8_lossy(said.as_bytes()).into_owned());
            return Err(Trouble::Refused { call: CALL, status, body: said.unwrap_or_default() });
        }
        let body = body.to_bytes();
        let is_completed = |window: &[u8]| window[0] == STATUS && window[window.len() - 2..] == COMPLETED;
        // One byte of length, or two.
        if body.windows(4).any(is_completed) || body.windows(5).any(is_completed) {
            return Ok(());
        }
        Err(Trouble::Unexpected { call: CALL, body: String::from_utf8_lossy(&body).into_owned() })
    }
}

fn broken(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Trouble {
    Trouble::Connection { call: CALL, error: io::Error::other(error) }
}

/// A frame of one message that is not compressed.
fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    [&[0], &length.to_be_bytes()[..], message].concat()
}

/// lf.a2a.v1.SendMessageRequest: tenant, and a message of one text part.
fn send_message(tenant: &str, text: &str) -> Vec<u8> {
    let part = field(1, text.as_bytes());
    let role_user = [0x20, 0x01];
    let id = field(1, b"8d2d1c0e-5a53-4ce0-9d3f-1f1f3c6d7a10");
    let message = [&id[..], &role_user, &field(5, &part)].concat();
    [field(1, tenant.as_bytes()), field(2, &message)].concat()
}

/// A field of bytes: its number and type, its length, itself.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut encoded = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length > 0x7f {
        encoded.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    encoded.push(length as u8);
    encoded.extend_from_slice(bytes);
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_field_has_its_length_in_two_bytes() {
        let encoded = field(5, &[b'x'; 300]);
        assert_eq!(encoded[..3], [0x2a, 0xac, 0x02]);
        assert_eq!(encoded.len(), 303);
    }
}
