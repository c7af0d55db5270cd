//! TLS: the hub with a certificate of its own, and a client that trusts nothing else.

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

use super::http::{Response, connect, read_response};
use super::hub::{Hub, PASSWORD, baton};

pub(super) struct Certificate {
    folder: TempDir,
    der: CertificateDer<'static>,
}

impl Certificate {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
        std::fs::write(folder.path().join("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(folder.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        Self { folder, der: made.cert.der().clone() }
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn hub(&self) -> Hub {
        let (cert, key) = (self.file("cert.pem"), self.file("key.pem"));
        let files = ["--tls-cert", cert.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
        Hub::start_with(&[&["--host", "0.0.0.0", "--password", PASSWORD], &files[..]].concat())
    }

    pub(super) fn get(&self, address: SocketAddr, path: &str) -> Response {
        self.send(address, &format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
    }

    fn send(&self, address: SocketAddr, request: &str) -> Response {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_root_certificates(roots).with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let session = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut stream = StreamOwned::new(session, connect(address));
        stream.write_all(request.as_bytes()).unwrap();
        read_response(stream).expect("an answer")
    }
}

#[test]
fn a_hub_with_a_certificate_speaks_tls_on_a_public_address() {
    let certificate = Certificate::new();
    let mut hub = certificate.hub();
    assert_eq!(certificate.get(hub.address(), "/health").json()["ok"], true);
    assert!(hub.stop().success());
}

#[test]
fn plain_http_and_stalled_handshakes_do_not_disturb_it() {
    let certificate = Certificate::new();
    let hub = certificate.hub();
    let _stalled = connect(hub.address());
    let mut plain = connect(hub.address());
    plain.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    assert!(certificate.get(hub.address(), "/ready").status == 200);
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let (one, other) = (Certificate::new(), Certificate::new());
    std::fs::write(one.file("empty.pem"), "").unwrap();
    for (cert, key, said) in [
        (one.file("missing.pem"), one.file("key.pem"), "missing.pem"),
        (one.file("empty.pem"), one.file("key.pem"), "empty.pem holds no certificate"),
        (one.file("cert.pem"), one.file("empty.pem"), "empty.pem"),
        (one.file("cert.pem"), other.file("key.pem"), "cannot be used together"),
    ] {
        let mut command = baton();
        command.args(["hub", "start", "--port", "0", "--data-dir"]).arg(one.file("data"));
        command.arg("--tls-cert").arg(cert).arg("--tls-key").arg(key);
        let output = command.output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn over_tls_a_browsers_cookie_is_bound_to_its_host_and_secure() {
    let certificate = Certificate::new();
    let mut hub = certificate.hub();
    let body = format!(r#"{{"username":"admin","password":"{PASSWORD}"}}"#);
    let sign_in = format!(
        "POST /api/session HTTP/1.1\r\nhost: localhost\r\norigin: https://localhost\r\nbaton-page: 1\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let answer = certificate.send(hub.address(), &sign_in);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let line = answer.header("set-cookie").unwrap().to_owned();
    assert!(line.starts_with("__Host-baton=utok_") && line.ends_with("; Secure"), "{line}");
    let cookie = line.split(';').next().unwrap();
    let show = format!(
        "GET /api/session HTTP/1.1\r\nhost: localhost\r\ncookie: {cookie}\r\nconnection: close\r\n\r\n"
    );
    assert_eq!(certificate.send(hub.address(), &show).json()["user"]["username"], "admin");
    assert!(hub.stop().success());
}
