//! SQL names statuses in texts of its own. The lists in triggers, indexes and queries are groups of `Status`, and what
//! counts ends has a column for each of them.

use super::engine::{Engine, sqlite};
use baton_core::Status;
use std::path::Path;

/// The statuses of every `IN ('…', '…')` of a text; a trigger also asks for one status OR another.
fn lists(text: &str) -> Vec<Vec<Status>> {
    let text = text.replace("' OR OLD.status = '", "', '").replace("OLD.status = '", "IN ('");
    text.split("IN ('").skip(1).filter_map(list).collect()
}

fn list(mut rest: &str) -> Option<Vec<Status>> {
    let mut statuses = Vec::new();
    loop {
        let (word, after) = rest.split_once('\'')?;
        statuses.push(Status::parse(word)?);
        match after.strip_prefix(", '") {
            Some(next) => rest = next,
            None => return Some(statuses),
        }
    }
}

fn database(engine: &Engine) -> rusqlite::Connection {
    rusqlite::Connection::open(engine.folder.path().join("hub.db")).unwrap()
}

#[test]
fn every_list_of_statuses_in_sql_is_a_group_of_the_rules() {
    let group = |is_in: fn(Status) -> bool| -> Vec<Status> {
        Status::ALL.iter().copied().filter(|status| is_in(*status)).collect()
    };
    let groups = [
        group(|status| !status.is_terminal()),
        group(Status::is_terminal),
        group(Status::is_reassignable),
        vec![Status::Delivered, Status::Acked], // nobody works on it yet
    ];
    let engine = Engine::new(sqlite);
    let schema = database(&engine);
    let mut made = schema.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").unwrap();
    let made = made.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let mut texts: Vec<(String, String)> = made.map(Result::unwrap).collect();
    let triggers = texts.iter().filter(|(_, sql)| lists(sql).contains(&groups[1])).count();
    assert!(triggers >= 2, "ended tasks are kept from changes and from deletion");
    for file in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sqlite")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            texts.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
    for (name, text) in texts {
        for list in lists(&text) {
            assert!(groups.contains(&list), "{name}: {list:?}");
        }
    }
}

#[test]
fn whatever_counts_ends_has_a_column_for_each() {
    let engine = Engine::new(sqlite);
    for table in ["edges", "minutes"] {
        let schema = database(&engine);
        let mut columns = schema.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
        let columns = columns.query_map([table], |row| row.get::<_, String>(0)).unwrap();
        let columns: Vec<_> = columns.map(Result::unwrap).collect();
        for status in Status::terminal() {
            assert!(columns.iter().any(|column| column == status.as_str()), "{table}: {status}");
        }
    }
}
