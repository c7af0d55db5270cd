//! The schema: numbered migrations, run under a lock of the whole database, so that of several hubs that start at once one
//! migrates and the others wait. A database of something else, or of a newer hub, is refused.

use baton_core::{NameSkeletons, UNICODE_VERSION, limits};
use rusqlite::types::Value;

use super::parameter::Parameter;
use super::scope::Ask;
use super::session::Session;
use crate::error::Error;

/// The migrations of this program, in order.
const MIGRATIONS: [(i64, &str, &str); 2] = [
    (30, "hub", include_str!("../../migrations-postgres/V30__hub.sql")),
    (31, "hubs", include_str!("../../migrations-postgres/V31__hubs.sql")),
];

/// Whoever migrates holds this lock.
const MIGRATES: &str = "SELECT pg_advisory_xact_lock(7085498)";

/// The newest schema this program knows.
const fn newest() -> i64 {
    MIGRATIONS[MIGRATIONS.len() - 1].0
}

/// Brings a database to this program's schema, or says why not.
pub(crate) fn prepare(session: &Session) -> Result<(), Error> {
    refuse_replica(session)?;
    let found = found(session)?;
    refuse(session, found)?;
    if found < newest() {
        migrate(session)?;
    }
    refresh_skeletons(session)
}

/// Refuses a database that is not of exactly this program's schema.
pub(crate) fn refuse_other(session: &Session) -> Result<(), Error> {
    let found = found(session)?;
    refuse(session, found)?;
    match found == newest() {
        true => Ok(()),
        false => {
            Err(Error::Unavailable("it was written by an older baton, or by none; start the hub once".into()))
        }
    }
}

fn number(session: &Session, sql: &str) -> Result<i64, Error> {
    let found = session.ask(&[Ask { sql: sql.into(), parameters: Vec::new() }])?;
    let number = found.first().and_then(|rows| rows.first()).map(|row| row.get::<_, i64>(0));
    number.ok_or_else(|| Error::Corrupt("no answer".into()))
}

/// The schema a database has; 0 if it has none.
fn found(session: &Session) -> Result<i64, Error> {
    match number(
        session,
        "SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'baton_schema'",
    )? {
        0 => Ok(0),
        _ => number(session, "SELECT COALESCE(MAX(version), 0) FROM baton_schema"),
    }
}

fn refuse_replica(session: &Session) -> Result<(), Error> {
    match number(session, "SELECT pg_is_in_recovery()::int::bigint")? {
        0 => Ok(()),
        _ => Err(Error::Unavailable(
            "this server is a read-only replica; name the primary, or several hosts with \
             target_session_attrs=read-write"
                .into(),
        )),
    }
}

fn refuse(session: &Session, found: i64) -> Result<(), Error> {
    if found > newest() {
        return Err(Error::Unavailable(format!(
            "it was written by a newer baton: it has schema {found}, this baton knows up to {}; use that baton, or \
             restore a backup from before",
            newest()
        )));
    }
    let tables = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema()";
    if found == 0 && number(session, tables)? > 0 {
        return Err(Error::Unavailable(
            "it is not a Baton database: it has tables of something else; make an empty database for the hub"
                .into(),
        ));
    }
    Ok(())
}

/// Runs what is missing, all of it in one transaction.
fn migrate(session: &Session) -> Result<(), Error> {
    session.command("BEGIN")?;
    session.command(&format!("SET LOCAL lock_timeout = {}", limits::POSTGRES_MIGRATION_LOCK_MAX_MILLIS))?;
    session.command("SET LOCAL statement_timeout = 0")?;
    session.command(MIGRATES)?;
    session.command(
        "CREATE TABLE IF NOT EXISTS baton_schema (version bigint PRIMARY KEY, name text NOT NULL,
             applied_at timestamptz NOT NULL DEFAULT clock_timestamp())",
    )?;
    let found = number(session, "SELECT COALESCE(MAX(version), 0) FROM baton_schema")?;
    for (version, name, sql) in MIGRATIONS.iter().filter(|(version, ..)| *version > found) {
        session
            .command(sql)
            .map_err(|error| Error::Unavailable(format!("migration {version}: {}", error.cause())))?;
        let parameters =
            vec![Parameter(Value::Integer(*version)), Parameter(Value::Text((*name).to_owned()))];
        let sql = "INSERT INTO baton_schema (version, name) VALUES (?1, ?2)".to_owned();
        session.ask(&[Ask { sql, parameters }])?;
    }
    session.command("COMMIT")
}

/// Skeletons of names follow from Unicode's tables, which this program brings along: those that were computed from another
/// version are computed again, in one transaction.
fn refresh_skeletons(session: &Session) -> Result<(), Error> {
    let (major, minor, patch) = UNICODE_VERSION;
    let ours = format!("{major}.{minor}.{patch}");
    let sql = "SELECT unicode FROM skeletons WHERE one = 1".to_owned();
    let found = session.ask(&[Ask { sql, parameters: Vec::new() }])?;
    let theirs = found.first().and_then(|rows| rows.first()).map(|row| row.get::<_, String>(0));
    if theirs.as_ref() == Some(&ours) {
        return Ok(());
    }
    session.command("BEGIN")?;
    session.command(MIGRATES)?;
    refresh(session, "users", "user_id", "user_id", "username")?;
    refresh(session, "aliases", "alias", "network_id", "alias")?;
    let sql = "INSERT INTO skeletons (one, unicode) VALUES (1, ?1)
               ON CONFLICT (one) DO UPDATE SET unicode = excluded.unicode"
        .to_owned();
    session.ask(&[Ask { sql, parameters: vec![Parameter(Value::Text(ours))] }])?;
    session.command("COMMIT")
}

/// Computes the skeletons of a table's names, page by page.
fn refresh(session: &Session, table: &str, id: &str, of: &str, name: &str) -> Result<(), Error> {
    let text = |text: &str| Parameter(Value::Text(text.to_owned()));
    let mut after = (String::new(), String::new());
    loop {
        let sql = format!(
            "SELECT {of} AS of, {id} AS id, {name} AS name FROM {table} WHERE ({of}, {id}) > (?1, ?2)
             ORDER BY {of}, {id} LIMIT {}",
            limits::SKELETONS_READ_COUNT
        );
        let found = session.ask(&[Ask { sql, parameters: vec![text(&after.0), text(&after.1)] }])?;
        let Some(rows) = found.first().filter(|rows| !rows.is_empty()) else { return Ok(()) };
        let mut asks = Vec::with_capacity(rows.len());
        for row in rows.iter() {
            after = (row.get("of"), row.get("id"));
            let looks = NameSkeletons::of(row.get("name"));
            asks.push(Ask {
                sql: format!(
                    "UPDATE {table} SET skeleton = ?3, skeleton_lower = ?4 WHERE {of} = ?1 AND {id} = ?2"
                ),
                parameters: vec![
                    text(&after.0),
                    text(&after.1),
                    text(&looks.as_written),
                    text(&looks.lower_case),
                ],
            });
        }
        session.ask(&asks)?;
    }
}
