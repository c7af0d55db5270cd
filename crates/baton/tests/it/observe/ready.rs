//! `/ready` says whether the hub takes work: not while its database cannot be written.

use rusqlite::Connection;
use std::thread;

use super::page::Page;
use crate::it::hub::Hub;
use crate::it::work::worker::eventually;

#[test]
fn a_hub_whose_database_cannot_be_written_is_not_ready_and_alive() {
    let hub = Hub::start();
    let admin = hub.admin();
    assert_eq!(hub.client().get("/ready").status, 200);
    // Somebody else holds the one write lock for longer than the hub waits for it.
    let lock = Connection::open(hub.data_dir().join("hub.db")).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = eventually("it is not ready", || {
        let answer = hub.client().get("/ready");
        (answer.status != 200).then_some(answer)
    });
    assert_eq!(refused.status, 503);
    assert_eq!(refused.text(), r#"{"ok":false,"error":"storage_unavailable"}"#);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(hub.client().get("/health").status, 200);
    // The figures need no disk, and count what was not written.
    eventually("a commit has failed", || {
        (Page::read(&admin.get("/metrics")).value("baton_store_failed_commits_total") >= 1.0).then_some(())
    });
    // However many ask, one of them asks the disk: the others' writes find room in the queue.
    thread::scope(|scope| {
        for _ in 0..40 {
            let asker = hub.client();
            scope.spawn(move || assert_eq!(asker.get("/ready").status, 503));
        }
        let waiting = r#"baton_store_queue_depth{queue="writer"}"#;
        for _ in 0..10 {
            let waiting = Page::read(&admin.get("/metrics")).value(waiting);
            assert!(waiting < 10.0, "{waiting} writes wait");
        }
    });
    lock.execute_batch("ROLLBACK").unwrap();
    eventually("it is ready again", || (hub.client().get("/ready").status == 200).then_some(()));
}
