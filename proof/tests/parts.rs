//! Each part that needs no peer, for a second or two with few connections: it leaves its figures and nothing else. The
//! hub is `BATON_TEST_BINARY` or the debug build of the workspace beside this one.
#![allow(clippy::unwrap_used, reason = "all of it is tests")]

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Where a run keeps its servers and leaves its figures.
struct Run {
    folder: TempDir,
}

impl Run {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn part(&self, words: &[&str]) -> Output {
        let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/debug/baton");
        let baton = std::env::var_os("BATON_TEST_BINARY").map_or_else(beside, PathBuf::from);
        let mut proof = Command::new(env!("CARGO_BIN_EXE_baton-proof"));
        proof.arg("--baton").arg(baton).env_remove("BATON_TOKEN");
        proof.arg("--scratch").arg(self.folder.path().join("scratch"));
        proof.arg("--figures").arg(self.folder.path().join("figures"));
        proof.args(words).output().unwrap()
    }

    /// The figures that a part left, once it has left nothing else.
    fn figures(&self, part: &str, words: &[&str]) -> Value {
        let output = self.part(words);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(self.folder.path().join("scratch").read_dir().unwrap().count(), 0, "files left behind");
        let text = std::fs::read(self.folder.path().join(format!("figures/{part}.json"))).unwrap();
        serde_json::from_slice::<Value>(&text).unwrap()["figures"].take()
    }
}

#[test]
fn a_hub_is_measured_with_each_number_of_connections() {
    let figures = Run::new().figures("hub", &["hub", "--connections", "1,4", "--seconds", "1"]);
    let rows = figures["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["connections"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 4]);
    for measurement in ["send", "life", "push"] {
        for figure in ["per_second", "p50_ms", "p99_ms"] {
            assert!(rows[1][measurement][figure].as_f64() > Some(0.0), "{measurement} {figure} in {figures}");
        }
    }
    assert!(rows[1]["fdatasync_per_second"][1].as_f64() > Some(0.0), "{figures}");
}

#[test]
fn what_evidence_costs_is_measured_in_turns() {
    let words = ["evidence", "--connections", "4", "--turns", "1", "--seconds", "1"];
    let figures = Run::new().figures("evidence", &words);
    for hub in ["with", "without"] {
        for figure in ["sends", "lives"] {
            assert!(figures[hub][figure]["median"].as_f64() > Some(0.0), "{figures}");
        }
    }
}

#[test]
fn the_start_of_a_workers_command_is_measured() {
    let figures = Run::new().figures("work", &["work", "--tasks", "20"]);
    assert_eq!(figures["tasks"], 20);
    assert!(figures["p50_ms"].as_f64() > Some(0.0), "{figures}");
}

#[test]
fn a_reference_server_that_does_not_start_is_named_with_what_installs_it() {
    let run = Run::new();
    let output = run.part(&["a2a", "--", "/no/such"]);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("/no/such") && said.contains("make clients"), "{said}");
    assert!(!run.folder.path().join("figures/a2a.json").exists());
}

#[test]
fn a_hub_that_is_not_there_is_an_error() {
    let run = Run::new();
    let output = run.part(&["hub", "--hub", "http://127.0.0.1:1", "--token", "utok_0", "--seconds", "1"]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("connecting to the hub"), "{output:?}");
}
