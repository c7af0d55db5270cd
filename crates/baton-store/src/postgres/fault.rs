//! What PostgreSQL's errors mean for a write or a read.

use tokio_postgres::error::{Severity, SqlState};

use crate::error::Error;

/// The error of whoever asked.
pub(crate) fn of(fault: &tokio_postgres::Error) -> Error {
    match fault.code() {
        Some(code) if is_conflict(code) => Error::Conflict,
        Some(&SqlState::QUERY_CANCELED) => Error::TookTooLong,
        Some(&SqlState::DISK_FULL) => {
            Error::Unavailable(format!("the disk of the PostgreSQL server is full: {}", text(fault)))
        }
        Some(_) => Error::Unavailable(text(fault)),
        None => Error::Unavailable(format!("the connection to PostgreSQL: {}", text(fault))),
    }
}

/// Whether other transactions got in the way, and the same can be tried again.
fn is_conflict(code: &SqlState) -> bool {
    [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED, SqlState::LOCK_NOT_AVAILABLE]
        .contains(code)
}

/// Whether the server closes the connection after this error, or accepts no writes on it any more: it has become a replica.
pub(crate) fn ends_connection(fault: &tokio_postgres::Error) -> bool {
    let severity = fault.as_db_error().and_then(|error| error.parsed_severity());
    matches!(severity, Some(Severity::Fatal | Severity::Panic))
        || fault.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION)
}

/// What PostgreSQL says, in one line.
pub(crate) fn text(fault: &tokio_postgres::Error) -> String {
    match fault.as_db_error() {
        Some(error) => match error.detail() {
            Some(detail) => format!("{} ({detail})", error.message()),
            None => error.message().to_owned(),
        },
        None => {
            let mut text = fault.to_string();
            let mut cause = std::error::Error::source(fault);
            while let Some(error) = cause {
                let more = error.to_string();
                if !text.contains(&more) {
                    text = format!("{text}: {more}");
                }
                cause = error.source();
            }
            text
        }
    }
}
