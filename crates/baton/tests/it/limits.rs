//! Bad and excessive input on the wire: an answer that says so where one can be given, and the hub continues.

use baton_core::limits;
use std::io::{ErrorKind, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use super::http::{Client, connect, raw, read_response};
use super::hub::{ADMIN, Hub, PASSWORD};

/// The most memory of its own that an idle hub may have. A debug build relocates more pages of the binary, which count, and
/// its stacks are deeper.
const IDLE_OWN_KIB: u64 = if cfg!(debug_assertions) { 20 * 1024 } else { 16 * 1024 };
/// The most that may be resident with the binary's own pages, of which a debug build has too many to count.
const IDLE_KIB: u64 = if cfg!(debug_assertions) { 96 * 1024 } else { 40 * 1024 };

fn goes_on(client: &Client) {
    assert_eq!(client.get("/ready").status, 200);
}

#[test]
fn a_head_over_the_limit_is_431() {
    let hub = Hub::start();
    let padding = "x".repeat(limits::HEADERS_MAX_BYTES);
    let request = format!("GET /health HTTP/1.1\r\nhost: localhost\r\npadding: {padding}\r\n\r\n");
    assert_eq!(raw(hub.address(), request.as_bytes()).status, 431);
    let many = "a: b\r\n".repeat(200);
    let request = format!("GET /health HTTP/1.1\r\nhost: localhost\r\n{many}\r\n");
    assert_eq!(raw(hub.address(), request.as_bytes()).status, 431);
    goes_on(&hub.client());
}

#[test]
fn a_body_over_the_limit_is_413() {
    let hub = Hub::start();
    let bytes = limits::JSON_BODY_MAX_BYTES + 1;
    let mut request = format!(
        "POST /api/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {bytes}\r\n\r\n"
    )
    .into_bytes();
    request.resize(request.len() + bytes, b' ');
    let answer = raw(hub.address(), &request);
    assert_eq!((answer.status, answer.text().as_str()), (413, r#"{"ok":false,"error":"body too large"}"#));
    goes_on(&hub.client());
}

#[test]
fn what_is_not_http_is_400_or_hung_up_on() {
    let hub = Hub::start();
    let nonsense: [&[u8]; 6] = [
        b"\r\n\r\n\r\nnonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /health HTTP/1.1\r\nhost localhost\r\n\r\n",
        b"POST /api/task HTTP/1.1\r\nhost: localhost\r\ncontent-length: many\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ];
    for bytes in nonsense {
        let mut socket = connect(hub.address());
        socket.write_all(bytes).unwrap();
        socket.shutdown(Shutdown::Write).unwrap();
        if let Some(answer) = read_response(socket) {
            assert!((400..600).contains(&answer.status), "{} to {bytes:?}", answer.status);
        }
    }
    goes_on(&hub.client());
}

#[test]
fn two_lengths_are_not_a_way_to_smuggle_a_request() {
    let hub = Hub::start();
    let request =
        b"POST /api/task HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\n{}";
    assert_eq!(raw(hub.address(), request).status, 400);
    goes_on(&hub.client());
}

#[test]
fn bytes_that_are_not_utf_8_are_an_error_of_the_caller() {
    let hub = Hub::start();
    let requests: [&[u8]; 3] = [
        b"GET /\xff\xfe HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        b"GET /api/%ff%fe HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        b"GET /api/tasks HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer \xff\xfe\r\nconnection: close\r\n\r\n",
    ];
    for request in requests {
        let status = raw(hub.address(), request).status;
        assert!((400..500).contains(&status), "{status}");
    }
    goes_on(&hub.client());
}

#[test]
fn a_request_that_is_never_finished_holds_nobody_up() {
    let mut hub = Hub::start();
    let mut half = connect(hub.address());
    half.write_all(b"POST /api/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{\"us")
        .unwrap();
    let mut less = connect(hub.address());
    less.write_all(b"GET /hea").unwrap();
    goes_on(&hub.client());
    assert!(hub.stop().success());
    assert!(!hub.log().contains("connections were cut"), "{}", hub.log());
}

#[test]
fn ten_thousand_idle_connections_and_the_hub_still_answers() {
    let files = usize::try_from(raise_file_limit()).unwrap_or(usize::MAX);
    let count = 10_000.min(files.saturating_sub(500));
    // All of them come from one address.
    let most = (count + 100).to_string();
    let hub =
        Hub::start_with(&["--username", ADMIN, "--password", PASSWORD, "--connections-per-address", &most]);
    let idle: Vec<TcpStream> = (0..count).map(|_| TcpStream::connect(hub.address()).unwrap()).collect();
    goes_on(&hub.client());
    let kib = resident_kib(hub.pid());
    println!("{} idle connections, {kib} KiB", idle.len());
    let is_open = |connection: &TcpStream| {
        connection.set_nonblocking(true).unwrap();
        connection.peek(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    };
    assert!(idle.iter().all(is_open), "all were open at the same time");
    drop(idle);
    goes_on(&hub.client());
}

#[test]
fn an_idle_hub_needs_little_memory() {
    let hub = Hub::start();
    // The first admin's password was hashed at the start; what that took is given back soon after.
    let deadline = Instant::now() + Duration::from_secs(10);
    let (mut own, mut resident) = (u64::MAX, u64::MAX);
    while (own >= IDLE_OWN_KIB || resident >= IDLE_KIB) && Instant::now() < deadline {
        goes_on(&hub.client());
        (own, resident) = (status_kib(hub.pid(), "RssAnon:"), resident_kib(hub.pid()));
    }
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    println!("{own} KiB of its own, {resident} KiB resident ({build} build)");
    assert!(own < IDLE_OWN_KIB && resident < IDLE_KIB, "{own} KiB of its own, {resident} KiB resident");
}

fn raise_file_limit() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.unwrap_or(20_000);
    setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum }).unwrap();
    wanted
}

pub(crate) fn resident_kib(pid: u32) -> u64 {
    status_kib(pid, "VmRSS:")
}

fn status_kib(pid: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
