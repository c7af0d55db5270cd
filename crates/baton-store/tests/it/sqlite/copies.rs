//! Copies of a database in use: whole, of one moment, to their end however much is written, and harmless when they fail.

use super::super::engine::{self, Engine, with_sqlite};
use super::super::fixtures::{insert_task, network, task_id, with_network};
use baton_core::Status;
use baton_store::{Backup, Error, Health, SqliteStore, copy_closed, look_at_copy, schema};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::Duration;

async fn copy(sqlite: &SqliteStore, to: &Path) -> Result<(), Error> {
    sqlite.copy(to.to_owned())?.done.await.unwrap()
}

fn tasks_in(path: &Path) -> i64 {
    let copy = rusqlite::Connection::open(path).unwrap();
    copy.query_row("SELECT COUNT(*) FROM tasks", [], |row| row.get(0)).unwrap()
}

/// Rows enough for many steps.
async fn fill(engine: &Engine, tasks: std::ops::Range<u16>) {
    for n in tasks {
        engine.store.write(move |tx| insert_task(tx, 1, n, &"x".repeat(200))).await.unwrap();
    }
}

/// The file a copy is to fill; whoever asks for a copy makes it.
fn made(engine: &Engine, name: &str) -> PathBuf {
    let path = engine.folder.path().join(name);
    fs::write(&path, "").unwrap();
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_ends_also_while_writes_are_undone() {
    let (engine, sqlite) = with_sqlite();
    with_network(&*engine.store).await;
    fill(&engine, 0..2_000).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..4)
        .map(|n| {
            let (store, stop) = (engine.store.clone(), stop.clone());
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let undone = store.write(move |tx| -> Result<(), Error> {
                        insert_task(tx, 1, 3_000 + n, "coder")?;
                        Err(Error::Busy)
                    });
                    assert!(undone.await.is_err());
                }
            })
        })
        .collect();
    let to = made(&engine, "copy.db");
    let copied = tokio::time::timeout(Duration::from_secs(20), copy(&sqlite, &to)).await;
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    copied.expect("it comes to an end").unwrap();
    assert_eq!(tasks_in(&to), 2_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_under_writes_has_all_that_was_answered_before_and_ends() {
    let (engine, sqlite) = with_sqlite();
    with_network(&*engine.store).await;
    fill(&engine, 0..300).await;
    let (stop, next) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU16::new(300)));
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let (store, stop, next) = (engine.store.clone(), stop.clone(), next.clone());
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    store.write(move |tx| insert_task(tx, 1, n, "coder")).await.unwrap();
                }
            })
        })
        .collect();
    for round in 0..5 {
        let before = tasks_in(&engine.folder.path().join("hub.db"));
        let to = made(&engine, &format!("copy-{round}.db"));
        copy(&sqlite, &to).await.unwrap();
        assert_eq!(look_at_copy(&to).unwrap().schema, schema());
        assert!(tasks_in(&to) >= before, "{} of {before}", tasks_in(&to));
        let counted = rusqlite::Connection::open(&to).unwrap();
        let counted: i64 =
            counted.query_row("SELECT SUM(count) FROM task_counts", [], |row| row.get(0)).unwrap();
        assert_eq!(counted, tasks_in(&to), "counters and rows are of one moment");
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
}

#[tokio::test]
async fn a_copy_that_cannot_be_written_is_told_and_the_store_goes_on() {
    let (engine, sqlite) = with_sqlite();
    with_network(&*engine.store).await;
    let nowhere = engine.folder.path().join("no/such/folder/copy.db");
    for to in [Path::new("/dev/full"), &nowhere] {
        let error = copy(&sqlite, to).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable(_)), "{error}");
    }
    engine.store.write(|tx| insert_task(tx, 1, 1, "coder")).await.unwrap();
    assert!(engine.store.read(|rows| rows.task(&task_id(1))).await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_that_are_given_up_or_asked_for_at_once_end_and_one_is_made() {
    let (engine, sqlite) = with_sqlite();
    with_network(&*engine.store).await;
    fill(&engine, 0..300).await;
    drop(sqlite.copy(made(&engine, "given-up.db")).unwrap());
    let asked: Vec<_> =
        (0..3).map(|n| sqlite.copy(made(&engine, &format!("{n}.db"))).unwrap().done).collect();
    let mut made = 0;
    for done in asked {
        match done.await.unwrap() {
            Ok(()) => made += 1,
            Err(error) => assert!(error.to_string().contains("another copy"), "{error}"),
        }
    }
    assert!(made >= 1);
}

#[tokio::test]
async fn a_store_that_closes_gives_up_its_copy() {
    let (engine, sqlite) = with_sqlite();
    with_network(&*engine.store).await;
    engine.store.close();
    assert!(matches!(sqlite.copy(engine.folder.path().join("late.db")), Err(Error::Closed)));
    let to = made(&engine, "closed.db");
    copy_closed(&engine.folder.path().join("hub.db"), &to, |_| {}).unwrap();
    assert_eq!(look_at_copy(&to).unwrap().schema, schema());
}

#[tokio::test]
async fn a_copy_has_what_was_answered_before_it_and_goes_its_own_way() {
    let (engine, sqlite) = with_sqlite();
    with_network(&*engine.store).await;
    engine.store.write(|tx| insert_task(tx, 1, 1, "coder")).await.unwrap();
    let key = engine.store.read(|rows| rows.cursor_key()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("hub.db");
    fs::write(&to, "").unwrap();
    copy(&sqlite, &to).await.unwrap();
    engine.store.write(|tx| insert_task(tx, 1, 2, "coder")).await.unwrap();
    let copy = Engine::over(engine::sqlite, folder);
    copy.store.write(|tx| insert_task(tx, 1, 3, "coder")).await.unwrap();
    for (store, has) in [(&engine.store, [true, true, false]), (&copy.store, [true, false, true])] {
        let seen = store.read(move |rows| -> Result<_, Error> {
            assert_eq!(rows.task_counts(&network(1))?, [(Status::Delivered, 2)]);
            assert_eq!(rows.cursor_key()?, key);
            Ok([1, 2, 3].map(|n| rows.task(&task_id(n)).unwrap().is_some()))
        });
        assert_eq!(seen.await.unwrap(), has);
    }
}

#[tokio::test]
async fn a_copy_is_made_into_a_file_that_is_there_and_empty_and_into_no_other() {
    let (engine, sqlite) = with_sqlite();
    let folder = tempfile::tempdir().unwrap();
    let (absent, full) = (folder.path().join("absent"), folder.path().join("full"));
    fs::write(&full, "something").unwrap();
    for to in [&absent, &full] {
        assert!(matches!(copy(&sqlite, to).await, Err(Error::Unavailable(_))), "{to:?}");
    }
    assert_eq!((absent.exists(), fs::read_to_string(&full).unwrap().as_str()), (false, "something"));
    assert_eq!(engine.store.health(), Health::Well, "it is the copy that failed");
    with_network(&*engine.store).await;
}

#[tokio::test]
async fn a_closed_store_is_not_copied() {
    let (engine, sqlite) = with_sqlite();
    engine.store.close();
    assert!(matches!(sqlite.copy(engine.folder.path().join("hub.db")), Err(Error::Closed)));
}
