//! `@a2a-js/sdk` from npm.

use std::path::PathBuf;
use std::process::Command;

use super::conversation;
use super::script::Script;
use super::stage::{Stage, installed, repository};
use super::steps::{Names, assert_steps};

const NAMES: Names = Names {
    task_not_found: "TaskNotFoundError",
    task_not_cancelable: "TaskNotCancelableError",
    unsupported_operation: "UnsupportedOperationError",
    invalid_params: "RequestMalformedError",
    version_not_supported: "VersionNotSupportedError",
};

/// One of the scripts.
fn script(name: &str) -> Command {
    installed("a2a-js/made-from");
    let mut command = Command::new(node());
    command.arg(repository().join("tests/clients/js").join(name));
    command.env("NODE_PATH", installed("a2a-js/node_modules"));
    command
}

fn drive(binding: &str) {
    assert_steps(&Stage::set().drive(&mut script("driver.cjs"), binding), &NAMES);
}

fn connect(stage: &Stage, binding: &str) -> Script {
    Script::start(script("conversation.cjs"), &NAMES, stage, binding)
}

/// A node of our own stands where the system's is too old for the client.
fn node() -> PathBuf {
    let own = repository().join("target/tools/a2a-node/node_modules/.bin/node");
    if own.exists() { own } else { "node".into() }
}

#[test]
fn the_javascript_client_hands_work_to_an_agent_over_json_rpc() {
    drive(super::BINDINGS[0]);
}

#[test]
fn the_javascript_client_hands_work_to_an_agent_over_http_json() {
    drive(super::BINDINGS[1]);
}

#[test]
fn the_javascript_client_hands_work_to_an_agent_over_grpc() {
    drive(super::BINDINGS[2]);
}

#[test]
fn the_javascript_client_answers_two_questions_of_one_run() {
    for binding in super::BINDINGS {
        conversation::answers_two_questions_of_one_run(|stage| connect(stage, binding));
    }
}

#[test]
fn the_javascript_clients_answer_reaches_the_run_after_a_killed_worker() {
    for binding in super::BINDINGS {
        conversation::the_run_after_a_killed_worker_has_the_conversation(|stage| connect(stage, binding));
    }
}

#[test]
fn the_javascript_client_checks_a_cards_signature_and_refuses_a_changed_card() {
    super::assert_signed(&Stage::set().drive(&mut script("card.cjs"), super::BINDINGS[0]));
}
