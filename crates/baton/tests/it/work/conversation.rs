//! A command asks the sender of its task and continues with the answer, in the same run; if its worker dies meanwhile, the
//! next run receives the messages.

use serde_json::{Value, json};

use super::worker::{Worker, ended, eventually, tenant_with};
use crate::it::history::assert_legal;
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::program::binary;
use crate::it::tenant::{Tenant, act, events, refused, send, send_with, succeed, task, text};

/// Asks twice, with options, what its input does not answer already, and prints both answers; notes each run.
pub(crate) fn asking_twice() -> String {
    format!(
        r#"input=$(cat); echo run >> "$WHERE/runs"
           answered() {{ printf '%s\n' "$input" | sed -n 's/^\[answer\] //p' | sed -n "$1p"; }}
           ask() {{ '{0}' task ask "$@"; }}
           colour=$(answered 1); [ "$colour" ] || colour=$(ask "which colour?" --option red --option blue) || exit 1
           size=$(answered 2); [ "$size" ] || size=$(ask "which size?" --option small --option large) || exit 1
           echo "$(printf '%s\n' "$input" | sed -n 1p): $size $colour""#,
        binary().display()
    )
}

/// Asks in its first run. A run that finds an answer prints what it received.
fn asking_once(ask: &str) -> String {
    format!(
        r#"input=$(cat)
           if grep -q '"kind":"answer"' "$BATON_MESSAGES"; then printf '%s\n' "$input"; cat "$BATON_MESSAGES"; exit; fi
           '{}' task ask {ask}"#,
        binary().display()
    )
}

/// What a task with this question says, once it waits.
fn waits_for(reader: &Client, task_id: &str, question: &str) -> Value {
    eventually(question, || {
        let seen = succeed(&reader.get(&format!("/api/tasks/{task_id}")));
        let asked = seen["messages"].as_array().and_then(|messages| messages.last()).cloned();
        (seen["task"]["status"] == "waiting_input" && asked.is_some_and(|asked| asked["content"] == question))
            .then_some(seen)
    })
}

fn answer(sender: &Client, task_id: &str, text: &str) -> Value {
    succeed(&act(sender, task_id, "answer", &json!({"text": text})))
}

/// Time passes, as long as a task lives that nobody takes up.
fn let_pass(network: &Tenant, seconds: u32) {
    network.agent("nobody");
    let body = json!({"alias": "nobody", "task": "time passes", "ttl_seconds": seconds});
    ended(&network.user, &send_with(&network.user, &body));
}

pub(crate) fn statuses(reader: &Client, task_id: &str) -> Vec<String> {
    let events = events(reader, task_id);
    assert_legal(&task(reader, task_id), &events);
    events.iter().map(|event| text(&event["to_status"])).collect()
}

/// Waits until the hub has taken the lease of a worker that is gone.
pub(crate) fn lapses_waiting(reader: &Client, task_id: &str) {
    eventually("the lapse", || {
        let events = events(reader, task_id);
        let last = events.last().unwrap();
        (last["detail"] == "lease lapsed while waiting for input").then(|| {
            assert_eq!((&last["actor"], &last["to_status"]), (&json!("hub"), &json!("waiting_input")));
        })
    });
}

