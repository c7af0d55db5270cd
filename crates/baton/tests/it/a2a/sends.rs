//! Sending: blocking and not, follow-ups, questions, bare answers, cancels, keys.

use serde_json::{Value, json};
use std::thread;

use super::door::{ALL, Binding, Door, follow_up, immediately, message, work};
use crate::it::hub::{Hub, baton};
use crate::it::tenant::{Tenant, act, claim, events, refused, succeed, task, text};
use crate::it::tool;

const STATE: &str = "/status/state";

fn state(task: &Value) -> &str {
    task.pointer(STATE).and_then(Value::as_str).unwrap_or("no state")
}

/// The parameters of a message to a task.
/// A follow-up that names the context too.
fn follow_up_in_context(task: &Value, words: &str) -> Value {
    let mut params = follow_up(task["id"].clone(), words);
    params["message"]["contextId"] = task["contextId"].clone();
    params
}

#[test]
fn a_blocking_send_is_answered_by_an_agent_that_claims_over_rest() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for binding in ALL {
        let agent = worker.clone();
        let working = thread::spawn(move || work(&agent, "it is blue"));
        let sent = door.call(binding, "SendMessage", &message("paint it")).unwrap();
        let id = working.join().unwrap();
        let done = &sent["task"];
        assert_eq!((&done["id"], state(done)), (&json!(id), "TASK_STATE_COMPLETED"));
        let result = json!([{"artifactId": "result", "parts": [{"text": "it is blue"}]}]);
        assert_eq!(done["artifacts"], result);
        assert_eq!(done["history"][0]["parts"], json!([{"text": "paint it"}]));
        assert_eq!(done["history"][0]["messageId"], "m-1", "passed through");
        assert_eq!(done["contextId"], json!(id), "a task begins its own context");
        let row = task(&tenant.user, &id);
        assert_eq!((&row["content"], &row["status"]), (&json!("paint it"), &json!("replied")));
        assert_eq!(row["meta"], json!({"a2a": {"messageId": "m-1"}}), "the agent sees the client's id");
    }
}

#[test]
fn a_task_for_a_sleeping_agent_waits_and_is_among_the_tasks_of_the_hub() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let sent = door.send("when you are awake");
    assert_eq!(state(&sent), "TASK_STATE_SUBMITTED");
    let listed = baton()
        .args(["tasks", "--json", "--hub", &hub.url()])
        .env("BATON_TOKEN", tenant.user.token.as_ref().unwrap())
        .output()
        .unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains(sent["id"].as_str().unwrap()), "{listed}");
    let claimed = claim(&worker, 0, 60);
    assert_eq!(claimed["task"]["task_id"], sent["id"]);
    assert_eq!(state(&door.get(&text(&sent["id"]))), "TASK_STATE_WORKING");
    let told = events(&tenant.user, &text(&sent["id"]));
    assert_eq!((&told[0]["actor"], &told[0]["detail"]), (&json!("alice"), &json!("sent")));
}

#[test]
fn a_follow_up_without_a_context_twice_does_not_harm_the_task() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let sent = door.send("paint it");
    let id = text(&sent["id"]);
    let claimed = claim(&worker, 0, 60);
    for (binding, with_context) in ALL.map(|binding| (binding, false)).into_iter().chain([(ALL[0], true)]) {
        let params = match with_context {
            true => follow_up_in_context(&sent, "by the way"),
            false => follow_up(&*id, "by the way"),
        };
        let params = immediately(params);
        let said = door.call(binding, "SendMessage", &params).unwrap();
        assert_eq!((&said["task"]["id"], state(&said["task"])), (&sent["id"], "TASK_STATE_WORKING"));
        assert_eq!(said["task"]["contextId"], sent["contextId"]);
    }
    assert_eq!(events(&tenant.user, &id).len(), 2, "sent and claimed, nothing else");
    succeed(&act(&worker, &id, "reply", &json!({"text": "done", "lease_id": claimed["lease_id"]})));
    let done = door.get(&id);
    assert_eq!(done["history"].as_array().unwrap().len(), 5, "{done}");
    assert_eq!(state(&done), "TASK_STATE_COMPLETED");
    for binding in ALL {
        let refused = door.call(binding, "SendMessage", &follow_up(sent["id"].clone(), "too late"));
        assert_eq!(refused, Err("UNSUPPORTED_OPERATION".into()));
    }
    assert_eq!(door.get(&id), done, "nothing changed");
}

