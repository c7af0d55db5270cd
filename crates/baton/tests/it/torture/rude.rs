//! Clients nobody wants: a byte at a time, answers never read, gone without a word, too much, and nonsense.

use baton_core::limits;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::stage::Stage;
use crate::it::random::Random;

/// Connections held open at once.
const HELD_MAX: usize = 48;
const PATIENCE: Duration = Duration::from_secs(2);

/// Connects, says half of a request and is gone without a FIN or RST, as a machine that lost its power: a socket under
/// repair is closed without a word. Without the right to that it says nothing and the connection is only left open.
const VANISH: &str = "import socket, sys
for n in range(8):
    s = socket.create_connection(('127.0.0.1', int(sys.argv[1])), 2)
    s.sendall(b'POST /api/task HTTP/1.1\\r\\nhost: localhost\\r\\ncontent-length: 100\\r\\n\\r\\n{')
    s.setsockopt(socket.IPPROTO_TCP, 19, 1)
    s.close()";

pub(super) fn run(stage: &Stage, mut random: Random) {
    let client = &stage.networks[0].agents[0];
    let token = client.token.clone().unwrap();
    let mut held: Vec<TcpStream> = Vec::new();
    while !stage.is_over() {
        match random.below(8) {
            0..2 => held.extend(begin(client.address, b"POST /api/task HTTP/1.1\r\nhost: localh")),
            2 => {
                let ask = format!(
                    "GET /api/tasks?limit=200 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\r\n"
                );
                held.extend(begin(client.address, ask.repeat(20).as_bytes()));
                stage.ledger.fault("answers never read");
            }
            3 => {
                let ask = format!(
                    "GET /events/w0 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\r\n"
                );
                held.extend(begin(client.address, ask.as_bytes()));
                stage.ledger.fault("a stream never read");
            }
            4 => vanish(stage, client.address),
            _ => nonsense(stage, client.address, &token, &mut random),
        }
        held.drain(..held.len().saturating_sub(HELD_MAX));
        // A byte to each now and then.
        held.retain_mut(|socket| socket.write_all(b"a").is_ok());
        stage.ledger.fault("a byte to each slow connection");
        std::thread::sleep(Duration::from_millis(200 + random.below(800))); // how slow they are
    }
}

fn begin(address: SocketAddr, bytes: &[u8]) -> Option<TcpStream> {
    let mut socket = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.set_write_timeout(Some(PATIENCE)).unwrap();
    socket.write_all(bytes).ok()?;
    Some(socket)
}

fn vanish(stage: &Stage, address: SocketAddr) {
    let mut command = Command::new("python3");
    command.args(["-c", VANISH, &address.port().to_string()]).stderr(Stdio::null());
    if command.status().is_ok_and(|status| status.success()) {
        stage.ledger.fault("eight clients gone without a FIN");
    }
}

/// Too much or not understood: refused or hung up on, and never a fault of the hub's.
fn nonsense(stage: &Stage, address: SocketAddr, token: &str, random: &mut Random) {
    let post = |length: usize, body: &[u8]| {
        let head = format!(
            "POST /api/task HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        );
        [head.as_bytes(), body].concat()
    };
    let request = match random.below(5) {
        0 => post(limits::JSON_BODY_MAX_BYTES + 1, &vec![b' '; limits::JSON_BODY_MAX_BYTES + 1]),
        1 => post(7, b"{\"\xff\xfe\":"),
        2 => post(100_000, "[".repeat(100_000).as_bytes()),
        3 => b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        _ => post(13, b"{\"alias\":true"),
    };
    stage.ledger.fault("nonsense or too much");
    let Some(mut socket) = begin(address, &request) else { return };
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer); // killed meanwhile, or hung up
    if answer.starts_with(b"HTTP/1.1 5") && !answer.starts_with(b"HTTP/1.1 503") {
        stage.ledger.finding(format!("nonsense was answered {}", String::from_utf8_lossy(&answer)));
    }
}
