//! The store as one share uses it: `write` and `read` take a closure and answer when it is done. An answer to a write
//! means the disk has it.

use baton_core::limits;
use std::sync::Arc;
use tokio::sync::oneshot;

use crate::error::Error;
use crate::job::{ClaimWrite, Read, Settled, Write};
use crate::parked::{Inbox, Parked, Ticket};
use crate::rows::{Snapshot, Transaction};
use crate::share::Share;
use crate::store::{Lane, Store};

/// A store, and the share that its reads and writes are counted to.
#[derive(Clone)]
pub struct Tenant<'s> {
    store: &'s dyn Store,
    share: Share,
}

/// What becomes of a claim that finds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenEmpty {
    /// It is answered so.
    Answer,
    /// It is parked until there is something for its inbox.
    Park,
}

/// A claim in progress. It is given up when this is dropped.
#[derive(Debug)]
pub struct Claim<T, E> {
    answer: oneshot::Receiver<Result<Option<T>, E>>,
    ticket: Ticket,
    parked: Arc<Parked>,
}

impl<T, E: From<Error>> Claim<T, E> {
    /// What it found, once it has. A wait that is given up loses nothing.
    pub async fn found(&mut self) -> Result<Option<T>, E> {
        (&mut self.answer).await.unwrap_or_else(|_| Err(Error::Closed.into()))
    }

    /// Waits no longer: what was found until now, if a commit with it is in progress, or nothing.
    pub async fn end(mut self) -> Result<Option<T>, E> {
        self.ticket.stop_waiting();
        if self.parked.take(&self.ticket).is_some() {
            return Ok(None);
        }
        self.found().await
    }
}

impl<T, E> Drop for Claim<T, E> {
    fn drop(&mut self) {
        // First: one that is just being parked is not parked then, or is found there.
        self.answer.close();
        drop(self.parked.take(&self.ticket));
    }
}

impl<'s> Tenant<'s> {
    pub(crate) const fn new(store: &'s dyn Store, share: Share) -> Self {
        Self { store, share }
    }

    /// Runs a closure in one of the next transactions. If it answers an error, nothing of it stays. It may be run more than
    /// once before an outcome counts, so it touches nothing outside the transaction; on a conflict with other
    /// transactions it is run again here.
    pub async fn write<T, E>(
        self,
        mut closure: impl Fn(&mut dyn Transaction) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        for _ in 0..limits::WRITE_CONFLICT_TRIES {
            let (caller, settled) = oneshot::channel();
            self.store.submit(self.share.clone(), Box::new(Write::new(closure, caller)))?;
            match settled.await {
                Ok(Settled::Done(outcome)) => return outcome,
                Ok(Settled::Conflict(again)) => closure = again,
                Err(_) => return Err(Error::Closed.into()),
            }
        }
        Err(Error::Conflict.into())
    }

    /// Runs a claim: a closure that takes something and answers it, or writes nothing and answers none. One that is parked
    /// is run again in every transaction that opens a task for its inbox, until it finds something; so the closure must
    /// look at the clock, at permissions and for new ids itself.
    pub fn claim<T, E>(
        self,
        inbox: Inbox,
        if_nothing: WhenEmpty,
        closure: impl Fn(&mut dyn Transaction) -> Result<Option<T>, E> + Send + 'static,
    ) -> Result<Claim<T, E>, Error>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        let parked = self.store.parked().clone();
        let ticket = parked.ticket(inbox, if_nothing == WhenEmpty::Park);
        self.store.submit(self.share, Box::new(ClaimWrite::new(closure, caller, ticket.clone())))?;
        Ok(Claim { answer, ticket, parked })
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