#[test]
fn a_command_asks_twice_with_options_and_uses_both_answers_in_one_run() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "painter");
    let worker = Worker::start(&agent, "painter", &["--lease", "5"], &asking_twice());
    let task_id = send(&network.user, "painter", "paint it");
    let seen = waits_for(&network.user, &task_id, "which colour?");
    let question = &seen["messages"][0];
    assert_eq!(
        (&question["kind"], &question["from_name"], &question["options"]),
        (&json!("question"), &json!("painter"), &json!(["red", "blue"]))
    );
    // Longer than the lease: the worker keeps it.
    let_pass(&network, 7);
    let wrong = act(&network.user, &task_id, "answer", &json!({"text": "green"}));
    let refusal = refused(&wrong, 400, "not_an_option");
    assert!(text(&refusal["message"]).contains(r#""red", "blue""#), "{refusal}");
    assert_eq!(waits_for(&network.user, &task_id, "which colour?")["messages"], seen["messages"]);
    assert_eq!(answer(&network.user, &task_id, "blue")["status"], "running");
    waits_for(&network.user, &task_id, "which size?");
    answer(&network.user, &task_id, "large");
    let row = ended(&network.user, &task_id);
    assert_eq!(
        (&row["result"], &row["status"], &row["attempt"]),
        (&json!("paint it: large blue"), &json!("replied"), &json!(1))
    );
    assert_eq!(worker.file("runs"), "run\n", "one run of its command");
    let expected =
        ["delivered", "running", "waiting_input", "running", "waiting_input", "running", "replied"];
    assert_eq!(statuses(&network.user, &task_id), expected);
}

#[test]
fn after_a_killed_worker_the_answer_starts_a_run_that_is_told_the_conversation() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "painter");
    let script = asking_once(r#""which colour?" --option red --option blue"#);
    let mut first = Worker::start(&agent, "painter", &["--lease", "5", "--grace", "1"], &script);
    let task_id = send(&network.user, "painter", "paint it");
    waits_for(&network.user, &task_id, "which colour?");
    first.kill9();
    lapses_waiting(&network.user, &task_id);
    assert_eq!(answer(&network.user, &task_id, "blue")["status"], "delivered");
    let _second = Worker::start(&agent, "painter", &[], &script);
    let row = ended(&network.user, &task_id);
    assert_eq!((&row["status"], &row["attempt"]), (&json!("replied"), &json!(1)), "no attempt is lost");
    told(&network, &task_id, &text(&row["result"]));
    let expected =
        ["delivered", "running", "waiting_input", "waiting_input", "delivered", "running", "replied"];
    assert_eq!(statuses(&network.user, &task_id), expected);
}

/// The text and the answer on standard input, and both messages in the file.
fn told(network: &Tenant, task_id: &str, result: &str) {
    let (input, file) = result.split_once("\n{").unwrap();
    assert_eq!(input, "paint it\n\n[answer] blue");
    let file: Value = serde_json::from_str(&format!("{{{file}")).unwrap();
    assert_eq!(file["task"], "paint it");
    let kept = succeed(&network.user.get(&format!("/api/tasks/{task_id}")))["messages"].clone();
    let kept = kept.as_array().unwrap();
    assert_eq!((kept.len(), &kept[1]["kind"]), (2, &json!("answer")));
    for (told, kept) in file["messages"].as_array().unwrap().iter().zip(kept) {
        assert_eq!(told["author"], kept["from_name"]);
        for name in ["kind", "content", "created_at", "options"] {
            assert_eq!(told[name], kept[name], "{name}");
        }
    }
}

#[test]
fn an_answer_to_a_killed_workers_lease_is_not_lost_either() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "painter");
    let script = asking_once(r#""which colour?""#);
    let mut first = Worker::start(&agent, "painter", &["--lease", "10", "--grace", "1"], &script);
    let task_id = send(&network.user, "painter", "paint it");
    waits_for(&network.user, &task_id, "which colour?");
    first.kill9();
    assert_eq!(answer(&network.user, &task_id, "blue")["status"], "running", "its lease still holds");
    let _second = Worker::start(&agent, "painter", &[], &script);
    let row = ended(&network.user, &task_id);
    assert_eq!((&row["status"], &row["attempt"]), (&json!("replied"), &json!(2)));
    told(&network, &task_id, &text(&row["result"]));
}

