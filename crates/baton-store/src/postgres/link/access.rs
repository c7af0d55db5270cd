//! The access epoch, read for every call: a token that was revoked through one hub is refused at its next call on every
//! hub. One read answers all calls that asked before it began.

use baton_core::limits;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::{Client, Statement};

use super::super::fault;
use super::super::lane::Shared;
use super::{BARRIER, connect, in_time};
use crate::error::Error;

type Caller = oneshot::Sender<Result<u64, Error>>;

/// Where calls ask.
pub(super) struct Epochs(mpsc::UnboundedSender<Caller>);

/// Calls that ask.
pub(super) type Asks = mpsc::UnboundedReceiver<Caller>;

impl Epochs {
    pub(super) fn new() -> (Self, Asks) {
        let (sender, asks) = mpsc::unbounded_channel();
        (Self(sender), asks)
    }

    pub(super) fn ask(&self) -> oneshot::Receiver<Result<u64, Error>> {
        let (caller, answer) = oneshot::channel();
        // If the link has ended the answer is that nobody answers.
        let _ = self.0.send(caller);
        answer
    }
}

/// A connection that reads it.
struct Connected {
    client: Client,
    statement: Statement,
    /// When the server last answered.
    answered: Instant,
    /// How many doubts there were when its last barrier began.
    doubts: u64,
}

/// Answers until the store is closed.
pub(super) async fn answer(shared: &Shared, mut asks: Asks) {
    let mut connected: Option<Connected> = None;
    let mut callers = Vec::new();
    while asks.recv_many(&mut callers, limits::WRITES_WAITING_MAX_COUNT).await > 0 {
        let read = read(shared, &mut connected).await;
        if let Ok(epoch) = read {
            shared.epoch.fetch_max(epoch, Ordering::AcqRel);
        }
        // Whoever left does not need to know.
        callers.drain(..).for_each(|caller| drop(caller.send(read.clone())));
    }
}

/// Reads it, on another connection if this one turns out to be cut or silent.
async fn read(shared: &Shared, connected: &mut Option<Connected>) -> Result<u64, Error> {
    let mut failed = Error::Closed;
    for _ in 0..limits::POSTGRES_READ_TRIES_COUNT {
        let current = match connected.take() {
            Some(current) if !current.client.is_closed() => Ok(current),
            _ => open(shared).await,
        };
        match in_time(shared, async { current?.read(shared).await }).await {
            Ok((current, epoch)) => {
                *connected = Some(current);
                return Ok(epoch);
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

impl Connected {
    /// Reads it. After a silence another server may be the primary by now, and what others see may be on no standby: a barrier
    /// that is committed first says that it is not so.
    async fn read(mut self, shared: &Shared) -> Result<(Self, u64), Error> {
        let doubts = shared.doubts.count();
        if self.answered.elapsed() >= limits::POSTGRES_SILENT_MAX || self.doubts != doubts {
            self.client.batch_execute(BARRIER).await.map_err(|error| fault::of(&error))?;
            self.doubts = doubts;
        }
        let row = self.client.query_one(&self.statement, &[]).await.map_err(|error| fault::of(&error))?;
        self.answered = Instant::now();
        Ok((self, row.get::<_, i64>("epoch").unsigned_abs()))
    }
}

async fn open(shared: &Shared) -> Result<Connected, Error> {
    let doubts = shared.doubts.count();
    let settings =
        format!("SET statement_timeout = {}; SET jit = off; {BARRIER}", limits::POSTGRES_LOCK_MAX_MILLIS);
    let client = connect(shared, &settings, mpsc::unbounded_channel().0).await?;
    let sql = "SELECT epoch FROM access_epoch WHERE one = 1";
    let statement =
        in_time(shared, async { client.prepare(sql).await.map_err(|error| fault::of(&error)) }).await?;
    Ok(Connected { client, statement, answered: Instant::now(), doubts })
}
