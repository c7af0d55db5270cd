//! How SQLite finds out whether its disk takes writes: a row of its own, written with a batch.

use super::super::engine::{Engine, sqlite};
use super::super::fixtures::{insert_task, task_id, with_network};
use super::open_beside;
use baton_store::{Error, Health};

fn probed(engine: &Engine) -> Vec<Vec<u8>> {
    let beside = open_beside(engine);
    let mut rows = beside.prepare("SELECT bytes FROM probe").unwrap();
    rows.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

#[tokio::test]
async fn every_check_writes_as_much_as_a_task_and_keeps_one_row() {
    let engine = Engine::new(sqlite);
    engine.store.check_writes().await.unwrap();
    let first = probed(&engine);
    engine.store.check_writes().await.unwrap();
    let second = probed(&engine);
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_eq!(second[0].len(), 128 << 10);
    assert_ne!(first, second, "the same bytes would not be written");
}

#[tokio::test]
async fn a_check_among_writes_that_wait_is_committed_with_them_whatever_one_of_them_answers() {
    let engine = Engine::new(sqlite);
    with_network(&*engine.store).await;
    let store = &engine.store;
    // The writer is held until the others wait behind it, so that they are one batch.
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let hold = store.write(move |_| -> Result<(), Error> {
        let _ = wait.recv();
        Ok(())
    });
    let refuses = store.write(|tx| insert_task(tx, 1, 2, "coder").and(Err::<(), _>(Error::Busy)));
    let (_, sent, refused, checked, ()) = tokio::join!(
        hold,
        store.write(|tx| insert_task(tx, 1, 1, "coder")),
        refuses,
        store.check_writes(),
        async move { drop(go) },
    );
    assert!(sent.is_ok() && refused.is_err() && checked.is_ok());
    let there = store.read(|rows| Ok::<_, Error>([1, 2].map(|n| rows.task(&task_id(n)).unwrap().is_some())));
    assert_eq!(there.await.unwrap(), [true, false]);
    assert_eq!(probed(&engine).len(), 1);
}

/// A trigger of the test refuses the row, as a full disk does.
#[tokio::test]
async fn a_check_that_cannot_be_written_is_an_error_and_the_store_refuses_writes_for_now() {
    let engine = Engine::new(sqlite);
    let beside = open_beside(&engine);
    let full =
        "CREATE TRIGGER full BEFORE INSERT ON probe BEGIN SELECT RAISE(ABORT, 'the disk is full'); END";
    beside.execute_batch(full).unwrap();
    let refused = engine.store.check_writes().await;
    assert!(
        matches!(&refused, Err(Error::Unavailable(why)) if why.contains("the disk is full")),
        "{refused:?}"
    );
    assert_eq!(engine.store.health(), Health::RefusesWrites);
    assert!(probed(&engine).is_empty());
    beside.execute_batch("DROP TRIGGER full").unwrap();
    engine.store.check_writes().await.unwrap();
    assert_eq!(engine.store.health(), Health::RefusesWrites, "one that was taken counts only after a moment");
}
