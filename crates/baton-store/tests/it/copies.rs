//! Copies of a database in use: whole, of one moment, to their end however much is written, and harmless when they fail.

use super::engine::{Engine, sqlite};
use super::fixtures::{insert_task, task_id, with_network};
use baton_store::{CopyJob, Error, Store, copy_closed, look_at_copy, schema};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::Duration;

async fn copy(store: &dyn Store, to: &Path) -> Result<(), Error> {
    let (job, copying) = CopyJob::new(to.to_owned());
    store.copy(job)?;
    copying.done.await.unwrap()
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
    std::fs::write(&path, "").unwrap();
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_ends_also_while_writes_are_undone() {
    let engine = Engine::new(sqlite);
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
    let copied = tokio::time::timeout(Duration::from_secs(20), copy(&*engine.store, &to)).await;
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    copied.expect("it comes to an end").unwrap();
    assert_eq!(tasks_in(&to), 2_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_under_writes_has_all_that_was_answered_before_and_ends() {
    let engine = Engine::new(sqlite);
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
        copy(&*engine.store, &to).await.unwrap();
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
    let engine = Engine::new(sqlite);
    with_network(&*engine.store).await;
    let nowhere = engine.folder.path().join("no/such/folder/copy.db");
    for to in [Path::new("/dev/full"), &nowhere] {
        let error = copy(&*engine.store, to).await.unwrap_err();
        assert!(matches!(error, Error::Unavailable(_)), "{error}");
    }
    engine.store.write(|tx| insert_task(tx, 1, 1, "coder")).await.unwrap();
    assert!(engine.store.read(|rows| rows.task(&task_id(1))).await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_that_are_given_up_or_asked_for_at_once_end_and_one_is_made() {
    let engine = Engine::new(sqlite);
    with_network(&*engine.store).await;
    fill(&engine, 0..300).await;
    let (job, copying) = CopyJob::new(made(&engine, "given-up.db"));
    drop(copying);
    engine.store.copy(job).unwrap();
    let asked: Vec<_> = (0..3)
        .map(|n| {
            let (job, copying) = CopyJob::new(made(&engine, &format!("{n}.db")));
            engine.store.copy(job).unwrap();
            copying.done
        })
        .collect();
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
    let engine = Engine::new(sqlite);
    with_network(&*engine.store).await;
    engine.store.close();
    let (job, _copying) = CopyJob::new(engine.folder.path().join("late.db"));
    assert!(matches!(engine.store.copy(job), Err(Error::Closed)));
    let to = made(&engine, "closed.db");
    copy_closed(&engine.folder.path().join("hub.db"), &to, |_| {}).unwrap();
    assert_eq!(look_at_copy(&to).unwrap().schema, schema());
}