#[test]
fn a_refinement_is_a_new_task_in_the_same_context() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let first = door.send("paint it");
    work(&worker, "done");
    let mut params = immediately(message("now in red"));
    params["message"]["contextId"] = first["contextId"].clone();
    for (before, binding) in (1..).zip(ALL) {
        let next = door.call(binding, "SendMessage", &params).unwrap()["task"].clone();
        assert_ne!(next["id"], first["id"]);
        assert_eq!(next["contextId"], first["contextId"]);
        let listed = door.call(binding, "ListTasks", &json!({"contextId": first["contextId"]})).unwrap();
        assert_eq!(listed["totalSize"], before + 1, "{listed}");
    }
}

#[test]
fn unknown_tasks_and_pairs_that_do_not_match_are_refused() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    tenant.agent("other");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let (one, two) = (door.send("one"), door.send("two"));
    let foreign = Door::of(&tenant, &tenant.agent("somebody"), "other").send("theirs");
    let unknown = "01900000-0000-7000-8000-000000000000";
    let with = |task: Option<&Value>, context: Option<&Value>| {
        let mut params = immediately(message("x"));
        for (name, value) in [("taskId", task), ("contextId", context)] {
            if let Some(value) = value {
                params["message"][name] = value.clone();
            }
        }
        params
    };
    let cases = [
        (with(Some(&json!(unknown)), None), "TASK_NOT_FOUND"),
        (with(Some(&json!("nonsense")), None), "TASK_NOT_FOUND"),
        (with(Some(&foreign["id"]), None), "TASK_NOT_FOUND"),
        (with(Some(&one["id"]), Some(&two["contextId"])), "INVALID_PARAMS"),
        (with(Some(&one["id"]), Some(&json!("nonsense"))), "INVALID_PARAMS"),
    ];
    for (params, reason) in cases {
        for binding in ALL {
            assert_eq!(door.call(binding, "SendMessage", &params), Err(reason.into()), "{params}");
        }
    }
}

#[test]
fn a_context_that_is_not_the_callers_begins_a_conversation_of_their_own() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.agent("caller"), "worker");
    let theirs = Door::of(&tenant, &tenant.agent("somebody"), "worker").send("theirs");
    let named = [theirs["contextId"].clone(), json!("01900000-0000-7000-8000-000000000000"), json!("mine")];
    for context in named {
        for binding in ALL {
            let mut params = immediately(message("x"));
            params["message"]["contextId"] = context.clone();
            let task = door.call(binding, "SendMessage", &params).unwrap()["task"].clone();
            assert_eq!(
                task["contextId"], task["id"],
                "a conversation that begins with this task, not {context}"
            );
            let of_it = door.call(binding, "ListTasks", &json!({"contextId": task["contextId"]})).unwrap();
            assert_eq!(of_it["totalSize"], 1);
        }
    }
    // Whose it is sees nothing of it.
    let listed = Door::of(&tenant, &tenant.agent("somebody"), "worker");
    let listed = listed.call(Binding::Rpc, "ListTasks", &json!({"contextId": theirs["contextId"]})).unwrap();
    assert_eq!(listed["totalSize"], 1, "{listed}");
}

#[test]
fn a_question_parks_the_task_and_a_follow_up_answers_it() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for binding in ALL {
        let agent = worker.clone();
        let asking = thread::spawn(move || {
            let claimed = claim(&agent, 40, 60);
            let ask = json!({"question": "which colour?", "lease_id": claimed["lease_id"]});
            succeed(&act(&agent, &text(&claimed["task"]["task_id"]), "ask", &ask));
        });
        let parked = door.call(binding, "SendMessage", &message("paint it")).unwrap()["task"].clone();
        asking.join().unwrap();
        assert_eq!(state(&parked), "TASK_STATE_INPUT_REQUIRED");
        let question = &parked["status"]["message"];
        assert_eq!(
            (&question["role"], &question["parts"][0]["text"]),
            (&json!("ROLE_AGENT"), &json!("which colour?"))
        );
        let agent = worker.clone();
        let working = thread::spawn(move || work(&agent, "it is blue"));
        let mut answer = follow_up(parked["id"].clone(), "blue");
        answer["message"]["messageId"] = json!("m-2");
        let done = door.call(binding, "SendMessage", &answer).unwrap()["task"].clone();
        assert_eq!(json!(working.join().unwrap()), done["id"]);
        assert_eq!(state(&done), "TASK_STATE_COMPLETED");
        let history: Vec<_> =
            done["history"].as_array().unwrap().iter().map(|said| &said["parts"][0]["text"]).collect();
        assert_eq!(history, ["paint it", "which colour?", "blue"]);
        assert_eq!(done["history"][2]["messageId"], "m-2");
        assert_eq!(done["history"][2]["role"], "ROLE_USER");
    }
}

