//! The SSE door on a real store: what is sent, to which caller, from which point, and when it ends.

use axum::Router;
use axum::body::BodyDataStream;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use baton_core::{NetworkRole, SystemRole, limits};
use futures_util::StreamExt;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceExt;

use super::router;
use crate::fixture::{TestHub, json as json_of, network, node, request, user, user_id};
use crate::hub::StreamIntervals;

/// Longer than anything here takes; only a failure waits for it.
const TOO_LONG: Duration = Duration::from_secs(20);

/// A hub with `ada`, who owns network 1, and her agent `bob` there.
struct World {
    test: TestHub,
    door: Router,
    ada: String,
    bob: String,
}

impl World {
    async fn new() -> Self {
        Self::with_intervals(StreamIntervals::default()).await
    }

    async fn with_intervals(intervals: StreamIntervals) -> Self {
        let mut test = TestHub::start();
        Arc::get_mut(&mut test.hub).unwrap().streams.intervals = intervals;
        let ada = test.person("ada", SystemRole::User, &[1]).await;
        let bob = test.agent("ada", 1, "bob").await;
        let door = axum::Router::from(router()).with_state(test.hub.clone());
        Self { test, door, ada, bob }
    }

    async fn get(&self, path: &str, token: &str, last_event_id: Option<&str>) -> Response {
        let mut request = request("GET", path, token, "");
        if let Some(id) = last_event_id {
            request.headers_mut().insert("last-event-id", HeaderValue::from_str(id).unwrap());
        }
        self.door.clone().oneshot(request).await.unwrap()
    }

