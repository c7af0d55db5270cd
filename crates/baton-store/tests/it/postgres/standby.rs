//! Commits whose wait for a standby is cancelled: others see what they wrote, and it is lost with the primary. Nobody is
//! answered on the strength of it, on no hub. The standby of these tests is one that never comes.

use super::super::fixtures::{insert_network, insert_task, task_id};
use super::own_server::{OwnServer, program};
use super::{Hub, settings};
use baton_store::{Error, PostgresOptions, PostgresStore};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A server whose commits wait for a standby when a test says so.
struct Primary(OwnServer);

impl Primary {
    fn start() -> Self {
        let server = OwnServer::start(&["wal_level=replica", "max_wal_senders=2"], |_| {});
        super::run_on(&server.address("postgres"), "CREATE DATABASE hub");
        Self(server)
    }

    fn hub(&self) -> Hub {
        let options = PostgresOptions { lanes: 1, readers: 1, ..PostgresOptions::default() };
        Arc::new(PostgresStore::open(&settings(&self.0.address("hub")), options, Arc::new(|_| {})).unwrap())
    }

    fn wait_for(&self, standbys: &str) {
        let address = self.0.address("postgres");
        super::run_on(&address, &format!("ALTER SYSTEM SET synchronous_standby_names = '{standbys}'"));
        super::run_on(&address, "SELECT pg_reload_conf()");
        while self.commits_wait() == standbys.is_empty() {}
    }

    /// Whether a commit waits for a standby now; the one that shows it is cancelled.
    fn commits_wait(&self) -> bool {
        let address = self.0.address("postgres");
        let committing = std::thread::spawn(move || {
            super::run_on(&address, "SELECT pg_logical_emit_message(true, 'test', '')");
        });
        let mut waits = false;
        while !committing.is_finished() {
            waits |= self.cancel() > 0;
        }
        committing.join().unwrap();
        waits
    }

    /// Cancels all waits for a standby; how many there were.
    fn cancel(&self) -> u64 {
        let sql = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        let mut psql = program("psql");
        psql.args(["-X", "-q", "-A", "-t", "-c", sql, "-d"]).arg(self.0.address("postgres"));
        let answer = psql.output().unwrap();
        String::from_utf8_lossy(&answer.stdout).trim().parse().unwrap()
    }

    /// Cancels every commit that waits for the standby, for as long as `during` runs.
    fn cancelling<T>(&self, during: impl Future<Output = T>) -> T {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Acquire) {
                    self.cancel();
                }
            });
            let done = tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(during));
            is_over.store(true, Ordering::Release);
            done
        })
    }
}

async fn sends_again(hub: &Hub) -> Result<(), Error> {
    hub.write(|tx| match tx.as_snapshot().task(&task_id(0))? {
        Some(_) => Ok(()),
        None => Err(Error::Corrupt("the task is not there".into())),
    })
    .await
}

async fn is_read(hub: &Hub) -> Result<bool, Error> {
    hub.read(|rows| Ok::<_, Error>(rows.task(&task_id(0))?.is_some())).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_standby_has_is_neither_acknowledged_again_nor_read() {
    let primary = Primary::start();
    let hubs = [primary.hub(), primary.hub()];
    hubs[0].write(|tx| insert_network(tx, 1)).await.unwrap();

    primary.wait_for("a_standby_that_never_comes");
    let sent = primary.cancelling(hubs[0].write(|tx| insert_task(tx, 1, 0, "coder"))).unwrap_err();
    assert!(matches!(sent, Error::Unknown(_)), "{sent}");
    for (number, hub) in hubs.iter().enumerate() {
        let again = primary.cancelling(sends_again(hub));
        assert!(
            matches!(again, Err(Error::Unknown(_) | Error::Unavailable(_))),
            "hub {number} answered {again:?} on the strength of a row that no standby has"
        );
    }
    let read = primary.cancelling(is_read(&hubs[0]));
    assert!(matches!(read, Err(Error::Unavailable(_))), "{read:?}");

    primary.wait_for("");
    for hub in &hubs {
        sends_again(hub).await.unwrap();
        assert!(is_read(hub).await.unwrap());
        hub.close();
    }
}
