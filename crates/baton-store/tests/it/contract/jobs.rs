//! What an engine owes a job: it is run, kept or undone as it says, and settled once, whatever became of it.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{insert_task, task_id, with_network};
use baton_store::job::{Outcome, ReadJob, WriteJob};
use baton_store::{Error, Lane, Share, Snapshot, Store, Transaction};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The outcome that a job receives.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Ran { sees_task: bool },
    Settled { is_committed: bool },
}

/// Inserts a task and says whether it stays.
struct Send {
    n: u16,
    outcome: Outcome,
    told: UnboundedSender<Told>,
}

impl WriteJob for Send {
    fn run(&mut self, tx: &mut dyn Transaction) -> Outcome {
        // An engine may stop it here, and run it again.
        if insert_task(tx, 1, self.n, "coder").is_err() {
            return Outcome::Undone;
        }
        self.told.send(Told::Ran { sees_task: tx.task(&task_id(self.n)).unwrap().is_some() }).unwrap();
        self.outcome
    }

    fn settle(self: Box<Self>, committed: Result<(), Error>) {
        self.told.send(Told::Settled { is_committed: committed.is_ok() }).unwrap();
    }
}

/// Looks for a task.
struct Look {
    n: u16,
    is_abandoned: bool,
    told: UnboundedSender<Told>,
}

impl ReadJob for Look {
    fn run(&mut self, rows: &dyn Snapshot) {
        self.told.send(Told::Ran { sees_task: rows.task(&task_id(self.n)).unwrap().is_some() }).unwrap();
    }

    fn is_abandoned(&self) -> bool {
        self.is_abandoned
    }

    fn settle(self: Box<Self>, ran: Result<(), Error>) {
        self.told.send(Told::Settled { is_committed: ran.is_ok() }).unwrap();
    }
}

async fn all(mut told: UnboundedReceiver<Told>) -> Vec<Told> {
    let mut all = Vec::new();
    while let Some(next) = told.recv().await {
        all.push(next);
    }
    all
}

/// Everything a read receives until it is dropped.
async fn look(store: &dyn Store, n: u16, lane: Lane, is_abandoned: bool) -> Vec<Told> {
    let (told, heard) = unbounded_channel();
    store.query(Share::Hub, lane, Box::new(Look { n, is_abandoned, told })).unwrap();
    all(heard).await
}

engines! {
    async fn a_write_job_is_settled_once_and_stays_only_if_it_says_so(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        for (n, outcome) in [(1, Outcome::Stays), (2, Outcome::Undone)] {
            let (told, heard) = unbounded_channel();
            engine.store.submit(Share::Hub, Box::new(Send { n, outcome, told })).unwrap();
            let mut told = all(heard).await;
            assert_eq!(told.pop(), Some(Told::Settled { is_committed: true }), "{n}");
            // It may be run again to undo it.
            assert!(!told.is_empty() && told.iter().all(|told| *told == Told::Ran { sees_task: true }), "{n}: {told:?}");
            let is_there = engine.store.read(move |rows| rows.task(&task_id(n))).await.unwrap().is_some();
            assert_eq!(is_there, outcome == Outcome::Stays, "{n}");
        }
    }

    async fn a_read_job_is_run_in_either_lane_and_not_at_all_once_nobody_waits(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| insert_task(tx, 1, 1, "coder")).await.unwrap();
        for (n, sees_task) in [(1, true), (2, false)] {
            for lane in [Lane::Quick, Lane::Slow] {
                let mut told = look(&*engine.store, n, lane, false).await;
                assert_eq!(told.pop(), Some(Told::Settled { is_committed: true }), "{n} {lane:?}");
                assert!(!told.is_empty() && told.iter().all(|told| *told == Told::Ran { sees_task }), "{n} {lane:?}: {told:?}");
            }
        }
        let told = look(&*engine.store, 1, Lane::Quick, true).await;
        assert!(!told.iter().any(|told| matches!(told, Told::Ran { .. })), "{told:?}");
    }

    async fn a_closed_store_takes_no_jobs(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.close();
        let (told, heard) = unbounded_channel();
        let send = Send { n: 1, outcome: Outcome::Stays, told: told.clone() };
        assert!(matches!(engine.store.submit(Share::Hub, Box::new(send)), Err(Error::Closed)));
        let look = Look { n: 1, is_abandoned: false, told };
        assert!(matches!(engine.store.query(Share::Hub, Lane::Quick, Box::new(look)), Err(Error::Closed)));
        assert_eq!(all(heard).await, [], "and runs none of them");
    }
}
