//! Uploads and downloads through the whole router: what is stored, who gets it, how it is sent, and what is refused. Every
//! test runs with a folder and with a bucket.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode, header};
use axum::response::Response;
use baton_core::{Quota, SystemRole, hex, limits};
use baton_store::rows::QuotaSubject;
use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};
use tower::ServiceExt;

use crate::fixture::{TestHub, json as read_json, network, request};
use crate::moto::{BUCKET, Moto};
use crate::objects::Objects;
use crate::service::artifacts::sweep;

/// Each of these functions as a test, with a hub that keeps artifacts in its folder, and with one that keeps them in a bucket.
macro_rules! in_both_places {
    ($($test:ident),* $(,)?) => {
        mod in_a_folder {
            $(#[tokio::test] async fn $test() { super::$test(super::Storage::Folder).await; })*
        }
        mod in_a_bucket {
            $(#[tokio::test] async fn $test() { super::$test(super::Storage::Bucket(super::Moto::start())).await; })*
        }
    };
}

in_both_places!(
    what_was_uploaded_is_downloaded_byte_for_byte_and_whole_or_in_ranges,
    a_known_artifact_is_not_sent_again_and_a_head_sends_no_bytes,
    the_same_bytes_are_kept_once_and_an_empty_artifact_is_one_too,
    an_upload_that_is_cut_off_leaves_nothing_to_be_served_or_referred_to,
    a_quota_holds_for_announced_and_for_streamed_bytes_and_says_the_numbers,
    what_the_network_has_needs_no_room_if_its_hash_is_said_and_other_bytes_are_refused,
    uploads_at_the_same_time_cannot_pass_the_quota_together,
    a_body_that_is_announced_too_large_is_refused_before_it_is_read,
    names_and_media_types_that_play_tricks_are_refused_and_never_changed,
    a_stranger_finds_no_artifact_and_an_agent_only_those_of_its_own_tasks,
    references_are_shown_with_the_task_the_claim_each_message_and_the_reply,
    a_reference_that_cannot_be_resolved_refuses_the_whole_call,
    an_idempotency_key_covers_the_artifacts,
    a_retry_carries_what_the_task_came_with,
    the_sweep_removes_what_nothing_refers_to_a_day_after_its_upload_with_its_file,
    bytes_that_are_lost_or_changed_in_size_are_not_served,
);

/// Where the bytes of artifacts lie.
enum Storage {
    Folder,
    Bucket(Moto),
}

struct TestHouse {
    test: TestHub,
    place: Storage,
    router: Router,
    ada: String,
}

impl TestHouse {
    async fn start(place: Storage) -> Self {
        Self::start_with(place, limits::ARTIFACT_BYTES_PER_NETWORK).await
    }

    async fn start_with(place: Storage, quota: i64) -> Self {
        let objects = |folder: &Path| match &place {
            Storage::Folder => Objects::in_folder(&folder.join("artifacts")).unwrap(),
            Storage::Bucket(moto) => {
                let bucket = format!("s3://{BUCKET}/of/baton").parse().unwrap();
                Objects::in_bucket_at(&moto.endpoint(), &bucket).unwrap()
            }
        };
        let test = TestHub::start_over(objects, |settings| settings.artifact_quota = quota);
        let ada = test.person("ada", SystemRole::User, &[1]).await;
        let router = crate::server::router(test.hub.clone());
        Self { test, place, router, ada }
    }

    async fn call(&self, request: Request<Body>) -> Response {
        let mut request = request;
        request.headers_mut().insert(header::HOST, "127.0.0.1".parse().unwrap());
        self.router.clone().oneshot(request).await.unwrap()
    }

    async fn put(&self, token: &str, query: &str, body: impl Into<Body>) -> (StatusCode, Value) {
        let path = format!("/api/artifacts?network_id={}&{query}", network(1));
        read_json(self.call(request("PUT", &path, token, body)).await).await
    }

    async fn get(&self, token: &str, sha256: &str, range: Option<&str>) -> (StatusCode, HeaderMap, Bytes) {
        let path = format!("/api/artifacts/{sha256}?network_id={}", network(1));
        let mut request = request("GET", &path, token, Body::empty());
        if let Some(range) = range {
            request.headers_mut().insert(header::RANGE, range.parse().unwrap());
        }
        let response = self.call(request).await;
        let (status, headers) = (response.status(), response.headers().clone());
        (status, headers, axum::body::to_bytes(response.into_body(), 1 << 26).await.unwrap())
    }

    async fn post(&self, token: &str, path: &str, body: Value) -> (StatusCode, Value) {
        let mut request = request("POST", path, token, body.to_string());
        request.headers_mut().insert(header::CONTENT_TYPE, "application/json".parse().unwrap());
        read_json(self.call(request).await).await
    }

    async fn see(&self, token: &str, path: &str) -> (StatusCode, Value) {
        read_json(self.call(request("GET", path, token, Body::empty())).await).await
    }

    /// How many objects there are, those that are being written included.
    fn objects(&self) -> usize {
        match &self.place {
            Storage::Folder => self.files().len(),
            Storage::Bucket(moto) => moto.keys().len() + moto.unfinished(),
        }
    }

    /// Every file in the folder of artifacts.
    fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for network in std::fs::read_dir(self.test.folder.path().join("artifacts")).unwrap() {
            let inside = std::fs::read_dir(network.unwrap().path()).unwrap();
            files.extend(inside.map(|file| file.unwrap().path()));
        }
        files
    }

    /// Gives the only object there is other bytes, or none: it is gone.
    fn damage(&self, bytes: Option<&str>) {
        match (&self.place, bytes) {
            (Storage::Folder, Some(bytes)) => std::fs::write(&self.files()[0], bytes).unwrap(),
            (Storage::Folder, None) => std::fs::remove_file(&self.files()[0]).unwrap(),
            (Storage::Bucket(moto), bytes) => {
                let (method, body) = bytes.map_or(("DELETE", ""), |bytes| ("PUT", bytes));
                let (status, answer) = moto.call(method, &format!("/{}", moto.keys()[0]), body.as_bytes());
                assert!([200, 204].contains(&status), "{answer}");
            }
        }
    }

    async fn used(&self) -> i64 {
        let read = |rows: &dyn baton_store::Snapshot| {
            rows.quota(QuotaSubject::Network(&network(1)), Quota::ArtifactBytes)
        };
        self.test.hub.store.read(read).await.unwrap().used
    }
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes))
}

