//! What PostgreSQL's errors mean for a write or a read.

use tokio_postgres::error::SqlState;

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

/// Whether the server does not accept writes any more, so that another one has to be found: it has become a replica, or is
/// going down.
pub(crate) fn is_of_a_server_that_steps_down(fault: &tokio_postgres::Error) -> bool {
    [SqlState::READ_ONLY_SQL_TRANSACTION, SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN]
        .iter()
        .any(|state| fault.code() == Some(state))
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