#[test]
fn an_answer_under_a_kept_lease_makes_the_task_working_and_options_bind_it() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    for binding in ALL {
        let door = Door::of(&tenant, &tenant.user, "worker");
        let id = text(&door.send("paint it")["id"]);
        let lease_id = claim(&worker, 0, 60)["lease_id"].clone();
        let ask =
            json!({"question": "which?", "lease_id": lease_id, "keep_lease": true, "options": ["a", "b"]});
        succeed(&act(&worker, &id, "ask", &ask));
        let parked = door.get(&id);
        let question = &parked["status"]["message"];
        assert_eq!(question["metadata"]["options"], json!(["a", "b"]));
        let words = json!([{"text": "which?"}, {"text": "Options:\n- a\n- b"}]);
        assert_eq!(question["parts"], words);
        let wrong = door.call(binding, "SendMessage", &immediately(follow_up_in_context(&parked, "c")));
        assert_eq!(wrong, Err("INVALID_PARAMS".into()));
        assert_eq!(state(&door.get(&id)), "TASK_STATE_INPUT_REQUIRED");
        let answered =
            door.call(binding, "SendMessage", &immediately(follow_up_in_context(&parked, "b"))).unwrap();
        assert_eq!(state(&answered["task"]), "TASK_STATE_WORKING");
        succeed(&act(&worker, &id, "reply", &json!({"text": "done", "lease_id": lease_id})));
        assert_eq!(state(&door.get(&id)), "TASK_STATE_COMPLETED");
    }
}

#[test]
fn an_agent_may_answer_with_a_bare_message() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let over_rest = |worker: crate::it::http::Client| {
        let claimed = claim(&worker, 40, 60);
        let id = text(&claimed["task"]["task_id"]);
        let lease = &claimed["lease_id"];
        let wrong = json!({"text": "hello", "lease_id": lease, "bare": true, "status": "failed"});
        refused(&act(&worker, &id, "reply", &wrong), 400, "invalid input");
        succeed(&act(&worker, &id, "reply", &json!({"text": "hello", "lease_id": lease, "bare": true})));
        id
    };
    let over_mcp = |worker: crate::it::http::Client| {
        let id = text(&claim(&worker, 40, 60)["task"]["task_id"]);
        let args = json!({"in_reply_to": id, "text": "hello", "bare": true});
        assert_eq!(tool::call(&worker, "send_reply", &args)["ok"], true);
        id
    };
    type Reply = fn(crate::it::http::Client) -> String;
    for (binding, reply) in ALL.into_iter().zip([over_rest as Reply, over_mcp as Reply, over_rest as Reply]) {
        let agent = worker.clone();
        let working = thread::spawn(move || reply(agent));
        let sent = door.call(binding, "SendMessage", &message("hi")).unwrap();
        let id = working.join().unwrap();
        assert!(sent.get("task").is_none(), "{sent}");
        let answer = &sent["message"];
        assert_eq!((&answer["role"], &answer["parts"]), (&json!("ROLE_AGENT"), &json!([{"text": "hello"}])));
        assert_eq!((&answer["contextId"], answer.get("taskId")), (&json!(id), None));
        let kept = door.get(&id);
        assert_eq!((state(&kept), kept.get("artifacts")), ("TASK_STATE_COMPLETED", None));
        assert_eq!(kept["status"]["message"]["parts"][0]["text"], "hello");
    }
}

#[test]
fn a_cancel_gives_the_task_back_cancelled_and_a_second_one_is_refused() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for binding in ALL {
        let id = door.send("paint it")["id"].clone();
        let cancelled = door.call(binding, "CancelTask", &json!({"id": id})).unwrap();
        assert_eq!((&cancelled["id"], state(&cancelled)), (&id, "TASK_STATE_CANCELED"));
        let again = door.call(binding, "CancelTask", &json!({"id": id}));
        assert_eq!(again, Err("TASK_NOT_CANCELABLE".into()));
        let unknown =
            door.call(binding, "CancelTask", &json!({"id": "01900000-0000-7000-8000-000000000000"}));
        assert_eq!(unknown, Err("TASK_NOT_FOUND".into()));
    }
}