async fn what_was_uploaded_is_downloaded_byte_for_byte_and_whole_or_in_ranges(place: Storage) {
    let house = TestHouse::start(place).await;
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|n| (n * 31 % 251) as u8).collect();
    let sha = sha256(&bytes);
    let (status, answer) = house.put(&house.ada, "name=data.bin&media_type=text/html", bytes.clone()).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let expected = json!({"sha256": sha, "size": 3_000_000, "name": "data.bin", "media_type": "text/html"});
    assert_eq!(answer, json!({"ok": true, "artifact": expected}));
    let (status, headers, got) = house.get(&house.ada, &sha, None).await;
    assert_eq!((status, got.len()), (StatusCode::OK, bytes.len()));
    assert!(got == bytes, "other bytes");
    for (name, value) in [
        ("content-type", "text/html"),
        ("content-length", "3000000"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "sandbox; default-src 'none'"),
        ("content-disposition", "attachment; filename*=UTF-8''data.bin"),
        ("etag", &format!("\"{sha}\"")),
        ("accept-ranges", "bytes"),
    ] {
        assert_eq!(headers[name], *value, "{name}");
    }
    for (range, part) in [
        ("bytes=0-0", 0..1),
        ("bytes=131071-131073", 131_071..131_074),
        ("bytes=2999999-", 2_999_999..3_000_000),
        ("bytes=-10", 2_999_990..3_000_000),
    ] {
        let (status, headers, got) = house.get(&house.ada, &sha, Some(range)).await;
        assert_eq!(status, StatusCode::PARTIAL_CONTENT, "{range}");
        assert!(got[..] == bytes[part.clone()], "{range}");
        let named = format!("bytes {}-{}/3000000", part.start, part.end - 1);
        assert_eq!((headers["content-range"].to_str().unwrap(), part.len()), (&*named, got.len()));
    }
    let (status, headers, _) = house.get(&house.ada, &sha, Some("bytes=3000000-")).await;
    assert_eq!(
        (status, headers["content-range"].to_str().unwrap()),
        (StatusCode::RANGE_NOT_SATISFIABLE, "bytes */3000000")
    );
}

