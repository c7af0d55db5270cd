//! Uploads that are cut off, by the client, the hub's end or a full disk: nothing of them is served, listed or kept.

use serde_json::{Value, json};
use std::io::Write;
use std::net::Shutdown;

use super::files_below;
use crate::it::http::{self, Client};
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::small_disk::{allow_growth, refuse_growth};
use crate::it::tenant::{Tenant, refused, succeed};
use crate::it::work::worker::eventually;

const BYTES: usize = 3_000_000;

/// Begins an upload and sends so many of its bytes.
fn begin(who: &Client, path: &str, sent: usize) -> std::net::TcpStream {
    let mut socket = http::connect(who.address);
    let token = who.token.as_deref().unwrap();
    let head = format!(
        "PUT {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Length: {BYTES}\r\n\r\n",
        who.address
    );
    socket.write_all(head.as_bytes()).unwrap();
    socket.write_all(&vec![b'x'; sent]).unwrap();
    socket
}

fn listed(network: &Tenant) -> Value {
    let path = format!("/api/artifacts?network_id={}", network.network_id);
    succeed(&network.user.get(&path))["artifacts"].clone()
}

fn path(network: &Tenant) -> String {
    format!("/api/artifacts?network_id={}", network.network_id)
}

#[test]
fn an_upload_that_is_cut_at_any_tenth_leaves_nothing() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let folder = hub.data_dir().join("artifacts");
    for tenth in 0..10 {
        let socket = begin(&network.user, &path(&network), BYTES * tenth / 10);
        socket.shutdown(Shutdown::Both).unwrap();
        drop(socket);
    }
    eventually("the end of every upload", || files_below(&folder).is_empty().then_some(()));
    assert_eq!(listed(&network), json!([]));
    let quotas = succeed(&network.user.get(&format!("/api/networks/{}/quotas", network.network_id)));
    let used =
        quotas["quotas"].as_array().unwrap().iter().find(|one| one["quota"] == "artifact_bytes").unwrap();
    assert_eq!(used["used"], 0);
}

#[test]
fn a_hub_that_is_killed_in_an_upload_serves_nothing_of_it() {
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let folder = hub.data_dir().join("artifacts");
    let socket = begin(&network.user, &path(&network), BYTES * 9 / 10);
    eventually("the file that is being written", || {
        files_below(&folder).first().filter(|file| file.metadata().is_ok_and(|file| file.len() > 0)).cloned()
    });
    hub.kill9();
    drop(socket);
    hub.restart();
    assert_eq!(listed(&network), json!([]));
}

#[test]
fn a_full_disk_refuses_an_upload_and_with_room_again_it_is_taken() {
    let hub = Hub::start_with(&["--username", ADMIN, "--password", PASSWORD]);
    let network = Tenant::of_admin(&hub);
    let upload = |byte: u8| {
        let body = String::from_utf8(vec![byte; BYTES]).unwrap();
        network.user.send_text("PUT", &path(&network), &[], Some(&body))
    };
    refuse_growth(hub.pid(), BYTES as u64 / 2);
    refused(&upload(b'a'), 503, "storage_unavailable");
    assert!(files_below(&hub.data_dir().join("artifacts")).is_empty());
    allow_growth(hub.pid());
    succeed(&upload(b'a'));
    assert_eq!(listed(&network).as_array().unwrap().len(), 1);
}
