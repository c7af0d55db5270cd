//! A COMMIT whose answer never came. Each lane has a row with the number of its newest batch, which every batch writes: on a
//! new connection it says whether the last one was committed. The old connection may still be at it; it holds the row, and
//! is waited for.

use baton_core::limits;
use std::time::Instant;

use super::lane::Shared;
use super::parameter::Parameter;
use super::scope::Ask;
use super::session::Session;
use crate::error::Error;
use crate::meter::Resolved;

/// How a connection that writes is set up.
pub(crate) fn settings() -> String {
    format!(
        "SET lock_timeout = {}; SET statement_timeout = {}; SET idle_in_transaction_session_timeout = {};
         SET jit = off; SET default_transaction_isolation = 'read committed'",
        limits::POSTGRES_LOCK_MAX_MILLIS,
        limits::POSTGRES_STATEMENT_MAX_MILLIS,
        limits::POSTGRES_STATEMENT_MAX_MILLIS
    )
}

/// The connection of a lane, which has a row from then on.
pub(crate) fn connect_lane(shared: &Shared, lane: &str) -> Result<Session, Error> {
    let session = connect(shared)?;
    session.barrier()?;
    let text = rusqlite::types::Value::Text(lane.to_owned());
    let sql = "INSERT INTO lanes (lane, number) VALUES (?1, 0) ON CONFLICT (lane) DO NOTHING";
    session.ask(&[Ask { sql: sql.into(), parameters: vec![Parameter(text)] }])?;
    Ok(session)
}

fn connect(shared: &Shared) -> Result<Session, Error> {
    let session = Session::connect(&shared.connection, &settings(), shared.meter.clone())?;
    Ok(session.answering_within(shared.answer_max).sharing(&shared.doubts).counting_trips())
}

/// Removes the rows of lanes that have long been gone: a hub that is killed leaves its own. One that is alive after all finds
/// its row missing, and connects again.
pub(crate) fn forget_lanes(session: &Session) -> Result<(), Error> {
    let sql = format!(
        "DELETE FROM lanes WHERE seen_at < clock_timestamp() - interval '{} seconds'",
        limits::POSTGRES_LANE_KEPT_SECONDS
    );
    session.ask(&[Ask { sql, parameters: Vec::new() }]).map(drop)
}

/// Whether a batch was committed: fine if so, an error that says so if not, [`Error::Unknown`] if it cannot be found out.
pub(crate) fn resolve(shared: &Shared, lane: &str, number: i64, cause: &Error) -> Result<(), Error> {
    let until = Instant::now() + limits::POSTGRES_COMMIT_RESOLVED_WITHIN;
    loop {
        match newest(shared, lane) {
            Ok(newest) if newest >= number => {
                shared.meter.resolved(Resolved::Committed);
                return Ok(());
            }
            Ok(_) => {
                shared.meter.resolved(Resolved::NotCommitted);
                return Err(cause.clone());
            }
            Err(error) if Instant::now() >= until => {
                shared.meter.resolved(Resolved::Unknown);
                return Err(Error::Unknown(format!("{}; and then: {}", cause.cause(), error.cause())));
            }
            Err(_) => std::thread::sleep(limits::POSTGRES_RECONNECTED_EVERY),
        }
    }
}

/// What is answered here is acknowledged to a caller, so it has to be on the standbys too: the barrier after it waits for that.
fn newest(shared: &Shared, lane: &str) -> Result<i64, Error> {
    let session = connect(shared)?;
    let text = rusqlite::types::Value::Text(lane.to_owned());
    let sql = "SELECT number FROM lanes WHERE lane = ?1 FOR UPDATE";
    let found = session.ask(&[Ask { sql: sql.into(), parameters: vec![Parameter(text)] }])?;
    let number = found.first().and_then(|rows| rows.first()).map(|row| row.get::<_, i64>("number"));
    session.barrier()?;
    number.ok_or_else(|| Error::Unavailable("the row of this connection is missing".into()))
}
