//! Who may read the log, in which pages, and whether its checkpoint and proofs hold for a third party.

use baton_evidence::log::{Hash, check_consistency, check_inclusion, leaf_hash};
use baton_evidence::note::{Checkpoint, VerifierKey};
use serde_json::{Value, json};

use super::{log, of_task, wait_for_seal};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, refused, send, succeed};
use crate::it::tool::call;

const PATHS: [&str; 6] = [
    "/api/evidence",
    "/api/evidence/checkpoint",
    "/api/evidence/proof?index=0",
    "/api/evidence/consistency?from=0",
    "/api/evidence/bundle",
    "/api/evidence/side-file",
];

fn with_network(path: &str, network_id: &str) -> String {
    let sign = if path.contains('?') { '&' } else { '?' };
    format!("{path}{sign}network_id={network_id}")
}

#[test]
fn strangers_find_no_log_and_a_missing_network_answers_alike() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (planner, _coder) = (network.agent("planner"), network.agent("coder"));
    let task_id = send(&planner, "coder", "x");
    let stranger = Tenant::register(&hub, "mallory");
    let spy = stranger.agent("spy");
    for path in PATHS {
        assert_eq!(hub.client().get(path).status, 401, "{path}");
        let theirs = stranger.user.get(&with_network(path, &network.network_id));
        let nobodys = stranger.user.get(&with_network(path, "net_000000000000"));
        refused(&theirs, 404, "network not found");
        assert_eq!((theirs.status, theirs.text()), (nobodys.status, nobodys.text()), "{path}");
        refused(&spy.get(&with_network(path, &network.network_id)), 403, "permission_denied");
        let by_task = format!("/api/evidence?task_id={task_id}");
        refused(&stranger.user.get(&by_task), 404, "task_not_found");
        refused(&spy.get(&by_task), 404, "task_not_found");
    }
    let by_task = json!({"task_id": task_id});
    assert_eq!(call(&stranger.user, "get_evidence", &by_task)["error"], "task_not_found");
}

#[test]
fn viewers_read_everything_and_an_agent_what_is_about_its_own_tasks() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (planner, coder, other) = (network.agent("planner"), network.agent("coder"), network.agent("other"));
    let coordinator = network.coordinator("lead");
    let (viewer, _) = hub.register("victor");
    network.admit(&viewer, "viewer");
    let task_id = send(&planner, "coder", "x");
    for reader in [&viewer, &coordinator, &network.user] {
        assert_eq!(log(reader, &network.network_id).len(), 1);
        for path in PATHS {
            assert_eq!(reader.get(&with_network(path, &network.network_id)).status, 200, "{path}");
        }
    }
    for party in [&planner, &coder] {
        assert_eq!(of_task(party, &task_id).len(), 1);
        assert_eq!(call(party, "get_evidence", &json!({"task_id": task_id}))["events"][0]["assayseq"], 0);
        refused(&party.get("/api/evidence"), 403, "permission_denied");
        refused(&party.get("/api/evidence/bundle"), 403, "permission_denied");
        assert_eq!(party.get(&format!("/api/evidence/bundle?task_id={task_id}")).status, 200);
        assert_eq!(party.get("/api/evidence/proof?index=0").status, 200);
        assert_eq!(party.get("/api/evidence/checkpoint").status, 200, "hashes say nothing of others' tasks");
    }
    refused(&other.get(&format!("/api/evidence?task_id={task_id}")), 403, "permission_denied");
    refused(&other.get("/api/evidence/proof?index=0"), 403, "permission_denied");
}

