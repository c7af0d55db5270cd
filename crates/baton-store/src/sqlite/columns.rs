//! Columns to types and back. What does not read back is [`Error::Corrupt`]: the hub did not write it.

use baton_core::{Principal, PrincipalKind, Priority, UnixMillis};
use rusqlite::types::FromSql;
use rusqlite::{Row, RowIndex};
use std::fmt::{self, Display};

use crate::error::Error;

/// How a column is found: by its name, or by its place where rows are read by the thousand. Looking a name up among
/// forty costs more than most values.
pub(super) trait Column: Copy + Display {
    fn index(self) -> impl RowIndex;
}

impl Column for &str {
    fn index(self) -> impl RowIndex {
        self
    }
}

/// A column by its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) at: usize,
    /// For whoever reads of a value that does not parse.
    pub(super) name: &'static str,
}

impl Column for Place {
    fn index(self) -> impl RowIndex {
        self.at
    }
}

impl Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

/// A column of a plain type.
pub(super) fn get<T: FromSql>(row: &Row<'_>, column: impl Column) -> Result<T, Error> {
    Ok(row.get(column.index())?)
}

/// A text column of a type that parses.
pub(super) fn parsed<T>(
    row: &Row<'_>,
    column: impl Column,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Error> {
    let text = row
        .get_ref(column.index())?
        .as_str()
        .map_err(|error| Error::Corrupt(format!("{column}: {error}")))?;
    parse(text).ok_or_else(|| Error::Corrupt(format!("{column} {text:?}")))
}

/// A text column of a type that parses, or NULL.
pub(super) fn optional<T>(
    row: &Row<'_>,
    column: impl Column,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, Error> {
    let text = row
        .get_ref(column.index())?
        .as_str_or_null()
        .map_err(|error| Error::Corrupt(format!("{column}: {error}")))?;
    text.map(|text| parse(text).ok_or_else(|| Error::Corrupt(format!("{column} {text:?}")))).transpose()
}

/// A time.
pub(super) fn time(row: &Row<'_>, column: impl Column) -> Result<UnixMillis, Error> {
    Ok(UnixMillis::new(get(row, column)?))
}

/// A time or NULL.
pub(super) fn optional_time(row: &Row<'_>, column: impl Column) -> Result<Option<UnixMillis>, Error> {
    Ok(get::<Option<i64>>(row, column)?.map(UnixMillis::new))
}

/// A principal in its two columns.
pub(super) fn principal(row: &Row<'_>, kind: impl Column, name: impl Column) -> Result<Principal, Error> {
    let kind = parsed(row, kind, PrincipalKind::parse)?;
    parsed(row, name, |name| Principal::from_parts(kind, name).ok())
}

/// A priority by its place in the order of an inbox.
pub(super) fn priority(row: &Row<'_>, column: impl Column) -> Result<Priority, Error> {
    let order: i64 = get(row, column)?;
    let priority = usize::try_from(order).ok().and_then(|order| Priority::ALL.get(order));
    priority.copied().ok_or_else(|| Error::Corrupt(format!("priority {order}")))
}

/// High sorts first, in core as in the indexes.
pub(super) fn order_of(priority: Priority) -> i64 {
    Priority::ALL.iter().position(|other| *other == priority).unwrap_or_default() as i64
}
