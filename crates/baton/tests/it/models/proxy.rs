//! Adds a token to every request on its way to the hub, for a suite that has no place for one. One request a connection; all
//! else, `Host` and `Origin` too, is passed on as it came.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;

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

fn pass(mut client: TcpStream, hub: SocketAddr, token: &str) -> std::io::Result<()> {
    let mut read = Vec::new();
    let end = loop {
        let mut piece = [0; 4096];
        let count = client.read(&mut piece)?;
        if count == 0 {
            return Ok(());
        }
        read.extend_from_slice(&piece[..count]);
        if let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
    };
    let head = String::from_utf8_lossy(&read[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut sent =
        format!("{}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n", lines.next().unwrap());
    for line in lines.filter(|line| !line.to_ascii_lowercase().starts_with("connection:")) {
        sent.push_str(line);
        sent.push_str("\r\n");
    }
    let mut server = TcpStream::connect(hub)?;
    server.write_all(sent.as_bytes())?;
    server.write_all(&read[end + 2..])?;
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
