//! `@modelcontextprotocol/conformance` against a real hub, for the two newest revisions it has. Every check passes, but for those that
//! `tests/clients/mcp/not-applicable.txt` names with their reason; and every one of those is still needed there.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use super::fixture_tools::Agents;
use super::proxy;
use super::stage::{node, program};
use crate::it::clients::stage::repository;
use crate::it::hub::Hub;
use crate::it::program::run;
use crate::it::tenant::Tenant;

/// Checks that do not apply, each with its reason.
fn not_applicable() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(repository().join("tests/clients/mcp/not-applicable.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let split = |line: &str| {
        let (check, reason) = line.split_once(": ").unwrap_or_else(|| panic!("{line:?} has no reason"));
        (check.to_owned(), reason.to_owned())
    };
    lines.map(split).collect()
}

/// The checks of a run by how they ended.
fn checks(folder: &Path) -> (BTreeSet<String>, BTreeMap<String, String>) {
    let (mut passed, mut other) = (BTreeSet::new(), BTreeMap::new());
    for scenario in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read(scenario.unwrap().path().join("checks.json")).unwrap();
        for check in serde_json::from_slice::<Vec<Value>>(&text).unwrap() {
            let id = check["id"].as_str().unwrap().to_owned();
            match check["status"].as_str().unwrap() {
                "SUCCESS" | "INFO" => {
                    passed.insert(id);
                }
                status => {
                    other.insert(id, format!("{status} {}", check["errorMessage"]));
                }
            }
        }
    }
    (passed, other)
}

#[test]
fn every_conformance_check_that_applies_passes() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let token = network.agent("subject").token.unwrap();
    let _agents = Agents::start(&network);
    let url = format!("http://{}/mcp", proxy::start(hub.address(), token));
    let folder = tempfile::tempdir().unwrap();
    for revision in ["2025-11-25", "2026-07-28"] {
        let mut command = Command::new(node());
        command.arg(program("@modelcontextprotocol/conformance/dist/index.js"));
        command.args(["server", "--url", &url, "--requirements", revision, "-o"]).arg(folder.path());
        // Its exit code counts checks that do not apply.
        run(command.env("HOME", folder.path().join("home")).current_dir(folder.path()), |_| Ok(()));
    }
    let (passed, other) = checks(folder.path());
    assert!(passed.len() >= 75, "{passed:?}");
    let listed = not_applicable();
    let unlisted: Vec<_> = other.iter().filter(|(check, _)| !listed.contains_key(*check)).collect();
    assert!(unlisted.is_empty(), "checks that fail: {unlisted:#?}");
    let needless: Vec<_> = listed.keys().filter(|check| !other.contains_key(*check)).collect();
    assert!(needless.is_empty(), "checks that pass and are listed as not applicable: {needless:#?}");
}
