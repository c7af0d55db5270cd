//! Adds a token to every request on its way to the hub, for a suite that has no place for one, and has its calls of tools that only a
//! server made for the suite has become calls of the hub's own. One request a connection; all else, `Host` and `Origin` too,
//! is passed on as it came.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;

use super::fixture_tools::translated;

/// Listens until the test ends.
pub(super) fn start(hub: SocketAddr, token: String) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let token = token.clone();
            // A client that hangs up early ends its own connection.
            thread::spawn(move || pass(client, hub, &token).ok());
        }
    });
    address
}

/// A request: its head, and the body, whose length the head has.
struct Request {
    head: String,
    body: Vec<u8>,
}

impl Request {
    fn read(client: &mut TcpStream) -> std::io::Result<Option<Self>> {
        let mut read = Vec::new();
        let mut piece = [0; 4096];
        let end = loop {
            let count = client.read(&mut piece)?;
            if count == 0 {
                return Ok(None);
            }
            read.extend_from_slice(&piece[..count]);
            if let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
        };
        let head = String::from_utf8_lossy(&read[..end]).into_owned();
        let mut body = read.split_off(end + 4);
        let length = header(&head, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        while body.len() < length {
            let count = client.read(&mut piece)?;
            if count == 0 {
                return Ok(None);
            }
            body.extend_from_slice(&piece[..count]);
        }
        Ok(Some(Self { head, body }))
    }

    /// The same to the hub. A header that contradicts what it names must still contradict it.
    fn translated(self) -> Self {
        let Some(message) = serde_json::from_slice(&self.body).ok() else { return self };
        let Some((to_hub, name)) = translated(&message) else { return self };
        let was = message["params"]["name"].as_str().unwrap_or_default();
        let body = to_hub.to_string().into_bytes();
        let line = |line: &str| match line.split_once(':') {
            Some((key, _)) if key.eq_ignore_ascii_case("content-length") => format!("{key}: {}", body.len()),
            Some((key, value)) if key.eq_ignore_ascii_case("mcp-name") && value.trim() == was => {
                format!("{key}: {}", name.unwrap_or(was))
            }
            _ => line.to_owned(),
        };
        let head = self.head.split("\r\n").map(line).collect::<Vec<_>>().join("\r\n");
        Self { head, body }
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut headers = head.split("\r\n").filter_map(|line| line.split_once(':'));
    headers.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn pass(mut client: TcpStream, hub: SocketAddr, token: &str) -> std::io::Result<()> {
    let Some(request) = Request::read(&mut client)?.map(Request::translated) else { return Ok(()) };
    let mut lines = request.head.split("\r\n");
    let mut sent =
        format!("{}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n", lines.next().unwrap());
    for line in lines.filter(|line| !line.to_ascii_lowercase().starts_with("connection:")) {
        sent.push_str(line);
        sent.push_str("\r\n");
    }
    let mut server = TcpStream::connect(hub)?;
    server.write_all(sent.as_bytes())?;
    server.write_all(b"\r\n")?;
    server.write_all(&request.body)?;
    let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
    let up = thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
    std::io::copy(&mut server, &mut client)?;
    client.shutdown(Shutdown::Both)?;
    let _ = up.join();
    Ok(())
}
