//! Workers over REST: whose they are, how many there may be, and when they are gone.

use serde_json::json;

use super::{agent, put, worker_ids};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, claim, refused, report, send, succeed};

#[test]
fn every_worker_has_its_own_row_and_leaves_when_it_says_so() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (one, other) = (network.agent("coder"), network.agent("coder"));
    let facts = json!({"hostname": "h", "project_dir": "/p", "version": "1", "concurrency": 4});
    assert_eq!(put(&one, "w1", &facts)["alias"], "coder");
    put(&other, "w2", &json!({}));
    let listed = agent(&network.user, "coder");
    let first = listed["workers"].as_array().unwrap().iter().find(|row| row["worker_id"] == "w1").unwrap();
    for (name, value) in facts.as_object().unwrap() {
        assert_eq!(&first[name], value);
    }
    assert_eq!(worker_ids(&network.user, "coder").len(), 2);
    // A session of one token is not in the way of the other's worker.
    assert_eq!(report(&one, "coder", "idle")["ok"], true);
    assert_eq!(report(&other, "coder", "idle")["error"], "alias_in_use");
    put(&other, "w2", &json!({"hostname": "elsewhere"}));
    for removed in [true, false] {
        assert_eq!(succeed(&one.delete("/api/workers/w1"))["removed"], json!(removed));
    }
    assert_eq!(worker_ids(&network.user, "coder"), ["w2"]);
}

#[test]
fn a_worker_leaves_with_its_token() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (coder, token_id) = network.mint("coder", "node");
    put(&coder, "w1", &json!({}));
    put(&network.agent("coder"), "w2", &json!({}));
    succeed(&network.user.delete(&format!("/api/auth/tokens/{token_id}")));
    assert_eq!(worker_ids(&network.user, "coder"), ["w2"]);
    refused(&coder.put("/api/workers/w1", &json!({})), 401, "unauthorized");
    assert_eq!(worker_ids(&network.user, "coder"), ["w2"]);
}

#[test]
fn a_workers_id_and_words_are_bounded_and_only_nodes_have_workers() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let coder = network.agent("coder");
    let skills = |count: usize, text: &str| -> serde_json::Value {
        (0..count).map(|n| json!({"id": format!("s{n}"), "description": text})).collect()
    };
    for id in ["a%20b", &"x".repeat(65), "%C3%A9", "a%2Fb"] {
        refused(&coder.put(&format!("/api/workers/{id}"), &json!({})), 400, "invalid input");
        refused(&coder.delete(&format!("/api/workers/{id}")), 400, "invalid input");
    }
    for (field, value) in [
        ("hostname", json!("x".repeat(1_001))),
        ("description", json!("x".repeat(1_001))),
        ("concurrency", json!(0)),
        ("concurrency", json!(100_001)),
        ("skills", json!([{"id": "not an id"}])),
        ("skills", json!([{"id": "twice"}, {"id": "twice"}])),
        ("skills", skills(51, "x")),
        ("skills", skills(50, &"é".repeat(1_000))),
    ] {
        let answer = refused(&coder.put("/api/workers/w1", &json!({field: value})), 400, "invalid input");
        assert!(answer.to_string().contains(field), "{answer}");
    }
    refused(&network.user.put("/api/workers/w1", &json!({})), 403, "network_token_required");
    refused(&network.user.delete("/api/workers/w1"), 403, "network_token_required");
    assert_eq!(worker_ids(&network.user, "coder"), Vec::<String>::new(), "nothing was changed");
    put(&coder, &"x".repeat(64), &json!({"skills": skills(50, "x")}));
}

#[test]
fn a_network_has_so_many_workers_and_an_agent_keeps_those_seen_last() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (coder, tester) = (network.agent("coder"), network.agent("tester"));
    let quotas = format!("/api/networks/{}/quotas", network.network_id);
    succeed(&network.user.put(&quotas, &json!({"workers": 2})));
    put(&coder, "w1", &json!({}));
    put(&coder, "w2", &json!({}));
    let told = refused(&tester.put("/api/workers/w1", &json!({})), 403, "quota_exceeded");
    assert!(told["message"].as_str().unwrap().contains("this network has 2 workers"), "{told}");
    put(&coder, "w1", &json!({})); // one that is there continues
    succeed(&network.user.put(&quotas, &json!({"workers": null})));
    for n in 0..256 {
        put(&tester, &format!("t{n}"), &json!({}));
    }
    let most = succeed(&network.user.get(&quotas));
    let used = most["quotas"].as_array().unwrap().iter().find(|quota| quota["quota"] == "workers").unwrap();
    assert_eq!(used["used"], 258);
    put(&tester, "one-more", &json!({}));
    let after = succeed(&network.user.get(&quotas));
    assert!(after.to_string().contains("\"used\":258"), "the one seen longest ago made room: {after}");
    assert!(worker_ids(&network.user, "tester").contains(&"one-more".to_owned()));
    assert_eq!(worker_ids(&network.user, "tester").len(), 20, "so many are shown");
    // Having no session and no worker keeps nobody from working.
    send(&network.user, "tester", "go");
    assert!(claim(&tester, 0, 60)["task"].is_object());
}
