//! How tasks ended, in SQL: tables that count ends have a column for each terminal status, which is called as it is.

use baton_core::Status;

use super::columns::{Row, get};
use crate::error::Error;
use crate::rows::Ends;

/// A text for each column, one after the other.
pub(crate) fn each(text: impl Fn(&str) -> String) -> String {
    Status::terminal().map(|status| text(status.as_str())).collect()
}

/// What a row counts.
pub(crate) fn ends(row: &Row<'_>) -> Result<Ends, Error> {
    let mut ends = Ends::default();
    for status in Status::terminal() {
        *ends.of(status) = get(row, status.as_str())?;
    }
    Ok(ends)
}

/// The counts, in the order of the columns.
pub(crate) fn values(ends: &Ends) -> Vec<i64> {
    Status::terminal().map(|status| ends.get(status)).collect()
}

/// `'replied', 'failed', …`
pub(crate) fn listed(statuses: impl Iterator<Item = Status>) -> String {
    statuses.map(|status| format!("'{status}'")).collect::<Vec<_>>().join(", ")
}
