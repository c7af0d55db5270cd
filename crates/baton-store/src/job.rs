//! A use case on its way through an engine: a closure, its outcome, and the caller who waits for it.
//! The outcome of a write is returned only once it is known whether its batch was committed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::oneshot;

use crate::error::Error;
use crate::parked::Ticket;
use crate::rows::{Snapshot, Transaction};

/// What a write came to when it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// What it wrote is to be committed.
    Stays,
    /// What it wrote is to be undone, and its caller is answered.
    Undone,
    /// It is a claim that found nothing and wrote nothing: it is parked if its caller waits.
    FoundNothing,
}

impl Outcome {
    const fn of<T, E>(outcome: &Result<T, E>) -> Self {
        match outcome {
            Ok(_) => Self::Stays,
            Err(_) => Self::Undone,
        }
    }
}

/// A write, as engines see it. It may be run more than once: what an earlier run wrote is undone first, and only the last
/// outcome counts.
pub trait WriteJob: Send {
    /// Runs the closure.
    fn run(&mut self, tx: &mut dyn Transaction) -> Outcome;
    /// Whether it need not be run because nobody waits for what it finds. A write that changes something on its caller's
    /// word is run anyway.
    fn is_abandoned(&self) -> bool {
        false
    }
    /// The place of a claim among those that wait; none for any other write.
    fn ticket(&self) -> Option<&Ticket> {
        None
    }
    /// Returns the outcome to the caller, after the commit or its failure. An engine that had a conflict reports it here, also where it was a row
    /// that a closure asked for: the whole transaction is undone then.
    fn settle(self: Box<Self>, committed: Result<(), Error>);
}

/// A read, as engines see it. It may be run more than once: one that takes long is stopped and restarted where it keeps
/// nobody waiting.
pub trait ReadJob: Send {
    /// Runs the closure and keeps its outcome.
    fn run(&mut self, rows: &dyn Snapshot);
    /// Whether nobody waits for the outcome any more.
    fn is_abandoned(&self) -> bool;
    /// Answers the caller: with the outcome, or with why there is none.
    fn settle(self: Box<Self>, ran: Result<(), Error>);
}

/// What became of a write.
pub(crate) enum Settled<F, T, E> {
    /// It has its outcome.
    Done(Result<T, E>),
    /// Other transactions got in its way: nothing was written, and here is the closure again.
    Conflict(F),
}

/// A write that is answered with what it came to.
pub(crate) struct Write<F, T, E> {
    closure: F,
    outcome: Option<Result<T, E>>,
    caller: oneshot::Sender<Settled<F, T, E>>,
}

impl<F, T, E> Write<F, T, E> {
    pub(crate) fn new(closure: F, caller: oneshot::Sender<Settled<F, T, E>>) -> Self {
        Self { closure, outcome: None, caller }
    }
}

impl<F, T, E> WriteJob for Write<F, T, E>
where
    F: Fn(&mut dyn Transaction) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn run(&mut self, tx: &mut dyn Transaction) -> Outcome {
        Outcome::of(self.outcome.insert(caught(|| (self.closure)(tx))))
    }

    fn settle(self: Box<Self>, committed: Result<(), Error>) {
        let settled = match committed {
            Err(Error::Conflict) => Settled::Conflict(self.closure),
            committed => Settled::Done(answer(self.outcome, committed)),
        };
        // A caller who hung up still has what was committed.
        let _ = self.caller.send(settled);
    }
}

/// A claim: a write that finds something to take, or nothing.
pub(crate) struct ClaimWrite<F, T, E> {
    closure: F,
    outcome: Option<Result<Option<T>, E>>,
    caller: oneshot::Sender<Result<Option<T>, E>>,
    ticket: Ticket,
}

impl<F, T, E> ClaimWrite<F, T, E> {
    pub(crate) fn new(closure: F, caller: oneshot::Sender<Result<Option<T>, E>>, ticket: Ticket) -> Self {
        Self { closure, outcome: None, caller, ticket }
    }
}

impl<F, T, E> WriteJob for ClaimWrite<F, T, E>
where
    F: Fn(&mut dyn Transaction) -> Result<Option<T>, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn run(&mut self, tx: &mut dyn Transaction) -> Outcome {
        match self.outcome.insert(caught(|| (self.closure)(tx))) {
            Ok(None) => Outcome::FoundNothing,
            outcome => Outcome::of(outcome),
        }
    }

    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn ticket(&self) -> Option<&Ticket> {
        Some(&self.ticket)
    }

    fn settle(self: Box<Self>, committed: Result<(), Error>) {
        answer_caller(self.caller, self.outcome, committed);
    }
}

/// Turns a panic into an error for its own caller, so that the rest of the batch is not affected.
fn caught<T, E: From<Error>>(run: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(Error::Panicked(reason(&*panic)).into()))
}

fn answer_caller<T, E: From<Error>>(
    caller: oneshot::Sender<Result<T, E>>,
    outcome: Option<Result<T, E>>,
    committed: Result<(), Error>,
) {
    // A caller who hung up still has what was committed.
    let _ = caller.send(answer(outcome, committed));
}

fn answer<T, E: From<Error>>(outcome: Option<Result<T, E>>, committed: Result<(), Error>) -> Result<T, E> {
    match (committed, outcome) {
        (Ok(()), Some(outcome)) => outcome,
        (Ok(()), None) => Err(Error::Closed.into()),
        (Err(error), _) => Err(error.into()),
    }
}

pub(crate) struct Read<F, T, E> {
    closure: F,
    outcome: Option<Result<T, E>>,
    caller: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Read<F, T, E> {
    pub(crate) fn new(closure: F, caller: oneshot::Sender<Result<T, E>>) -> Self {
        Self { closure, outcome: None, caller }
    }
}

impl<F, T, E> ReadJob for Read<F, T, E>
where
    F: Fn(&dyn Snapshot) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn run(&mut self, rows: &dyn Snapshot) {
        self.outcome = Some(caught(|| (self.closure)(rows)));
    }

    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn settle(self: Box<Self>, ran: Result<(), Error>) {
        answer_caller(self.caller, self.outcome, ran);
    }
}

fn reason(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".into())
}