async fn a_known_artifact_is_not_sent_again_and_a_head_sends_no_bytes(place: Storage) {
    let house = TestHouse::start(place).await;
    let sha = sha256(b"known");
    house.put(&house.ada, "", "known").await;
    let path = format!("/api/artifacts/{sha}?network_id={}", network(1));
    let mut again = request("GET", &path, &house.ada, Body::empty());
    again.headers_mut().insert(header::IF_NONE_MATCH, format!("\"other\", \"{sha}\"").parse().unwrap());
    let response = house.call(again).await;
    assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
    assert!(axum::body::to_bytes(response.into_body(), 9).await.unwrap().is_empty());
    let head = house.call(request("HEAD", &path, &house.ada, Body::empty())).await;
    assert_eq!((head.status(), head.headers()["content-length"].to_str().unwrap()), (StatusCode::OK, "5"));
    assert!(axum::body::to_bytes(head.into_body(), 9).await.unwrap().is_empty());
}

async fn the_same_bytes_are_kept_once_and_an_empty_artifact_is_one_too(place: Storage) {
    let house = TestHouse::start(place).await;
    for name in ["a", "b"] {
        let (status, answer) = house.put(&house.ada, &format!("name={name}"), "twice").await;
        assert_eq!((status, &answer["artifact"]["name"]), (StatusCode::OK, &json!(name)));
    }
    assert_eq!((house.objects(), house.used().await), (1, 5));
    let (status, answer) = house.put(&house.ada, "", Body::empty()).await;
    assert_eq!((status, &answer["artifact"]["size"]), (StatusCode::OK, &json!(0)), "{answer}");
    let (status, _, got) = house.get(&house.ada, &sha256(b""), None).await;
    assert_eq!((status, got.len()), (StatusCode::OK, 0));
}

async fn an_upload_that_is_cut_off_leaves_nothing_to_be_served_or_referred_to(place: Storage) {
    let house = TestHouse::start(place).await;
    let piece = Bytes::from(vec![7_u8; 300_000]);
    for pieces in 0..10 {
        let sent = vec![piece.clone(); pieces];
        let cut = sent.into_iter().map(Ok).chain([Err(io::Error::other("cut"))]);
        let (status, answer) = house.put(&house.ada, "", Body::from_stream(stream::iter(cut))).await;
        assert_eq!((status, &answer["error"]), (StatusCode::BAD_REQUEST, &json!("the body was cut off")));
        let sha = sha256(&piece.repeat(pieces));
        assert_eq!(house.get(&house.ada, &sha, None).await.0, StatusCode::NOT_FOUND, "{pieces}");
        let task = json!({"alias": "coder", "task": "x", "artifacts": [{"sha256": sha}]});
        house.test.agent("ada", 1, &format!("coder{pieces}")).await;
        let (status, answer) = house.post(&house.ada, "/api/task", task).await;
        assert_ne!(status, StatusCode::OK, "{answer}");
    }
    assert_eq!((house.objects(), house.used().await), (0, 0));
}

async fn a_quota_holds_for_announced_and_for_streamed_bytes_and_says_the_numbers(place: Storage) {
    let house = TestHouse::start_with(place, 1_000).await;
    let (status, _) = house.put(&house.ada, "", vec![1_u8; 600]).await;
    assert_eq!(status, StatusCode::OK);
    let streamed = Body::from_stream(stream::iter(vec![Ok::<_, io::Error>(Bytes::from(vec![2_u8; 401]))]));
    for body in [Body::from(vec![2_u8; 401]), streamed] {
        let (status, answer) = house.put(&house.ada, "", body).await;
        assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(answer["error"], "artifact_quota_exceeded");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("600 of 1,000 bytes"), "{message}");
    }
    assert_eq!((house.objects(), house.used().await), (1, 600));
    house
        .test
        .write(|tx| tx.set_quota(QuotaSubject::Network(&network(1)), Quota::ArtifactBytes, Some(2_000)))
        .await;
    assert_eq!(
        house.put(&house.ada, "", vec![2_u8; 401]).await.0,
        StatusCode::OK,
        "a system admin's number wins"
    );
}

