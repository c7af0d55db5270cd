//! The schema: numbered migrations, run under a lock of the whole database, so that of several hubs that start at once one
//! migrates and the others wait. A database of something else is refused.
//!
//! Hubs of two releases run side by side while they are replaced one by one: a release first adds what it needs, and only a
//! later one removes what nobody reads any more. So each migration names the oldest schema that programs still have to
//! know to use the database after it (`min_reader`). A program goes by that, and not by whether there are migrations
//! that it does not know.

use baton_core::{NameSkeletons, UNICODE_VERSION, limits};
use rusqlite::types::Value;

use super::parameter::Parameter;
use super::scope::Ask;
use super::session::Session;
use crate::error::Error;

/// A step from one schema to the next.
struct Migration {
    version: i64,
    name: &'static str,
    sql: &'static str,
    /// The newest schema a program must know at least to use the database from then on.
    min_reader: i64,
}

/// The migrations of this program, in order.
const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 30,
        name: "hub",
        sql: include_str!("../../migrations-postgres/V30__hub.sql"),
        min_reader: 30,
    },
    Migration {
        version: 31,
        name: "hubs",
        sql: include_str!("../../migrations-postgres/V31__hubs.sql"),
        // Hubs that do not announce their commits must not run beside those that wait for it.
        min_reader: 31,
    },
    Migration {
        version: 32,
        name: "oauth",
        sql: include_str!("../../migrations-postgres/V32__oauth.sql"),
        // A hub that does not know when tokens expire takes one until the sweep of a newer hub has revoked it, seconds later.
        min_reader: 31,
    },
    Migration {
        version: 33,
        name: "public_cards",
        sql: include_str!("../../migrations-postgres/V33__public_cards.sql"),
        min_reader: 31,
    },
    Migration {
        version: 34,
        name: "remote_keys",
        sql: include_str!("../../migrations-postgres/V34__remote_keys.sql"),
        // A hub that does not know of pinned keys goes on without a check of signatures, as it did before.
        min_reader: 31,
    },
    Migration {
        version: 35,
        name: "zstd_bundles",
        sql: include_str!("../../migrations-postgres/V35__zstd_bundles.sql"),
        // Hubs that cannot read such bundles run beside those that wait with them; the first bundle raises this.
        min_reader: 31,
    },
    Migration {
        version: 36,
        name: "storage",
        sql: include_str!("../../migrations-postgres/V36__storage.sql"),
        min_reader: 31,
    },
];

/// Whoever migrates holds this lock.
const MIGRATES: &str = "SELECT pg_advisory_xact_lock(7085498)";

/// The schema from which on programs can read entry bundles of zstd.
pub(super) const READS_ZSTD_BUNDLES: i64 = 35; // not a limit: the number of a schema

/// The newest schema this program knows.
pub(super) const fn newest() -> i64 {
    MIGRATIONS[MIGRATIONS.len() - 1].version
}

/// The texts of all migrations, in order.
#[cfg(test)]
pub(crate) fn migrations() -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().map(|migration| migration.sql)
}

/// What a database says of its schema; zeros if it has none.
#[derive(Clone, Copy)]
struct Found {
    version: i64,
    min_reader: i64,
}

/// Brings a database to this program's schema, or says why not.
pub(crate) fn prepare(session: &Session) -> Result<(), Error> {
    refuse_replica(session)?;
    let found = found(session)?;
    refuse(session, found)?;
    if found.version > newest() {
        tracing::info!(
            "the database has schema {}, and this baton knows up to {}: newer hubs use it, too",
            found.version,
            newest()
        );
    }
    if found.version < newest() {
        migrate(session)?;
    }
    refresh_skeletons(session)
}

/// Refuses a database that is not of exactly this program's schema.
pub(crate) fn refuse_other(session: &Session) -> Result<(), Error> {
    let found = found(session)?;
    refuse(session, found)?;
    match found.version {
        version if version == newest() => Ok(()),
        version if version > newest() => Err(newer(version)),
        0 => Err(Error::Unavailable("there is no hub in the database; start one on it once".into())),
        version => Err(Error::Unavailable(format!(
            "it was written by an older baton (schema {version}, this baton has {}); start a hub of this version on it once",
            newest()
        ))),
    }
}

fn newer(version: i64) -> Error {
    Error::Unavailable(format!(
        "it was written by a newer baton: it has schema {version}, this baton knows up to {}; use that baton, or \
         restore a backup from before",
        newest()
    ))
}

fn number(session: &Session, sql: &str) -> Result<i64, Error> {
    let found = session.ask(&[Ask { sql: sql.into(), parameters: Vec::new() }])?;
    let number = found.first().and_then(|rows| rows.first()).map(|row| row.get::<_, i64>(0));
    number.ok_or_else(|| Error::Corrupt("no answer".into()))
}

fn has_schema(session: &Session) -> Result<bool, Error> {
    let sql =
        "SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'baton_schema'";
    Ok(number(session, sql)? > 0)
}

