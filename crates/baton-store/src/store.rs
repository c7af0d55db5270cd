//! An engine, and how it is; what it reports after a commit is in `hint.rs`. Use cases reach it through a [`Tenant`], the store as one
//! share uses it. Files and pages belong to the engine that has them.

use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::oneshot;

use crate::error::Error;
use crate::job::{ReadJob, WriteJob};
use crate::meter::Meter;
use crate::parked::Parked;
use crate::rows::{Snapshot, Transaction};
use crate::share::Share;
use crate::tenant::Tenant;

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

/// The access epoch, asked for by a call.
#[derive(Debug)]
pub enum AccessEpoch {
    /// It is known.
    Known(u64),
    /// Other hubs raise it too: the database is asked.
    Asked(oneshot::Receiver<Result<u64, Error>>),
}

impl AccessEpoch {
    /// The number.
    pub async fn get(self) -> Result<u64, Error> {
        match self {
            Self::Known(epoch) => Ok(epoch),
            Self::Asked(answer) => answer.await.unwrap_or(Err(Error::Closed)),
        }
    }
}

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
    ///
    /// This is the newest number that this hub knows of; another hub may have raised it since.
    fn access_epoch(&self) -> u64;
    /// The same as it is committed now, whichever hub raised it.
    fn newest_access_epoch(&self) -> AccessEpoch;
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
