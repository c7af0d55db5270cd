//! Whether a database on PostgreSQL has every table, index, trigger and function that the migrations create, by name. A dropped
//! or disabled trigger no longer protects what it protected, and a dropped index makes calls slow; nothing else would
//! show either.

use std::collections::BTreeSet;

use super::schema;
use super::scope::Ask;
use super::session::Session;
use crate::error::Error;

/// Kind and name.
type Object = (&'static str, String);

/// What a database has.
const FOUND: &str = "
    SELECT 'table' AS kind, tablename::text AS name FROM pg_tables WHERE schemaname = current_schema()
    UNION ALL SELECT 'index', indexname::text FROM pg_indexes WHERE schemaname = current_schema()
    UNION ALL SELECT 'trigger', t.tgname::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND c.relnamespace = current_schema()::regnamespace
    UNION ALL SELECT 'function', proname::text FROM pg_proc WHERE pronamespace = current_schema()::regnamespace";

/// Names what is missing.
pub(crate) fn differences(session: &Session) -> Result<Vec<String>, Error> {
    let found = session.ask(&[Ask { sql: FOUND.into(), parameters: Vec::new() }])?;
    let found: BTreeSet<(String, String)> =
        found.iter().flat_map(|rows| rows.iter()).map(|row| (row.get("kind"), row.get("name"))).collect();
    let missing = expected(schema::migrations())
        .into_iter()
        .filter(|(kind, name)| !found.contains(&((*kind).to_owned(), name.clone())));
    Ok(missing.map(|(kind, name)| format!("{kind} {name} is missing or disabled")).collect())
}

/// What migrations leave, by the names in them.
fn expected<'m>(migrations: impl Iterator<Item = &'m str>) -> BTreeSet<Object> {
    let mut objects = BTreeSet::new();
    for line in migrations.flat_map(str::lines) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (creates, rest) = match &*words {
            ["CREATE", "UNIQUE", rest @ ..] => (true, rest),
            ["CREATE", "OR", "REPLACE", rest @ ..] | ["CREATE", rest @ ..] => (true, rest),
            ["DROP", rest @ ..] => (false, rest),
            _ => continue,
        };
        let (kind, name) = match rest {
            ["TABLE", "IF", _, "EXISTS", name, ..] | ["TABLE", name, ..] => ("table", name),
            ["INDEX", name, ..] => ("index", name),
            ["TRIGGER", name, ..] => ("trigger", name),
            ["FUNCTION", name, ..] => ("function", name),
            _ => continue,
        };
        let end = name.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(name.len());
        let object = (kind, name[..end].to_owned());
        if creates {
            objects.insert(object);
        } else {
            objects.remove(&object);
        }
    }
    objects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_migrations_create_and_do_not_drop_is_expected() {
        let first = "CREATE TABLE users (\n    id bigint\n);\nCREATE UNIQUE INDEX users_by_name ON users (name);\n\
                     CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ x $$;\nCREATE TRIGGER stays BEFORE DELETE";
        let second = "DROP TRIGGER stays ON users;\nCREATE OR REPLACE FUNCTION refuse() RETURNS x";
        let found: Vec<_> = expected([first, second].into_iter()).into_iter().collect();
        let expected = [("function", "refuse"), ("index", "users_by_name"), ("table", "users")];
        assert_eq!(found, expected.map(|(kind, name)| (kind, name.to_owned())));
        assert!(super::expected(schema::migrations()).len() > 100, "the migrations themselves");
    }
}
