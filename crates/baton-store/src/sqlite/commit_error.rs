//! What a COMMIT that failed leaves behind. SQLite undoes the transaction in memory, whatever went wrong. A start after
//! a crash, however, takes every transaction out of the write-ahead log whose last frame, the one with the commit mark,
//! is whole. It depends on how far the COMMIT came whether that can happen.

use rusqlite::ffi;

use crate::error::Error;

/// The error for callers that had a write in the transaction.
pub(super) fn of(failure: rusqlite::Error) -> Error {
    match failure.sqlite_error() {
        Some(code) if may_be_in_the_log(code.extended_code) => Error::Unknown(failure.to_string()),
        _ => failure.into(),
    }
}

/// Whether all frames may be in the log, by the extended code of SQLite's error. They are written from the front, also
/// where `baton_wal` writes many of them at once, the commit mark last and nothing after it (no padding: SQLite takes
/// disks for `SQLITE_IOCAP_POWERSAFE_OVERWRITE` unless it is built otherwise). So a write or read that failed, or a disk that
/// was full, left the log without the mark. Then the log is synced (`FSYNC`) and the frames are entered in the wal-index
/// (`SHMMAP`, `SHMSIZE`, memory). What else can go wrong with a file is not known to come before.
const fn may_be_in_the_log(extended_code: i32) -> bool {
    match extended_code & 0xff {
        ffi::SQLITE_IOERR => !matches!(
            extended_code,
            ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_READ | ffi::SQLITE_IOERR_SHORT_READ
        ),
        ffi::SQLITE_NOMEM => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_has_an_unknown_fate_exactly_where_its_frames_may_be_in_the_log() {
        let table = [
            (ffi::SQLITE_IOERR_FSYNC, true),
            (ffi::SQLITE_IOERR_DIR_FSYNC, true),
            (ffi::SQLITE_IOERR_SHMMAP, true),
            (ffi::SQLITE_IOERR_SHMSIZE, true),
            (ffi::SQLITE_IOERR_NOMEM, true),
            (ffi::SQLITE_NOMEM, true),
            (ffi::SQLITE_IOERR, true),
            (ffi::SQLITE_IOERR_WRITE, false),
            (ffi::SQLITE_IOERR_READ, false),
            (ffi::SQLITE_IOERR_SHORT_READ, false),
            (ffi::SQLITE_FULL, false),
            (ffi::SQLITE_BUSY, false),
            (ffi::SQLITE_BUSY_SNAPSHOT, false),
            (ffi::SQLITE_LOCKED, false),
            (ffi::SQLITE_CONSTRAINT_FOREIGNKEY, false),
            (ffi::SQLITE_INTERRUPT, false),
            (ffi::SQLITE_READONLY, false),
            (ffi::SQLITE_ERROR, false),
        ];
        for (code, is_unknown) in table {
            let error = of(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
            let is_as_expected = match error {
                Error::Unknown(_) => is_unknown,
                Error::Unavailable(_) => !is_unknown,
                _ => false,
            };
            assert!(is_as_expected, "{code}: {error}");
        }
    }

    #[test]
    fn damage_that_a_commit_meets_stays_damage() {
        for code in [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB] {
            let error = of(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
            assert!(matches!(error, Error::Damaged(_)), "{code}: {error}");
        }
    }
}
