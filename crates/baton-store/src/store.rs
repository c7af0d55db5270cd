//! The store as the services see it: `write` and `read` take a closure and answer when it is done. An answer to
//! a write means the disk has it.

use baton_core::{NetworkId, Principal, Status, TaskId};
use tokio::sync::oneshot;

use crate::copy::CopyJob;
use crate::error::Error;
use crate::job::{Read, ReadJob, RepeatableWrite, Write, WriteJob};
use crate::meter::Meter;
use crate::rows::{Snapshot, Transaction};

/// A hint that somebody has something new to read; it carries no data, and may be given more often than needed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ring {
    /// In this network.
    pub network_id: NetworkId,
    /// For this recipient.
    pub to: Principal,
}

/// A task whose history or conversation went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedTask {
    /// In this network.
    pub network_id: NetworkId,
    /// The task.
    pub task_id: TaskId,
    /// The status it had before; none when it is new.
    pub from: Option<Status>,
    /// The status it has from now on; none when something was only said on it.
    pub status: Option<Status>,
}

/// A network's log that has grown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrownLog {
    /// The log's network.
    pub network_id: NetworkId,
    /// So many events it has now.
    pub size: u64,
    /// So many of them are new.
    pub gained: u64,
}

/// What a committed batch leaves for those who wait: hints, without data.
#[derive(Clone, Debug, Default)]
pub struct Committed {
    /// Who has something new to read.
    pub rings: Vec<Ring>,
    /// The tasks whose history or conversation went on.
    pub changed_tasks: Vec<ChangedTask>,
    /// The logs that have grown.
    pub grown_logs: Vec<GrownLog>,
}

/// An engine.
pub trait Store: Send + Sync + 'static {
    /// Takes a write into the next batch.
    fn submit(&self, job: Box<dyn WriteJob>) -> Result<(), Error>;
    /// Runs a read on a connection of its own.
    fn query(&self, job: Box<dyn ReadJob>) -> Result<(), Error>;
    /// Copies everything as it is at one moment into a file, a little at a time between the writes.
    fn copy(&self, job: CopyJob) -> Result<(), Error>;
    /// A number that grows with every committed change of users, tokens or members. What was learnt of a caller
    /// under an older number is to be learnt again.
    fn access_epoch(&self) -> u64;
    /// What the store counts of itself.
    fn meter(&self) -> &Meter;
    /// Whether the disk refused a change, and has not taken one since then and a moment of quiet. Only a write can
    /// tell that it does again ([`Transaction::probe`]).
    fn refuses_writes(&self) -> bool;
    /// Whether the database file was found damaged since it was opened. Every write is refused from then on.
    fn is_damaged(&self) -> bool;
    /// Takes no more writes, commits what waits and ends. Blocks.
    fn close(&self);
}

impl dyn Store {
    /// Runs a closure in a savepoint of the next transaction. If it answers an error, nothing of it stays.
    pub async fn write<T, E>(
        &self,
        closure: impl FnOnce(&mut dyn Transaction) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        self.submit(Box::new(Write::new(closure, caller)))?;
        answer.await.unwrap_or_else(|_| Err(Error::Closed.into()))
    }

    /// The same for a closure that may be run more than once before its outcome counts: cheaper where writes are
    /// many, because such closures share a transaction without savepoints.
    pub async fn write_repeatably<T, E>(
        &self,
        closure: impl Fn(&mut dyn Transaction) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        self.submit(Box::new(RepeatableWrite::new(closure, caller)))?;
        answer.await.unwrap_or_else(|_| Err(Error::Closed.into()))
    }

    /// Runs a closure against one consistent state of the database.
    pub async fn read<T, E>(
        &self,
        closure: impl FnOnce(&dyn Snapshot) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        self.query(Box::new(Read::new(closure, caller)))?;
        answer.await.unwrap_or_else(|_| Err(Error::Closed.into()))
    }
}
