//! Who may call: each of the eleven operations by nobody, by a stranger, by a viewer, by all bindings.

use serde_json::{Value, json};
use tonic::{Code, Status};

use super::door::{ALL, Binding, Door, VERSION, follow_up, message, of_http};
use super::grpc_call::{GrpcDoor, reason};
use crate::it::artifacts::files_below;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, succeed, text};

/// The eleven, and whether each writes.
pub(super) fn operations(id: &str) -> [(&'static str, Value, bool); 11] {
    let config = json!({"taskId": id, "id": "c", "url": "https://receiver.invalid/"});
    [
        ("SendMessage", message("x"), true),
        ("SendStreamingMessage", message("x"), true),
        ("GetTask", json!({"id": id}), false),
        ("ListTasks", json!({}), false),
        ("CancelTask", json!({"id": id}), true),
        ("SubscribeToTask", json!({"id": id}), false),
        ("GetExtendedAgentCard", json!({}), false),
        ("CreateTaskPushNotificationConfig", config.clone(), true),
        ("GetTaskPushNotificationConfig", config.clone(), false),
        ("ListTaskPushNotificationConfigs", json!({"taskId": id}), false),
        ("DeleteTaskPushNotificationConfig", json!({"taskId": id, "id": "c"}), true),
    ]
}

/// How gRPC refuses a call that comes with these metadata.
fn by_grpc(door: &Door, method: &str, params: &Value, metadata: &[(&str, &str)]) -> Status {
    let answer = GrpcDoor::of(door).call_with(method, params, metadata).expect("a form in protobuf");
    answer.map(|(answer, _)| answer).unwrap_err()
}

#[test]
fn without_a_token_every_operation_is_401() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("x")["id"]);
    let revoked = {
        let (agent, token_id) = tenant.mint("gone", "node");
        succeed(&tenant.user.delete(&format!("/api/auth/tokens/{token_id}")));
        agent
    };
    for nobody in [hub.client(), hub.client().with_token("utok_00"), revoked] {
        let door = door.called_by(&nobody);
        for (method, params, _) in operations(&id) {
            let answers = [door.rpc(method, &params), door.answer_http(method, &params, &[])];
            for answer in answers {
                assert_eq!(answer.status, 401, "{method}: {}", answer.text());
                assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
            }
            let refused = by_grpc(&door, method, &params, &[VERSION]);
            assert_eq!(
                (refused.code(), &*reason(&refused)),
                (Code::Unauthenticated, "UNAUTHENTICATED"),
                "{method}"
            );
        }
    }
}

#[test]
fn to_a_caller_who_may_not_read_the_network_nothing_is_there() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("x")["id"]);
    let other = Tenant::register(&hub, "mallory");
    for stranger in [&other.user, &other.agent("spy"), &other.coordinator("boss")] {
        for (method, params, _) in operations(&id) {
            let missing = Door { client: stranger.clone(), base: "/a2a/net_0123456789ab/worker".into() };
            let door = door.called_by(stranger);
            let rpc = door.rpc(method, &params);
            assert_eq!((rpc.status, &rpc.json()["error"]["code"]), (200, &json!(-32001)), "{method}");
            assert_eq!(
                rpc.text(),
                missing.rpc(method, &params).text(),
                "{method}: foreign and missing are alike"
            );
            let http = door.answer_http(method, &params, &[]);
            assert_eq!(http.status, 404, "{method}: {}", http.text());
            assert_eq!(http.text(), missing.answer_http(method, &params, &[]).text(), "{method}");
            let grpc = [&door, &missing].map(|door| by_grpc(door, method, &params, &[VERSION]));
            assert_eq!((grpc[0].code(), &*reason(&grpc[0])), (Code::NotFound, "TASK_NOT_FOUND"), "{method}");
            let [foreign, missing] = grpc.each_ref().map(|status| (status.message(), status.details()));
            assert_eq!(foreign, missing, "{method}");
        }
    }
    assert_eq!(door.get(&id)["status"]["state"], "TASK_STATE_SUBMITTED");
    let listed = door.call(Binding::Rpc, "ListTasks", &json!({})).unwrap();
    assert_eq!(listed["totalSize"], 1, "nothing was sent");
}

