//! Columns of a row, as values that both engines have: integers of every width, booleans and sums are integers.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use std::borrow::Cow;
use std::error::Error as StdError;
use tokio_postgres::Row;
use tokio_postgres::types::{self, Type};

use super::nul;
use crate::sql::columns::Location;

/// A value as it came.
enum Value<'r> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'r str),
    Blob(&'r [u8]),
}

impl<'r> types::FromSql<'r> for Value<'r> {
    fn from_sql(ty: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(match *ty {
            Type::INT8 => Self::Integer(types::FromSql::from_sql(ty, raw)?),
            Type::INT4 => Self::Integer(<i32 as types::FromSql<'_>>::from_sql(ty, raw)?.into()),
            Type::INT2 => Self::Integer(<i16 as types::FromSql<'_>>::from_sql(ty, raw)?.into()),
            Type::BOOL => Self::Integer(<bool as types::FromSql<'_>>::from_sql(ty, raw)?.into()),
            Type::NUMERIC => Self::Integer(whole(raw)?),
            Type::FLOAT8 => Self::Real(types::FromSql::from_sql(ty, raw)?),
            Type::BYTEA => Self::Blob(raw),
            _ => Self::Text(std::str::from_utf8(raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A number of PostgreSQL's type `numeric`, which sums of integers have: digits to the base 10 000.
fn whole(raw: &[u8]) -> Result<i64, Box<dyn StdError + Sync + Send>> {
    let part = |at: usize| {
        let bytes = raw.get(at * 2..at * 2 + 2).ok_or("a number that ends early")?;
        Ok::<_, Box<dyn StdError + Sync + Send>>(i16::from_be_bytes([bytes[0], bytes[1]]))
    };
    let (digits, weight, sign) = (part(0)?, part(1)?, part(2)?);
    let mut number: i64 = 0;
    for place in 0..=weight.max(-1) {
        let digit = if place < digits { part(4 + usize::try_from(place)?)? } else { 0 };
        number = number
            .checked_mul(10_000)
            .and_then(|number| number.checked_add(i64::from(digit)))
            .ok_or("a sum that is too large")?;
    }
    match sign {
        0 => Ok(number),
        0x4000 => Ok(-number),
        _ => Err("not a number".into()),
    }
}

fn value<'r>(row: &'r Row, column: Location<'_>) -> FromSqlResult<Value<'r>> {
    let found = match column {
        Location::Name(name) => row.try_get(name),
        Location::At(at) => row.try_get(at),
    };
    found.map_err(|error| FromSqlError::Other(error.into()))
}

pub(crate) fn get<T: FromSql>(row: &Row, column: Location<'_>) -> FromSqlResult<T> {
    match value(row, column)? {
        Value::Null => T::column_result(ValueRef::Null),
        Value::Integer(number) => T::column_result(ValueRef::Integer(number)),
        Value::Real(number) => T::column_result(ValueRef::Real(number)),
        Value::Text(text) => T::column_result(ValueRef::Text(nul::read(text).as_bytes())),
        Value::Blob(bytes) => T::column_result(ValueRef::Blob(bytes)),
    }
}

pub(crate) fn text<'r>(row: &'r Row, column: Location<'_>) -> FromSqlResult<Option<Cow<'r, str>>> {
    match value(row, column)? {
        Value::Null => Ok(None),
        Value::Text(text) => Ok(Some(nul::read(text))),
        Value::Integer(_) | Value::Real(_) | Value::Blob(_) => Err(FromSqlError::InvalidType),
    }
}

pub(crate) fn blob<'r>(row: &'r Row, column: Location<'_>) -> FromSqlResult<Option<&'r [u8]>> {
    match value(row, column)? {
        Value::Null => Ok(None),
        Value::Blob(bytes) => Ok(Some(bytes)),
        Value::Integer(_) | Value::Real(_) | Value::Text(_) => Err(FromSqlError::InvalidType),
    }
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn sums_are_read_as_integers() {
        // digits, weight, sign, scale, then the digits
        let number = |parts: &[i16]| parts.iter().flat_map(|part| part.to_be_bytes()).collect::<Vec<_>>();
        assert_eq!(whole(&number(&[0, 0, 0, 0])).unwrap(), 0);
        assert_eq!(whole(&number(&[1, 0, 0, 0, 7])).unwrap(), 7);
        assert_eq!(whole(&number(&[1, 1, 0, 0, 3])).unwrap(), 30_000);
        assert_eq!(whole(&number(&[3, 2, 0x4000, 0, 1, 2, 3])).unwrap(), -100_020_003);
        assert!(whole(&number(&[0, 0, -0x4000, 0])).is_err(), "NaN");
        assert!(whole(&[0]).is_err());
    }
}