#[test]
fn a_blocking_send_ends_when_its_task_is_cancelled_elsewhere() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    for binding in ALL {
        let door = door.clone();
        let waiting = thread::spawn(move || door.call(binding, "SendMessage", &message("x")).unwrap());
        let id = text(&claim(&worker, 40, 60)["task"]["task_id"]);
        succeed(&act(&tenant.user, &id, "cancel", &json!({"reason": "enough"})));
        let ended = waiting.join().unwrap()["task"].clone();
        assert_eq!(state(&ended), "TASK_STATE_CANCELED");
        assert_eq!(ended["status"]["message"]["parts"][0]["text"], "enough");
    }
}

#[test]
fn whoever_may_no_longer_look_when_the_wait_is_over_is_not_given_the_task() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    for binding in ALL {
        let name = format!("{binding:?}").to_lowercase();
        let (sender, token_id) = tenant.mint(&format!("sender-{name}"), "node");
        let (bob, registered) = hub.register(&format!("bob-{name}"));
        tenant.admit(&bob, "member");
        let bobs_id = text(&registered["user"]["user_id"]);
        let lockouts = [
            (sender, format!("/api/auth/tokens/{token_id}"), "UNAUTHENTICATED"),
            (bob, format!("/api/networks/{}/members/{bobs_id}", tenant.network_id), "TASK_NOT_FOUND"),
        ];
        for (waits, path, reason) in lockouts {
            let door = Door::of(&tenant, &waits, "worker");
            let waiting = thread::spawn(move || door.call(binding, "SendMessage", &message("x")));
            let claimed = claim(&worker, 40, 60);
            let id = text(&claimed["task"]["task_id"]);
            succeed(&tenant.user.delete(&path));
            succeed(&act(&worker, &id, "reply", &json!({"text": "secret", "lease_id": claimed["lease_id"]})));
            assert_eq!(waiting.join().unwrap(), Err(reason.into()));
        }
    }
}

#[test]
fn a_second_answer_to_a_parked_task_is_a_message_on_the_way() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let sent = door.send("paint it");
    let id = text(&sent["id"]);
    claim(&worker, 0, 60);
    succeed(&act(&worker, &id, "ask", &json!({"question": "which colour?"})));
    for binding in ALL {
        let params = immediately(follow_up(sent["id"].clone(), "blue"));
        let said = door.call(binding, "SendMessage", &params).unwrap()["task"].clone();
        assert_eq!((&said["id"], state(&said)), (&sent["id"], "TASK_STATE_WORKING"));
        assert_eq!(said["contextId"], sent["contextId"]);
    }
    let told: Vec<_> = events(&tenant.user, &id).iter().map(|event| text(&event["to_status"])).collect();
    assert_eq!(told, ["delivered", "running", "waiting_input", "delivered"], "answered once");
    assert_eq!(work(&worker, "it is blue"), id);
    assert_eq!(state(&door.get(&id)), "TASK_STATE_COMPLETED");
}

#[test]
fn a_message_id_is_no_key_but_an_idempotency_key_is() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    assert_ne!(door.send("the same")["id"], door.send("the same")["id"]);
    let key = [("idempotency-key", "k-1")];
    let params = immediately(message("once"));
    let sends = ALL.map(|binding| door.call_with(binding, "SendMessage", &params, &key).unwrap());
    assert!(sends.iter().all(|sent| sent["task"]["id"] == sends[0]["task"]["id"]), "{sends:?}");
    let other = door.call_with(Binding::Rpc, "SendMessage", &immediately(message("another")), &key);
    assert_eq!(other, Err("INVALID_PARAMS".into()));
    let sent = &sends[0]["task"];
    let on_the_way = immediately(follow_up(sent["id"].clone(), "by the way"));
    for binding in ALL {
        door.call_with(binding, "SendMessage", &on_the_way, &[("idempotency-key", "k-2")]).unwrap();
    }
    let inbox = succeed(&worker.get("/api/inbox?limit=100"));
    let said =
        inbox["messages"].as_array().unwrap().iter().filter(|one| one["content"] == "by the way").count();
    assert_eq!(said, 1, "{inbox}");
}

