//! Parts and artifacts as the protocol has them, in both directions: files by bytes and by URL, data, several parts, artifacts
//! in pieces before the end, files of a reply that failed. What the protocol's own compatibility kit asks for.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::door::{ALL, Door, message};
use crate::it::http::{Client, Frame};
use crate::it::hub::Hub;
use crate::it::program::binary;
use crate::it::tenant::{Tenant, act, claim, refused, succeed, text};
use crate::it::work::worker::{Worker, eventually, tenant_with};

fn immediately(parts: Value) -> Value {
    let mut params = message("");
    params["message"]["parts"] = parts;
    params["configuration"] = json!({"returnImmediately": true});
    params
}

/// Uploads bytes and gives their hash.
fn upload(client: &Client, network: &str, name: &str, media_type: &str, bytes: &str) -> String {
    let path = format!("/api/artifacts?network_id={network}&name={name}&media_type={media_type}");
    let answer = client.send_text("PUT", &path, &[("content-type", "application/octet-stream")], Some(bytes));
    text(&succeed(&answer)["artifact"]["sha256"])
}

fn download(client: &Client, network: &str, sha256: &Value) -> Vec<u8> {
    let answer = client.get(&format!("/api/artifacts/{}?network_id={network}", text(sha256)));
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

/// A running task with its lease.
fn running(door: &Door, worker: &Client) -> (String, Value) {
    let id = text(&door.send("paint it")["id"]);
    let lease = claim(worker, 5, 60)["lease_id"].clone();
    (id, lease)
}

#[test]
fn every_part_that_is_no_text_reaches_the_agent_as_a_file() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let parts = json!([
        {"text": "look at"},
        {"raw": "aGVsbG8=", "filename": "a.bin", "mediaType": "application/x-thing"},
        {"url": "https://example.org/x"},
        {"data": {"b": 1, "a": [null]}, "filename": "shape.json"},
    ]);
    for binding in ALL {
        door.call(binding, "SendMessage", &immediately(parts.clone())).unwrap();
        let claimed = claim(&worker, 5, 60);
        let files: Vec<(String, String, Vec<u8>)> = claimed["artifacts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| {
                let bytes = download(&worker, &tenant.network_id, &file["sha256"]);
                (text(&file["name"]), text(&file["media_type"]), bytes)
            })
            .collect();
        let expected = [
            ("a.bin", "application/x-thing", "hello"),
            ("artifact", "text/uri-list", "https://example.org/x"),
            ("shape.json", "application/json", r#"{"a":[null],"b":1}"#),
        ];
        let expected =
            expected.map(|(name, kind, bytes)| (name.to_owned(), kind.to_owned(), bytes.as_bytes().to_vec()));
        assert_eq!(files, expected);
    }
}

#[test]
fn a_file_too_large_for_a_message_to_be_kept_as_it_came_is_shown_whole_all_the_same() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let small = STANDARD.encode(vec![7_u8; 900_000]);
    let large = STANDARD.encode(vec![8_u8; 1_500_000]);
    let parts = json!([{"raw": small, "filename": "small"}, {"raw": large, "filename": "large", "metadata": {"k": 1}}]);
    for binding in ALL {
        let sent = door.call(binding, "SendMessage", &immediately(parts.clone())).unwrap()["task"].clone();
        let shown = &sent["history"][0]["parts"];
        assert_eq!((&shown[0]["raw"], &shown[0]["filename"]), (&json!(small), &json!("small")));
        assert_eq!((&shown[1]["filename"], &shown[1]["metadata"]), (&json!("large"), &json!({"k": 1})));
        let url = text(&shown[1]["url"]);
        let path = url.split_once("/api/").map(|(_, rest)| format!("/api/{rest}")).unwrap();
        assert_eq!(tenant.user.get(&path).body, vec![8_u8; 1_500_000], "over a mebibyte: by its address");
        let files = claim(&worker, 5, 60)["artifacts"].clone();
        assert_eq!(download(&worker, &tenant.network_id, &files[0]["sha256"]), vec![7_u8; 900_000]);
    }
}

#[test]
fn a_name_that_is_a_path_is_refused_and_nothing_is_sent() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for name in ["../x", "a/b", "a\u{0}b", "a\u{202e}txt.exe"] {
        let params = immediately(json!([{"raw": "aGk=", "filename": name}]));
        for binding in ALL {
            assert_eq!(door.call(binding, "SendMessage", &params), Err("INVALID_PARAMS".into()), "{name}");
        }
        let answer = door.rpc("SendMessage", &params).json();
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer.to_string().contains("filename"), "{answer}");
    }
    assert_eq!(claim(&worker, 0, 60)["task"], Value::Null);
}

