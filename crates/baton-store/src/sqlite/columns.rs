//! Columns to types and back. What does not read back is [`Error::Corrupt`]: the hub did not write it.

use baton_core::{Principal, PrincipalKind, UnixMillis};
use rusqlite::Row;
use rusqlite::types::FromSql;

use crate::error::Error;

/// A column of a plain type.
pub(super) fn get<T: FromSql>(row: &Row<'_>, column: &str) -> Result<T, Error> {
    Ok(row.get(column)?)
}

/// A text column of a type that parses.
pub(super) fn parsed<T>(
    row: &Row<'_>,
    column: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Error> {
    let text = row.get_ref(column)?.as_str().map_err(|error| Error::Corrupt(format!("{column}: {error}")))?;
    parse(text).ok_or_else(|| Error::Corrupt(format!("{column} {text:?}")))
}

/// A text column of a type that parses, or NULL.
pub(super) fn optional<T>(
    row: &Row<'_>,
    column: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, Error> {
    let text = row
        .get_ref(column)?
        .as_str_or_null()
        .map_err(|error| Error::Corrupt(format!("{column}: {error}")))?;
    text.map(|text| parse(text).ok_or_else(|| Error::Corrupt(format!("{column} {text:?}")))).transpose()
}

/// A time.
pub(super) fn time(row: &Row<'_>, column: &str) -> Result<UnixMillis, Error> {
    Ok(UnixMillis::new(row.get(column)?))
}

/// A time or NULL.
pub(super) fn optional_time(row: &Row<'_>, column: &str) -> Result<Option<UnixMillis>, Error> {
    Ok(row.get::<_, Option<i64>>(column)?.map(UnixMillis::new))
}

/// A principal in its two columns.
pub(super) fn principal(row: &Row<'_>, kind: &str, name: &str) -> Result<Principal, Error> {
    let kind = parsed(row, kind, PrincipalKind::parse)?;
    parsed(row, name, |name| Principal::from_parts(kind, name).ok())
}
