//! The store as one share uses it: `write` and `read` take a closure and answer when it is done. An answer to a write
//! means the disk has it.

use tokio::sync::oneshot;

use crate::error::Error;
use crate::job::{Read, RepeatableWrite, Write};
use crate::rows::{Snapshot, Transaction};
use crate::share::Share;
use crate::store::{Lane, Store};

/// A store, and the share that its reads and writes are counted to.
#[derive(Clone)]
pub struct Tenant<'s> {
    store: &'s dyn Store,
    share: Share,
}

impl<'s> Tenant<'s> {
    pub(crate) const fn new(store: &'s dyn Store, share: Share) -> Self {
        Self { store, share }
    }

    /// Runs a closure in a savepoint of the next transaction. If it answers an error, nothing of it stays.
    pub async fn write<T, E>(
        self,
        closure: impl FnOnce(&mut dyn Transaction) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        self.store.submit(self.share, Box::new(Write::new(closure, caller)))?;
        answer.await.unwrap_or_else(|_| Err(Error::Closed.into()))
    }

    /// The same for a closure that may be run more than once before its outcome counts: cheaper where writes are
    /// many, because such closures share a transaction without savepoints.
    pub async fn write_repeatably<T, E>(
        self,
        closure: impl Fn(&mut dyn Transaction) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        self.store.submit(self.share, Box::new(RepeatableWrite::new(closure, caller)))?;
        answer.await.unwrap_or_else(|_| Err(Error::Closed.into()))
    }

    /// Runs a closure against one consistent state of the database. It is run again if it takes long.
    pub async fn read<T, E>(
        self,
        closure: impl Fn(&dyn Snapshot) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.query(Lane::Quick, closure).await
    }

    /// A read that is known to take long: it waits for others of its kind only, and keeps no quick one waiting.
    pub async fn scan<T, E>(
        self,
        closure: impl Fn(&dyn Snapshot) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.query(Lane::Slow, closure).await
    }

    async fn query<T, E>(
        self,
        lane: Lane,
        closure: impl Fn(&dyn Snapshot) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        self.store.query(self.share, lane, Box::new(Read::new(closure, caller)))?;
        answer.await.unwrap_or_else(|_| Err(Error::Closed.into()))
    }
}

impl std::fmt::Debug for Tenant<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tenant").field("share", &self.share).finish_non_exhaustive()
    }
}
