//! What is a bucket's own: what is left there of uploads, and a bucket that is away. What holds in both places is with the
//! commands, the results and the relay.

use serde_json::{Value, json};
use std::io::Write;
use std::net::{Shutdown, TcpStream};

use super::s3::S3;
use super::{file_of, files_below, output, peak_mib, read, run, sha256sum};
use crate::it::http::{self, Client};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, refused, succeed};
use crate::it::work::worker::eventually;

fn listed(network: &Tenant) -> Value {
    let path = format!("/api/artifacts?network_id={}", network.network_id);
    succeed(&network.user.get(&path))["artifacts"].clone()
}

fn upload(who: &Client, network: &Tenant, body: &str) -> http::Response {
    who.send_text("PUT", &format!("/api/artifacts?network_id={}", network.network_id), &[], Some(body))
}

/// Begins an upload of so many bytes and sends the first of them.
fn begin(hub: &Hub, network: &Tenant, bytes: usize, sent: usize) -> TcpStream {
    let mut socket = http::connect(hub.address());
    let token = network.user.token.as_deref().unwrap();
    let head = format!(
        "PUT /api/artifacts?network_id={} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Length: {bytes}\r\n\r\n",
        network.network_id,
        hub.address()
    );
    socket.write_all(head.as_bytes()).unwrap();
    socket.write_all(&vec![b'x'; sent]).unwrap();
    socket
}

#[test]
fn a_bucket_keeps_artifacts_as_a_folder_does() {
    let s3 = S3::start();
    let hub = s3.hub();
    let network = Tenant::of_admin(&hub);
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (folder.path().join("a.bin"), folder.path().join("copy"));
    file_of(&file, 23 << 20);
    let sha = output(&network.user, &["artifact", "put", file.to_str().unwrap()]);
    output(&network.user, &["artifact", "put", file.to_str().unwrap()]);
    assert_eq!(s3.counts(), (1, 0), "the second object is deleted again");
    output(&network.user, &["artifact", "get", &sha, "-o", copy.to_str().unwrap()]);
    assert!(read(&copy) == read(&file));
    let range = [("range", "bytes=6000000-6000009")];
    let path = format!("/api/artifacts/{sha}?network_id={}", network.network_id);
    let part = network.user.send_text("GET", &path, &range, None);
    assert_eq!((part.status, &*part.body), (206, &read(&file)[6_000_000..6_000_010]));
    succeed(&upload(&network.user, &network, ""));
    assert_eq!(listed(&network).as_array().unwrap().len(), 2, "an empty one too");
    assert!(!hub.data_dir().join("artifacts").exists() && files_below(folder.path()).len() == 2);
    let checked = hub.baton(&["hub", "check"]);
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(said.contains("the bytes of artifacts: they are in s3://artifacts-of-a-test/of/baton"), "{said}");
    let peak = peak_mib(hub.pid());
    assert!(peak < 100, "{peak} MiB");
}

#[test]
fn an_upload_to_a_bucket_that_is_cut_off_leaves_nothing_there() {
    let s3 = S3::start();
    let hub = s3.hub();
    let network = Tenant::of_admin(&hub);
    let bytes = 12 << 20;
    for tenth in 0..10 {
        let socket = begin(&hub, &network, bytes, bytes * tenth / 10);
        socket.shutdown(Shutdown::Both).unwrap();
    }
    eventually("the end of every upload", || (s3.counts() == (0, 0)).then_some(()));
    assert_eq!(listed(&network), json!([]));
}

#[test]
fn a_hub_that_is_killed_in_an_upload_to_a_bucket_serves_nothing_of_it_and_takes_it_again() {
    let s3 = S3::start();
    let mut hub = s3.hub();
    let network = Tenant::of_admin(&hub);
    network.agent("coder");
    let body = "x".repeat(12 << 20);
    let socket = begin(&hub, &network, body.len(), body.len() * 9 / 10);
    eventually("the upload", || (s3.counts().1 > 0).then_some(()));
    hub.kill9();
    drop(socket);
    hub.restart();
    assert_eq!((listed(&network), s3.counts().0), (json!([]), 0));
    let sha = {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &body).unwrap();
        sha256sum(file.path())
    };
    let path = format!("/api/artifacts/{sha}?network_id={}", network.network_id);
    refused(&network.user.get(&path), 404, "artifact_not_found");
    let task = json!({"alias": "coder", "task": "read it", "artifacts": [{"sha256": sha}]});
    refused(&network.user.post("/api/task", &task), 404, "artifact_not_found");
    succeed(&upload(&network.user, &network, &body));
    assert_eq!(s3.counts().0, 1);
    assert!(*network.user.get(&path).body == *body.as_bytes());
    succeed(&network.user.post("/api/task", &task));
}

#[test]
fn a_bucket_that_is_away_refuses_uploads_and_nothing_is_written() {
    let mut s3 = S3::start();
    let hub = s3.hub();
    let network = Tenant::of_admin(&hub);
    succeed(&upload(&network.user, &network, "before"));
    s3.0.server.kill().unwrap();
    s3.0.server.wait().unwrap();
    refused(&upload(&network.user, &network, "after"), 503, "storage_unavailable");
    assert_eq!(listed(&network).as_array().unwrap().len(), 1);
    let sha = listed(&network)[0]["sha256"].as_str().unwrap().to_owned();
    let got = run(&network.user, &["artifact", "ls"]);
    assert!(String::from_utf8(got.stdout).unwrap().contains(&sha), "what is in the database is still listed");
}
