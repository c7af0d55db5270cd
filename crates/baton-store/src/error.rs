//! What the store cannot do. A rule that refuses is never one of these.

use crate::sqlite::damage;

/// A failure of the store. Nothing of the write it answers has happened, unless it is [`Error::Unknown`].
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// Too many calls of this share wait already.
    #[error("too many calls are waiting; try again in a moment")]
    Busy,
    /// Other transactions got in the way of this one. Nothing was written, and it can be run again: a write is, some times,
    /// before this is answered.
    #[error("other writes got in the way of this one, and nothing was changed; try again in a moment")]
    Conflict,
    /// Whether the write was committed is not known, and only reading the rows shows it; the text is for the log.
    #[error("it is not known whether the write was committed: {0}")]
    Unknown(String),
    /// A read took longer than the limit; only reads return this.
    #[error("the read took too long and was stopped")]
    TookTooLong,
    /// The hub is stopping.
    #[error("the store is closed")]
    Closed,
    /// The disk or the database refused; the text is for the log.
    #[error("the database cannot be used: {0}")]
    Unavailable(String),
    /// The database file itself is damaged (`SQLITE_CORRUPT`, `SQLITE_NOTADB`); the text says where. The store takes
    /// no more writes once it has seen this.
    #[error(
        "the database is damaged: {0}; run `baton hub check` on the data folder, and restore a backup with \
         `baton hub restore`"
    )]
    Damaged(String),
    /// The schema is not the one the migrations create; the text names what differs.
    #[error(
        "the schema of the database was changed: {0}; run `baton hub check` on the data folder, and restore a backup \
         with `baton hub restore`"
    )]
    Altered(String),
    /// A row is not what the hub wrote; the text is for the log.
    #[error("the database holds something the hub did not write: {0}")]
    Corrupt(String),
    /// The use case itself failed in an unforeseen way; the text is for the log.
    #[error("an operation failed inside: {0}")]
    Panicked(String),
}

impl Error {
    /// What went wrong, for a sentence that says of itself with what.
    pub fn cause(&self) -> String {
        match self {
            Self::Unknown(cause)
            | Self::Unavailable(cause)
            | Self::Damaged(cause)
            | Self::Altered(cause)
            | Self::Corrupt(cause)
            | Self::Panicked(cause) => cause.clone(),
            Self::Busy | Self::Conflict | Self::TookTooLong | Self::Closed => self.to_string(),
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        if damage::is_damage(&error) {
            damage::see(&error);
            return Self::Damaged(error.to_string());
        }
        match error {
            rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::InvalidColumnType(..) => {
                Self::Corrupt(error.to_string())
            }
            error => Self::Unavailable(error.to_string()),
        }
    }
}
