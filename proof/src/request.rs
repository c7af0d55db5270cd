//! Requests as bytes, built before the clock runs: the generator shares the machine with the hub.

use serde::Serialize;

use super::trouble::Trouble;

/// Where the hub listens.
#[derive(Debug, Clone)]
pub(super) struct Address {
    /// `host:port`, to connect to and to name in the request.
    pub(super) authority: String,
}

impl Address {
    /// Takes `http://host:port`; without a port it is 80.
    pub(super) fn of_url(url: &str) -> Result<Self, Trouble> {
        let wrong = || Trouble::Address(url.to_owned());
        let uri: hyper::Uri = url.parse().map_err(|_| wrong())?;
        let authority = uri.authority().filter(|_| uri.scheme_str() == Some("http")).ok_or_else(wrong)?;
        let port = authority.port_u16().unwrap_or(80);
        Ok(Self { authority: format!("{}:{port}", authority.host()) })
    }
}

/// A call's bytes: head and body in one write.
pub(super) fn request(
    address: &Address,
    method: &str,
    path: &str,
    token: Option<&str>,
    body: &impl Serialize,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, address, method, path, token, body);
    bytes
}

/// The same into a buffer that is used again, for calls whose path or body is known only during the run.
pub(super) fn write(
    bytes: &mut Vec<u8>,
    address: &Address,
    method: &str,
    path: &str,
    token: Option<&str>,
    body: &impl Serialize,
) {
    use std::io::Write;
    // Neither a Vec nor these bodies can fail to be written.
    let body = serde_json::to_vec(body).unwrap_or_default();
    let authority = &address.authority;
    bytes.clear();
    let _ = write!(bytes, "{method} {path} HTTP/1.1\r\nhost: {authority}\r\n");
    if let Some(token) = token {
        let _ = write!(bytes, "authorization: Bearer {token}\r\n");
    }
    let _ = write!(bytes, "content-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
    bytes.extend_from_slice(&body);
}
