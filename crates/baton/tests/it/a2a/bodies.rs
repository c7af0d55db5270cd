//! What clients write: other spellings, more than is known, less than is needed. The documented error each.

use baton_core::limits;
use serde_json::{Value, json};

use super::door::{ALL, BOTH, Binding, Door, immediately, message};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, claim};

#[test]
fn snake_case_unknown_fields_and_empty_strings_are_taken() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let params = json!({
        "message": {"message_id": "m-9", "task_id": "", "context_id": "", "role": "ROLE_USER", "colour": {"a": [1]},
            "parts": [{"text": "hello", "media_type": "text/plain", "filename": "", "shape": "round"}],
            "metadata": {"snake_case": ""}, "reference_task_ids": ["t"], "extensions": []},
        "configuration": {"return_immediately": true, "history_length": 1, "accepted_output_modes": ["text/plain"]},
        "tenant": "", "metadata": {"x_y": null}, "surprise": true,
    });
    for binding in BOTH {
        let sent = door.call(binding, "SendMessage", &params).unwrap()["task"].clone();
        let said = &sent["history"][0];
        assert_eq!((&said["messageId"], &said["referenceTaskIds"]), (&json!("m-9"), &json!(["t"])));
        assert_eq!(said["parts"], json!([{"text": "hello", "mediaType": "text/plain"}]));
        assert_eq!(said["metadata"], json!({"snake_case": ""}), "what is the client's own stays");
        assert_eq!(claim(&worker, 0, 60)["task"]["content"], "hello");
        let listed =
            door.call(binding, "ListTasks", &json!({"page_size": 1, "context_id": "", "page_token": ""}));
        assert_eq!(listed.unwrap()["pageSize"], 1);
        let got = door.call(binding, "GetTask", &json!({"id": sent["id"], "history_length": 0})).unwrap();
        assert!(got.get("history").is_none(), "{got}");
    }
}

#[test]
fn what_a_message_must_have_is_checked_before_anything_is_done() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let with = |name: &str, value: Value| {
        let mut params = immediately(message("x"));
        params["message"][name] = value;
        params
    };
    let long = "é".repeat(limits::TEXT_MAX_BYTES / 2 + 1);
    let cases = [
        json!({}),
        json!({"message": null}),
        json!({"message": "hello"}),
        with("messageId", json!("")),
        with("messageId", json!(null)),
        with("messageId", json!(1)),
        with("role", json!("ROLE_AGENT")),
        with("role", json!("ROLE_UNSPECIFIED")),
        with("role", json!("user")),
        with("role", json!(null)),
        with("parts", json!([])),
        with("parts", json!(null)),
        with("parts", json!("hello")),
        with("parts", json!([{}])),
        with("parts", json!([{"filename": "a"}])),
        with("parts", json!([{"text": "a", "url": "b"}])),
        with("parts", json!([{"text": "a"}, {"data": 1, "raw": "aGVsbG8="}])),
        with("parts", json!([{"text": 1}])),
        with("parts", json!([{"raw": "not base64!"}])),
        with("parts", json!([{"text": long}])),
        with("parts", json!(vec![json!({"text": "a"}); 101])),
        with("parts", json!([{"data": "x".repeat(limits::PARTS_MAX_BYTES)}])),
        with("metadata", json!({"x": "y".repeat(20 * 1024)})),
        with("metadata", json!("text")),
        json!({"message": message("x")["message"], "tenant": "acme"}),
        json!({"message": message("x")["message"], "configuration": {"historyLength": -1}}),
        json!({"message": message("x")["message"], "configuration": {"returnImmediately": "yes"}}),
    ];
    let mut counted = [0; 3];
    for params in &cases {
        for binding in ALL {
            let shown = params.to_string().chars().take(200).collect::<String>();
            // Protobuf has no form for some of them.
            if let Some(outcome) = door.called(binding, "SendMessage", params, &[]) {
                assert_eq!(outcome, Err("INVALID_PARAMS".into()), "{shown}");
                counted[binding as usize] += 1;
            }
        }
    }
    assert_eq!(counted[..2], [cases.len(); 2]);
    assert!(counted[2] >= 12, "{} have a form in protobuf", counted[2]);
    let mut push = immediately(message("x"));
    push["configuration"]["taskPushNotificationConfig"] = json!({"url": "https://10.0.0.1/"});
    for binding in ALL {
        let refused = door.call(binding, "SendMessage", &push);
        assert_eq!(refused, Err("INVALID_PARAMS".into()));
    }
    let listed = door.call(Binding::Rpc, "ListTasks", &json!({})).unwrap();
    assert_eq!(listed["totalSize"], 0, "nothing was sent: {listed}");
}

#[test]
fn a_text_of_exactly_the_most_bytes_and_an_empty_part_beside_it_are_taken() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let most = "é".repeat(limits::TEXT_MAX_BYTES / 2);
    door.send(&most);
    assert_eq!(claim(&worker, 0, 60)["task"]["content"], most);
    door.send("");
    assert_eq!(claim(&worker, 0, 60)["task"]["content"], "[1 text part]");
}
