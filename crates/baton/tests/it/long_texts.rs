//! Texts of the longest kind: whole where a task is read or claimed, their beginning in lists.

use baton_core::limits;
use serde_json::{Value, json};

use super::hub::Hub;
use super::tenant::{Tenant, act, claim, refused, send_with, succeed, task};

/// A text of the most bytes; its characters have two bytes, and every third is escaped in JSON.
fn longest() -> String {
    "ä\n".repeat(limits::TEXT_MAX_BYTES / 3) + "x"
}

fn only<'a>(list: &'a Value, name: &str) -> &'a Value {
    let [one] = list[name].as_array().unwrap().as_slice() else { panic!("not one of {name}") };
    one
}

#[test]
fn a_text_of_a_mebibyte_is_whole_for_who_reads_or_claims_it_and_a_beginning_in_lists() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "ada");
    let (user, coder) = (&network.user, network.agent("coder"));
    let most = longest();
    assert_eq!(most.len(), limits::TEXT_MAX_BYTES);
    let beginning: String = most.chars().take(limits::LISTED_TEXT_MAX_CHARS).collect();
    let context = "c".repeat(limits::CONTEXT_MAX_BYTES);
    let id = send_with(user, &json!({"alias": "coder", "task": most, "context": context}));
    let shown = |row: &Value, what: &str| {
        assert_eq!((&row["content"], &row["content_truncated"]), (&json!(beginning), &json!(true)), "{what}");
    };
    shown(only(&succeed(&user.get("/api/tasks")), "tasks"), "the list");
    shown(only(&succeed(&coder.get("/api/inbox")), "messages"), "the inbox");
    shown(only(&succeed(&user.get("/api/messages")), "messages"), "the messages");
    shown(&succeed(&user.get("/api/stats"))["recent_tasks"][0], "the newest tasks");
    let whole = task(user, &id);
    assert_eq!((&whole["content"], &whole["context"]), (&json!(most), &json!(context)));
    assert_eq!(whole.get("content_truncated"), None);
    let claimed = claim(&coder, 0, 60);
    assert_eq!(claimed["task"]["content"], json!(most));
    succeed(&act(&coder, &id, "reply", &json!({"text": most, "lease_id": claimed["lease_id"]})));
    assert_eq!(task(user, &id)["result"], json!(most));
    let listed = succeed(&user.get("/api/tasks"));
    let row = only(&listed, "tasks");
    let result: String = most.chars().take(limits::LISTED_RESULT_MAX_CHARS).collect();
    assert_eq!((&row["result"], &row["result_truncated"]), (&json!(result), &json!(true)));
}

#[test]
fn texts_that_lists_show_whole_look_as_they_always_did() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "ada");
    let coder = network.agent("coder");
    let most = "ä".repeat(limits::LISTED_TEXT_MAX_CHARS);
    send_with(&network.user, &json!({"alias": "coder", "task": most}));
    for (client, path, list) in [
        (&network.user, "/api/tasks", "tasks"),
        (&coder, "/api/inbox", "messages"),
        (&network.user, "/api/messages", "messages"),
    ] {
        let listed = succeed(&client.get(path));
        let row = only(&listed, list);
        assert_eq!((&row["content"], row.get("content_truncated")), (&json!(most), None), "{path}");
    }
}

#[test]
fn a_text_of_one_byte_more_is_refused_with_the_bound() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "ada");
    network.agent("coder");
    let long = longest() + "x";
    let said = refused(
        &network.user.post("/api/task", &json!({"alias": "coder", "task": long})),
        400,
        "invalid input",
    );
    assert!(said.to_string().contains("at most 1048576 bytes of UTF-8"), "{said}");
    let context = "c".repeat(limits::CONTEXT_MAX_BYTES + 1);
    let body = json!({"alias": "coder", "task": "x", "context": context});
    let said = refused(&network.user.post("/api/task", &body), 400, "invalid input");
    assert!(said.to_string().contains("at most 65536 bytes of UTF-8"), "{said}");
    assert_eq!(succeed(&network.user.get("/api/tasks"))["count"], 0);
}
