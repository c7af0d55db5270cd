//! `a2a-sdk` from PyPI.

use std::process::Command;

use super::stage::{Stage, installed, repository};
use super::steps::{Names, assert_steps};

const NAMES: Names = Names {
    task_not_found: "TaskNotFoundError",
    task_not_cancelable: "TaskNotCancelableError",
    unsupported_operation: "UnsupportedOperationError",
    invalid_params: "InvalidParamsError",
    version_not_supported: "VersionNotSupportedError",
};

fn drive(binding: &str) {
    let mut command = Command::new(installed("a2a-python/bin/python"));
    command.arg(repository().join("tests/clients/python/driver.py"));
    installed("a2a-python/made-from");
    assert_steps(&Stage::set().drive(&mut command, binding), &NAMES);
}

#[test]
fn the_python_client_hands_work_to_an_agent_over_json_rpc() {
    drive(super::BINDINGS[0]);
}

#[test]
fn the_python_client_hands_work_to_an_agent_over_http_json() {
    drive(super::BINDINGS[1]);
}