#[test]
fn a_question_outlives_the_sends_time_and_a_killed_hub_and_the_same_run_gets_the_answer() {
    let mut hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "painter");
    let worker = Worker::start(&agent, "painter", &["--lease", "30"], &asking_twice());
    let body = json!({"alias": "painter", "task": "paint it", "ttl_seconds": 1});
    let task_id = send_with(&network.user, &body);
    waits_for(&network.user, &task_id, "which colour?");
    hub.kill9();
    hub.restart();
    let_pass(&network, 2);
    waits_for(&network.user, &task_id, "which colour?");
    answer(&network.user, &task_id, "red");
    waits_for(&network.user, &task_id, "which size?");
    answer(&network.user, &task_id, "small");
    assert_eq!(ended(&network.user, &task_id)["result"], "paint it: small red");
    assert_eq!(worker.file("runs"), "run\n");
}

#[test]
fn a_wait_that_is_over_leaves_the_question_and_asking_it_again_waits_for_the_same_answer() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "painter");
    let script = format!(
        r#"'{0}' task ask "which?" --timeout 1 2> "$WHERE/said"; first=$?
           '{0}' task ask "which?" --timeout 1; again=$?
           '{0}' task ask "and which?" --timeout 1; other=$?
           echo "$first $again $other" > "$WHERE/codes""#,
        binary().display()
    );
    let worker = Worker::start(&agent, "painter", &[], &script);
    let task_id = send(&network.user, "painter", "paint it");
    assert_eq!(worker.file("codes"), "7 7 6\n", "another question is refused while one waits");
    assert!(worker.file("said").contains("no answer yet"), "{}", worker.file("said"));
    let seen = waits_for(&network.user, &task_id, "which?");
    assert_eq!(seen["message_count"], 1, "it was asked once");
    succeed(&act(&network.user, &task_id, "cancel", &json!({})));
}

#[test]
fn a_cancel_while_it_waits_ends_the_command() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "painter");
    // A question that will not be answered ends by itself too; the command continues, so that only the worker ends it.
    let script = asking_once(r#""which colour?" || exec sleep 600"#);
    let mut worker = Worker::start(&agent, "painter", &["--grace", "1"], &script);
    let task_id = send(&network.user, "painter", "paint it");
    waits_for(&network.user, &task_id, "which colour?");
    succeed(&act(&network.user, &task_id, "cancel", &json!({})));
    worker.says("cancelled, the command was ended");
    assert_eq!(statuses(&network.user, &task_id), ["delivered", "running", "waiting_input", "cancelled"]);
}

#[test]
fn a_command_that_ends_before_the_answer_runs_again_after_it() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "painter");
    let script = asking_once(r#""which colour?" --timeout 1; echo gone"#);
    let mut worker = Worker::start(&agent, "painter", &["--lease", "5"], &script);
    let task_id = send(&network.user, "painter", "paint it");
    worker.says("its command ended while its question waits");
    lapses_waiting(&network.user, &task_id);
    answer(&network.user, &task_id, "blue");
    told(&network, &task_id, &text(&ended(&network.user, &task_id)["result"]));
}

#[test]
fn without_a_wait_the_lease_ends_and_the_answer_is_a_new_delivery() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "painter");
    let script = asking_once(r#""which colour?" --no-wait; read -r _ < /dev/null"#);
    let _worker = Worker::start(&agent, "painter", &[], &script);
    let task_id = send(&network.user, "painter", "paint it");
    waits_for(&network.user, &task_id, "which colour?");
    assert_eq!(answer(&network.user, &task_id, "blue")["status"], "delivered");
    told(&network, &task_id, &text(&ended(&network.user, &task_id)["result"]));
}

#[test]
fn a_conversation_that_is_more_than_a_claim_shows_is_told_whole() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "counter");
    let task_id = send(&network.user, "counter", "count");
    for words in ["x".repeat(100_000), "a few words".into()] {
        answer(&network.user, &task_id, &words);
    }
    let script = r#"grep -o '"kind":"message"' "$BATON_MESSAGES" | wc -l"#;
    let _worker = Worker::start(&agent, "counter", &[], script);
    assert_eq!(text(&ended(&network.user, &task_id)["result"]).trim(), "2");
}
