//! The gate and the limits on bodies, with doors made for it: one that panics, one that reads what it is sent.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use baton_core::{SystemRole, limits};
use baton_store::{SqliteOptions, SqliteStore};
use futures_util::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Notify;
use tower::ServiceExt;

use super::arrival::Bounds;
use super::connection::ConnectionContext;
use super::paced::Pace;
use super::{Connections, connection, gated};
use crate::fixture::TestHub;
use crate::hub::{Bells, Clock, Hub, Settings};
use crate::metrics::ConnectionsClosed;

/// More than a connection of these tests holds.
const LARGE: usize = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(20);
const PEER: ([u8; 4], u16) = ([127, 0, 0, 1], 1);

struct TestServer {
    hub: Arc<Hub>,
    router: Router,
    /// Told when `/read` begins to read.
    reading: Arc<Notify>,
    /// Makes `/quiet` continue.
    more: Arc<Notify>,
    _folder: TempDir,
}

fn house(cors_origins: &[&str]) -> TestServer {
    house_with(cors_origins, Duration::from_millis(50))
}

fn house_with(cors_origins: &[&str], time: Duration) -> TestServer {
    let folder = tempfile::tempdir().unwrap();
    let (clock, database) = (Clock::start(), folder.path().join("hub.db"));
    let store =
        SqliteStore::open(&database, SqliteOptions::default(), Arc::new(clock.clone()), Arc::new(|_| {}));
    let settings = Settings {
        address: ([127, 0, 0, 1], 9200).into(),
        open_registration: true,
        rate_limit: None,
        behind_proxy: false,
        cors_origins: cors_origins.iter().map(|origin| (*origin).to_owned()).collect(),
        data_folder: folder.path().to_owned(),
        outbound: crate::outbound::Policy::default(),
        public_url: "http://127.0.0.1".into(),
        cards: crate::hub::CardSettings::default(),
        serves_tls: false,
        keep_tasks: None,
        artifact_quota: baton_core::limits::ARTIFACT_BYTES_PER_NETWORK,
        records_evidence: true,
        metrics_token: None,
        oidc: None,
        collector: None,
    };
    let store = Arc::new(store.unwrap());
    let hub = Arc::new(Hub::new(
        store.clone(),
        store,
        crate::objects::Objects::in_folder(&folder.path().join("artifacts")).unwrap(),
        clock,
        Arc::new(Bells::default()),
        crate::fixture::test_key(),
        settings,
    ));
    let reading = Arc::new(Notify::new());
    let more = Arc::new(Notify::new());
    let (told, quiet_until) = (reading.clone(), more.clone());
    let doors = Router::new()
        .route("/health", get(async || "here"))
        .route("/panic", get(panicking))
        .route("/read", post(move |body: Body| read(body, told)))
        .route("/large", get(async || vec![b'x'; LARGE]))
        .route("/hang", get(std::future::pending::<String>))
        .route("/quiet", get(move || async move { quiet(quiet_until) }));
    let bounds = Bounds { bytes: 64, time };
    TestServer { router: gated(doors, hub.clone(), bounds), hub, reading, more, _folder: folder }
}

/// A stream of two lines; the second comes when it is called for.
fn quiet(more: Arc<Notify>) -> Body {
    let first = futures_util::stream::iter(["first\n"]);
    let second = futures_util::stream::once(async move {
        more.notified().await;
        "second\n"
    });
    Body::from_stream(first.chain(second).map(Ok::<_, std::convert::Infallible>))
}

async fn read(body: Body, reading: Arc<Notify>) -> String {
    reading.notify_one();
    to_bytes(body, usize::MAX).await.map_or_else(|error| error.to_string(), |bytes| bytes.len().to_string())
}

async fn panicking() -> &'static str {
    panic!("as it should")
}

impl TestServer {
    async fn ask(&self, request: axum::http::request::Builder, body: Body) -> Response {
        self.router.clone().oneshot(request.body(body).unwrap()).await.unwrap()
    }

