//! A copy of the whole database by SQLite's online backup: a few pages a step. On the writer's own connection, between
//! its batches, a page that is written after it was copied is written into the copy too, so the copy comes to an end
//! however much is written, and is the database as it was after the last step.

use baton_core::limits;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::{Duration, Instant};

use super::check;
use super::connection;
use crate::copy::CopyProgress;
use crate::error::Error;

/// Copies a database step by step; `between` runs after each, and ends it with an error.
pub(super) fn copy(
    from: &Connection,
    to: &Path,
    mut between: impl FnMut(CopyProgress) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut target = open_target(to)?;
    let backup = Backup::new(from, &mut target)?;
    let (mut pages, mut locked) = (limits::COPY_STEP_FIRST_PAGES, 0);
    loop {
        let began = Instant::now();
        match backup.step(pages)? {
            StepResult::Done => return Ok(()),
            StepResult::More => locked = 0,
            _ if locked < limits::COPY_LOCKED_MAX_COUNT => locked += 1,
            _ => return Err(Error::Unavailable("the database stays locked".into())),
        }
        pages = paced(pages, began.elapsed());
        let progress = backup.progress();
        let count = |pages: i32| u64::try_from(pages).unwrap_or_default();
        let of = count(progress.pagecount);
        between(CopyProgress { pages: of.saturating_sub(count(progress.remaining)), of })?;
    }
}

/// More pages next time if these took little time, fewer if they took long.
fn paced(pages: i32, took: Duration) -> i32 {
    let next = if took > limits::COPY_STEP_TIME {
        pages / 2
    } else if took < limits::COPY_STEP_TIME / 4 {
        pages * 2
    } else {
        pages
    };
    next.clamp(limits::COPY_STEP_MIN_PAGES, limits::COPY_STEP_MAX_PAGES)
}

/// The copy's own connection. It neither syncs nor journals: the caller syncs the finished file, off the
/// writer's thread, and throws away an unfinished one.
fn open_target(to: &Path) -> Result<Connection, Error> {
    // SQLite would read the file, and take one that is not a database for damage of the hub's own.
    if std::fs::metadata(to).is_ok_and(|found| found.len() > 0) {
        return Err(Error::Unavailable(format!("{} is not empty", to.display())));
    }
    // Not made here: under a file that this process does not see, the caller would not find the copy.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let target = Connection::open_with_flags(to, flags)
        .map_err(|error| Error::Unavailable(format!("the hub cannot open {}: {error}", to.display())))?;
    target.pragma_update(None, "synchronous", "OFF")?;
    target.pragma_update(None, "journal_mode", "OFF")?;
    Ok(target)
}

/// Copies a database that no hub has open; the caller holds its lock. It is not migrated.
pub fn copy_closed(from: &Path, to: &Path, mut tell: impl FnMut(CopyProgress)) -> Result<(), Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(from, flags)?;
    copy(&source, to, |progress| {
        tell(progress);
        Ok(())
    })
}

/// What a finished copy says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyFacts {
    /// The number of its schema.
    pub schema: u32,
    /// The public key its checkpoints are signed for, once there is one.
    pub evidence_key: Option<String>,
}

/// Looks at a copy nobody writes to: whether its pages are whole, and what it is a copy of.
pub fn look_at_copy(path: &Path) -> Result<CopyFacts, Error> {
    let copy = check::open_quiet(path)?;
    check::quick_check(&copy)?;
    let schema = connection::schema_of(&copy)?;
    if schema == 0 {
        return Err(Error::Unavailable("not a Baton database".into()));
    }
    let mut evidence_key = None;
    // The first schema had no evidence.
    if copy.table_exists(None, "evidence_key")? {
        let mut known = copy.prepare("SELECT key FROM evidence_key WHERE one = 1")?;
        evidence_key = known.query_map([], |row| row.get(0))?.next().transpose()?;
    }
    Ok(CopyFacts { schema, evidence_key })
}
