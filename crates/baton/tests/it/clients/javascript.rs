//! `@a2a-js/sdk` from npm.

use std::path::PathBuf;
use std::process::Command;

use super::stage::{Stage, installed, repository};
use super::steps::{Names, assert_steps};

const NAMES: Names = Names {
    task_not_found: "TaskNotFoundError",
    task_not_cancelable: "TaskNotCancelableError",
    unsupported_operation: "UnsupportedOperationError",
    invalid_params: "RequestMalformedError",
    version_not_supported: "VersionNotSupportedError",
};

fn drive(binding: &str) {
    installed("a2a-js/made-from");
    let mut command = Command::new(node());
    command.arg(repository().join("tests/clients/js/driver.cjs"));
    command.env("NODE_PATH", installed("a2a-js/node_modules"));
    assert_steps(&Stage::set().drive(&mut command, binding), &NAMES);
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
