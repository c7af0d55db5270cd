//! The access epoch, read for every call: a token that was revoked through one hub is refused at its next call on every
//! hub. One read answers all calls that asked before it began.

use tokio::sync::{mpsc, oneshot};
use tokio_postgres::{Client, Statement};

use super::super::fault;
use super::super::lane::Shared;
use super::connect;
use crate::error::Error;
use baton_core::limits;
use std::sync::atomic::Ordering;

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

/// Answers until the store is closed.
pub(super) async fn answer(shared: &Shared, mut asks: Asks) {
    let mut connected: Option<(Client, Statement)> = None;
    let mut callers = Vec::new();
    while asks.recv_many(&mut callers, limits::WRITES_WAITING_MAX_COUNT).await > 0 {
        let read = read(shared, &mut connected).await;
        if let Ok(epoch) = read {
            shared.epoch.fetch_max(epoch, Ordering::AcqRel);
        } else {
            connected = None;
        }
        // Whoever left does not need to know.
        callers.drain(..).for_each(|caller| drop(caller.send(read.clone())));
    }
}

/// Reads it, on another connection if this one turns out to be cut.
async fn read(shared: &Shared, connected: &mut Option<(Client, Statement)>) -> Result<u64, Error> {
    let mut failed = Error::Closed;
    for _ in 0..limits::POSTGRES_READ_TRIES_COUNT {
        if connected.as_ref().is_none_or(|(client, _)| client.is_closed()) {
            *connected = Some(open(shared).await?);
        }
        let Some((client, statement)) = connected else { break };
        match client.query_one(statement, &[]).await {
            Ok(row) => return Ok(row.get::<_, i64>("epoch").unsigned_abs()),
            Err(error) => failed = fault::of(&error),
        }
        if !client.is_closed() {
            break;
        }
    }
    Err(failed)
}

async fn open(shared: &Shared) -> Result<(Client, Statement), Error> {
    let settings = format!("SET statement_timeout = {}; SET jit = off", limits::POSTGRES_LOCK_MAX_MILLIS);
    let client = connect(shared, &settings, mpsc::unbounded_channel().0).await?;
    let sql = "SELECT epoch FROM access_epoch WHERE one = 1";
    let statement = client.prepare(sql).await.map_err(|error| fault::of(&error))?;
    Ok((client, statement))
}