async fn what_the_network_has_needs_no_room_if_its_hash_is_said_and_other_bytes_are_refused(place: Storage) {
    let house = TestHouse::start_with(place, 1_000).await;
    let coder = house.test.agent("ada", 1, "coder").await;
    let (known, other) = (vec![1_u8; 600], vec![2_u8; 600]);
    let said = |bytes: &[u8]| format!("sha256={}", sha256(bytes));
    assert_eq!(house.put(&house.ada, &said(&known), known.clone()).await.0, StatusCode::OK);
    let streamed = Body::from_stream(stream::iter([Ok::<_, io::Error>(Bytes::from(known.clone()))]));
    for body in [Body::from(known.clone()), streamed] {
        let (status, answer) = house.put(&house.ada, &said(&known), body).await;
        assert_eq!((status, &answer["artifact"]["size"]), (StatusCode::OK, &json!(600)), "{answer}");
    }
    // Neither who does not say it, nor who may not read it, nor who says it of other bytes.
    for (token, query, bytes, status) in [
        (&house.ada, String::new(), known.clone(), StatusCode::PAYLOAD_TOO_LARGE),
        (&coder, said(&known), known.clone(), StatusCode::PAYLOAD_TOO_LARGE),
        (&house.ada, said(&other), other.clone(), StatusCode::PAYLOAD_TOO_LARGE),
        (&house.ada, said(&known), other, StatusCode::BAD_REQUEST),
        (&house.ada, said(&known), vec![1; 601], StatusCode::BAD_REQUEST),
        (&house.ada, said(b"small"), b"other".to_vec(), StatusCode::BAD_REQUEST),
        (&house.ada, "sha256=abc".into(), b"small".to_vec(), StatusCode::BAD_REQUEST),
    ] {
        let (refused, answer) = house.put(token, &query, bytes).await;
        assert_eq!(refused, status, "{query} {answer}");
        if status == StatusCode::BAD_REQUEST {
            assert_eq!(answer["details"][0]["field"], "sha256", "{answer}");
        }
    }
    assert_eq!((house.objects(), house.used().await), (1, 600));
}

async fn uploads_at_the_same_time_cannot_pass_the_quota_together(place: Storage) {
    let house = TestHouse::start_with(place, 1_000).await;
    let put = |n: u8| house.put(&house.ada, "", vec![n; 300]);
    let done = futures_util::future::join_all((0..8).map(put)).await;
    let taken = done.iter().filter(|(status, _)| *status == StatusCode::OK).count();
    assert_eq!(house.used().await, 300 * taken as i64);
    assert!((1..=3).contains(&taken), "{taken} of 8");
    assert!(done.iter().all(|(status, _)| [StatusCode::OK, StatusCode::PAYLOAD_TOO_LARGE].contains(status)));
}

async fn a_body_that_is_announced_too_large_is_refused_before_it_is_read(place: Storage) {
    let house = TestHouse::start(place).await;
    let path = format!("/api/artifacts?network_id={}", network(1));
    let mut large = request("PUT", &path, &house.ada, "not so much");
    large.headers_mut().insert(header::CONTENT_LENGTH, (limits::ARTIFACT_MAX_BYTES + 1).into());
    let (status, answer) = read_json(house.call(large).await).await;
    assert_eq!((status, &answer["error"]), (StatusCode::PAYLOAD_TOO_LARGE, &json!("artifact_too_large")));
}

async fn names_and_media_types_that_play_tricks_are_refused_and_never_changed(place: Storage) {
    let house = TestHouse::start(place).await;
    for name in ["..", ".", "a/b", "a%5Cb", "a%00b", "a%0Ab", "%20a", "a%20", "a%E2%80%AEb", &"a".repeat(256)]
    {
        let (status, answer) = house.put(&house.ada, &format!("name={name}"), "x").await;
        assert_eq!((status, &answer["error"]), (StatusCode::BAD_REQUEST, &json!("invalid input")), "{name}");
        assert_eq!(answer["details"][0]["field"], "name", "{answer}");
    }
    for media_type in ["text", "/", "text/", "text/ht%20ml", "text/plain%0d%0ax:%20y", "t%C3%A9xt/plain"] {
        let (status, answer) = house.put(&house.ada, &format!("media_type={media_type}"), "x").await;
        assert_eq!((status, &answer["details"][0]["field"]), (StatusCode::BAD_REQUEST, &json!("media_type")));
    }
    assert_eq!(house.objects(), 0);
    house.put(&house.ada, "name=%C3%A9t%C3%A9%20%221%22%3B.txt", "x").await;
    let (_, headers, _) = house.get(&house.ada, &sha256(b"x"), None).await;
    assert_eq!(headers["content-disposition"], "attachment; filename*=UTF-8''%C3%A9t%C3%A9%20%221%22%3B.txt");
}