    /// Opens a stream and reads its first frame.
    async fn open(&self, path: &str, token: &str, last_event_id: Option<&str>) -> Reader {
        let response = self.get(path, token, last_event_id).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
        let mut reader = Reader { body: response.into_body().into_data_stream(), read: String::new() };
        let first = reader.frame().await.unwrap();
        assert!(first.starts_with(r#"data: {"type":"connected","#), "{first}");
        reader
    }

    async fn add_frames(&self, to: &str, numbers: std::ops::RangeInclusive<i64>) {
        self.test.add_frames(1, &node(to), numbers.map(|n| json!({ "n": n }).to_string()).collect()).await;
    }
}

struct Reader {
    body: BodyDataStream,
    read: String,
}

impl Reader {
    /// The next frame with its empty line; none at the stream's end.
    async fn frame(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.read.find("\n\n") {
                return Some(self.read.drain(..end + 2).collect());
            }
            let chunk = tokio::time::timeout(TOO_LONG, self.body.next()).await.expect("a silent stream")?;
            self.read.push_str(std::str::from_utf8(&chunk.unwrap()).unwrap());
        }
    }

    async fn reads(&mut self, numbers: std::ops::RangeInclusive<i64>) {
        for n in numbers {
            assert_eq!(self.frame().await.unwrap(), numbered(n));
        }
    }
}

/// Frame `n` as `World::add_frames` makes it when it is sent alone.
fn numbered(n: i64) -> String {
    format!("id: {n}\ndata: {{\"n\":{n}}}\n\n")
}

#[tokio::test]
async fn frames_are_an_id_line_and_a_data_line() {
    let world = World::new().await;
    let response = world.get("/events/bob", &world.bob, None).await;
    let mut reader = Reader { body: response.into_body().into_data_stream(), read: String::new() };
    let connected = format!(
        "data: {{\"type\":\"connected\",\"session\":\"bob\",\"network_id\":\"{}\",\"inbox_count\":0}}\n\n",
        network(1)
    );
    assert_eq!(reader.frame().await.unwrap(), connected);
    world.test.add_frames(1, &node("bob"), vec![r#"{"type":"new_task"}"#.into()]).await;
    assert_eq!(reader.frame().await.unwrap(), "id: 1\ndata: {\"type\":\"new_task\"}\n\n");
}

#[tokio::test]
async fn without_a_last_event_id_nothing_old_is_told() {
    let world = World::new().await;
    world.add_frames("bob", 1..=3).await;
    let mut reader = world.open("/events/bob", &world.bob, None).await;
    world.add_frames("bob", 4..=4).await;
    reader.reads(4..=4).await;
}

#[tokio::test]
async fn with_a_last_event_id_everything_after_it_is_told_and_then_what_happens() {
    let world = World::new().await;
    world.add_frames("bob", 1..=300).await;
    let mut reader = world.open("/events/bob", &world.bob, Some("2")).await;
    reader.reads(3..=300).await;
    world.add_frames("bob", 301..=302).await;
    reader.reads(301..=302).await;
    let mut from_the_start = world.open("/events/bob", &world.bob, Some("0")).await;
    from_the_start.reads(1..=302).await;
}

#[tokio::test]
async fn an_id_that_cannot_be_resumed_from_gets_a_reset_and_goes_on_from_now() {
    let world = World::new().await;
    world.add_frames("bob", 1..=10).await;
    world.test.write(|tx| tx.trim_feed(&crate::fixture::network(1), 3, 100).map(drop)).await;
    for id in ["6", "0", "-5", "99", "abc", ""] {
        let mut reader = world.open("/events/bob", &world.bob, Some(id)).await;
        assert_eq!(reader.frame().await.unwrap(), "id: 10\ndata: {\"type\":\"reset\"}\n\n", "{id}");
    }
    let mut oldest = world.open("/events/bob", &world.bob, Some("7")).await;
    oldest.reads(8..=10).await;
    let mut reader = world.open("/events/bob", &world.bob, Some("6")).await;
    reader.frame().await.unwrap();
    world.add_frames("bob", 11..=11).await;
    reader.reads(11..=11).await;
}

#[tokio::test]
async fn a_quiet_stream_is_not_reset_by_what_others_are_told() {
    let world = World::with_intervals(StreamIntervals {
        comment: Duration::from_millis(5),
        ..StreamIntervals::default()
    })
    .await;
    let mut reader = world.open("/events/bob", &world.bob, None).await;
    world.add_frames("carol", 1..=50).await;
    // Two comments later the feed was looked at.
    for _ in 0..2 {
        assert_eq!(reader.frame().await.unwrap(), ": still here\n\n");
    }
    world.test.write(|tx| tx.trim_feed(&crate::fixture::network(1), 1, 100).map(drop)).await;
    world.add_frames("bob", 51..=51).await;
    loop {
        let frame = reader.frame().await.unwrap();
        if frame != ": still here\n\n" {
            assert_eq!(frame, numbered(51));
            break;
        }
    }
}

#[tokio::test]
async fn an_agent_hears_only_what_is_for_it() {
    let world = World::new().await;
    let mut reader = world.open("/events/bob", &world.bob, None).await;
    world.add_frames("carol", 1..=2).await;
    world.test.add_frames(1, &user("ada"), vec![r#"{"n":3}"#.into()]).await;
    world.add_frames("bob", 4..=4).await;
    reader.reads(4..=4).await;
}

#[tokio::test]
async fn a_revoked_token_ends_its_streams() {
    let intervals = StreamIntervals { access: Duration::from_millis(5), ..StreamIntervals::default() };
    let world = World::with_intervals(intervals).await;
    let mut bobs = world.open("/events/bob", &world.bob, None).await;
    let mut adas = world.open("/events/me", &world.ada, None).await;
    world.test.revoke(&world.bob).await;
    assert_eq!(bobs.frame().await, None);
    assert_eq!(world.get("/events/bob", &world.bob, None).await.status(), StatusCode::UNAUTHORIZED);
    // Other tokens' streams continue.
    world.test.add_frames(1, &user("ada"), vec![r#"{"n":1}"#.into()]).await;
    adas.reads(1..=1).await;
}

#[tokio::test]
async fn what_comes_after_a_revocation_is_not_told() {
    let world = World::new().await;
    let mut reader = world.open("/events/bob", &world.bob, Some("0")).await;
    world.test.revoke(&world.bob).await;
    world.add_frames("bob", 1..=1).await;
    assert_eq!(reader.frame().await, None);
}

#[tokio::test]
async fn a_membership_that_ends_takes_the_streams_along() {
    let world = World::with_intervals(StreamIntervals {
        access: Duration::from_millis(5),
        ..StreamIntervals::default()
    })
    .await;
    let eve = world.test.person("eve", SystemRole::User, &[]).await;
    let put = |tx: &mut dyn baton_store::Transaction| {
        tx.touch_access();
        tx.put_member(&network(1), &user_id("eve"), NetworkRole::Viewer, None, baton_core::UnixMillis::new(0))
    };
    world.test.write(put).await;
    let mut watching = world.open(&format!("/events/network/{}", network(1)), &eve, None).await;
    let mut listening = world.open("/events/me", &eve, None).await;
    world
        .test
        .write(|tx| {
            tx.touch_access();
            tx.delete_member(&network(1), &user_id("eve"))
        })
        .await;
    assert_eq!(watching.frame().await, None);
    assert_eq!(listening.frame().await, None);
}

#[tokio::test]
async fn who_may_not_listen_is_told_so() {
    let world = World::new().await;
    let eve = world.test.person("eve", SystemRole::User, &[2, 3]).await;
    let net = |number| format!("/events/network/{}", network(number));
    let bob_elsewhere = format!("/events/bob?network_id={}", network(2));
    let cases = [
        ("/events/carol", &world.bob, StatusCode::FORBIDDEN, "permission_denied"),
        ("/events/me", &world.bob, StatusCode::FORBIDDEN, "permission_denied"),
        ("/events/%FF", &world.bob, StatusCode::FORBIDDEN, "permission_denied"),
        (&bob_elsewhere, &world.bob, StatusCode::FORBIDDEN, "permission_denied"),
        (&net(1), &world.bob, StatusCode::FORBIDDEN, "user_token_required"),
        ("/events/bob", &world.ada, StatusCode::FORBIDDEN, "network_token_required"),
        ("/events/me", &eve, StatusCode::BAD_REQUEST, "network_id_required"),
        (&net(1), &eve, StatusCode::NOT_FOUND, "network not found"),
        (&net(9), &eve, StatusCode::NOT_FOUND, "network not found"),
        ("/events/network/nonsense", &eve, StatusCode::NOT_FOUND, "network not found"),
    ];
    for (path, token, status, error) in cases {
        let (got, body) = json_of(world.get(path, token, None).await).await;
        assert_eq!((got, body["error"].as_str().unwrap()), (status, error), "{path}");
    }
    let (status, body) = json_of(world.get("/events/bob", "ntok_1", None).await).await;
    assert_eq!((status, body), (StatusCode::UNAUTHORIZED, json!({ "ok": false, "error": "unauthorized" })));
}

#[tokio::test]
async fn a_person_hears_their_own_channel_in_the_named_network() {
    let world = World::new().await;
    let eve = world.test.person("eve", SystemRole::User, &[2, 3]).await;
    let mut reader = world.open(&format!("/events/me?network_id={}", network(3)), &eve, None).await;
    world.test.add_frames(2, &user("eve"), vec![r#"{"n":1}"#.into()]).await;
    world.test.add_frames(3, &node("eve-agent"), vec![r#"{"n":1}"#.into()]).await;
    world.test.add_frames(3, &user("eve"), vec![r#"{"n":2}"#.into()]).await;
    reader.reads(2..=2).await;
}

#[tokio::test]
async fn a_system_admin_who_looks_into_a_network_of_others_is_written_down() {
    let world = World::new().await;
    let root = world.test.person("root", SystemRole::Admin, &[]).await;
    let mut reader = world.open(&format!("/events/network/{}", network(1)), &root, None).await;
    world.add_frames("bob", 1..=1).await;
    reader.reads(1..=1).await;
    let log = world
        .test
        .hub
        .store
        .read(|rows| rows.audit_log(None, baton_store::rows::PageBounds::rows(10)))
        .await
        .unwrap();
    assert_eq!((log.rows[0].actor.as_str(), log.rows[0].action.as_str()), ("root", "network.read"));
    let nowhere = world.get(&format!("/events/network/{}", network(9)), &root, None).await;
    assert_eq!(nowhere.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_network_stream_hears_everything_in_order_and_once() {
    let world = World::new().await;
    let path = format!("/events/network/{}", network(1));
    let mut live = world.open(&path, &world.ada, None).await;
    for n in 1..=100 {
        world.add_frames(["bob", "carol", "dave"][n as usize % 3], n..=n).await;
    }
    live.reads(1..=100).await;
    let mut resumed = world.open(&path, &world.ada, Some("40")).await;
    resumed.reads(41..=100).await;
    world.add_frames("bob", 101..=300).await;
    live.reads(101..=300).await;
    resumed.reads(101..=300).await;
}

#[tokio::test]
async fn a_network_stream_that_opens_while_much_happens_misses_nothing() {
    let world = Arc::new(World::new().await);
    let path = format!("/events/network/{}", network(1));
    let telling = {
        let world = world.clone();
        tokio::spawn(async move {
            for n in 1..=300 {
                world.add_frames("bob", n..=n).await;
            }
        })
    };
    // Each stream closes before the next opens, so the shared reader comes and goes too.
    for _ in 0..20 {
        let mut reader = world.open(&path, &world.ada, Some("0")).await;
        reader.reads(1..=20).await;
    }
    let mut reader = world.open(&path, &world.ada, Some("0")).await;
    reader.reads(1..=300).await;
    telling.await.unwrap();
}

#[tokio::test]
async fn a_reader_that_does_not_read_holds_up_nobody_and_misses_nothing() {
    let world = World::new().await;
    let path = format!("/events/network/{}", network(1));
    let mut slow = world.open(&path, &world.ada, None).await;
    let mut slow_agent = world.open("/events/bob", &world.bob, None).await;
    let mut fast = world.open(&path, &world.ada, None).await;
    // Far more pages than the shared reader keeps.
    for n in 1..=200 {
        world.add_frames("bob", n..=n).await;
        fast.reads(n..=n).await;
    }
    slow.reads(1..=200).await;
    slow_agent.reads(1..=200).await;
}

#[tokio::test]
async fn many_listen_at_once() {
    let world = World::new().await;
    let path = format!("/events/network/{}", network(1));
    let mut readers = Vec::new();
    for number in 0..10 {
        let alias = format!("agent-{number}");
        let token = world.test.agent("ada", 1, &alias).await;
        for _ in 0..50 {
            readers.push(world.open(&format!("/events/{alias}"), &token, None).await);
        }
        world.test.add_frames(1, &node(&alias), vec![json!({ "n": number + 1 }).to_string()]).await;
    }
    for _ in 0..60 {
        readers.push(world.open(&path, &world.ada, Some("10")).await);
    }
    for (place, reader) in readers[..500].iter_mut().enumerate() {
        let n = place as i64 / 50 + 1;
        reader.reads(n..=n).await;
    }
    world.add_frames("agent-0", 11..=11).await;
    for reader in &mut readers[500..] {
        reader.reads(11..=11).await;
    }
}

#[tokio::test]
async fn a_token_has_so_many_streams_and_one_that_closes_makes_room() {
    let world = World::new().await;
    let mut readers = Vec::new();
    for _ in 0..limits::STREAMS_PER_TOKEN_MAX_COUNT {
        readers.push(world.open("/events/bob", &world.bob, None).await);
    }
    let refused = world.get("/events/bob", &world.bob, None).await;
    assert_eq!(refused.headers()[header::RETRY_AFTER], "1");
    let (status, body) = json_of(refused).await;
    assert_eq!((status, body["error"].as_str()), (StatusCode::TOO_MANY_REQUESTS, Some("rate_limited")));
    world.open("/events/me", &world.ada, None).await;
    readers.pop();
    world.open("/events/bob", &world.bob, None).await;
}

#[tokio::test]
async fn what_passes_is_told_without_a_number_to_the_network_only() {
    let world = World::new().await;
    let eve = world.test.person("eve", SystemRole::User, &[2]).await;
    let mut watching = world.open(&format!("/events/network/{}", network(1)), &world.ada, None).await;
    let mut bob = world.open("/events/bob", &world.bob, None).await;
    let mut other = world.open(&format!("/events/network/{}", network(2)), &eve, None).await;
    world.test.hub.bells.transient_frames.send(&network(1), r#"{"type":"status_update"}"#.into());
    for reader in [&mut watching, &mut bob] {
        assert_eq!(reader.frame().await.unwrap(), "data: {\"type\":\"status_update\"}\n\n");
    }
    world.test.add_frames(2, &user("eve"), vec![r#"{"n":1}"#.into()]).await;
    other.reads(1..=1).await;
}

#[tokio::test]
async fn an_agent_that_listens_is_there_until_it_leaves() {
    let world = World::new().await;
    let alias = baton_core::Alias::parse("bob").unwrap();
    let is_connected = || world.test.hub.presences.of(&network(1), &alias, false, None).is_connected;
    assert!(!is_connected());
    let reader = world.open("/events/bob", &world.bob, None).await;
    assert!(is_connected());
    drop(reader);
    assert!(!is_connected());
}

#[tokio::test]
async fn a_hub_that_stops_says_so_and_ends_its_streams() {
    let world = World::new().await;
    let mut bob = world.open("/events/bob", &world.bob, None).await;
    let mut watching = world.open(&format!("/events/network/{}", network(1)), &world.ada, None).await;
    world.test.hub.shutdown.begin();
    for reader in [&mut bob, &mut watching] {
        assert_eq!(reader.frame().await.unwrap(), ": the hub is stopping\n\n");
        assert_eq!(reader.frame().await, None);
    }
}