#[test]
fn files_of_a_reply_are_artifacts_of_their_own_also_where_the_task_failed() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let network = &tenant.network_id;
    let sha = upload(&worker, network, "report.txt", "text/plain", "all of it");
    for (status, state) in [("replied", "TASK_STATE_COMPLETED"), ("failed", "TASK_STATE_FAILED")] {
        let (id, lease) = running(&door, &worker);
        let files =
            json!([{"sha256": sha, "description": "the report"}, {"sha256": sha, "name": "again.txt"}]);
        let reply = json!({"text": "see the files", "status": status, "lease_id": lease, "artifacts": files});
        succeed(&act(&worker, &id, "reply", &reply));
        for binding in ALL {
            let done = door.call(binding, "GetTask", &json!({"id": id})).unwrap();
            assert_eq!(done["status"]["state"], state);
            let shown = done["artifacts"].as_array().unwrap();
            let files: Vec<&Value> =
                shown.iter().filter(|artifact| artifact["artifactId"] != "result").collect();
            assert_eq!(files.len(), 2, "{done}");
            let raw = json!([{"raw": STANDARD.encode("all of it"), "filename": "report.txt", "mediaType": "text/plain"}]);
            assert_eq!(files[0]["parts"], raw);
            assert_eq!(
                (&files[0]["name"], &files[0]["description"]),
                (&json!("report.txt"), &json!("the report"))
            );
            assert_eq!(files[1]["name"], "again.txt");
            assert_ne!(files[0]["artifactId"], files[1]["artifactId"]);
            assert_eq!(
                shown.len() == 3,
                status == "replied",
                "the words of a failure are its status message"
            );
        }
    }
}

#[test]
fn a_bare_answer_carries_its_files_as_parts() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let sha = upload(&worker, &tenant.network_id, "a.txt", "text/plain", "abc");
    for binding in ALL {
        let (agent, sha) = (worker.clone(), sha.clone());
        let working = std::thread::spawn(move || {
            let claimed = claim(&agent, 40, 60);
            let reply = json!({"text": "here", "bare": true, "lease_id": claimed["lease_id"], "artifacts": [{"sha256": sha}]});
            succeed(&act(&agent, &text(&claimed["task"]["task_id"]), "reply", &reply));
        });
        let sent = door.call(binding, "SendMessage", &message("hello?")).unwrap();
        working.join().unwrap();
        let expected =
            json!([{"text": "here"}, {"raw": "YWJj", "filename": "a.txt", "mediaType": "text/plain"}]);
        assert_eq!(sent["message"]["parts"], expected, "{sent}");
    }
}

/// Shares some parts of an artifact.
fn share(worker: &Client, id: &str, lease: &Value, append: bool, last: bool, parts: &Value) -> Value {
    let body = json!({"lease_id": lease, "artifact_id": "story", "append": append, "last_chunk": last, "parts": parts});
    succeed(&act(worker, id, "artifacts", &body))
}

/// What a frame shares: its id, the artifact's id, whether it is added, whether it is the last, and its parts.
fn shared(frame: &Frame) -> Option<(String, Value, Value, Value, Value)> {
    let told = frame.data.get("result").unwrap_or(&frame.data).get("artifactUpdate")?;
    let part = |name: &str| told.get(name).cloned().unwrap_or(json!(false));
    let artifact = &told["artifact"];
    let parts = artifact["parts"].clone();
    Some((
        frame.id.clone().unwrap(),
        artifact["artifactId"].clone(),
        part("append"),
        part("lastChunk"),
        parts,
    ))
}