/// The schema a database has.
fn found(session: &Session) -> Result<Found, Error> {
    if !has_schema(session)? {
        return Ok(Found { version: 0, min_reader: 0 });
    }
    let version = number(session, "SELECT COALESCE(MAX(version), 0) FROM baton_schema")?;
    // A migration that does not name any is known by nobody older.
    let sql = "SELECT COALESCE(MAX(COALESCE((to_jsonb(s) ->> 'min_reader')::bigint, version)), 0) FROM baton_schema s";
    Ok(Found { version, min_reader: number(session, sql)? })
}

fn refuse_replica(session: &Session) -> Result<(), Error> {
    match number(session, "SELECT pg_is_in_recovery()::int::bigint")? {
        0 => Ok(()),
        _ => Err(Error::Unavailable(
            "this server is a read-only replica; connect to the primary, or list all servers".into(),
        )),
    }
}

fn refuse(session: &Session, found: Found) -> Result<(), Error> {
    if found.min_reader > newest() {
        return Err(newer(found.version));
    }
    if found.version == 0 && has_tables(session)? {
        return Err(Error::Unavailable(
            "it is not a Baton database: it has tables of something else; create an empty database for the hub"
                .into(),
        ));
    }
    Ok(())
}

fn has_tables(session: &Session) -> Result<bool, Error> {
    Ok(number(session, "SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema()")? > 0)
}

/// Refuses a database that has anything in it.
pub(crate) fn refuse_tables(session: &Session) -> Result<(), Error> {
    match has_tables(session)? {
        false => Ok(()),
        true => Err(Error::Unavailable(
            "the database is not empty; restore into a new one, created with `createdb`".into(),
        )),
    }
}

/// Which backup a database was filled from, if it was.
pub(crate) fn restored_from(session: &Session) -> Result<Option<String>, Error> {
    if !has_schema(session)? {
        return Ok(None);
    }
    let sql = "SELECT obj_description('baton_schema'::regclass, 'pg_class') AS note".to_owned();
    let found = session.ask(&[Ask { sql, parameters: Vec::new() }])?;
    let note =
        found.first().and_then(|rows| rows.first()).and_then(|row| row.get::<_, Option<String>>("note"));
    Ok(note.and_then(|note| note.strip_prefix(RESTORED_FROM).map(str::to_owned)))
}

const RESTORED_FROM: &str = "restored from the backup ";

/// From now on a program that cannot read entry bundles of zstd does not start on this database.
pub(crate) fn refuse_older(session: &Session) -> Result<(), Error> {
    session.command(&format!(
        "UPDATE baton_schema SET min_reader = GREATEST(min_reader, {READS_ZSTD_BUNDLES})
         WHERE version = {READS_ZSTD_BUNDLES}"
    ))
}

/// Notes which backup a database is filled from.
pub(crate) fn note_restored(session: &Session, mark: &str) -> Result<(), Error> {
    let mark = mark.replace('\'', "''");
    session.command(&format!("COMMENT ON TABLE baton_schema IS '{RESTORED_FROM}{mark}'"))
}

/// Takes the lock of whoever migrates, until the transaction ends.
pub(crate) fn lock(session: &Session) -> Result<(), Error> {
    let most = limits::POSTGRES_MIGRATION_LOCK_MAX_MILLIS;
    session.command(&format!("SET LOCAL lock_timeout = {most}; SET LOCAL statement_timeout = 0"))?;
    session.command(MIGRATES).map_err(|error| match error {
        Error::Conflict => Error::Unavailable(format!(
            "another hub has been migrating or restoring the database for {} s; try again when it has finished",
            most / 1000
        )),
        error => error,
    })
}

/// Runs what is missing, all of it in one transaction.
fn migrate(session: &Session) -> Result<(), Error> {
    session.command("BEGIN")?;
    lock(session)?;
    migrate_here(session)?;
    session.command("COMMIT")
}

/// Runs what is missing in the transaction that is open. Whoever runs it holds the lock.
pub(crate) fn migrate_here(session: &Session) -> Result<(), Error> {
    session.command(
        "CREATE TABLE IF NOT EXISTS baton_schema (version bigint PRIMARY KEY, name text NOT NULL,
             applied_at timestamptz NOT NULL DEFAULT clock_timestamp());
         ALTER TABLE baton_schema ADD COLUMN IF NOT EXISTS min_reader bigint",
    )?;
    let found = number(session, "SELECT COALESCE(MAX(version), 0) FROM baton_schema")?;
    for Migration { version, name, sql, min_reader } in MIGRATIONS.iter().filter(|one| one.version > found) {
        session
            .command(sql)
            .map_err(|error| Error::Unavailable(format!("migration {version}: {}", error.cause())))?;
        let parameters = vec![
            Parameter(Value::Integer(*version)),
            Parameter(Value::Text((*name).to_owned())),
            Parameter(Value::Integer(*min_reader)),
        ];
        let sql = "INSERT INTO baton_schema (version, name, min_reader) VALUES (?1, ?2, ?3)".to_owned();
        session.ask(&[Ask { sql, parameters }])?;
    }
    Ok(())
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
