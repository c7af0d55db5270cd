//! An engine, what it reports after a commit, and how it is. Use cases reach it through a [`Tenant`], the store as one
//! share uses it. Files and pages belong to the engine that has them.

use baton_core::{NetworkId, Principal, Status, TaskId};
use std::pin::Pin;
use std::sync::Arc;

use crate::error::Error;
use crate::job::{ReadJob, WriteJob};
use crate::meter::Meter;
use crate::parked::Parked;
use crate::rows::{Snapshot, Transaction};
use crate::share::Share;
use crate::tenant::Tenant;

/// A hint that somebody has something new to read; it carries no data, and may be given more often than needed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ring {
    /// In this network.
    pub network_id: NetworkId,
    /// For this recipient.
    pub to: Principal,
}

/// A task whose history or conversation changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedTask {
    /// In this network.
    pub network_id: NetworkId,
    /// The task.
    pub task_id: TaskId,
    /// The status it had before; none when it is new.
    pub from: Option<Status>,
    /// The status it has from now on; none when only a message was added.
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
    /// The tasks whose history or conversation changed.
    pub changed_tasks: Vec<ChangedTask>,
    /// The logs that have grown.
    pub grown_logs: Vec<GrownLog>,
}

/// What is done with the hints of a committed batch.
pub type Bell = Arc<dyn Fn(Committed) + Send + Sync>;

/// How long a read is expected to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// A look-up or a page. One that turns out to take long is restarted in the slow lane.
    Quick,
    /// A search, a graph, an export.
    Slow,
}

/// How an engine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It accepts reads and writes.
    Well,
    /// It could not commit a write, and has committed none since then and a moment of quiet. Only a write shows that it
    /// can again ([`Store::check_writes`]).
    RefusesWrites,
    /// What it stores was found damaged since it was opened. It refuses every write from then on.
    Damaged,
}

/// A check of writes in progress.
pub type WriteCheck<'s> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 's>>;

/// An engine.
pub trait Store: Send + Sync + 'static {
    /// Runs a write in one of the next batches, when it is its share's turn.
    fn submit(&self, share: Share, job: Box<dyn WriteJob>) -> Result<(), Error>;
    /// Runs a read on a connection of its own, when it is its share's turn.
    fn query(&self, share: Share, lane: Lane, job: Box<dyn ReadJob>) -> Result<(), Error>;
    /// The claims that wait for a task.
    fn parked(&self) -> &Arc<Parked>;
    /// A number that grows with every committed change of users, tokens or members, also over a start. What was learnt of
    /// a caller under an older number is to be learnt again.
    fn access_epoch(&self) -> u64;
    /// What the store counts of itself.
    fn meter(&self) -> &Meter;
    /// How it is, by what it has met so far. It looks at nothing for this.
    fn health(&self) -> Health;
    /// Commits a write of the engine's own, which changes no row that anybody can read, to find out whether writes are
    /// accepted.
    fn check_writes(&self) -> WriteCheck<'_>;
    /// Takes no more writes, commits what waits and ends. Blocks.
    fn close(&self);
}

impl dyn Store {
    /// The store as a share uses it.
    pub const fn of(&self, share: Share) -> Tenant<'_> {
        Tenant::new(self, share)
    }

    /// A write of the hub's own: see [`Tenant::write`].
    pub async fn write<T, E>(
        &self,
        closure: impl Fn(&mut dyn Transaction) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.of(Share::Hub).write(closure).await
    }

    /// A read of the hub's own: see [`Tenant::read`].
    pub async fn read<T, E>(
        &self,
        closure: impl Fn(&dyn Snapshot) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.of(Share::Hub).read(closure).await
    }
}