async fn a_stranger_finds_no_artifact_and_an_agent_only_those_of_its_own_tasks(place: Storage) {
    let house = TestHouse::start(place).await;
    let eve = house.test.person("eve", SystemRole::User, &[2]).await;
    let (coder, other) =
        (house.test.agent("ada", 1, "coder").await, house.test.agent("ada", 1, "other").await);
    let foreign = house.test.agent("eve", 2, "coder").await;
    let sha = sha256(b"secret");
    house.put(&house.ada, "", "secret").await;
    for (who, token) in [
        ("a stranger", &eve),
        ("another network's agent", &foreign),
        ("an agent", &coder),
        ("another agent", &other),
    ] {
        let (status, _, body) = house.get(token, &sha, None).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{who}");
        let error: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(error["error"], "artifact_not_found", "{who}");
        let missing = house.get(token, &sha256(b"missing"), None).await.2;
        let same = String::from_utf8(missing.into()).unwrap().replace(&sha256(b"missing"), &sha);
        assert_eq!(serde_json::from_str::<Value>(&same).unwrap(), error, "{who}");
        let task = json!({"alias": "coder", "task": "give me", "artifacts": [{"sha256": sha}]});
        let (status, answer) = house.post(token, "/api/task", task).await;
        assert_eq!(
            (status, &answer["error"]),
            (StatusCode::NOT_FOUND, &json!("artifact_not_found")),
            "{who}"
        );
    }
    let (status, _) = house.put(&eve, "", "x").await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let task = json!({"alias": "coder", "task": "read it", "artifacts": [{"sha256": sha}]});
    assert!(house.post(&house.ada, "/api/task", task).await.1["ok"].as_bool().unwrap());
    assert_eq!(house.get(&coder, &sha, None).await.0, StatusCode::OK, "its task refers to it");
    assert_eq!(house.get(&other, &sha, None).await.0, StatusCode::NOT_FOUND);
    house.put(&other, "", "mine").await;
    assert_eq!(house.get(&other, &sha256(b"mine"), None).await.0, StatusCode::OK, "it uploaded it");
    let (_, own) = house.see(&other, "/api/artifacts").await;
    assert_eq!(own["artifacts"].as_array().unwrap().len(), 1, "{own}");
}