#[test]
fn pages_go_on_after_the_last_index_seen() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (planner, _coder) = (network.agent("planner"), network.agent("coder"));
    for _ in 0..7 {
        send(&planner, "coder", "x");
    }
    let page = |query: &str| succeed(&network.user.get(&format!("/api/evidence?{query}")));
    let indexes = |page: &Value| -> Vec<u64> {
        page["events"].as_array().unwrap().iter().map(|event| event["assayseq"].as_u64().unwrap()).collect()
    };
    assert_eq!(indexes(&page("limit=3")), [0, 1, 2]);
    assert_eq!(indexes(&page("after=2&limit=3")), [3, 4, 5]);
    assert_eq!(indexes(&page("after=5")), [6]);
    assert_eq!(indexes(&page("after=6")), [] as [u64; 0]);
    assert_eq!(page("after=99")["size"], 7);
    for query in ["limit=0", "limit=1001", "limit=x", "after=-1", "after=x"] {
        refused(&network.user.get(&format!("/api/evidence?{query}")), 400, "invalid input");
    }
    for query in ["proof", "proof?index=7", "proof?index=0&size=8", "consistency", "consistency?from=9"] {
        refused(&network.user.get(&format!("/api/evidence/{query}")), 400, "invalid input");
    }
    refused(&network.user.get("/api/evidence/bundle?from=7"), 404, "no_evidence");
    refused(&network.user.get("/api/evidence/bundle?from=0&to=8"), 400, "invalid input");
}

#[test]
fn checkpoints_and_proofs_hold_for_a_third_party_while_the_log_grows() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (planner, _coder) = (network.agent("planner"), network.agent("coder"));
    let key = succeed(&hub.client().get("/api/evidence/key"));
    let key = VerifierKey::parse(key["key"].as_str().unwrap()).unwrap();
    let checkpoint = || {
        let answer = network.user.get("/api/evidence/checkpoint");
        assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
        let checkpoint = Checkpoint::open(&answer.text(), &key).unwrap();
        assert_eq!(checkpoint.origin, format!("baton/{}", network.network_id));
        checkpoint
    };
    assert_eq!(checkpoint().size, 0, "an empty log has a checkpoint too");
    let mut seen: Vec<Checkpoint> = Vec::new();
    for round in 1..=4 {
        for _ in 0..round * 3 {
            let task_id = send(&planner, "coder", "x");
            succeed(&act(&planner, &task_id, "cancel", &json!({})));
        }
        let size = log(&network.user, &network.network_id).len() as u64;
        wait_for_seal(&network.user, &network.network_id, size);
        seen.push(checkpoint());
    }
    let newest = seen.last().unwrap();
    for earlier in &seen {
        let path = format!("/api/evidence/consistency?from={}&to={}", earlier.size, newest.size);
        let proof = hashes(&succeed(&network.user.get(&path)));
        check_consistency(earlier.size, &earlier.root, newest.size, &newest.root, &proof).unwrap();
        for (index, event) in log_text(&network).iter().enumerate().take(earlier.size as usize) {
            let path = format!("/api/evidence/proof?index={index}&size={}", earlier.size);
            let answer = succeed(&network.user.get(&path));
            let leaf = leaf_hash(event.as_bytes());
            assert_eq!(answer["leaf_hash"], json!(leaf.to_string()));
            check_inclusion(&leaf, index as u64, earlier.size, &hashes(&answer), &earlier.root).unwrap();
        }
    }
}

/// The events byte for byte, as the answer has them.
fn log_text(network: &Tenant) -> Vec<String> {
    let text = network.user.get("/api/evidence?limit=1000").text();
    let answer: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    let events = answer["events"].as_array().unwrap();
    // Canonical bytes: what the answer carries must contain them unchanged.
    let canonical = events.iter().map(|event| {
        let line = String::from_utf8(baton_evidence::canonical::to_vec(event).unwrap()).unwrap();
        assert!(text.contains(&line), "an event is not shown byte for byte");
        line
    });
    canonical.collect()
}

fn hashes(answer: &Value) -> Vec<Hash> {
    answer["hashes"].as_array().unwrap().iter().map(|hash| hash.as_str().unwrap().parse().unwrap()).collect()
}