#[test]
fn every_operation_in_another_version_is_refused() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("x")["id"]);
    for version in ["", "0.3", "2.0"] {
        let other = [("a2a-version", version)];
        for (method, params, _) in operations(&id) {
            let rpc = door.rpc_as(method, &params, &other);
            assert_eq!((rpc.status, &rpc.json()["error"]["code"]), (200, &json!(-32009)), "{method}");
            let http = door.http_as(method, &params, &other);
            assert_eq!((http.status, of_http(&http)), (400, Err("VERSION_NOT_SUPPORTED".into())), "{method}");
            let grpc = by_grpc(&door, method, &params, &other);
            assert_eq!((grpc.code(), &*reason(&grpc)), (Code::FailedPrecondition, "VERSION_NOT_SUPPORTED"));
        }
    }
    assert_eq!(door.get(&id)["status"]["state"], "TASK_STATE_SUBMITTED", "nothing was done");
    assert_eq!(door.call(Binding::Rpc, "ListTasks", &json!({})).unwrap()["totalSize"], 1);
}

#[test]
fn an_agent_that_is_not_there_is_not_found() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let id = text(&Door::of(&tenant, &tenant.user, "worker").send("x")["id"]);
    let network = &tenant.network_id;
    for base in [
        format!("/a2a/{network}/nobody"),
        format!("/a2a/{network}/b@d"),
        "/a2a/x/worker".into(),
        format!("/a2a/{network}/%FF"),
    ] {
        let door = Door { client: tenant.user.clone(), base };
        for (method, params, _) in operations(&id) {
            // Whoever sent a task finds it at every base of the network, as after a reassignment.
            let is_of_a_task = method.contains("PushNotification")
                || ["GetTask", "CancelTask", "SubscribeToTask"].contains(&method);
            if is_of_a_task && door.base.ends_with("nobody") {
                continue;
            }
            for binding in ALL {
                assert_eq!(door.call(binding, method, &params), Err("TASK_NOT_FOUND".into()), "{method}");
            }
        }
    }
}

#[test]
fn a_viewer_reads_and_is_403_on_writes() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let (viewer, _) = hub.register("victor");
    tenant.admit(&viewer, "viewer");
    let id = text(&door.send("x")["id"]);
    claim(&worker, 0, 60);
    let door = door.called_by(&viewer);
    let mut to_a_task = message("by the way");
    to_a_task["message"]["taskId"] = json!(id);
    let writes = operations(&id).into_iter().filter(|(.., writes)| *writes);
    let writes = writes.map(|(method, params, _)| (method, params)).chain([("SendMessage", to_a_task)]);
    for (method, params) in writes {
        let answers = [door.rpc(method, &params), door.answer_http(method, &params, &[])];
        assert!(answers.iter().all(|answer| answer.status == 403), "{method}: {answers:?}");
        for binding in ALL {
            assert_eq!(door.call(binding, method, &params), Err("PERMISSION_DENIED".into()), "{method}");
        }
    }
    for binding in ALL {
        assert_eq!(door.call(binding, "GetTask", &json!({"id": id})).unwrap()["id"], json!(id));
        assert_eq!(door.call(binding, "ListTasks", &json!({})).unwrap()["totalSize"], 1);
        assert_eq!(door.call(binding, "GetExtendedAgentCard", &json!({})).unwrap()["name"], "worker");
        let none = door.call(binding, "ListTaskPushNotificationConfigs", &json!({"taskId": id})).unwrap();
        assert_eq!(none, json!({}), "it has none of its own");
        let none = door.call(binding, "GetTaskPushNotificationConfig", &json!({"taskId": id, "id": "c"}));
        assert_eq!(none, Err("TASK_NOT_FOUND".into()));
    }
    for binding in ALL {
        let first = door.follow(binding, &id, None).unwrap().next().unwrap().data;
        assert_eq!(first.get("result").unwrap_or(&first)["task"]["id"], json!(id));
    }
}

