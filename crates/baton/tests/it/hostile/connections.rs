//! One address that opens connections without end: it has its share, and others are served.

use socket2::{Domain, Socket, Type};
use std::io::Write;
use std::net::{SocketAddr, TcpStream};

use crate::it::http::{connect, read_response};
use crate::it::hub::{ADMIN, Hub, PASSWORD};

const SHARE: usize = 20;

/// A connection from another address of this machine.
fn connect_from(ip: [u8; 4], to: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((ip, 0)).into()).unwrap();
    socket.connect(&to.into()).unwrap();
    socket.into()
}

#[test]
fn an_address_with_its_share_of_connections_gets_no_more_and_others_are_served() {
    let share = SHARE.to_string();
    let options = ["--username", ADMIN, "--password", PASSWORD, "--connections-per-address", &share];
    let hub = Hub::start_with(&options);
    let request = b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    // Each is answered before the next is opened: it has been counted.
    let held: Vec<TcpStream> = (0..SHARE)
        .map(|_| {
            let mut stream = connect(hub.address());
            stream.write_all(request).unwrap();
            assert_eq!(read_response(&stream).unwrap().status, 200);
            stream
        })
        .collect();
    let refused = read_response(connect(hub.address())).expect("an answer that says why");
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    assert_eq!(refused.json()["error"], "rate_limited");
    assert!(refused.json()["message"].as_str().unwrap().starts_with("this address has as many connections"));

    let mut elsewhere = connect_from([127, 0, 0, 2], hub.address());
    elsewhere.write_all(request).unwrap();
    assert_eq!(read_response(elsewhere).unwrap().status, 200);

    drop(held);
    // The hub notices the closed connections a moment later.
    let served = || {
        let mut stream = connect(hub.address());
        // A connection that is turned down may be closed before this is sent.
        let _ = stream.write_all(request);
        read_response(&stream).is_some_and(|answer| answer.status == 200)
    };
    while !served() {}
}

#[test]
fn behind_a_proxy_all_connections_are_the_proxys() {
    let options =
        ["--username", ADMIN, "--password", PASSWORD, "--behind-proxy", "--connections-per-address", "2"];
    let hub = Hub::start_with(&options);
    let held: Vec<TcpStream> = (0..10).map(|_| connect(hub.address())).collect();
    assert_eq!(hub.client().get("/health").status, 200);
    drop(held);
}
