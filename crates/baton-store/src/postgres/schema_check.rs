//! Whether a database on PostgreSQL has every table, constraint, index, trigger and function as the migrations create it. One
//! that was dropped, disabled or replaced no longer protects what it protected; nothing else would show it. What should be
//! there is recorded in `schema_objects.txt`, which a test compares with a new database.

use std::collections::BTreeMap;

use super::scope::Ask;
use super::session::Session;
use crate::error::Error;

/// What a database has.
const FOUND: &str = include_str!("schema_objects.sql");

/// What the migrations create: kind, name and definition of each object, with tabs between.
const EXPECTED: &str = include_str!("schema_objects.txt");

/// Definitions by kind and name.
type Objects = BTreeMap<(String, String), String>;

/// Names what is missing or different. What was added to the schema is its operator's business.
pub(crate) fn differences(session: &Session) -> Result<Vec<String>, Error> {
    let found = session.ask(&[Ask { sql: FOUND.into(), parameters: Vec::new() }])?;
    let found = found.iter().flat_map(|rows| rows.iter()).map(|row| {
        let object = (row.get("kind"), row.get("name"));
        (object, row.get("definition"))
    });
    Ok(compare(&expected(EXPECTED), &found.collect()))
}

fn expected(listed: &str) -> Objects {
    let objects = listed.lines().filter_map(|line| {
        let mut parts = line.splitn(3, '\t').map(str::to_owned);
        Some(((parts.next()?, parts.next()?), parts.next()?))
    });
    objects.collect()
}

fn compare(expected: &Objects, found: &Objects) -> Vec<String> {
    let difference = |(object, definition): (&(String, String), &String)| {
        let (kind, name) = object;
        match found.get(object) {
            None => Some(format!("{kind} {name} is missing or disabled")),
            Some(other) if other != definition => Some(format!("{kind} {name} differs: {other}")),
            Some(_) => None,
        }
    };
    expected.iter().filter_map(difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_different_is_named_and_what_was_added_is_not() {
        let list =
            "index\ttasks_by_n\tON tasks (n)\ntable\ttasks\tn bigint\ntrigger\ttasks stays\tBEFORE DELETE\n";
        let mut found = expected(list);
        assert_eq!(found.len(), 3);
        assert_eq!(compare(&expected(list), &found), Vec::<String>::new());
        found.insert(("index".into(), "tasks_by_n".into()), "ON tasks (m)".into());
        found.remove(&("trigger".to_owned(), "tasks stays".to_owned()));
        found.insert(("index".into(), "somebody's".into()), "ON tasks (o)".into());
        let named = ["index tasks_by_n differs: ON tasks (m)", "trigger tasks stays is missing or disabled"];
        assert_eq!(compare(&expected(list), &found), named);
    }

    #[test]
    fn every_table_of_the_migrations_is_listed() {
        let listed = expected(EXPECTED);
        let created = super::super::schema::migrations().flat_map(str::lines);
        let tables = created.filter_map(|line| line.strip_prefix("CREATE TABLE "));
        let mut count = 0;
        for table in tables {
            let end = table.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(table.len());
            assert!(listed.contains_key(&("table".to_owned(), table[..end].to_owned())), "{table}");
            count += 1;
        }
        assert!(count > 30, "{count} tables");
    }
}
