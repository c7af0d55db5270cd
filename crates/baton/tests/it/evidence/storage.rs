//! How evidence is stored: in a short tail and in entry bundles, which a kill does not tear.

use rusqlite::Connection;
use serde_json::json;
use std::path::Path;

use crate::it::entry_bundles::{as_columns, bundled, wait_until_bundled};
use crate::it::hub::Hub;
use crate::it::program;
use crate::it::tenant::{Tenant, act, claim, send, succeed};
use crate::it::triggers::without_triggers;
use crate::it::work::worker::eventually;

/// Hands in so many packets of other systems.
pub(crate) fn hand_in(network: &Tenant, from: usize, count: usize) {
    let packets: String = (from..from + count).map(|n| program::packet(n) + "\n").collect();
    let path = format!("/api/evidence/packets?network_id={}", network.network_id);
    let headers = [("content-type", "application/x-ndjson")];
    let answer = succeed(&network.user.send_text("POST", &path, &headers, Some(&packets)));
    assert_eq!(answer["recorded"], count);
}

/// The texts of a log's events.
fn texts(network: &Tenant, count: usize) -> Vec<String> {
    let pages = (0..count).step_by(1000).flat_map(|from| {
        let after = from.checked_sub(1).map_or_else(String::new, |after| format!("&after={after}"));
        let path = format!("/api/evidence?network_id={}&limit=1000{after}", network.network_id);
        succeed(&network.user.get(&path))["events"].as_array().unwrap().clone()
    });
    pages.map(|event| event.to_string()).collect()
}

#[test]
fn a_hub_that_is_killed_while_it_moves_entries_loses_none() {
    const COUNT: usize = 3_000;
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    (0..COUNT).step_by(1000).for_each(|from| hand_in(&network, from, 1000));
    let before = texts(&network, COUNT);
    assert_eq!(before.len(), COUNT);
    let folder = hub.data_dir();
    let mut moved = 0;
    for _ in 0..4 {
        wait_until_bundled(&folder, &network.network_id, moved + 256);
        hub.kill9();
        moved = bundled(&folder, &network.network_id);
        let checked = program::baton(["hub", "check", "--data-dir", folder.to_str().unwrap()]).exited(0);
        assert!(checked.stdout.contains(&format!(" {COUNT} log events")), "{checked:?}");
        hub.restart();
        if moved + 256 > COUNT as i64 {
            break; // a quick machine
        }
    }
    wait_until_bundled(&folder, &network.network_id, COUNT as i64 / 256 * 256);
    assert!(texts(&network, COUNT) == before);
}

#[test]
fn bundles_of_an_older_hub_are_read_as_before_beside_newer_ones() {
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    hand_in(&network, 0, 600);
    wait_until_bundled(&hub.data_dir(), &network.network_id, 512);
    let before = texts(&network, 600);
    hub.stop();
    let database = Connection::open(hub.data_dir().join("hub.db")).unwrap();
    let sql = "SELECT log << 36 FROM logs WHERE network_id = ?1";
    let first: i64 = database.query_row(sql, [&network.network_id], |row| row.get(0)).unwrap();
    without_triggers(&database, |database| as_columns(database, first));
    drop(database);
    let folder = hub.data_dir();
    let checked = program::baton(["hub", "check", "--data-dir", folder.to_str().unwrap()]).exited(0);
    assert!(checked.stdout.contains(" 600 log events"), "{checked:?}");
    hub.restart();
    assert!(texts(&network, 600) == before);
}

#[test]
fn a_backup_has_the_entry_bundles_and_a_deleted_network_leaves_none() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "owner");
    hand_in(&network, 0, 600);
    wait_until_bundled(&hub.data_dir(), &network.network_id, 512);
    let away = tempfile::tempdir().unwrap();
    let (file, folder) = (away.path().join("backup"), away.path().join("data"));
    let (file, folder) = (file.to_str().unwrap(), folder.to_str().unwrap());
    program::baton(["hub", "backup", "--data-dir", hub.data_dir().to_str().unwrap(), "-o", file]).exited(0);
    program::baton(["hub", "restore", file, "--data-dir", folder]).exited(0);
    let said = program::baton(["hub", "check", "--data-dir", folder]).exited(0).stdout;
    assert!(said.contains(" 600 log events in 1 logs"), "{said}");
    assert_eq!(bundled(Path::new(folder), &network.network_id), 512);

    succeed(&network.user.delete(&format!("/api/networks/{}", network.network_id)));
    let left = "SELECT (SELECT COUNT(*) FROM entry_bundles) + (SELECT COUNT(*) FROM evidence)";
    let database = Connection::open(hub.data_dir().join("hub.db")).unwrap();
    eventually("the last row's removal", || {
        let left: i64 = database.query_row(left, [], |row| row.get(0)).unwrap();
        (left == 0).then_some(())
    });
}

/// Bytes of a log's events and packets: in the tail, and in bundles.
fn bytes(folder: &Path) -> (i64, i64) {
    let sum = |sql: &str| -> i64 {
        Connection::open(folder.join("hub.db")).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
    };
    (
        sum("SELECT COALESCE(SUM(length(event) + length(packet)), 0) FROM evidence"),
        sum("SELECT COALESCE(SUM(length(events) + length(packets)), 0) FROM entry_bundles"),
    )
}

/// The figures of docs/operating.md: `cargo nextest run -p baton-hub -E 'test(/stored_together/)' --no-capture`.
#[test]
fn an_event_and_its_packet_take_less_than_180_bytes_once_they_are_stored_together() {
    // The texts of `make bench-hub`: three events a task.
    const TASKS: i64 = 171;
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (lead, coder) = (network.agent("lead"), network.agent("coder"));
    for number in 0..TASKS {
        let task_id = send(&lead, "coder", &format!("{number:<283}"));
        let lease_id = claim(&coder, 0, 600)["lease_id"].clone();
        let reply = json!({"text": format!("{number:<82}"), "status": "replied", "lease_id": lease_id});
        succeed(&act(&coder, &task_id, "reply", &reply));
    }
    wait_until_bundled(&hub.data_dir(), &network.network_id, 512);
    let (tail, together) = bytes(&hub.data_dir());
    let (tail, together) = (tail / (3 * TASKS - 512), together / 512);
    println!("an event and its packet: {tail} bytes in the tail, {together} in an entry bundle");
    assert!(together <= 180 && tail > 1_500, "{together} {tail}");
}
