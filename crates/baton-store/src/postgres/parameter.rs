//! Parameters of a statement: the values that both engines have, in the types that PostgreSQL expects in their places.

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use std::error::Error as StdError;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{self, IsNull, Type, to_sql_checked};

use super::nul;
use crate::error::Error;

/// A value on its way to a statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter(pub(crate) Value);

impl Parameter {
    /// All parameters of a statement.
    pub(crate) fn all(parameters: &[&dyn ToSql]) -> Result<Vec<Self>, Error> {
        parameters.iter().map(|parameter| Self::of(*parameter)).collect()
    }

    fn of(parameter: &dyn ToSql) -> Result<Self, Error> {
        match parameter.to_sql()? {
            ToSqlOutput::Borrowed(ValueRef::Null) => Ok(Self(Value::Null)),
            ToSqlOutput::Borrowed(value) => Value::try_from(value)
                .map(Self)
                .map_err(|error| Error::Corrupt(format!("a parameter: {error}"))),
            ToSqlOutput::Owned(value) => Ok(Self(value)),
            _ => Err(Error::Corrupt("a parameter of another kind".into())),
        }
    }

    /// For whoever remembers what a statement was asked: different values have different bytes.
    pub(crate) fn write_key(&self, key: &mut Vec<u8>) {
        let (kind, bytes): (u8, &[u8]) = match &self.0 {
            Value::Null => (0, &[]),
            Value::Integer(number) => {
                key.push(1);
                key.extend(number.to_be_bytes());
                return;
            }
            Value::Real(number) => {
                key.push(2);
                key.extend(number.to_be_bytes());
                return;
            }
            Value::Text(text) => (3, text.as_bytes()),
            Value::Blob(bytes) => (4, bytes),
        };
        key.push(kind);
        key.extend((bytes.len() as u64).to_be_bytes());
        key.extend(bytes);
    }
}

impl types::ToSql for Parameter {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match &self.0 {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(number) => integer(*number, ty, out),
            Value::Real(number) => types::ToSql::to_sql(number, &Type::FLOAT8, out),
            Value::Text(text) => types::ToSql::to_sql(&nul::write(text).as_ref(), &Type::TEXT, out),
            Value::Blob(bytes) => types::ToSql::to_sql(bytes, &Type::BYTEA, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn integer(number: i64, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
    match *ty {
        Type::INT2 => types::ToSql::to_sql(&i16::try_from(number)?, ty, out),
        Type::INT4 => types::ToSql::to_sql(&i32::try_from(number)?, ty, out),
        Type::BOOL => types::ToSql::to_sql(&(number != 0), ty, out),
        Type::FLOAT8 => types::ToSql::to_sql(&(number as f64), ty, out),
        Type::INT8 => types::ToSql::to_sql(&number, ty, out),
        _ => Err(format!("an integer where {ty} is expected").into()),
    }
}