#[test]
fn an_agent_sees_the_tasks_it_sent_or_was_given_and_no_others() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let (worker, sender, other) = (tenant.agent("worker"), tenant.agent("sender"), tenant.agent("other"));
    let door = Door::of(&tenant, &sender, "worker");
    let id = text(&door.send("x")["id"]);
    let theirs = text(&door.called_by(&tenant.user).send("of alice")["id"]);
    for binding in ALL {
        let sees = |who, id: &str| door.called_by(who).call(binding, "GetTask", &json!({"id": id})).is_ok();
        assert!(sees(&sender, &id) && sees(&worker, &id) && sees(&tenant.user, &id));
        assert!(!sees(&other, &id) && !sees(&sender, &theirs) && sees(&worker, &theirs));
        let total =
            |who| door.called_by(who).call(binding, "ListTasks", &json!({})).unwrap()["totalSize"].clone();
        assert_eq!([total(&sender), total(&worker), total(&other), total(&tenant.user)], [1, 2, 0, 2]);
        for method in ["GetTask", "CancelTask", "SubscribeToTask"] {
            let refused = door.called_by(&other).call(binding, method, &json!({"id": id}));
            assert_eq!(refused, Err("TASK_NOT_FOUND".into()), "{method}");
        }
        let params = follow_up(&*id, "not mine");
        let refused = |who| door.called_by(who).call(binding, "SendMessage", &params).unwrap_err();
        assert_eq!((&*refused(&other), &*refused(&tenant.user)), ("TASK_NOT_FOUND", "PERMISSION_DENIED"));
    }
    assert_eq!(Door::of(&tenant, &worker, "other").call(Binding::Rpc, "GetTask", &json!({"id": id})), {
        Err("TASK_NOT_FOUND".into())
    });
    succeed(&act(&sender, &id, "reassign", &json!({"new_alias": "other"})));
    assert_eq!(door.get(&id)["id"], json!(id), "its sender still finds it where it was sent");
}

#[test]
fn a_follow_up_with_files_and_a_receiver_by_who_may_neither_answer_nor_be_told_stores_nothing() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let (viewer, _) = hub.register("victor");
    tenant.admit(&viewer, "viewer");
    let id = text(&door.send("x")["id"]);
    claim(&worker, 0, 60);
    let mut params = follow_up(&*id, "by the way");
    params["message"]["parts"] = json!([
        {"text": "by the way"},
        {"raw": "Zm9yIG5vYm9keQ==", "filename": "note.txt", "mediaType": "text/plain"},
    ]);
    // A name that cannot be called would be an error of its own, if it were looked at.
    params["configuration"] = json!({"returnImmediately": true,
        "taskPushNotificationConfig": {"id": "c", "url": "http://127.0.0.1/"}});
    // The assignee may be notified of the task, but not act for its sender.
    for (who, reason) in [(&viewer, "PERMISSION_DENIED"), (&worker, "PERMISSION_DENIED")] {
        for binding in ALL {
            let refused = door.called_by(who).call(binding, "SendMessage", &params);
            assert_eq!(refused, Err(reason.into()));
        }
        let configs =
            door.called_by(who).call(Binding::Rpc, "ListTaskPushNotificationConfigs", &json!({"taskId": id}));
        assert_eq!(configs.unwrap()["configs"].as_array().map_or(0, Vec::len), 0);
    }
    let artifacts = succeed(&tenant.user.get("/api/artifacts"));
    assert_eq!(artifacts["artifacts"], json!([]), "no bytes were stored");
    assert!(files_below(&hub.data_dir().join("artifacts")).is_empty(), "nor left behind");
    assert_eq!(door.get(&id)["history"].as_array().map(Vec::len), Some(1), "no message was added");
}
