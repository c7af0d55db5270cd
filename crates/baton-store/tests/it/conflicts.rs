//! Conflicts, as an engine that runs transactions side by side meets them: whoever writes does not hear of one, unless there
//! is no end of them. The engine here is SQLite, which has none, with a few made up before it.

use super::engine::{Engine, sqlite};
use super::fixtures::{insert_task, task_id, with_network};
use baton_core::limits::WRITE_CONFLICT_TRIES;
use baton_store::job::{Outcome, ReadJob, WriteJob};
use baton_store::{AccessEpoch, Error, Health, Lane, Meter, Parked, Share, Store, Transaction, WriteCheck};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// An engine whose next transactions end so.
struct Unlucky {
    store: Arc<dyn Store>,
    times: AtomicU32,
    ends: fn() -> Error,
}

/// A write that is run and undone, because its transaction ends so.
struct Undone {
    job: Box<dyn WriteJob>,
    ends: Error,
}

impl WriteJob for Undone {
    fn run(&mut self, tx: &mut dyn Transaction) -> Outcome {
        self.job.run(tx);
        Outcome::Undone
    }

    fn settle(self: Box<Self>, _: Result<(), Error>) {
        self.job.settle(Err(self.ends));
    }
}

impl Store for Unlucky {
    fn submit(&self, share: Share, job: Box<dyn WriteJob>) -> Result<(), Error> {
        let left = |times: u32| times.checked_sub(1);
        match self.times.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left) {
            Ok(_) => self.store.submit(share, Box::new(Undone { job, ends: (self.ends)() })),
            Err(_) => self.store.submit(share, job),
        }
    }

    fn query(&self, share: Share, lane: Lane, job: Box<dyn ReadJob>) -> Result<(), Error> {
        self.store.query(share, lane, job)
    }

    fn parked(&self) -> &Arc<Parked> {
        self.store.parked()
    }

    fn access_epoch(&self) -> u64 {
        self.store.access_epoch()
    }

    fn newest_access_epoch(&self) -> AccessEpoch {
        self.store.newest_access_epoch()
    }

    fn meter(&self) -> &Meter {
        self.store.meter()
    }

    fn health(&self) -> Health {
        self.store.health()
    }

    fn check_writes(&self) -> WriteCheck<'_> {
        self.store.check_writes()
    }

    fn close(&self) {
        self.store.close();
    }
}

/// Sends a task over an engine whose first transactions end so; with whether it is there, and how many were left to fail.
async fn send(times: u32, ends: fn() -> Error) -> (Result<(), Error>, bool, u32) {
    let engine = Engine::new(sqlite);
    with_network(&*engine.store).await;
    let unlucky = Unlucky { store: engine.store.clone(), times: AtomicU32::new(times), ends };
    let sent = (&unlucky as &dyn Store).write(|tx| insert_task(tx, 1, 1, "coder")).await;
    let is_there = engine.store.read(|rows| rows.task(&task_id(1))).await.unwrap().is_some();
    (sent, is_there, unlucky.times.into_inner())
}

#[tokio::test]
async fn a_write_that_meets_conflicts_is_run_again_and_stays_once() {
    let (sent, is_there, left) = send(WRITE_CONFLICT_TRIES - 1, || Error::Conflict).await;
    assert!(sent.is_ok() && is_there, "{sent:?}");
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_write_that_meets_conflicts_without_end_is_told_so_and_leaves_nothing() {
    let (sent, is_there, left) = send(u32::MAX, || Error::Conflict).await;
    assert!(matches!(sent, Err(Error::Conflict)) && !is_there, "{sent:?}");
    assert_eq!(left, u32::MAX - WRITE_CONFLICT_TRIES);
}

#[tokio::test]
async fn a_write_whose_commit_has_an_unknown_fate_is_not_run_again() {
    let (sent, _, left) = send(2, || Error::Unknown("the connection was lost".into())).await;
    assert!(matches!(sent, Err(Error::Unknown(_))), "{sent:?}");
    assert_eq!(left, 1);
}
