//! Writes: all or nothing, answered after the commit, each on its own in its batch.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{NOW, insert_network, insert_task, network, node, task_id, user, with_network};
use baton_core::Status;
use baton_store::{Error, Health, Ring, Store, Transaction};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

async fn exists(store: &dyn Store, n: u16) -> bool {
    store.read(move |rows| Ok::<_, Error>(rows.task(&task_id(n))?.is_some())).await.unwrap()
}

engines! {
    async fn what_was_answered_is_there_after_a_new_start(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| insert_task(tx, 1, 1, "coder")).await.unwrap();
        engine.reopen(open);
        assert!(exists(&*engine.store, 1).await);
    }

    async fn a_write_that_answers_an_error_leaves_nothing(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let refused = engine.store.write(|tx| -> Result<(), Error> {
            insert_task(tx, 1, 1, "coder")?;
            tx.ring(Ring { network_id: network(1), to: node("coder") });
            Err(Error::Busy)
        });
        assert!(matches!(refused.await, Err(Error::Busy)));
        assert!(!exists(&*engine.store, 1).await);
        assert!(engine.rings.lock().unwrap().is_empty());
        let counts = engine.store.read(|rows| rows.task_counts(&network(1))).await.unwrap();
        assert!(counts.is_empty(), "{counts:?}");
    }

    async fn a_transaction_reads_what_it_wrote_also_as_a_snapshot_and_others_only_once_it_is_committed(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let store = engine.store.clone();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let (begin, mut begun) = tokio::sync::mpsc::unbounded_channel::<()>();
        let write = tokio::spawn(async move {
            store.write(move |tx| -> Result<(), Error> {
                insert_task(tx, 1, 1, "coder")?;
                assert_eq!(tx.as_snapshot().task(&task_id(1))?, tx.task(&task_id(1))?);
                assert_eq!(tx.as_snapshot().task_counts(&network(1))?, [(Status::Delivered, 1)]);
                begin.send(()).unwrap();
                wait.recv().unwrap();
                Ok(())
            }).await
        });
        begun.recv().await.unwrap();
        assert!(!exists(&*engine.store, 1).await, "not yet");
        go.send(()).unwrap();
        write.await.unwrap().unwrap();
        assert!(exists(&*engine.store, 1).await);
    }

    async fn a_store_that_is_well_passes_checks_of_writes_and_says_so(engine: &mut Engine, open: Open) {
        let store = &engine.store;
        let is_well = || store.health() == Health::Well;
        assert!(is_well());
        for _ in 0..3 {
            let (first, second) = tokio::join!(store.check_writes(), store.check_writes());
            assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?}");
            assert!(!store.read(|rows| rows.has_users()).await.unwrap(), "a check is nobody's row");
        }
        assert!(store.meter().since_commit().is_some(), "it was committed");
        // That a use case refuses, or a row is taken, says nothing of the disk.
        let refuses = store.write(|_| Err::<(), _>(Error::Busy));
        let (refused, checked) = tokio::join!(refuses, store.check_writes());
        assert!(refused.is_err() && checked.is_ok() && is_well());
        with_network(&**store).await;
        let refused = store.write(|tx| insert_network(tx, 1)).await;
        assert!(refused.is_err() && is_well());
    }

    async fn a_write_that_panics_harms_nobody_else(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let store = engine.store.clone();
        let good = (0..50).map(|n| {
            let store = store.clone();
            tokio::spawn(async move { store.write(move |tx| insert_task(tx, 1, n, "coder")).await })
        });
        let bad = store.write(|tx| -> Result<(), Error> {
            insert_task(tx, 1, 99, "coder")?;
            panic!("on purpose")
        });
        let good: Vec<_> = good.collect();
        assert!(matches!(bad.await, Err(Error::Panicked(_))));
        for write in good {
            write.await.unwrap().unwrap();
        }
        assert!(!exists(&*engine.store, 99).await);
        assert!(exists(&*engine.store, 0).await && exists(&*engine.store, 49).await);
    }

    async fn a_write_that_answers_an_error_leaves_nothing_and_the_others_of_its_batch_stay(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let store = engine.store.clone();
        // The writer is held up until all the others wait behind it, so that they are one batch.
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let (begin, mut begun) = tokio::sync::mpsc::unbounded_channel::<()>();
        let first = tokio::spawn({
            let store = store.clone();
            async move {
                // Held until the other end is dropped; it may be run again.
                store.write(move |_| -> Result<(), Error> {
                    let _ = begin.send(());
                    let _ = wait.recv();
                    Ok(())
                }).await
            }
        });
        begun.recv().await.unwrap();
        let runs = Arc::new(AtomicUsize::new(0));
        let others: Vec<_> = (0..6).map(|n| {
            let (store, runs) = (store.clone(), runs.clone());
            tokio::spawn(async move {
                store.write(move |tx| -> Result<(), Error> {
                    runs.fetch_add(1, Ordering::Relaxed);
                    match n {
                        // Refused before it writes, and after.
                        2 => Err(Error::Busy),
                        4 => {
                            insert_task(tx, 1, n, "coder")?;
                            tx.ring(Ring { network_id: network(1), to: node("coder") });
                            Err(Error::Busy)
                        }
                        _ => insert_task(tx, 1, n, "coder"),
                    }
                }).await
            })
        }).collect();
        tokio::task::yield_now().await;
        drop(go);
        first.await.unwrap().unwrap();
        for (n, write) in (0..).zip(others) {
            let is_refused = matches!(write.await.unwrap(), Err(Error::Busy));
            assert_eq!((is_refused, exists(&*store, n).await), (n == 2 || n == 4, n != 2 && n != 4), "{n}");
        }
        let runs = runs.load(Ordering::Relaxed);
        assert!(runs >= 6 && runs <= 6 * engine.most_runs, "each ran once, or to find out what it needs: {runs}");
        assert!(engine.rings.lock().unwrap().is_empty());
        let counts = store.read(|rows| rows.task_counts(&network(1))).await.unwrap();
        assert_eq!(counts, [(Status::Delivered, 4)]);
    }

    async fn of_two_racing_writes_one_wins(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let store = engine.store.clone();
        let take = |tx: &mut dyn Transaction| -> Result<bool, Error> {
            let free = tx.task(&task_id(1))?.is_none();
            if free {
                insert_task(tx, 1, 1, "coder")?;
            }
            Ok(free)
        };
        let racers: Vec<_> = (0..32)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move { store.write(take).await.unwrap() })
            })
            .collect();
        let mut winners = 0;
        for racer in racers {
            winners += usize::from(racer.await.unwrap());
        }
        assert_eq!(winners, 1);
    }

    async fn rings_come_after_the_commit_and_once_each(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let ring = Ring { network_id: network(1), to: node("coder") };
        let rung = ring.clone();
        engine.store.write(move |tx| -> Result<(), Error> {
            tx.ring(rung.clone());
            tx.ring(rung.clone());
            Ok(())
        }).await.unwrap();
        assert_eq!(*engine.rings.lock().unwrap(), [ring]);
    }

    async fn the_access_epoch_grows_with_committed_changes_only(engine: &mut Engine, open: Open) {
        let before = engine.store.access_epoch();
        assert_eq!(engine.store.newest_access_epoch().get().await.unwrap(), before);
        engine.store.write(|tx| insert_network(tx, 1)).await.unwrap();
        assert_eq!(engine.store.access_epoch(), before);
        let undone = engine.store.write(|tx| -> Result<(), Error> {
            tx.touch_access();
            Err(Error::Busy)
        });
        assert!(undone.await.is_err());
        assert_eq!(engine.store.access_epoch(), before);
        engine.store.write(|tx| -> Result<(), Error> {
            tx.touch_access();
            Ok(())
        }).await.unwrap();
        let raised = engine.store.access_epoch();
        assert!(raised > before);
        // Whoever compares it after a start, or on another hub, must not find a number that was used before.
        engine.reopen(open);
        assert_eq!(engine.store.access_epoch(), raised);
        engine.store.write(|tx| -> Result<(), Error> { tx.touch_access(); Ok(()) }).await.unwrap();
        engine.reopen(open);
        assert!(engine.store.access_epoch() > raised, "raised by a write that wrote nothing else, too");
    }

    async fn a_read_sees_one_state_while_writes_go_on(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let store = engine.store.clone();
        let (begin, began) = std::sync::mpsc::channel::<()>();
        let (done, finish) = std::sync::mpsc::channel::<()>();
        let reader = tokio::spawn({
            let store = store.clone();
            async move {
                store.read(move |rows| -> Result<_, Error> {
                    let before = rows.task_counts(&network(1))?;
                    // It may be run again: on a busy machine the write takes longer than a quick read may.
                    let _ = begin.send(());
                    let _ = finish.recv();
                    Ok((before, rows.task_counts(&network(1))?))
                }).await.unwrap()
            }
        });
        tokio::task::spawn_blocking(move || began.recv().unwrap()).await.unwrap();
        store.write(|tx| insert_task(tx, 1, 1, "coder")).await.unwrap();
        done.send(()).unwrap();
        let (before, after) = reader.await.unwrap();
        assert_eq!(before, after);
    }

    async fn a_closed_store_takes_nothing_and_keeps_everything(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let store: Arc<dyn Store> = engine.store.clone();
        store.close();
        let refused = store.write(|tx| insert_task(tx, 1, 1, "coder")).await;
        assert!(matches!(refused, Err(Error::Closed)));
        assert!(matches!(store.check_writes().await, Err(Error::Closed)));
        engine.reopen(open);
        let role = engine.store.read(|rows| rows.network(&network(1))).await.unwrap();
        assert_eq!(role.unwrap().owner_id, user(1));
        let _ = NOW;
    }
}