async fn references_are_shown_with_the_task_the_claim_each_message_and_the_reply(place: Storage) {
    let house = TestHouse::start(place).await;
    let coder = house.test.agent("ada", 1, "coder").await;
    for text in ["input", "asked", "answered", "output"] {
        house.put(&house.ada, &format!("name={text}.txt&media_type=text/plain"), text).await;
        house.put(&coder, &format!("name={text}.txt&media_type=text/plain"), text).await;
    }
    let reference = |text: &str| json!([{"sha256": sha256(text.as_bytes()), "description": "see"}]);
    let shown = |text: &str, source: &str| {
        json!([{"sha256": sha256(text.as_bytes()), "size": text.len(), "name": format!("{text}.txt"),
            "media_type": "text/plain", "description": "see", "source": source}])
    };
    let task = json!({"alias": "coder", "task": "work", "artifacts": reference("input")});
    let (_, sent) = house.post(&house.ada, "/api/task", task).await;
    let id = sent["task_id"].as_str().unwrap();
    let (_, claim) = house.post(&coder, "/api/claim", json!({})).await;
    assert_eq!(claim["artifacts"], shown("input", "task"), "{claim}");
    let ask = json!({"question": "which?", "lease_id": claim["lease_id"], "artifacts": reference("asked")});
    assert!(house.post(&coder, &format!("/api/tasks/{id}/ask"), ask).await.1["ok"].as_bool().unwrap());
    let answer = json!({"text": "that", "artifacts": reference("answered")});
    assert!(
        house.post(&house.ada, &format!("/api/tasks/{id}/answer"), answer).await.1["ok"].as_bool().unwrap()
    );
    let (_, claim) = house.post(&coder, "/api/claim", json!({})).await;
    assert_eq!(claim["messages"][0]["artifacts"], shown("asked", "message"), "{claim}");
    assert_eq!(claim["messages"][1]["artifacts"], shown("answered", "message"), "{claim}");
    let reply = json!({"text": "", "lease_id": claim["lease_id"], "artifacts": reference("output")});
    let (_, replied) = house.post(&coder, &format!("/api/tasks/{id}/reply"), reply).await;
    assert_eq!(replied["artifacts"], shown("output", "reply"), "{replied}");
    let (_, seen) = house.see(&house.ada, &format!("/api/tasks/{id}")).await;
    let both = json!([shown("input", "task")[0], shown("output", "reply")[0]]);
    assert_eq!((&seen["task"]["artifacts"], &seen["task"]["result"]), (&both, &json!("")), "{seen}");
    let (_, listed) = house.see(&house.ada, &format!("/api/artifacts?task_id={id}&limit=3")).await;
    let names: Vec<_> =
        listed["artifacts"].as_array().unwrap().iter().map(|row| row["name"].clone()).collect();
    assert_eq!(names, ["output.txt", "answered.txt", "asked.txt"]);
    let cursor = listed["next_cursor"].as_str().unwrap();
    let (_, rest) = house.see(&house.ada, &format!("/api/artifacts?task_id={id}&cursor={cursor}")).await;
    assert_eq!((&rest["artifacts"][0]["name"], &rest["next_cursor"]), (&json!("input.txt"), &Value::Null));
}

async fn a_reference_that_cannot_be_resolved_refuses_the_whole_call(place: Storage) {
    let house = TestHouse::start(place).await;
    let coder = house.test.agent("ada", 1, "coder").await;
    let unknown = json!([{"sha256": sha256(b"nowhere")}]);
    let task = json!({"alias": "coder", "task": "work", "artifacts": unknown});
    let (status, answer) = house.post(&house.ada, "/api/task", task).await;
    assert_eq!((status, &answer["error"]), (StatusCode::NOT_FOUND, &json!("artifact_not_found")));
    assert!(answer["message"].as_str().unwrap().contains(&sha256(b"nowhere")), "{answer}");
    let (_, listed) = house.see(&house.ada, "/api/tasks").await;
    assert_eq!(listed["tasks"], json!([]));
    let (_, sent) = house.post(&house.ada, "/api/task", json!({"alias": "coder", "task": "work"})).await;
    let reply = format!("/api/tasks/{}/reply", sent["task_id"].as_str().unwrap());
    let (status, _) = house.post(&coder, &reply, json!({"text": "done", "artifacts": unknown})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    for (text, status_word, artifacts) in
        [("", "replied", json!([])), ("", "failed", json!([{"sha256": sha256(b"x")}]))]
    {
        house.put(&coder, "", "x").await;
        let said = json!({"text": text, "status": status_word, "artifacts": artifacts});
        assert_eq!(house.post(&coder, &reply, said).await.0, StatusCode::BAD_REQUEST, "{status_word}");
    }
    let many =
        json!({"alias": "coder", "task": "x", "artifacts": vec![json!({"sha256": sha256(b"x")}); 101]});
    assert_eq!(house.post(&house.ada, "/api/task", many).await.0, StatusCode::BAD_REQUEST);
    assert_eq!(
        house.post(&coder, &reply, json!({"text": "done"})).await.0,
        StatusCode::OK,
        "it is still open"
    );
}

async fn an_idempotency_key_covers_the_artifacts(place: Storage) {
    let house = TestHouse::start(place).await;
    house.test.agent("ada", 1, "coder").await;
    house.put(&house.ada, "", "x").await;
    let with = json!({"alias": "coder", "task": "t", "idempotency_key": "k", "artifacts": [{"sha256": sha256(b"x")}]});
    let (_, first) = house.post(&house.ada, "/api/task", with.clone()).await;
    let (_, again) = house.post(&house.ada, "/api/task", with).await;
    assert_eq!(first["task_id"], again["task_id"], "{first} {again}");
    let without = json!({"alias": "coder", "task": "t", "idempotency_key": "k"});
    let (status, answer) = house.post(&house.ada, "/api/task", without).await;
    assert_eq!((status, &answer["error"]), (StatusCode::CONFLICT, &json!("idempotency_key_reused")));
}

async fn a_retry_carries_what_the_task_came_with(place: Storage) {
    let house = TestHouse::start(place).await;
    let coder = house.test.agent("ada", 1, "coder").await;
    house.put(&house.ada, "name=in", "x").await;
    house.put(&coder, "name=out", "y").await;
    let task = json!({"alias": "coder", "task": "t", "artifacts": [{"sha256": sha256(b"x")}]});
    let (_, sent) = house.post(&house.ada, "/api/task", task).await;
    let id = sent["task_id"].as_str().unwrap();
    let failed = json!({"text": "no", "status": "failed", "artifacts": [{"sha256": sha256(b"y")}]});
    house.post(&coder, &format!("/api/tasks/{id}/reply"), failed).await;
    let (_, retried) = house.post(&house.ada, &format!("/api/tasks/{id}/retry"), json!({})).await;
    let new = retried["new_task_id"].as_str().or(retried["task_id"].as_str()).unwrap();
    let (_, seen) = house.see(&house.ada, &format!("/api/tasks/{new}")).await;
    let names: Vec<_> =
        seen["task"]["artifacts"].as_array().unwrap().iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["in"], "{retried} {seen}");
}

