//! `baton hub health`: two exit codes, one line.

use crate::it::hub::Hub;
use crate::it::program::baton;
use crate::it::tls::Certificate;

#[test]
fn a_hub_that_answers_is_ready_over_its_socket_and_over_the_network() {
    let hub = Hub::start();
    let output = hub.baton(&["hub", "health"]);
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"ready\n"[..]));
    assert_eq!(baton(["hub", "health", "--url", &hub.url()]).exited(0).stdout, "ready\n");
}

#[test]
fn what_is_not_there_is_not_ready() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().to_str().unwrap();
    let said = baton(["hub", "health", "--data-dir", data_dir]).exited(1).stdout;
    assert_eq!(said, format!("no hub runs in {data_dir}\n"));
    // A port that was free a moment ago.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let said = baton(["hub", "health", "--url", &format!("http://{address}")]).exited(1).stdout;
    assert!(said.starts_with("not ready: the hub at http://127.0.0.1:"), "{said}");
    baton(["hub", "health", "--url", "nonsense"]).exited(2);
    baton(["hub", "health", "--url", "http://127.0.0.1:9", "--data-dir", data_dir]).exited(2);
}

#[test]
fn over_tls_the_certificate_counts() {
    let certificate = Certificate::new();
    let hub = certificate.hub();
    let url = format!("https://localhost:{}", hub.address().port());
    let cert = certificate.file("cert.pem");
    let arguments = ["hub", "health", "--url", &url, "--ca", cert.to_str().unwrap()];
    assert_eq!(baton(arguments).exited(0).stdout, "ready\n");
    let stranger = Certificate::new().file("cert.pem");
    let said = baton(["hub", "health", "--url", &url, "--ca", stranger.to_str().unwrap()]).exited(1).stdout;
    assert!(said.starts_with("not ready: "), "{said}");
    // The socket asks for no certificate.
    assert!(hub.baton(&["hub", "health"]).status.success());
}
