//! `a2a-sdk` from PyPI.

use std::process::Command;

use super::conversation;
use super::script::Script;
use super::stage::{Stage, installed, repository};
use super::steps::{Names, assert_steps};

const NAMES: Names = Names {
    task_not_found: "TaskNotFoundError",
    task_not_cancelable: "TaskNotCancelableError",
    unsupported_operation: "UnsupportedOperationError",
    invalid_params: "InvalidParamsError",
    version_not_supported: "VersionNotSupportedError",
};

/// One of the scripts.
fn script(name: &str) -> Command {
    let mut command = Command::new(installed("a2a-python/bin/python"));
    installed("a2a-python/made-from");
    command.arg(repository().join("tests/clients/python").join(name));
    // What the scripts share is compiled beside it otherwise.
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

fn drive(binding: &str) {
    assert_steps(&Stage::set().drive(&mut script("driver.py"), binding), &NAMES);
}

fn connect(stage: &Stage, binding: &str) -> Script {
    Script::start(script("conversation.py"), &NAMES, stage, binding)
}

#[test]
fn the_python_client_hands_work_to_an_agent_over_json_rpc() {
    drive(super::BINDINGS[0]);
}

#[test]
fn the_python_client_hands_work_to_an_agent_over_http_json() {
    drive(super::BINDINGS[1]);
}

#[test]
fn the_python_client_hands_work_to_an_agent_over_grpc() {
    drive(super::BINDINGS[2]);
}

#[test]
fn the_python_client_answers_two_questions_of_one_run() {
    for binding in super::BINDINGS {
        conversation::answers_two_questions_of_one_run(|stage| connect(stage, binding));
    }
}

#[test]
fn the_python_clients_answer_reaches_the_run_after_a_killed_worker() {
    for binding in super::BINDINGS {
        conversation::the_run_after_a_killed_worker_has_the_conversation(|stage| connect(stage, binding));
    }
}

#[test]
fn the_python_client_checks_a_cards_signature_and_refuses_a_changed_card() {
    super::assert_signed(&Stage::set().drive(&mut script("card.py"), super::BINDINGS[0]));
}