async fn the_sweep_removes_what_nothing_refers_to_a_day_after_its_upload_with_its_file(place: Storage) {
    let house = TestHouse::start(place).await;
    house.test.agent("ada", 1, "coder").await;
    house.put(&house.ada, "", "kept").await;
    house.put(&house.ada, "", "left").await;
    let task = json!({"alias": "coder", "task": "t", "artifacts": [{"sha256": sha256(b"kept")}]});
    house.post(&house.ada, "/api/task", task).await;
    assert_eq!(sweep::round(&house.test.hub).await.unwrap(), 0, "too early");
    let day = house.test.hub.clock.now().plus_seconds(86_400);
    let removed =
        house.test.hub.store.write(move |tx| tx.remove_unreferenced_artifacts(day, 9)).await.unwrap();
    assert_eq!((removed, house.objects()), (1, 2), "its row went, and its file goes after it");
    assert_eq!(house.get(&house.ada, &sha256(b"left"), None).await.0, StatusCode::NOT_FOUND);
    assert_eq!(sweep::round(&house.test.hub).await.unwrap(), 1);
    assert_eq!((house.objects(), house.used().await), (1, 4));
    assert_eq!(house.get(&house.ada, &sha256(b"kept"), None).await.2, Bytes::from("kept"));
}

// A bucket has no such file: what is left there of an upload is for its own rules to remove.
#[tokio::test]
async fn what_a_killed_hub_left_of_an_upload_is_removed_by_its_note() {
    let house = TestHouse::start(Storage::Folder).await;
    house.put(&house.ada, "", "first").await;
    let folder = house.test.folder.path().join("artifacts").join(network(1).as_str());
    std::fs::write(folder.join("0123#1"), "half").unwrap();
    let object = format!("{}/0123", network(1));
    house.test.write(move |tx| tx.begin_object(&object, baton_core::UnixMillis::new(0))).await;
    assert_eq!(sweep::round(&house.test.hub).await.unwrap(), 1);
    assert_eq!(house.objects(), 1);
}

async fn bytes_that_are_lost_or_changed_in_size_are_not_served(place: Storage) {
    let house = TestHouse::start(place).await;
    house.put(&house.ada, "", "whole").await;
    house.damage(Some("whol"));
    assert_eq!(house.get(&house.ada, &sha256(b"whole"), None).await.0, StatusCode::SERVICE_UNAVAILABLE);
    house.damage(None);
    assert_eq!(house.get(&house.ada, &sha256(b"whole"), None).await.0, StatusCode::NOT_FOUND);
}
