//! The end of a transaction: what it has changed is written and committed in one round trip.

use baton_core::NetworkId;
use foldhash::HashSet;
use std::cell::RefCell;

use super::super::heads::Close;
use super::super::scope::{Ask, Mode};
use super::super::session::Session;
use super::super::set::Writes;
use super::super::tallies::Tallies;
use crate::error::Error;
use crate::hint::ChangesByNetwork;
use crate::meter::Tally;
use crate::parked::Inbox;
use crate::sql::work::Work;
use crate::sql::write_set::Hints;

/// A batch that ran.
pub(super) struct Ran {
    pub(super) changes: ChangesByNetwork,
    /// Inboxes with a task that was opened.
    pub(super) opened: Vec<Inbox>,
    /// The networks that it changed, each with its version if that is known.
    pub(super) versions: Vec<(NetworkId, Option<i64>)>,
    pub(super) tally: Tally,
    pub(super) access_epoch: Option<u64>,
    pub(super) wrote: bool,
}

/// Why a transaction was not finished.
pub(super) enum Unfinished {
    /// Nothing of it is left.
    Failed(Error),
    /// Its COMMIT was sent and not answered.
    Unknown(Error),
}

impl From<Error> for Unfinished {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Writes what a transaction has changed and commits it, in one round trip. One that changed nothing is committed too if its
/// answer says that something was done before, as that of a repeated send: with synchronous replication this commit
/// waits until a standby has that as well.
pub(super) fn finish(
    session: &Session,
    work: &RefCell<Work>,
    mode: Mode,
    lane: &str,
    number: i64,
    probes: bool,
) -> Result<Ran, Unfinished> {
    let work = &mut *work.borrow_mut();
    let changed = session.scope.borrow().changed.clone();
    let touches_access = work.batch.hints.touches_access;
    let wrote = std::mem::take(&mut work.wrote)
        || !work.batch.is_empty()
        || !changed.is_empty()
        || touches_access
        || session.scope.borrow().has_new_keys
        || probes
        || mode == Mode::AloneWithAll
        || session.scope.borrow().confirms();
    if !wrote {
        session.command("ROLLBACK")?;
        return Ok(ran_of(std::mem::take(&mut work.batch.hints), None, false));
    }
    let access_epoch = if touches_access { Some(raise_access(session)?) } else { None };
    let tallies = Tallies::load(session, &work.known, &work.batch.counts)?;
    let close = Close { changed: &changed, mode, lane, number };
    let mut writes = Writes::of(&work.batch);
    tallies.write(&mut writes);
    close.write(work, &mut writes);
    let sent = session.send(&writes, Some("COMMIT"));
    drop(writes);
    match sent {
        Ok(()) if session.take_not_replicated() => Err(Unfinished::Failed(Error::Unknown(
            "PostgreSQL stopped waiting for its standby: the write is on this server, and may be on no other"
                .into(),
        ))),
        Ok(()) => {
            tallies.remember(&mut work.known);
            work.batch.note_written();
            let written: Vec<_> = work.batch.tasks.drain().collect();
            for (id, entry) in written {
                work.known.put_task(id, entry.now);
            }
            work.batch.retries.clear();
            work.batch.counted = Default::default();
            Ok(ran_of(std::mem::take(&mut work.batch.hints), access_epoch, true))
        }
        Err(error) if session.is_lost() => Err(Unfinished::Unknown(error)),
        Err(error) => Err(Unfinished::Failed(error)),
    }
}

fn raise_access(session: &Session) -> Result<u64, Error> {
    let sql = "UPDATE access_epoch SET epoch = epoch + 1 WHERE one = 1 RETURNING epoch";
    let found = session.ask(&[Ask { sql: sql.into(), parameters: Vec::new() }])?;
    let epoch = found.first().and_then(|rows| rows.first()).map(|row| row.get::<_, i64>("epoch"));
    epoch.map(i64::unsigned_abs).ok_or_else(|| Error::Corrupt("there is no access epoch".into()))
}

pub(super) fn ran_of(hints: Hints, access_epoch: Option<u64>, wrote: bool) -> Ran {
    let Hints { changes, opened, tally, .. } = hints;
    Ran { changes, opened: opened.into(), versions: Vec::new(), tally, access_epoch, wrote }
}

/// Networks whose versions are not known.
pub(super) fn unknown_versions(changed: HashSet<NetworkId>) -> Vec<(NetworkId, Option<i64>)> {
    changed.into_iter().map(|network| (network, None)).collect()
}
