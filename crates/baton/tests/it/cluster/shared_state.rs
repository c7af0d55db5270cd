//! State that all hubs on a database share: who may call, who is there, who tried passwords, which work is whose.

use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::hub::PASSWORD;
use super::super::outside::{OK, Outside, Reply, rpc};
use super::super::push::told;
use super::super::tenant::{Tenant, act, claim, send, send_with, succeed, task, text};
use super::{Cluster, eventually};

#[test]
fn a_token_that_is_revoked_on_one_hub_is_refused_at_its_next_call_on_another() {
    let cluster = Cluster::start(2);
    let network = Tenant::of_admin(&cluster.hubs[0]);
    for n in 0..20 {
        let (agent, token_id) = network.mint(&format!("agent-{n}"), "node");
        let there = cluster.at(1, &agent);
        succeed(&there.get("/api/inbox"));
        succeed(&network.user.delete(&format!("/api/auth/tokens/{token_id}")));
        assert_eq!(there.get("/api/inbox").status, 401, "try {n}");
    }
}

#[test]
fn failed_logins_are_counted_over_all_hubs() {
    let cluster = Cluster::start(2);
    cluster.hubs[0].register("ada");
    let wrong = json!({"username": "ada", "password": "not-the-password"});
    let mut refusals = Vec::new();
    for n in 0..12 {
        let answer = cluster.hubs[n % 2].client().post("/api/auth/login", &wrong);
        refusals.push(answer.json()["error"].as_str().unwrap().to_owned());
    }
    let locked = |hub: usize| {
        let right = json!({"username": "ada", "password": PASSWORD});
        cluster.hubs[hub].client().post("/api/auth/login", &right).status
    };
    assert!(refusals.iter().any(|refusal| refusal == "login_locked"), "{refusals:?}");
    assert_eq!((locked(0), locked(1)), (429, 429), "{refusals:?}");
}

#[test]
fn an_agent_that_is_connected_to_one_hub_is_online_on_another() {
    let cluster = Cluster::start(2);
    let network = Tenant::of_admin(&cluster.hubs[0]);
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    assert_eq!(
        succeed(&sender.post("/api/task", &json!({"alias": "worker", "task": "a"})))["session_status"],
        "offline"
    );
    let _stream = cluster.at(1, &worker).stream("/events/worker", None).unwrap();
    eventually("the worker is online", || {
        let sent = succeed(&sender.post("/api/task", &json!({"alias": "worker", "task": "b"})));
        sent["session_status"] == "idle"
    });
}

#[test]
fn a_task_that_is_overdue_expires_once_whichever_hub_sees_it() {
    let cluster = Cluster::start(2);
    let network = Tenant::of_admin(&cluster.hubs[0]);
    let (sender, _worker) = (network.agent("sender"), network.agent("worker"));
    let body = json!({"alias": "worker", "task": "soon over", "ttl_seconds": 1});
    let sent: Vec<_> = (0..5).map(|_| send_with(&sender, &body)).collect();
    let there = cluster.at(1, &sender);
    for id in &sent {
        eventually("it expires", || task(&there, id)["status"] == "expired");
        let path = format!("/api/task_events?task_id={id}&limit=50");
        let events = succeed(&there.get(&path))["events"].as_array().unwrap().clone();
        let ends = events.iter().filter(|event| event["to_status"] == "expired").count();
        assert_eq!(ends, 1, "{events:?}");
    }
}

#[test]
fn a_claim_that_waits_on_one_hub_gets_the_task_that_is_sent_on_another() {
    let cluster = Cluster::start(2);
    let network = Tenant::of_admin(&cluster.hubs[0]);
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let there = cluster.at(1, &worker);
    for n in 0..5 {
        let sent = std::thread::scope(|scope| {
            let waits = scope.spawn(|| claim(&there, 20, 60));
            let sent = send(&sender, "worker", &format!("task {n}"));
            let claimed = waits.join().unwrap();
            assert_eq!(text(&claimed["task"]["task_id"]), sent);
            sent
        });
        succeed(&act(&there, &sent, "reply", &json!({"text": "done", "status": "replied"})));
    }
}

#[test]
fn a_sender_that_waits_on_one_hub_is_answered_when_the_task_ends_on_another() {
    let cluster = Cluster::start(2);
    let network = Tenant::of_admin(&cluster.hubs[0]);
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let there = cluster.at(1, &worker);
    let body = json!({"alias": "worker", "task": "say hello", "wait_seconds": 20});
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| succeed(&sender.post("/api/task", &body)));
        let claimed = claim(&there, 20, 60);
        let id = text(&claimed["task"]["task_id"]);
        succeed(&act(&there, &id, "reply", &json!({"text": "hello", "status": "replied"})));
        let answered = waits.join().unwrap();
        assert_eq!(answered["task"]["status"], "replied", "{answered}");
    });
}

