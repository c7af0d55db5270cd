//! The triggers of a hub's database, out of the way while a test changes rows behind the hub's back. Whoever has the
//! file can do the same; a hub does not start without them.

use rusqlite::Connection;

/// Drops all triggers; gives the SQL that creates them again.
pub(crate) fn drop_triggers(connection: &Connection) -> String {
    let mut query = connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").unwrap();
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let triggers: Vec<(String, String)> = rows.collect::<Result<_, _>>().unwrap();
    assert!(!triggers.is_empty());
    for (name, _) in &triggers {
        connection.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
    }
    triggers.into_iter().map(|(_, sql)| sql + ";").collect()
}

/// Does something without the triggers.
pub(crate) fn without_triggers<T>(connection: &Connection, change: impl FnOnce(&Connection) -> T) -> T {
    let triggers = drop_triggers(connection);
    let done = change(connection);
    connection.execute_batch(&triggers).unwrap();
    done
}
