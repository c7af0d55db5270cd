//! Columns to types and back, of either engine. A value on its way between a statement and a type is one of rusqlite's: an
//! integer, a real, a text, a blob or nothing. What does not read back is [`Error::Corrupt`]: the hub did not write it.

use baton_core::{Principal, PrincipalKind, Priority, UnixMillis};
use rusqlite::types::{FromSql, FromSqlError};
use std::borrow::Cow;
use std::fmt::{self, Display};

use crate::error::Error;
use crate::postgres::column;

/// A row of what a query found.
pub(crate) enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r tokio_postgres::Row),
}

/// How a column is found: by its name, or by its place where rows are read by the thousand. Looking a name up among
/// forty costs more than most values.
pub(crate) trait Column: Copy + Display {
    fn locate(&self) -> Location<'_>;
}

/// Where a column is.
#[derive(Clone, Copy)]
pub(crate) enum Location<'a> {
    Name(&'a str),
    At(usize),
}

impl Column for &str {
    fn locate(&self) -> Location<'_> {
        Location::Name(self)
    }
}

/// A column by its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnIndex {
    pub(crate) at: usize,
    /// For error messages about a value that does not parse.
    pub(crate) name: &'static str,
}

impl Column for ColumnIndex {
    fn locate(&self) -> Location<'_> {
        Location::At(self.at)
    }
}

impl Display for ColumnIndex {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

/// A column of a plain type.
pub(crate) fn get<T: FromSql>(row: &Row<'_>, column: impl Column) -> Result<T, Error> {
    match row {
        Row::Sqlite(row) => Ok(match column.locate() {
            Location::Name(name) => row.get(name)?,
            Location::At(at) => row.get(at)?,
        }),
        Row::Postgres(row) => {
            column::get(row, column.locate()).map_err(|error| Error::Corrupt(format!("{column}: {error}")))
        }
    }
}

/// A text column, or NULL; borrowed where the engine has it as it is.
pub(crate) fn text<'r>(row: &'r Row<'_>, column: impl Column) -> Result<Option<Cow<'r, str>>, Error> {
    let corrupt = |error: FromSqlError| Error::Corrupt(format!("{column}: {error}"));
    match row {
        Row::Sqlite(row) => {
            let value = match column.locate() {
                Location::Name(name) => row.get_ref(name)?,
                Location::At(at) => row.get_ref(at)?,
            };
            Ok(value.as_str_or_null().map_err(corrupt)?.map(Cow::Borrowed))
        }
        Row::Postgres(row) => column::text(row, column.locate()).map_err(corrupt),
    }
}

/// A blob column, or NULL.
pub(crate) fn blob<'r>(row: &'r Row<'_>, column: impl Column) -> Result<Option<&'r [u8]>, Error> {
    let corrupt = |error: FromSqlError| Error::Corrupt(format!("{column}: {error}"));
    match row {
        Row::Sqlite(row) => {
            let value = match column.locate() {
                Location::Name(name) => row.get_ref(name)?,
                Location::At(at) => row.get_ref(at)?,
            };
            value.as_blob_or_null().map_err(corrupt)
        }
        Row::Postgres(row) => column::blob(row, column.locate()).map_err(corrupt),
    }
}

/// A text column of a type that parses.
pub(crate) fn parsed<T>(
    row: &Row<'_>,
    column: impl Column,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Error> {
    let text = text(row, column)?;
    let text = text.ok_or_else(|| Error::Corrupt(format!("{column}: {}", FromSqlError::InvalidType)))?;
    parse(&text).ok_or_else(|| Error::Corrupt(format!("{column} {text:?}")))
}

/// A text column of a type that parses, or NULL.
pub(crate) fn optional<T>(
    row: &Row<'_>,
    column: impl Column,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, Error> {
    let text = text(row, column)?;
    text.map(|text| parse(&text).ok_or_else(|| Error::Corrupt(format!("{column} {text:?}")))).transpose()
}

/// A time.
pub(crate) fn time(row: &Row<'_>, column: impl Column) -> Result<UnixMillis, Error> {
    Ok(UnixMillis::new(get(row, column)?))
}

/// A time or NULL.
pub(crate) fn optional_time(row: &Row<'_>, column: impl Column) -> Result<Option<UnixMillis>, Error> {
    Ok(get::<Option<i64>>(row, column)?.map(UnixMillis::new))
}

/// A principal in its two columns.
pub(crate) fn principal(row: &Row<'_>, kind: impl Column, name: impl Column) -> Result<Principal, Error> {
    let kind = parsed(row, kind, PrincipalKind::parse)?;
    parsed(row, name, |name| Principal::from_parts(kind, name).ok())
}

/// A priority by its place in the order of an inbox.
pub(crate) fn priority(row: &Row<'_>, column: impl Column) -> Result<Priority, Error> {
    let order: i64 = get(row, column)?;
    let priority = usize::try_from(order).ok().and_then(|order| Priority::ALL.get(order));
    priority.copied().ok_or_else(|| Error::Corrupt(format!("priority {order}")))
}

/// High sorts first, in core as in the indexes.
pub(crate) fn order_of(priority: Priority) -> i64 {
    Priority::ALL.iter().position(|other| *other == priority).unwrap_or_default() as i64
}
