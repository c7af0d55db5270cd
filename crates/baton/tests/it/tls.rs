//! TLS: the hub with a certificate of its own, and a client that trusts nothing else.

use rustix::process::Signal;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tempfile::TempDir;

use super::http::{Response, connect, read_response};
use super::hub::{Hub, PASSWORD, baton};
use super::work::worker::eventually;

const METRICS: &str = "a-token-for-metrics";

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
        let files = self.options();
        let files = files.each_ref().map(String::as_str);
        let options = ["--host", "0.0.0.0", "--password", PASSWORD, "--metrics-token", METRICS];
        Hub::start_with(&[&options, &files[..]].concat())
    }

    pub(super) fn get(&self, address: SocketAddr, path: &str) -> Response {
        self.send(address, &format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
    }

    fn send(&self, address: SocketAddr, request: &str) -> Response {
        let mut stream = self.open(address);
        stream.write_all(request.as_bytes()).unwrap();
        read_response(stream).expect("an answer")
    }

    /// Whether a new handshake is made with this certificate.
    fn is_served(&self, address: SocketAddr) -> bool {
        let mut stream = self.open(address);
        stream.conn.complete_io(&mut stream.sock).is_ok()
    }

    /// Replaces the files of another certificate, as a tool that renews certificates does.
    fn replace(&self, other: &Self) {
        for name in ["key.pem", "cert.pem"] {
            std::fs::copy(self.file(name), other.file("new.pem")).unwrap();
            std::fs::rename(other.file("new.pem"), other.file(name)).unwrap();
        }
    }

    /// How to start a hub with it.
    pub(super) fn options(&self) -> [String; 4] {
        let file = |name| self.file(name).to_str().unwrap().to_owned();
        ["--tls-cert".into(), file("cert.pem"), "--tls-key".into(), file("key.pem")]
    }

    /// A client that trusts this certificate and nothing else.
    pub(super) fn trusted(&self) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        config.with_root_certificates(roots).with_no_client_auth()
    }

    /// A connection of such a client; the handshake comes with the first use.
    fn open(&self, address: SocketAddr) -> StreamOwned<ClientConnection, TcpStream> {
        let name = ServerName::try_from("localhost").unwrap();
        let session = ClientConnection::new(Arc::new(self.trusted()), name).unwrap();
        StreamOwned::new(session, connect(address))
    }
}

/// Waits until something is so.
fn until(what: &str, is_so: impl Fn() -> bool) {
    eventually(what, || is_so().then_some(()));
}

/// The value of a metric, by its name and labels.
fn metric(hub: &Hub, certificate: &Certificate, name: &str) -> String {
    let request = format!(
        "GET /metrics HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {METRICS}\r\nconnection: close\r\n\r\n"
    );
    let page = certificate.send(hub.address(), &request).text();
    let line =
        page.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{name}: {page}"));
    line.trim().to_owned()
}

#[test]
fn a_certificate_is_exchanged_under_load_and_no_connection_is_dropped() {
    let (old, new) = (Certificate::new(), Certificate::new());
    let hub = old.hub();
    let address = hub.address();
    let (stop, requests) = (AtomicBool::new(false), [const { AtomicUsize::new(0) }; 4]);
    std::thread::scope(|scope| {
        // Each on one connection, from before the exchange until after it.
        for count in &requests {
            let (old, stop) = (&old, &stop);
            scope.spawn(move || {
                let mut stream = old.open(address);
                while !stop.load(Ordering::Relaxed) {
                    stream.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").expect("it is open");
                    assert_eq!(read_response(&mut stream).expect("an answer").status, 200);
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let seen = || requests.each_ref().map(|count| count.load(Ordering::Relaxed));
        until("every connection is in use", || seen().iter().all(|count| *count > 0));
        assert!(old.is_served(address) && !new.is_served(address));

        new.replace(&old);
        until("new handshakes get the new certificate", || new.is_served(address));
        assert!(!old.is_served(address), "and no other");

        let before = seen();
        until("the connections that were open go on", || {
            seen().iter().zip(before).all(|(now, then)| *now > then)
        });
        stop.store(true, Ordering::Relaxed);
    });
    assert!(hub.log().contains("the new certificate is in use"), "{}", hub.log());
}

#[test]
fn a_certificate_that_cannot_be_used_changes_nothing_and_sighup_reads_the_files_at_once() {
    let (used, other) = (Certificate::new(), Certificate::new());
    let hub = used.hub();
    let expiry = metric(&hub, &used, "baton_tls_certificate_expiry_timestamp_seconds");
    assert!(expiry.parse::<u64>().unwrap() > 2_000_000_000, "{expiry}");

    std::fs::write(used.file("cert.pem"), "-----BEGIN CERTIFICATE-----\nnonsense\n").unwrap();
    hub.signal(Signal::HUP);
    until("it is logged", || {
        hub.log().contains("the new certificate cannot be used; the old one stays in use")
    });
    assert!(used.is_served(hub.address()));
    let failed = "baton_tls_certificate_reloads_total{outcome=\"failed\"}";
    let failures = || metric(&hub, &used, failed).parse::<u32>().unwrap();
    let first = failures();
    assert!(first >= 1, "it is counted");

    // A key that is another certificate's.
    std::fs::copy(other.file("cert.pem"), used.file("cert.pem")).unwrap();
    hub.signal(Signal::HUP);
    until("it is counted", || failures() > first);
    assert!(hub.log().contains("cannot be used together"), "{}", hub.log());

    other.replace(&used);
    hub.signal(Signal::HUP);
    until("the new certificate is in use", || other.is_served(hub.address()));
    assert_eq!(metric(&hub, &other, "baton_tls_certificate_reloads_total{outcome=\"loaded\"}"), "1");
}

#[test]
fn a_hub_without_a_certificate_goes_on_after_sighup() {
    let mut hub = Hub::start();
    hub.signal(Signal::HUP);
    until("it is logged", || hub.log().contains("there is no certificate to reload"));
    assert!(hub.is_running());
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
