//! Readers that ask for much and take nothing: the hub's memory stays bounded, and others are served.

use serde_json::json;
use socket2::{Domain, Socket, Type};
use std::io::Write;
use std::net::{SocketAddr, TcpStream};

use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::limits::resident_kib;
use crate::it::tenant::{Tenant, send, succeed};
use crate::it::tool;

const READERS: usize = 64;
/// What the issue allows the hub under attack.
const MEMORY_MAX_KIB: u64 = 300 * 1024;

/// A connection whose system keeps hardly anything for it: what it does not read, its peer has to keep.
pub(super) fn narrow(address: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(&address.into()).unwrap();
    socket.into()
}

/// Asks, and reads nothing of the answer.
pub(super) fn ask_and_stall(client: &Client, path: &str) -> TcpStream {
    let mut stream = narrow(client.address);
    stream.write_all(&client.request("GET", path, &[], None)).unwrap();
    stream
}

/// Whether as many requests wait for memory as this.
fn waiting(admin: &Client) -> usize {
    let page = admin.get("/metrics").text();
    let line = page.lines().find_map(|line| line.strip_prefix("baton_in_flight_waiting "));
    line.expect("the figure is there").parse().unwrap()
}

#[test]
fn slow_readers_of_the_largest_lists_leave_memory_for_others() {
    let hub = Hub::start();
    let admin = hub.admin();
    let (mallory, alice) = (Tenant::register(&hub, "mallory"), Tenant::register(&hub, "alice"));
    for network in [&mallory, &alice] {
        network.agent("coder");
        send(&network.user, "coder", "a task");
    }
    let text = "\u{1f980}".repeat(10_000);
    for _ in 0..199 {
        send(&mallory.user, "coder", &text);
    }
    let readers: Vec<TcpStream> =
        (0..READERS).map(|_| ask_and_stall(&mallory.user, "/api/tasks?limit=200")).collect();
    // As many lists as its token may have are built; all others wait.
    while waiting(&admin) < READERS - 8 {
        assert_eq!(hub.client().get("/health").status, 200);
    }
    let listed = succeed(&alice.user.get("/api/tasks"));
    assert_eq!(listed["count"], 1);
    assert_eq!(tool::call(&alice.user, "list_tasks", &json!({}))["count"], 1);
    let another = mallory.agent("another");
    assert_eq!(another.get("/api/tasks?limit=1").status, 200, "another token of the same user's network");
    let kib = resident_kib(hub.pid());
    println!("{kib} KiB with {READERS} slow readers");
    assert!(kib < MEMORY_MAX_KIB, "{kib} KiB");
    drop(readers);
    // Their shares go back with them.
    while waiting(&admin) > 0 {
        assert_eq!(hub.client().get("/health").status, 200);
    }
    assert_eq!(mallory.user.get("/api/tasks?limit=200").status, 200);
}