#[test]
fn parts_come_through_whole_and_a_message_without_text_is_described() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let parts = json!([
        {"text": "look at"},
        {"data": {"snake_case": "", "deep": [null]}, "metadata": {"my_key": 1}},
        {"raw": "aGVsbG8=", "filename": "a.bin", "mediaType": "application/octet-stream"},
        {"url": "https://example.org/x"},
        {"text": "these"},
    ]);
    let mut params = immediately(message(""));
    params["message"]["parts"] = parts.clone();
    params["message"]["metadata"] = json!({"my_key": {"a_b": ""}});
    for binding in ALL {
        params["message"]["parts"] = parts.clone();
        let sent = door.call(binding, "SendMessage", &params).unwrap()["task"].clone();
        assert_eq!(sent["history"][0]["parts"], parts);
        assert_eq!(sent["history"][0]["metadata"], json!({"my_key": {"a_b": ""}}));
        let claimed = claim(&worker, 0, 60)["task"].clone();
        assert_eq!((&claimed["content"], &claimed["parts"]), (&json!("look at\nthese"), &parts));
        params["message"]["parts"] = json!([{"data": 1}, {"url": "x"}, {"data": 2}]);
        door.call(binding, "SendMessage", &params).unwrap();
        assert_eq!(claim(&worker, 0, 60)["task"]["content"], "[1 url part, 2 data parts]");
    }
}

#[test]
fn parts_of_a_follow_up_reach_the_agent_with_the_clients_own_id() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let sent = door.send("paint it");
    let path = format!("/api/tasks/{}", text(&sent["id"]));
    assert!(succeed(&worker.get(&path)).get("messages").is_none(), "no message yet");
    let mut params = immediately(follow_up(sent["id"].clone(), ""));
    params["message"]["parts"] = json!([{"data": {"colour": "blue"}}]);
    params["message"]["messageId"] = json!("m-2");
    for (nth, binding) in ALL.into_iter().enumerate() {
        door.call(binding, "SendMessage", &params).unwrap();
        let said = succeed(&worker.get(&path))["messages"][nth].clone();
        assert_eq!((&said["content"], &said["from_name"]), (&json!("[1 data part]"), &json!("alice")));
        assert_eq!(said["parts"], json!([{"data": {"colour": "blue"}}]));
        assert_eq!(said["meta"]["a2a"]["messageId"], "m-2");
    }
}

#[test]
fn what_a_completion_reported_comes_as_further_artifacts() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let id = text(&door.send("paint it")["id"]);
    let args = json!({"alias": "worker", "task": id, "result": "done",
        "artifacts": ["a note", {"name": "photo", "path": "x.png"}]});
    assert_eq!(tool::call(&worker, "report_completion", &args)["ok"], true);
    let expected = json!([
        {"artifactId": "result", "parts": [{"text": "done"}]},
        {"artifactId": "artifact-1", "parts": [{"text": "a note"}]},
        {"artifactId": "artifact-2", "name": "photo", "parts": [{"data": {"name": "photo", "path": "x.png"}}]},
    ]);
    for binding in ALL {
        assert_eq!(door.call(binding, "GetTask", &json!({"id": id})).unwrap()["artifacts"], expected);
    }
}

#[test]
fn history_length_is_a_ceiling_and_nought_is_none() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let sent = door.send("one");
    for words in ["two", "three"] {
        door.call(Binding::Rpc, "SendMessage", &immediately(follow_up(sent["id"].clone(), words))).unwrap();
    }
    for binding in ALL {
        let shown = |length: i64| {
            let got =
                door.call(binding, "GetTask", &json!({"id": sent["id"], "historyLength": length})).unwrap();
            let history = got.get("history").and_then(Value::as_array).cloned().unwrap_or_default();
            history.iter().map(|said| text(&said["parts"][0]["text"])).collect::<Vec<_>>()
        };
        assert!(shown(0).is_empty());
        assert_eq!(shown(2), ["two", "three"]);
        assert_eq!(shown(99), ["one", "two", "three"]);
        let wrong = door.call(binding, "GetTask", &json!({"id": sent["id"], "historyLength": -1}));
        assert_eq!(wrong, Err("INVALID_PARAMS".into()));
    }
}
