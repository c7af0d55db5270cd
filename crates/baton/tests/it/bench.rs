//! The load generator, as `make bench-hub` runs it.

use serde_json::Value;

use super::clients::stage::{installed, repository};
use super::hub::{Hub, baton};

fn figures(output: &std::process::Output) -> Value {
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(said.lines().last().unwrap()).unwrap()
}

fn assert_measured(figures: &Value) {
    for measurement in ["send", "life", "push"] {
        for figure in ["per_second", "p50_ms", "p99_ms"] {
            assert!(figures[measurement][figure].as_f64() > Some(0.0), "{measurement} {figure} in {figures}");
        }
    }
    assert!(figures["fdatasync_per_second"].as_f64() > Some(0.0), "{figures}");
    assert_eq!(figures["connections"], 4);
}

const LOAD: [&str; 7] = ["bench", "hub", "--connections", "4", "--seconds", "1", "--json"];

#[test]
fn a_bench_starts_a_hub_of_its_own_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let output = baton().args(LOAD).arg("--data-dir").arg(folder.path()).output().unwrap();
    assert_measured(&figures(&output));
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "files left behind");
}

#[test]
fn a_bench_of_a_running_hub_deletes_its_network() {
    let hub = Hub::start();
    let admin = hub.admin();
    let before = admin.get("/api/networks").json();
    let token = admin.token.clone().unwrap();
    let mut command = baton();
    command.args(LOAD).args(["--hub", &hub.url(), "--token", &token]).arg("--data-dir").arg(hub.data_dir());
    assert_measured(&figures(&command.output().unwrap()));
    assert_eq!(admin.get("/api/networks").json(), before);
}

#[test]
fn a_bench_whose_calls_are_refused_exits_with_1_and_the_hubs_words() {
    let hub = Hub::start();
    let mut command = baton();
    command.args(LOAD).args(["--hub", &hub.url(), "--token", "utok_0"]).arg("--data-dir").arg(hub.data_dir());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains(r#""error":"unauthorized""#));
}

#[test]
fn a_bench_of_work_measures_the_start_of_commands_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = baton();
    command.args(["bench", "work", "--tasks", "20", "--json", "--data-dir"]).arg(folder.path());
    let figures = figures(&command.output().unwrap());
    println!("{figures}");
    assert!(figures["start"]["p50_ms"].as_f64() > Some(0.0), "{figures}");
    assert_eq!(figures["start"]["tasks"], 20);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "files left behind");
}

#[test]
fn a_bench_of_a2a_measures_the_hub_and_the_reference_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = baton();
    command.args([
        "bench",
        "a2a",
        "--connections",
        "4",
        "--seconds",
        "1",
        "--turns",
        "1",
        "--json",
        "--data-dir",
    ]);
    command.arg(folder.path()).arg("--").arg(installed("a2a-python/bin/python"));
    command.arg(repository().join("tests/clients/python/reference_server.py"));
    let figures = figures(&command.output().unwrap());
    for server in ["hub", "reference"] {
        assert!(figures[server]["per_second"].as_f64() > Some(0.0), "{figures}");
    }
    assert!(figures["ratio"].as_f64() > Some(0.0), "{figures}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "files left behind");
}

#[test]
fn a_bench_of_a2a_says_when_its_reference_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        baton().args(["bench", "a2a", "--data-dir"]).arg(folder.path()).args(["--", "/no/such"]).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("the reference server did not start: /no/such") && said.contains("make clients"),
        "{said}"
    );
}