    fn served(&self, pace: Pace) -> ConnectionContext {
        let (router, shutdown) = (self.router.clone(), self.hub.shutdown.clone());
        ConnectionContext { router, shutdown, pace, closed: self.hub.metrics.connections_closed.clone() }
    }

    /// What is answered to these bytes on a connection that then stays open.
    async fn raw(&self, request: &str) -> String {
        let (mut ours, theirs) = tokio::io::duplex(4096);
        tokio::spawn(connection::serve_plain(theirs, PEER.into(), self.served(Pace::default())));
        ours.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let read = tokio::time::timeout(Duration::from_secs(20), ours.read_to_end(&mut answer));
        read.await.expect("the connection is closed").unwrap();
        String::from_utf8(answer).unwrap()
    }
}

fn to(method: &str, path: &str) -> axum::http::request::Builder {
    Request::builder().method(method).uri(path).header(header::HOST, "localhost:9200")
}

async fn text(response: Response) -> String {
    String::from_utf8(to_bytes(response.into_body(), 4096).await.unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn a_handler_that_panics_fails_its_own_request_only() {
    let house = house(&[]);
    let response = house.ask(to("GET", "/panic"), Body::empty()).await;
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(text(response).await, r#"{"ok":false,"error":"internal_error"}"#);
    assert_eq!(house.ask(to("GET", "/health"), Body::empty()).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_stopping_hub_takes_no_new_requests_but_is_still_alive() {
    let house = house(&[]);
    house.hub.shutdown.begin();
    house.hub.shutdown.wait().await;
    let response = house.ask(to("POST", "/read"), Body::empty()).await;
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(response.headers().contains_key(header::RETRY_AFTER));
    assert_eq!(text(response).await, r#"{"ok":false,"error":"shutting_down"}"#);
    assert_eq!(house.ask(to("GET", "/health"), Body::empty()).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_body_within_bounds_is_read() {
    let response = house(&[]).ask(to("POST", "/read"), Body::from(vec![b'x'; 64])).await;
    assert_eq!(text(response).await, "64");
}

#[tokio::test]
async fn a_body_over_the_bound_is_refused_declared_or_not() {
    let house = house(&[]);
    let declared = to("POST", "/read").header(header::CONTENT_LENGTH, "65");
    let answers = [
        house.ask(declared, Body::from(vec![b'x'; 65])).await,
        house.ask(to("POST", "/read"), Body::from(vec![b'x'; 65])).await,
    ];
    for answer in answers {
        assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(text(answer).await, r#"{"ok":false,"error":"body too large"}"#);
    }
}

#[tokio::test]
async fn only_a_known_caller_may_send_more_than_a_small_body() {
    let test = TestHub::start();
    let token = test.person("ada", SystemRole::User, &[]).await;
    let doors = Router::new().route("/read", post(|body: Body| read(body, Arc::default())));
    let router = gated(doors, test.hub.clone(), Bounds::default());
    let ask = async |token: Option<&str>, bytes: usize, is_declared: bool| {
        let mut request = to("POST", "/read");
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        if is_declared {
            request = request.header(header::CONTENT_LENGTH, bytes);
        }
        let answer =
            router.clone().oneshot(request.body(Body::from(vec![b'x'; bytes])).unwrap()).await.unwrap();
        let status = answer.status();
        (status, text(answer).await)
    };
    let garbage = format!("utok_{}", "0".repeat(64));
    let (public, most) = (limits::PUBLIC_BODY_MAX_BYTES, limits::JSON_BODY_MAX_BYTES);
    let refused = (StatusCode::PAYLOAD_TOO_LARGE, r#"{"ok":false,"error":"body too large"}"#.to_owned());
    for is_declared in [true, false] {
        for unknown in [None, Some("nonsense"), Some(&*garbage)] {
            assert_eq!(ask(unknown, public, is_declared).await, (StatusCode::OK, public.to_string()));
            for bytes in [public + 1, most] {
                assert_eq!(ask(unknown, bytes, is_declared).await, refused, "{unknown:?} {bytes}");
            }
        }
        for bytes in [public + 1, limits::SMALL_BODY_MAX_BYTES, most] {
            assert_eq!(ask(Some(&token), bytes, is_declared).await, (StatusCode::OK, bytes.to_string()));
        }
        assert_eq!(ask(Some(&token), most + 1, is_declared).await, refused);
    }
}

#[tokio::test]
async fn a_body_that_stops_halfway_is_answered_in_time_and_the_hub_goes_on() {
    let house = house(&[]);
    let answer = house.raw("POST /read HTTP/1.1\r\nhost: localhost\r\ncontent-length: 60\r\n\r\nhalf").await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.ends_with(r#"{"ok":false,"error":"the request took too long to arrive"}"#), "{answer}");
    assert_eq!(house.ask(to("GET", "/health"), Body::empty()).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_body_that_is_still_on_its_way_when_the_hub_stops_is_new_work() {
    let house = house_with(&[], Duration::from_secs(20));
    let request = "POST /read HTTP/1.1\r\nhost: localhost\r\ncontent-length: 60\r\n\r\nhalf";
    let (answer, ()) = tokio::join!(house.raw(request), async {
        house.reading.notified().await;
        house.hub.shutdown.begin();
    });
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.ends_with(r#"{"ok":false,"error":"shutting_down"}"#), "{answer}");
}

#[tokio::test]
async fn a_configured_origin_gets_cors_and_no_other() {
    let house = house(&["https://board.example"]);
    let from = |origin: &str| to("GET", "/health").header(header::ORIGIN, origin);
    let allowed = house.ask(from("https://board.example"), Body::empty()).await;
    assert_eq!(allowed.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "https://board.example");
    assert_eq!(allowed.headers()[header::VARY], "origin");
    for foreign in ["https://evil.example", "http://board.example", "null", "http://localhost:3000"] {
        let refused = house.ask(from(foreign), Body::empty()).await;
        assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{foreign}");
        assert!(!refused.headers().contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN));
    }
    let own = house.ask(from("http://localhost:9200"), Body::empty()).await;
    assert_eq!(own.status(), StatusCode::OK);
    assert!(!own.headers().contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN));
}

#[tokio::test]
async fn a_preflight_of_a_configured_origin_is_answered_at_the_gate() {
    let house = house(&["https://board.example"]);
    let ask = to("OPTIONS", "/read")
        .header(header::ORIGIN, "https://board.example")
        .header(header::ACCESS_CONTROL_REQUEST_METHOD, "POST");
    let response = house.ask(ask, Body::empty()).await;
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    assert_eq!(response.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "https://board.example");
    let headers = response.headers()[header::ACCESS_CONTROL_ALLOW_HEADERS].to_str().unwrap();
    for name in ["authorization", "last-event-id", "traceparent", "tracestate", "x-request-id"] {
        assert!(headers.split(", ").any(|header| header == name), "{name}");
    }
    assert!(!response.headers().contains_key(header::ACCESS_CONTROL_ALLOW_CREDENTIALS));
}

const CONNECTIONS: Connections = Connections { most: 8, per_address: None };

#[tokio::test]
async fn whoever_waits_for_a_hub_that_is_still_starting_is_told_so() {
    let listener = super::Listener::bind(([127, 0, 0, 1], 0).into(), None, CONNECTIONS).unwrap();
    let address = listener.address().unwrap();
    let asking = async {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /ready HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let answer = tokio::select! {
        answer = asking => answer,
        never = listener.turn_away() => match never {},
    };
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("retry-after: 1\r\n") && answer.contains("connection: close\r\n"), "{answer}");
    assert!(answer.ends_with(r#"{"ok":false,"error":"starting"}"#), "{answer}");
}

/// A reader must take a mebibyte a second, and may be behind for a moment.
const STRICT: Pace = Pace { bytes_per_second: 1 << 20, grace: Duration::from_millis(50) };

/// A connection that has asked for something, and the end of it.
async fn asking(house: &TestServer, path: &str) -> (tokio::io::DuplexStream, tokio::task::JoinHandle<()>) {
    let (mut ours, theirs) = tokio::io::duplex(4096);
    let served = tokio::spawn(connection::serve_plain(theirs, PEER.into(), house.served(STRICT)));
    ours.write_all(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).await.unwrap();
    (ours, served)
}

fn slow_readers(house: &TestServer) -> u64 {
    let counts = house.hub.metrics.connections_closed.read();
    counts.filter(|(why, _)| *why == ConnectionsClosed::SlowReader).map(|(_, count)| count).sum()
}

#[tokio::test]
async fn a_reader_that_takes_nothing_is_closed_and_one_that_has_nothing_to_read_is_not() {
    let house = house(&[]);
    let (mut quiet, _served) = asking(&house, "/quiet").await;
    let mut read = [0; 4096];
    let mut begun = String::new();
    while !begun.contains("first") {
        let count = quiet.read(&mut read).await.unwrap();
        begun.push_str(&String::from_utf8_lossy(&read[..count]));
    }
    // This takes as long as a reader may be behind; the stream beside it is quiet for longer.
    let (_slow, served) = asking(&house, "/large").await;
    tokio::time::timeout(PATIENCE, served).await.expect("the hub closes it").unwrap();
    assert_eq!(slow_readers(&house), 1);
    house.more.notify_one();
    let count = quiet.read(&mut read).await.unwrap();
    assert!(String::from_utf8_lossy(&read[..count]).contains("second"));
}

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    [&[0, 0, payload.len() as u8, kind, flags, 0, 0, 0, stream], payload].concat()
}

#[tokio::test]
async fn a_client_of_http_2_that_grants_no_window_is_closed_although_its_answer_has_ended() {
    let house = house(&[]);
    for (path, number) in [("/health", 1), ("/large", 2)] {
        let (ours, theirs) = tokio::io::duplex(4096);
        let served = tokio::spawn(connection::serve_plain(theirs, PEER.into(), house.served(STRICT)));
        let (mut reads, mut writes) = tokio::io::split(ours);
        // What arrives is read, so that bytes move; nothing grants more window.
        let reading = tokio::spawn(async move { tokio::io::copy(&mut reads, &mut tokio::io::sink()).await });
        // INITIAL_WINDOW_SIZE is one byte.
        let settings = frame(4, 0, 0, &[0, 4, 0, 0, 0, 1]);
        let mut head = vec![0x82, 0x86, 0x04, path.len() as u8];
        head.extend(path.as_bytes());
        head.extend([&[0x01, 9][..], b"localhost"].concat());
        let asked = [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &settings, &frame(1, 5, 1, &head)].concat();
        writes.write_all(&asked).await.unwrap();
        tokio::time::timeout(PATIENCE, served).await.expect("the hub closes it").unwrap();
        assert_eq!(slow_readers(&house), number, "{path}");
        drop(writes);
        reading.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_large_answer_that_is_read_arrives_whole() {
    let answer = house(&[]).raw("GET /large HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(&format!("content-length: {LARGE}")), "{head}");
    assert!(body.len() == LARGE && body.bytes().all(|byte| byte == b'x'), "{} bytes", body.len());
}

#[tokio::test]
async fn a_token_has_so_many_requests_in_flight_and_no_more() {
    let house = house(&[]);
    let with =
        |path: &str, token: &str| to("GET", path).header(header::AUTHORIZATION, format!("Bearer {token}"));
    let mut hanging = Vec::new();
    for _ in 0..limits::REQUESTS_PER_TOKEN_MAX_COUNT {
        let request = with("/hang", "utok_one").body(Body::empty()).unwrap();
        let mut answer = Box::pin(house.router.clone().oneshot(request));
        assert!(futures_util::poll!(&mut answer).is_pending());
        hanging.push(answer);
    }
    let refused = house.ask(with("/health", "utok_one"), Body::empty()).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.headers()[header::RETRY_AFTER], "1");
    let said = text(refused).await;
    assert!(said.contains("rate_limited") && said.contains("2048 requests in flight"), "{said}");
    assert_eq!(house.ask(with("/health", "utok_two"), Body::empty()).await.status(), StatusCode::OK);
    drop(hanging);
    assert_eq!(house.ask(with("/health", "utok_one"), Body::empty()).await.status(), StatusCode::OK);
}
