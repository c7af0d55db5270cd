//! `kill -9` of a hub that upgrades: the folder is the old one or the new one, and the next start goes on with it.

use rusqlite::{Connection, OpenFlags};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::archive::{Then, WITH_LOG, add_tasks, lay_out_with};
use super::real::{agent, tenant, what_was_signed_holds};
use super::{earlier_versions, newest_version};
use crate::it::hub::{Hub, baton};
use crate::it::random::Random;
use crate::it::tenant::{act, claim, succeed, task};
use serde_json::json;

const KILLS: usize = 20;
/// So many must meet the migrations; the others come before the first or after the commit.
const IN_THE_MIDDLE_MIN: usize = 5;
/// More than an upgrade of them does in the blink of an eye.
const TASKS: i64 = 4_000;

/// Where the kill met the upgrade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Met {
    Middle,
    End,
}

#[test]
fn a_start_that_is_killed_while_it_upgrades_leaves_the_old_folder_or_the_new_one() {
    let seed = 20;
    let mut random = Random::of(seed);
    let versions = earlier_versions();
    let mut in_the_middle = 0;
    // How long an upgrade takes here and now: the pauses before the kills lie within.
    let mut longest = time_of_upgrade(versions[0]);
    for round in 0..KILLS {
        // Each of the first releases once, and then any.
        let version =
            versions.get(round).filter(|_| round < 12).copied().unwrap_or_else(|| *random.pick(&versions));
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let then = lay_out_with(&data, version, |db, then| add_tasks(db, then, TASKS));
        let pause = longest.mul_f64(random.below(1_000) as f64 / 1_000.0);
        let met = kill_after(&data, version, pause);
        println!("round {round}: schema {version}, killed {pause:?} after the upgrade began: {met:?}");
        in_the_middle += usize::from(met == Met::Middle);
        if met == Met::End {
            longest = longest.mul_f64(0.8); // it is faster than was measured
        }
        let hub = Hub::start_on(|into| std::fs::rename(&data, into).unwrap());
        assert_eq!(hub.log().contains("upgrading the database"), met == Met::Middle, "{}", hub.log());
        is_whole(&hub, &then, version);
    }
    assert!(
        in_the_middle >= IN_THE_MIDDLE_MIN,
        "only {in_the_middle} of {KILLS} kills met an upgrade (seed {seed})"
    );
}

/// It has what it had, and goes on. That its tables and its log agree is checked when the hub is dropped.
fn is_whole(hub: &Hub, then: &Then, version: i64) {
    let network = &then.networks()[0];
    let tenant = tenant(hub, network);
    let coder = agent(hub, network, "coder");
    let lease = &then.0["leases"][0];
    let id = lease["task_id"].as_str().unwrap();
    assert_eq!(task(&tenant.user, id)["status"], "running");
    succeed(&act(&coder, id, "reply", &json!({"text": "done", "lease_id": lease["lease_id"]})));
    assert_eq!(claim(&coder, 0, 60)["task"]["task_id"].as_str(), then.named("open, high"));
    if version >= WITH_LOG {
        what_was_signed_holds(hub, &tenant, network, then);
    }
}

/// From the line that says that an upgrade begins to the one that says that it is done.
fn time_of_upgrade(version: i64) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    lay_out_with(&data, version, |db, then| add_tasks(db, then, TASKS));
    let mut began = None;
    with_log_of_start(&data, |line| {
        if line.contains("upgrading the database") {
            began = Some(Instant::now());
        }
        line.contains("the database was upgraded")
    });
    began.expect("an upgrade").elapsed()
}

/// Starts a hub on the folder and kills it so long after its upgrade has begun.
fn kill_after(data: &Path, version: i64, pause: Duration) -> Met {
    with_log_of_start(data, |line| {
        let has_begun = line.contains("upgrading the database");
        if has_begun {
            std::thread::sleep(pause); // when it is killed is what this varies
        }
        has_begun
    });
    // Only read, so that the next hub finds what the killed one left.
    let db = Connection::open_with_flags(data.join("hub.db"), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let sql = "SELECT MAX(version) FROM refinery_schema_history";
    let schema: i64 = db.query_row(sql, [], |row| row.get(0)).unwrap();
    assert!([version, newest_version()].contains(&schema), "schema {schema}");
    if schema == version { Met::Middle } else { Met::End }
}

/// Runs a hub until a line of its log is the last that is wanted, and kills it.
fn with_log_of_start(data: &Path, mut is_last: impl FnMut(&str) -> bool) {
    let mut start = baton();
    start.args(["hub", "start", "--port", "0", "--data-dir"]).arg(data);
    let mut hub = start.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(hub.stderr.take().unwrap()).lines().map_while(Result::ok);
    let met = lines.any(|line| is_last(&line));
    hub.kill().unwrap();
    hub.wait().unwrap();
    assert!(met, "the hub ended without an upgrade");
}
