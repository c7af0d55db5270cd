//! Damage to the database file: found by any statement that reads it, remembered for all until the hub restarts.
//!
//! A use case turns SQLite's error into an error of its own, so the thread that ran it cannot tell what happened. The
//! conversion into [`Error`] therefore records damage for its thread, and the thread that runs jobs collects it.

use rusqlite::ErrorCode;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use crate::error::Error;

thread_local! {
    static SEEN: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Whether SQLite says that the file is damaged. Extended codes share their primary code.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    let code = match error {
        rusqlite::Error::SqliteFailure(failure, _) => failure.code,
        rusqlite::Error::SqlInputError { error, .. } => error.code,
        _ => return false,
    };
    matches!(code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
}

/// Notes damage that a statement of this thread met.
pub(crate) fn see(error: &rusqlite::Error) {
    SEEN.set(Some(error.to_string()));
}

/// What is known of the damage of one database; every connection of it shares this.
#[derive(Clone, Debug, Default)]
pub(super) struct Damage(Arc<OnceLock<String>>);

impl Damage {
    /// The database is damaged, from now on. Only the first finding is kept and logged.
    pub(super) fn report(&self, what: &str) {
        if self.0.set(what.replace('\n', " ")).is_ok() {
            tracing::error!(
                damage = self.0.get(),
                "the database is damaged: no more writes are accepted, reads that still work go on; stop the hub, run \
                 `baton hub check`, and restore a backup with `baton hub restore`"
            );
        }
    }

    /// Collects damage that statements of this thread met since the last call.
    pub(super) fn collect(&self) {
        if let Some(what) = SEEN.take() {
            self.report(&what);
        }
    }

    /// For an error that is not converted into [`Error`].
    pub(super) fn note(&self, error: &rusqlite::Error) {
        if is_damage(error) {
            self.report(&error.to_string());
        }
    }

    pub(super) fn is_known(&self) -> bool {
        self.0.get().is_some()
    }

    /// Refuses a write once the database is known to be damaged.
    pub(super) fn refuse(&self) -> Result<(), Error> {
        self.0.get().map_or(Ok(()), |what| Err(Error::Damaged(what.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

    #[test]
    fn damage_is_told_from_every_other_error_by_its_primary_code() {
        let table = [
            (ffi::SQLITE_CORRUPT, true),
            (ffi::SQLITE_CORRUPT_VTAB, true),
            (ffi::SQLITE_CORRUPT_SEQUENCE, true),
            (ffi::SQLITE_CORRUPT_INDEX, true),
            (ffi::SQLITE_NOTADB, true),
            (ffi::SQLITE_FULL, false),
            (ffi::SQLITE_IOERR_READ, false),
            (ffi::SQLITE_IOERR_CORRUPTFS, false),
            (ffi::SQLITE_BUSY, false),
            (ffi::SQLITE_CONSTRAINT_TRIGGER, false),
        ];
        for (code, expected) in table {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(is_damage(&error), expected, "{code}");
            assert_eq!(matches!(Error::from(error), Error::Damaged(_)), expected, "{code}");
        }
    }

    #[test]
    fn what_a_thread_met_is_collected_once_and_refuses_writes_from_then_on() {
        let damage = Damage::default();
        damage.collect();
        assert!(damage.refuse().is_ok());
        let _ = Error::from(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), None));
        damage.collect();
        assert!(matches!(damage.refuse(), Err(Error::Damaged(_))));
        let of_another = Damage::default();
        of_another.collect();
        assert!(!of_another.is_known(), "it was collected already");
    }
}
