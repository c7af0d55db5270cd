//! What an operator does with several hubs on one database: list them, check and back up the database while they run.

use serde_json::Value;

use super::{Cluster, eventually};
use crate::it::observe::page::Page;
use crate::it::program;
use crate::it::tenant::{Tenant, send, task};

#[test]
fn hubs_on_a_database_are_listed_checked_and_backed_up_while_they_run() {
    let mut cluster = Cluster::start(2);
    let (url, data) = (cluster.url(), cluster.hubs[0].data_dir());
    let network = Tenant::of_admin(&cluster.hubs[0]);
    let (lead, _coder) = (network.agent("lead"), network.agent("coder"));
    let sent = send(&lead, "coder", "a task");
    assert_eq!(task(&cluster.at(1, &lead), &sent)["status"], "delivered");

    let list = || {
        let ran = program::baton(["hub", "ls", "--json", "--store", &url]).exited(0);
        serde_json::from_str::<Vec<Value>>(&ran.stdout).unwrap()
    };
    let listed = list();
    assert_eq!(listed.len(), 2, "{listed:?}");
    for hub in &listed {
        assert!(hub["is_alive"] == true && hub["version"] == env!("CARGO_PKG_VERSION"), "{hub}");
        assert!(cluster.hubs.iter().any(|known| hub["address"] == known.url()), "{hub}");
    }
    let shown = program::baton(["hub", "ls", "--store", &url]).exited(0).stdout;
    assert!(shown.contains("ADDRESS") && shown.contains("alive"), "{shown}");

    let data_dir = data.to_str().unwrap();
    program::baton(["hub", "check", "--store", &url, "--data-dir", data_dir]).exited(0);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("backup");
    let file = file.to_str().unwrap();
    program::baton(["hub", "backup", "--store", &url, "--data-dir", data_dir, "-o", file]).exited(0);
    let restored = folder.path().join("restored");
    let restored = restored.to_str().unwrap();
    program::baton(["hub", "restore", file, "--data-dir", restored]).exited(0);
    program::baton(["hub", "check", "--data-dir", restored]).exited(0);

    let figures = Page::read(&cluster.hubs[0].admin().get("/metrics"));
    assert!(figures.value("baton_postgres_connections") >= 1.0);
    assert!(
        figures.value("baton_postgres_round_trips_total") > figures.value("baton_postgres_retries_total")
    );

    cluster.hubs[1].stop();
    assert_eq!(list().len(), 1, "one that stops cleanly is gone from the list");
    cluster.hubs[0].stop();
    let ran = program::baton(["hub", "ls", "--store", &url]).exited(1);
    assert!(ran.stdout.contains("no hub is running"), "{ran:?}");
}

#[test]
fn a_hub_that_was_killed_is_listed_as_lost() {
    let mut cluster = Cluster::start(2);
    let url = cluster.url();
    cluster.hubs[1].kill9();
    let lost = cluster.hubs[1].url();
    eventually("the hub that was killed is lost", || {
        let shown = program::baton(["hub", "ls", "--store", &url]).exited(0).stdout;
        let line = shown.lines().find(|line| line.contains(&lost)).unwrap_or_default();
        line.contains("lost")
    });
}

#[test]
fn damage_in_a_database_of_several_hubs_is_named_by_the_check() {
    let mut cluster = Cluster::start(1);
    let (url, data) = (cluster.url(), cluster.hubs[0].data_dir());
    let network = Tenant::of_admin(&cluster.hubs[0]);
    let (lead, _coder) = (network.agent("lead"), network.agent("coder"));
    send(&lead, "coder", "a task");
    cluster.hubs[0].stop();
    let check = || program::baton(["hub", "check", "--store", &url, "--data-dir", data.to_str().unwrap()]);
    check().exited(0);
    cluster.run("UPDATE task_counts SET count = count + 1");
    let ran = check().exited(1);
    assert!(format!("{}{}", ran.stdout, ran.stderr).contains("delivered"), "{ran:?}");
    cluster.run("ALTER TABLE tasks DISABLE TRIGGER a_terminal_task_never_changes");
    let ran = check().exited(1);
    assert!(format!("{}{}", ran.stdout, ran.stderr).contains("a_terminal_task_never_changes"), "{ran:?}");
}
