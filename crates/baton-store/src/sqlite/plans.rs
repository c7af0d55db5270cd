//! No query scans, and each is planned once: in a debug build every statement's plan is looked at before its first
//! use, and whether it was kept after each, so every test of every room is a test of this. A statement that must
//! see all rows has the comment `/* scans */`.

use rusqlite::{Connection, Statement};

#[cfg(test)]
thread_local! {
    /// Statements that this thread has run: tests measure work by them, not by time.
    pub(crate) static STATEMENTS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(not(debug_assertions))]
pub(crate) fn check(_: &Connection, _: &str) {}

/// Panics if a statement would walk a table.
#[cfg(debug_assertions)]
pub(crate) fn check(connection: &Connection, sql: &str) {
    use std::cell::RefCell;
    use std::collections::HashSet;
    thread_local!(static SEEN: RefCell<HashSet<String>> = RefCell::default());
    super::statements::record(connection.path(), sql);
    #[cfg(test)]
    STATEMENTS.set(STATEMENTS.get() + 1);
    if sql.contains("/* scans */") || SEEN.with_borrow(|seen| seen.contains(sql)) {
        return;
    }
    let plan = plan(connection, sql).unwrap_or_else(|error| panic!("no plan for {sql}: {error}"));
    for step in &plan {
        // Scans of a subquery, or of what the statement itself made, are as long as what was searched for; a scan of
        // `json_each` is as long as the list the statement was given.
        // Walking along the order of all rows is a scan by another name.
        let walks = ["rowid<?", "rowid>?"].iter().any(|walk| step.contains(&format!("PRIMARY KEY ({walk})")));
        let is_given = step.starts_with("SCAN json_each VIRTUAL TABLE") || step.contains("CONSTANT ROW");
        let scans = step.starts_with("SCAN ") && !step.contains("subquery") && !is_given;
        let scans_table = scans || walks;
        assert!(!scans_table, "a statement scans: {step}\n{sql}\n{plan:#?}");
    }
    SEEN.with_borrow_mut(|seen| seen.insert(sql.to_owned()));
}

/// Panics if a statement was planned again.
pub(crate) fn check_kept(statement: &Statement<'_>) {
    debug_assert_eq!(statement.get_status(rusqlite::StatementStatus::RePrepare), 0, "planned again");
}

#[cfg(debug_assertions)]
fn plan(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    let mut steps = explain.raw_query();
    let mut plan = Vec::new();
    while let Some(step) = steps.next()? {
        plan.push(step.get("detail")?);
    }
    Ok(plan)
}
