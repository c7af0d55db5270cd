//! The access epoch: a row, raised in the transaction that changes users, tokens or members, so that it survives a start
//! and any hub on the same database can compare it.

use rusqlite::{Connection, Row};

use crate::error::Error;

/// The number as it was last committed.
pub(super) fn read(connection: &Connection) -> Result<u64, Error> {
    let found = connection.query_row("SELECT epoch FROM access_epoch WHERE one = 1", [], epoch)?;
    number(found)
}

/// Raises it, and answers what it is once this transaction is committed.
pub(super) fn raise(connection: &Connection) -> Result<u64, Error> {
    let sql = "UPDATE access_epoch SET epoch = epoch + 1 WHERE one = 1 RETURNING epoch";
    number(connection.prepare_cached(sql)?.query_row([], epoch)?)
}

fn epoch(row: &Row<'_>) -> rusqlite::Result<i64> {
    row.get("epoch")
}

fn number(epoch: i64) -> Result<u64, Error> {
    u64::try_from(epoch).map_err(|_| Error::Corrupt(format!("access epoch {epoch}")))
}