#[test]
fn an_artifact_in_pieces_comes_in_order_and_once_also_over_a_killed_hub() {
    let mut hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let (id, lease) = running(&door, &worker);
    let mut stream = door.subscribe(&id, None).unwrap();
    assert!(stream.next_frame().unwrap().data.get("task").is_some());
    share(
        &worker,
        &id,
        &lease,
        false,
        false,
        &json!([{"text": "once "}, {"data": {"n": 1}, "metadata": {"m": 2}}]),
    );
    share(
        &worker,
        &id,
        &lease,
        true,
        false,
        &json!([{"raw": "dXBvbg==", "filename": "u.txt", "media_type": "text/plain"}]),
    );
    let plain = |text: &str| json!({"text": text, "mediaType": "text/plain"});
    let first =
        json!([plain("once "), {"data": {"n": 1}, "mediaType": "application/json", "metadata": {"m": 2}}]);
    let second = json!([{"raw": "dXBvbg==", "filename": "u.txt", "mediaType": "text/plain"}]);
    let expected = [("3", false, false, first.clone()), ("4", true, false, second.clone())];
    for (n, append, last, parts) in expected {
        let told = shared(&stream.next_frame().unwrap()).unwrap();
        assert_eq!(told, (n.to_owned(), json!("story"), json!(append), json!(last), parts));
    }
    hub.kill9();
    hub.restart();
    // What was shared is there, and continues where the client left off.
    let now = door.get(&id);
    assert_eq!(now["artifacts"][0]["parts"].as_array().unwrap().len(), 3, "{now}");
    let mut stream = door.subscribe(&id, Some("3")).unwrap();
    let begun = stream.next_frame().unwrap();
    assert_eq!(begun.data["task"]["artifacts"][0]["parts"], first, "as it stood then");
    assert_eq!(shared(&stream.next_frame().unwrap()).unwrap().4, second);
    share(&worker, &id, &lease, true, true, &json!([{"text": " a time"}, {"url": "https://example.org/x"}]));
    let (n, _, append, last, parts) = shared(&stream.next_frame().unwrap()).unwrap();
    assert_eq!((&*n, append, last), ("5", json!(true), json!(true)));
    assert_eq!(
        parts,
        json!([plain(" a time"), {"url": "https://example.org/x", "mediaType": "text/uri-list"}])
    );
    succeed(&act(&worker, &id, "reply", &json!({"text": "the end", "lease_id": lease})));
    let end: Vec<Frame> = std::iter::from_fn(|| stream.next_frame()).collect();
    let kinds: Vec<String> =
        end.iter().map(|frame| frame.data.as_object().unwrap().keys().next().unwrap().clone()).collect();
    assert_eq!(kinds, ["artifactUpdate", "statusUpdate"], "the result alone: nothing comes twice");
    for binding in ALL {
        let done = door.call(binding, "GetTask", &json!({"id": id})).unwrap();
        let ids: Vec<&str> =
            done["artifacts"].as_array().unwrap().iter().map(|a| a["artifactId"].as_str().unwrap()).collect();
        assert_eq!(ids, ["story", "result"]);
        assert_eq!(done["artifacts"][0]["parts"].as_array().unwrap().len(), 5);
    }
}

#[test]
fn a_streamed_send_shows_pieces_on_all_bindings() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for binding in ALL {
        let agent = worker.clone();
        let working = std::thread::spawn(move || {
            let claimed = claim(&agent, 40, 60);
            let (id, lease) = (text(&claimed["task"]["task_id"]), &claimed["lease_id"]);
            share(&agent, &id, lease, false, false, &json!([{"text": "a"}]));
            share(&agent, &id, lease, true, true, &json!([{"text": "b"}]));
            succeed(&act(&agent, &id, "reply", &json!({"text": "done", "lease_id": lease})));
        });
        let frames = door.streamed(binding, &message("x"), &[]);
        working.join().unwrap();
        let said = |frame: Frame| frame.data.get("result").unwrap_or(&frame.data).clone();
        let data: Vec<Value> = frames.into_iter().map(said).collect();
        let kinds: Vec<&String> =
            data.iter().map(|told| told.as_object().unwrap().keys().next().unwrap()).collect();
        let expected =
            ["task", "statusUpdate", "artifactUpdate", "artifactUpdate", "artifactUpdate", "statusUpdate"];
        assert_eq!(kinds, expected, "{data:?}");
        let words: Vec<&Value> =
            data[2..5].iter().map(|told| &told["artifactUpdate"]["artifact"]["parts"][0]["text"]).collect();
        assert_eq!(words, ["a", "b", "done"]);
    }
}

