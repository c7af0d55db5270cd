//! What an agent says it is and can do, through a worker or in its session: on its card, in the list and in the evidence.

use serde_json::{Value, json};

use super::{agent, put};
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, succeed};
use crate::it::tool;

fn card(network: &Tenant, alias: &str) -> (Value, Vec<Value>) {
    let card = network.user.get(&format!("/a2a/{}/{alias}", network.network_id)).json();
    let skills = card["skills"].as_array().unwrap().iter().map(|skill| skill["id"].clone()).collect();
    (card["description"].clone(), skills)
}

/// The skills that the evidence has, one list for each time they were said.
fn recorded(network: &Tenant) -> Vec<Value> {
    let path = format!("/api/evidence?network_id={}", network.network_id);
    let page = succeed(&network.user.get(&path));
    let events = page["events"].as_array().unwrap().iter();
    let said = events.filter(|event| event["type"] == "assay.adapter.a2a.agent.capabilities");
    said.map(|event| event["data"]["agent"]["capabilities"].clone()).collect()
}

fn report(coder: &Client, more: &Value) {
    let mut body = json!({"resume_id": "r", "alias": "coder", "status": "idle"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    assert_eq!(tool::call(coder, "report_status", &body)["ok"], true);
}

#[test]
fn what_a_worker_says_is_on_the_card_and_every_change_is_recorded_once() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let coder = network.agent("coder");
    let first = json!({"description": "Writes code", "skills": [{"id": "rust", "name": "Rust"}]});
    put(&coder, "w1", &json!({}));
    assert_eq!(recorded(&network), Vec::<Value>::new(), "it named none");
    for _ in 0..2 {
        put(&coder, "w1", &first);
    }
    assert_eq!(card(&network, "coder"), (json!("Writes code"), vec![json!("rust")]));
    let listed = agent(&network.user, "coder");
    assert_eq!(
        (&listed["description"], &listed["skills"][0]["name"]),
        (&json!("Writes code"), &json!("Rust"))
    );
    // A session without words of its own changes nothing, and neither does a worker that stops and one that starts.
    report(&coder, &json!({}));
    succeed(&coder.delete("/api/workers/w1"));
    put(&coder, "w2", &first);
    assert_eq!(card(&network, "coder").1, [json!("rust")]);
    assert_eq!(recorded(&network), [json!(["rust"])]);
    // Two workers that differ repeat their words; each change counts once.
    let second = json!({"skills": [{"id": "sql"}]});
    for _ in 0..3 {
        put(&coder, "w3", &second);
        put(&coder, "w2", &first);
    }
    assert_eq!(recorded(&network), [json!(["rust"]), json!(["sql"])]);
    assert_eq!(card(&network, "coder"), (json!("Writes code"), vec![json!("sql")]));
}

#[test]
fn whoever_says_it_last_is_shown_be_it_a_session_or_a_worker() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let coder = network.agent("coder");
    report(&coder, &json!({"description": "From the session", "skills": [{"id": "a"}]}));
    put(&coder, "w1", &json!({"description": "From the worker", "skills": [{"id": "b"}]}));
    assert_eq!(card(&network, "coder"), (json!("From the worker"), vec![json!("b")]));
    report(&coder, &json!({"skills": [{"id": "c"}]}));
    put(&coder, "w1", &json!({"description": "From the worker", "skills": [{"id": "b"}]}));
    assert_eq!(card(&network, "coder"), (json!("From the worker"), vec![json!("c")]));
    assert_eq!(recorded(&network), [json!(["a"]), json!(["b"]), json!(["c"])]);
}