#[test]
fn a_stream_on_one_hub_has_every_frame_in_order_whichever_hub_wrote_it() {
    let cluster = Cluster::start(2);
    let network = Tenant::of_admin(&cluster.hubs[0]);
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let mut streams: Vec<_> =
        (0..2).map(|hub| cluster.at(hub, &worker).stream("/events/worker", None).unwrap()).collect();
    let sent: Vec<_> =
        (0..30).map(|n| send(&cluster.at(n % 2, &sender), "worker", &format!("task {n}"))).collect();
    let frames: Vec<Vec<_>> = streams
        .iter_mut()
        .map(|stream| (0..sent.len()).map(|_| stream.next_of("new_task").unwrap()).collect())
        .collect();
    for of_stream in &frames {
        let ids: Vec<_> = of_stream.iter().map(|frame| text(&frame.data["task_id"])).collect();
        assert_eq!(ids, sent);
    }
    let numbers =
        |of: &[super::super::http::Frame]| of.iter().map(|frame| frame.id.clone()).collect::<Vec<_>>();
    assert_eq!(numbers(&frames[0]), numbers(&frames[1]));
}

#[test]
fn a_push_receiver_hears_every_event_once_and_in_order_whichever_hubs_the_task_passes() {
    let cluster = Cluster::start_with(2, &["--allow-outbound", "127.0.0.0/8"]);
    let network = Tenant::of_admin(&cluster.hubs[0]);
    let worker = network.agent("worker");
    let receiver = Outside::start(|_, _| OK());
    let mut ids = Vec::new();
    for n in 0..6 {
        let (here, there) = (n % 2, (n + 1) % 2);
        let url = receiver.url(&format!("/{n}"));
        let params = json!({
            "message": {"messageId": format!("m{n}"), "role": "ROLE_USER", "parts": [{"text": "do it"}]},
            "configuration": {"returnImmediately": true, "taskPushNotificationConfig": {"url": url}}});
        let sender = cluster.at(here, &network.user);
        let sent = rpc(&sender, &network.network_id, "worker", "SendMessage", &params);
        ids.push(text(&sent["result"]["task"]["id"]));
        let lease = claim(&cluster.at(there, &worker), 10, 60)["lease_id"].clone();
        let reply = json!({"text": "done", "status": "replied", "lease_id": lease});
        succeed(&act(&cluster.at(here, &worker), &ids[n], "reply", &reply));
    }
    let heard = receiver.wait_for(4 * ids.len());
    for n in 0..ids.len() {
        let of_task: Vec<_> = heard.iter().filter(|push| push.path == format!("/{n}")).cloned().collect();
        assert_eq!(told(&of_task), ["submitted", "working", "artifact", "completed"], "task {n}");
    }
}

/// The pushes of a task are one hub's at a time. What it leaves when it is killed another one takes over, once it counts as
/// gone, and continues where it stopped.
#[test]
fn the_pushes_of_a_hub_that_is_killed_are_taken_over_by_another() {
    let options = ["--allow-outbound", "127.0.0.0/8"];
    let mut cluster = Cluster::start_with(1, &options);
    let network = Tenant::of_admin(&cluster.hubs[0]);
    let accepts = Arc::new(AtomicBool::new(false));
    let is_accepted = accepts.clone();
    let receiver = Outside::start(move |_, _| match is_accepted.load(Ordering::SeqCst) {
        true => OK(),
        false => Reply::Json(503, Value::Null),
    });
    network.agent("worker");
    let params = json!({
        "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "do it"}]},
        "configuration": {"returnImmediately": true, "taskPushNotificationConfig": {"url": receiver.url("/")}}});
    let sent = rpc(&network.user, &network.network_id, "worker", "SendMessage", &params);
    let id = text(&sent["result"]["task"]["id"]);
    // The only hub there is has it.
    receiver.wait_for(1);
    cluster.add(&options);
    cluster.hubs[0].kill9();
    let refused = receiver.received().len();
    accepts.store(true, Ordering::SeqCst);
    receiver.wait_until(|heard| heard.len() > refused);
    let user = cluster.at(1, &network.user);
    succeed(&act(&user, &id, "cancel", &json!({})));
    let heard = receiver.wait_until(|heard| told(&heard[refused..]).contains(&"canceled".to_owned()));
    assert_eq!(told(&heard[refused..]), ["submitted", "canceled"]);
}

#[test]
fn an_artifact_that_is_uploaded_to_one_hub_is_downloaded_and_sent_on_from_another() {
    let cluster = Cluster::start(2);
    let network = Tenant::of_admin(&cluster.hubs[0]);
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let path = format!("/api/artifacts?network_id={}&name=report.txt", network.network_id);
    let upload = |hub: usize, bytes: &str| {
        let answer = cluster.at(hub, &sender).send_text("PUT", &path, &[], Some(bytes));
        assert_eq!(answer.status, 200, "{}", answer.text());
        text(&answer.json()["artifact"]["sha256"])
    };
    // Each hub has what the other one took, and the same bytes are one artifact.
    let hashes = [upload(0, "from the first"), upload(1, "from the second")];
    assert_eq!(upload(1, "from the first"), hashes[0]);
    let body = json!({"alias": "worker", "task": "read them",
        "artifacts": [{"sha256": hashes[0]}, {"sha256": hashes[1]}]});
    send_with(&sender, &body);
    let there = cluster.at(1, &worker);
    let claimed = claim(&there, 20, 60);
    assert_eq!(claimed["artifacts"].as_array().map(Vec::len), Some(2), "{claimed}");
    for (hash, bytes) in hashes.iter().zip(["from the first", "from the second"]) {
        for hub in 0..2 {
            let path = format!("/api/artifacts/{hash}?network_id={}", network.network_id);
            assert_eq!(cluster.at(hub, &worker).get(&path).text(), bytes);
        }
    }
}