#[test]
fn what_shares_without_the_lease_or_with_parts_that_are_none_changes_nothing() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let (worker, other) = (tenant.agent("worker"), tenant.agent("other"));
    let stranger = Tenant::register(&hub, "mallory");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let (id, lease) = running(&door, &worker);
    let body = |change: Value| {
        let mut body = json!({"lease_id": lease, "artifact_id": "a", "parts": [{"text": "x"}]});
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        body
    };
    refused(&act(&stranger.user, &id, "artifacts", &body(json!({}))), 404, "task_not_found");
    refused(&act(&other, &id, "artifacts", &body(json!({}))), 403, "permission_denied");
    refused(&act(&worker, &id, "artifacts", &body(json!({"lease_id": "lease_0"}))), 409, "lease_lost");
    for wrong in [
        json!({"parts": []}),
        json!({"parts": [{}]}),
        json!({"parts": [{"text": "a", "url": "b"}]}),
        json!({"parts": [{"raw": "%"}]}),
        json!({"parts": [{"text": "a", "filename": "../x"}]}),
        json!({"parts": [{"text": "a", "colour": "red"}]}),
        json!({"artifact_id": ""}),
        json!({"unknown": 1}),
    ] {
        let answer = act(&worker, &id, "artifacts", &body(wrong.clone()));
        assert_eq!(answer.status, 400, "{wrong}: {answer:?}");
    }
    let missing = json!({"parts": [{"sha256": "0".repeat(64)}]});
    refused(&act(&worker, &id, "artifacts", &body(missing)), 404, "artifact_not_found");
    assert!(door.get(&id).get("artifacts").is_none());
}

#[test]
fn what_a_call_does_not_know_is_refused_and_who_or_where_it_claims_to_be_is_passed_over() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let (id, lease) = running(&door, &worker);
    let calls = [
        ("reply", json!({"text": "done", "lease_id": lease})),
        ("ask", json!({"question": "which?", "lease_id": lease})),
        ("progress", json!({"lease_id": lease, "percent": 5})),
    ];
    for (action, body) in calls {
        for unknown in ["parts", "metadata", "artefacts"] {
            let mut body = body.clone();
            body[unknown] = json!([]);
            let said = refused(&act(&worker, &id, action, &body), 400, "invalid input");
            assert!(said.to_string().contains(unknown), "{said}");
        }
    }
    assert_eq!(crate::it::tenant::task(&tenant.user, &id)["status"], "running", "nothing changed");
    let reply = json!({"text": "done", "lease_id": lease, "from": "x", "from_session": 7, "network_id": "n"});
    succeed(&act(&worker, &id, "reply", &reply));
}

#[test]
fn a_command_shares_files_and_texts_before_it_ends() {
    let hub = Hub::start();
    let (tenant, agent) = tenant_with(&hub, "worker");
    let script = format!(
        r#"printf 'a,b\n' > table.csv; '{0}' task share --as data table.csv --text "first" && '{0}' task share --as data --append --last --text "then"
           while [ ! -e "$WHERE/go" ]; do sleep 0.02; done; echo done"#,
        binary().display()
    );
    let worker = Worker::start(&agent, "worker", &[], &format!(r#"cd "$WHERE" && {{ {script}; }}"#));
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("share it")["id"]);
    let shown = eventually("both pieces", || {
        let task = door.get(&id);
        task["artifacts"][0]["parts"].as_array().filter(|parts| parts.len() == 3).cloned()
    });
    assert_eq!(door.get(&id)["status"]["state"], "TASK_STATE_WORKING", "before its end");
    let csv = json!({"raw": STANDARD.encode("a,b\n"), "filename": "table.csv", "mediaType": "text/csv; charset=utf-8"});
    let plain = |text: &str| json!({"text": text, "mediaType": "text/plain"});
    assert_eq!(shown, [plain("first"), csv, plain("then")]);
    std::fs::write(worker.home.path().join("go"), "").unwrap();
    let done = eventually("the end", || {
        Some(door.get(&id)).filter(|task| task["status"]["state"] == "TASK_STATE_COMPLETED")
    });
    let brought = done["artifacts"].as_array().unwrap();
    assert_eq!(brought.len(), 2, "what was shared, and the result");
    assert_eq!(brought[1]["parts"][0]["text"], "done", "sharing prints nothing into the result");
}

#[test]
fn a_task_takes_16_mib_of_what_stands_in_its_references_and_no_more() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let (id, lease) = running(&door, &worker);
    let large = json!([{"text": "x".repeat(2_000_000)}]);
    let body = json!({"lease_id": lease, "artifact_id": "a", "append": true, "parts": large});
    let taken = (0..12).take_while(|_| act(&worker, &id, "artifacts", &body).status == 200).count();
    assert_eq!(taken, 8, "16 MiB hold eight of two million bytes");
    let said = refused(&act(&worker, &id, "artifacts", &body), 400, "invalid input");
    assert!(said.to_string().contains("16777216 bytes of parts"), "{said}");
    succeed(&act(&worker, &id, "reply", &json!({"text": "done", "lease_id": lease})));
}
