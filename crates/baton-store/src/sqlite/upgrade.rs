//! Bringing a database to this program's schema. All migrations that are missing run in one transaction with the record
//! of them: a start that is killed in the middle leaves the database as it was, and a new one costs one commit. While an
//! older database is upgraded, a line is logged every few seconds with the step and the elapsed time.

use baton_core::limits;
use rusqlite::Connection;
use rusqlite::hooks::Action;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::connection::{schema, schema_of};
use super::migrations::{self, versions};
use crate::error::Error;

/// The table in which a migration is recorded once it has run.
const RECORD: &str = "refinery_schema_history";

/// How far an upgrade is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Progress {
    /// The step that is running, from 1; the last one until the commit.
    step: usize,
    of: usize,
    elapsed: Duration,
}

/// Brings a database to this program's schema.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), Error> {
    let (from, to) = (schema_of(connection)?, schema());
    if from == 0 || from >= to {
        return run(connection);
    }
    let steps = versions().into_iter().filter(|version| *version > from).count();
    tracing::info!(
        "upgrading the database from schema {from} to schema {to} in {steps} steps; a large database takes minutes. \
         If the upgrade is interrupted, the database stays as it was"
    );
    let began = Instant::now();
    watched(connection, steps, limits::UPGRADE_REPORTED_EVERY, |Progress { step, of, elapsed }| {
        tracing::info!("database upgrade: step {step} of {of}, {} s elapsed", elapsed.as_secs());
    })?;
    tracing::info!("the database was upgraded to schema {to} in {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}

fn run(connection: &mut Connection) -> Result<(), Error> {
    let done = migrations::runner()?.set_grouped(true).run(connection);
    done.map(drop).map_err(|error| Error::Unavailable(format!("migration: {error}")))
}

/// Runs the migrations, and reports how far they are whenever so much time has passed. A thread of its own reports: one
/// step may keep SQLite busy for a minute.
fn watched(
    connection: &mut Connection,
    of: usize,
    every: Duration,
    report: impl FnMut(Progress) + Send,
) -> Result<(), Error> {
    let (step_done, steps_done) = channel();
    connection.update_hook(Some(move |action, _: &str, table: &str, _| {
        if action == Action::SQLITE_INSERT && table == RECORD {
            let _ = step_done.send(()); // without a thread that reports, nobody listens
        }
    }))?;
    std::thread::scope(|scope| {
        let reporter = std::thread::Builder::new().name("upgrade".into());
        if let Err(error) = reporter.spawn_scoped(scope, move || watch(&steps_done, of, every, report)) {
            tracing::warn!(%error, "the progress of the upgrade is not reported");
        }
        let done = run(connection);
        // With the hook its end of the channel is dropped, and the thread ends.
        let unhooked = connection.update_hook(None::<fn(Action, &str, &str, i64)>);
        done.and(unhooked.map_err(Error::from))
    })
}

/// Reports until there is nobody left to finish a step.
fn watch(steps_done: &Receiver<()>, of: usize, every: Duration, mut report: impl FnMut(Progress)) {
    let began = Instant::now();
    let (mut done, mut reported) = (0, began);
    loop {
        match steps_done.recv_timeout(every.saturating_sub(reported.elapsed())) {
            Ok(()) => done += 1,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if reported.elapsed() >= every {
            report(Progress { step: (done + 1).min(of), of, elapsed: began.elapsed() });
            reported = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refinery_core::Target;

    fn first_release() -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        migrations::runner().unwrap().set_target(Target::Version(1)).run(&mut connection).unwrap();
        connection
    }

    #[test]
    fn an_upgrade_reports_its_steps_in_order_and_how_many_there_are() {
        let mut connection = first_release();
        let of = versions().len() - 1;
        let mut seen = Vec::new();
        // Reports all the time, after each step too.
        watched(&mut connection, of, Duration::ZERO, |progress| {
            assert_eq!(progress.of, of);
            seen.push(progress.step);
        })
        .unwrap();
        assert!(seen.is_sorted(), "{seen:?}");
        seen.dedup();
        assert!(seen.iter().all(|step| (1..=of).contains(step)) && seen.last() == Some(&of), "{seen:?}");
        assert_eq!(schema_of(&connection).unwrap(), schema());
    }

    #[test]
    fn a_step_that_takes_long_is_reported_again_and_again() {
        let (step_done, steps_done) = channel();
        step_done.send(()).unwrap();
        let mut lines = Vec::new();
        let mut step_done = Some(step_done);
        watch(&steps_done, 3, Duration::from_millis(1), |progress| {
            lines.push(progress);
            if lines.len() == 4 {
                step_done = None; // the upgrade has ended
            }
        });
        assert_eq!(lines.iter().map(|line| (line.step, line.of)).collect::<Vec<_>>(), [(2, 3); 4]);
        assert!(lines.is_sorted_by_key(|line| line.elapsed));
    }

    #[test]
    fn an_upgrade_that_fails_changes_nothing_and_leaves_no_hook() {
        let mut connection = first_release();
        connection.execute_batch("CREATE TABLE errands (x)").unwrap(); // in the way of a later migration
        assert!(watched(&mut connection, 20, limits::UPGRADE_REPORTED_EVERY, |_| ()).is_err());
        assert_eq!(schema_of(&connection).unwrap(), 1);
        connection.execute_batch("DROP TABLE errands").unwrap();
        migrate(&mut connection).unwrap();
        assert_eq!(schema_of(&connection).unwrap(), schema());
    }
}
