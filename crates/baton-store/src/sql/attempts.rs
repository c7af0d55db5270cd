//! Attempts in SQL: one row for each key, its times side by side.

use baton_core::{UnixMillis, limits};
use rusqlite::params;

use super::columns::{Row, get, time};
use super::rows::Rows;
use crate::error::Error;
use crate::postgres::Guard;
use crate::rows::{AttemptKey, AttemptKind, AttemptReads, AttemptWrites, AttemptsRow};

/// Bytes of a time.
const TIME: usize = 8; // not a limit: a stored form

fn attempts_row(row: &Row<'_>) -> Result<AttemptsRow, Error> {
    let bytes: Vec<u8> = get(row, "times")?;
    let (times, rest) = bytes.as_chunks::<TIME>();
    let count: i64 = get(row, "count")?;
    let corrupt = || Error::Corrupt("a row of attempts".into());
    if !rest.is_empty() {
        return Err(corrupt());
    }
    Ok(AttemptsRow {
        count: u32::try_from(count).map_err(|_| corrupt())?,
        times: times.iter().map(|bytes| UnixMillis::new(i64::from_be_bytes(*bytes))).collect(),
        forgotten_at: time(row, "forgotten_at")?,
    })
}

impl AttemptReads for Rows<'_> {
    fn attempts(&self, kind: AttemptKind, key: &AttemptKey) -> Result<Option<AttemptsRow>, Error> {
        let sql = "SELECT count, times, forgotten_at FROM attempts WHERE kind = ?1 AND key = ?2";
        self.look_up(sql, params![kind.number(), key], attempts_row)
    }
}

impl AttemptWrites for Rows<'_> {
    fn put_attempts(
        &mut self,
        kind: AttemptKind,
        key: &AttemptKey,
        row: &AttemptsRow,
        keep: usize,
    ) -> Result<(), Error> {
        let times: Vec<u8> = row.times.iter().flat_map(|at| at.get().to_be_bytes()).collect();
        let changed = self.execute_guarded(
            Guard::Attempts,
            "UPDATE attempts SET count = ?3, times = ?4, forgotten_at = ?5 WHERE kind = ?1 AND key = ?2",
            params![kind.number(), key, row.count, times, row.forgotten_at.get()],
        )?;
        if changed > 0 {
            return Ok(());
        }
        self.execute_guarded(
            Guard::Attempts,
            "DELETE FROM attempts WHERE kind = ?1 AND key IN (
                 SELECT key FROM attempts WHERE kind = ?1 ORDER BY forgotten_at DESC LIMIT ?2 OFFSET ?3)",
            params![kind.number(), limits::ATTEMPTS_REMOVED_AT_ONCE_COUNT, keep.saturating_sub(1) as i64],
        )?;
        self.execute_guarded(
            Guard::Attempts,
            "INSERT INTO attempts (kind, key, count, times, forgotten_at) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![kind.number(), key, row.count, times, row.forgotten_at.get()],
        )?;
        Ok(())
    }

    fn delete_attempts(&mut self, kind: AttemptKind, key: &AttemptKey) -> Result<(), Error> {
        let sql = "DELETE FROM attempts WHERE kind = ?1 AND key = ?2";
        self.execute_guarded(Guard::Attempts, sql, params![kind.number(), key])?;
        Ok(())
    }

    fn forget_attempts(&mut self, now: UnixMillis, limit: usize) -> Result<usize, Error> {
        let mut forgotten = 0;
        for kind in AttemptKind::ALL {
            forgotten += self.execute_guarded(
                Guard::Attempts,
                "DELETE FROM attempts WHERE kind = ?1 AND key IN (
                     SELECT key FROM attempts WHERE kind = ?1 AND forgotten_at <= ?2
                     ORDER BY forgotten_at LIMIT ?3)",
                params![kind.number(), now.get(), limit.saturating_sub(forgotten) as i64],
            )?;
        }
        Ok(forgotten)
    }
}
