//! Skeletons of the names that are stored. They follow from Unicode's tables, which this program brings along: those
//! that were computed from another version, or never, are computed when the database is opened. One transaction with the
//! note of the version, so that a start that is killed in the middle begins again.

use baton_core::{NameSkeletons, UNICODE_VERSION, limits};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::Error;

/// Computes what is missing.
pub(super) fn refresh(connection: &mut Connection) -> Result<(), Error> {
    let (major, minor, patch) = UNICODE_VERSION;
    let ours = format!("{major}.{minor}.{patch}");
    let theirs: Option<String> = connection
        .query_row("SELECT unicode FROM skeletons WHERE one = 1", [], |row| row.get(0))
        .optional()?;
    if theirs.as_ref() == Some(&ours) {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    users(&transaction)?;
    aliases(&transaction)?;
    transaction.execute(
        "INSERT INTO skeletons (one, unicode) VALUES (1, ?1)
         ON CONFLICT (one) DO UPDATE SET unicode = excluded.unicode",
        [ours],
    )?;
    transaction.commit()?;
    Ok(())
}

fn users(connection: &Connection) -> Result<(), Error> {
    let sql = "SELECT user_id, username FROM users WHERE user_id > ?1 ORDER BY user_id LIMIT ?2";
    let mut page = connection.prepare(sql)?;
    let mut update =
        connection.prepare("UPDATE users SET skeleton = ?2, skeleton_lower = ?3 WHERE user_id = ?1")?;
    let mut after = String::new();
    loop {
        let rows = page
            .query_map(params![after, limits::SKELETONS_READ_COUNT], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let rows: Vec<(String, String)> = rows.collect::<Result<_, _>>()?;
        let Some((last, _)) = rows.last() else { return Ok(()) };
        after.clone_from(last);
        for (id, name) in rows {
            let looks = NameSkeletons::of(&name);
            update.execute(params![id, looks.as_written, looks.lower_case])?;
        }
    }
}

fn aliases(connection: &Connection) -> Result<(), Error> {
    let sql = "SELECT network_id, alias FROM aliases WHERE (network_id, alias) > (?1, ?2)
               ORDER BY network_id, alias LIMIT ?3";
    let mut page = connection.prepare(sql)?;
    let sql = "UPDATE aliases SET skeleton = ?3, skeleton_lower = ?4 WHERE network_id = ?1 AND alias = ?2";
    let mut update = connection.prepare(sql)?;
    let mut after = (String::new(), String::new());
    loop {
        let rows = page.query_map(params![after.0, after.1, limits::SKELETONS_READ_COUNT], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let rows: Vec<(String, String)> = rows.collect::<Result<_, _>>()?;
        let Some(last) = rows.last() else { return Ok(()) };
        after.clone_from(last);
        for (network, alias) in rows {
            let looks = NameSkeletons::of(&alias);
            update.execute(params![network, alias, looks.as_written, looks.lower_case])?;
        }
    }
}
