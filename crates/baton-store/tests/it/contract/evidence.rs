//! Logs: appended in order without gaps, read in bounded pages, gone with their network and not before.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, insert_network, insert_task, network, node, remove_network, task_id, user, with_network,
};
use baton_core::Status;
use baton_store::rows::{CheckpointRow, LeafPage, LeafRow, NetworkRow, NewEvent, NewLeaf, TileRow};
use baton_store::{Error, Store, Transaction};

const ALL: LeafPage = LeafPage { from: 0, to: u64::MAX, limit: 1000, bytes: usize::MAX, with_packets: true };

/// Appends an event to a network's log where it ends; about a task if there is one.
fn append(tx: &mut dyn Transaction, in_network: u8, about: Option<u16>) -> Result<u64, Error> {
    let index = tx.log_size(&network(in_network))?;
    append_at(tx, in_network, index, about)?;
    Ok(index)
}

fn append_at(tx: &mut dyn Transaction, in_network: u8, index: u64, about: Option<u16>) -> Result<(), Error> {
    let (event, packet) = (event(in_network, index), format!("packet {index}"));
    tx.append_leaf(NewLeaf {
        network_id: &network(in_network),
        index,
        about: about.map(task_id).as_ref(),
        event: &event,
        packet: packet.as_bytes(),
    })
}

fn event(in_network: u8, index: u64) -> Vec<u8> {
    format!("event {index} of network {in_network}").into_bytes()
}

/// A row of a task's history with its evidence, as a use case writes them.
fn change(tx: &mut dyn Transaction, n: u16, from: Option<Status>) -> Result<(), Error> {
    let log_index = tx.log_size(&network(1))?;
    tx.append_event(NewEvent {
        network_id: &network(1),
        task_id: &task_id(n),
        from,
        to: Status::Delivered,
        actor: &node("lead"),
        actor_token: None,
        detail: "sent",
        at: NOW,
        log_index: Some(log_index),
    })?;
    append(tx, 1, None)?;
    Ok(())
}

async fn leaves(store: &dyn Store, in_network: u8, page: LeafPage) -> Vec<LeafRow> {
    store.read(move |rows| rows.leaves(&network(in_network), page)).await.unwrap()
}

fn indexes(leaves: &[LeafRow]) -> Vec<u64> {
    leaves.iter().map(|leaf| leaf.index).collect()
}

engines! {
    async fn events_stand_where_they_were_appended_each_network_from_0(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)
        }).await.unwrap();
        for expected in 0..3 {
            let index = engine.store.write(|tx| append(tx, 1, None)).await.unwrap();
            assert_eq!(index, expected);
        }
        assert_eq!(engine.store.write(|tx| append(tx, 2, None)).await.unwrap(), 0);
        engine.reopen(open);
        assert_eq!(engine.store.write(|tx| append(tx, 1, None)).await.unwrap(), 3);
        let found = leaves(&*engine.store, 1, ALL).await;
        assert_eq!(indexes(&found), [0, 1, 2, 3]);
        assert!(found.iter().all(|leaf| leaf.event == event(1, leaf.index)));
        assert_eq!(found[2].packet, b"packet 2");
        let other = leaves(&*engine.store, 2, ALL).await;
        assert_eq!((other.len(), &other[0].event), (1, &event(2, 0)));
        let logs = engine.store.read(|rows| rows.logs(0, 10)).await.unwrap();
        assert_eq!(logs.iter().map(|(_, of)| of.clone()).collect::<Vec<_>>(), [network(1), network(2)]);
        let after_the_first = engine.store.read(move |rows| rows.logs(logs[0].0, 10)).await.unwrap();
        assert_eq!(after_the_first.len(), 1);
    }

    async fn a_write_that_is_undone_leaves_no_gap(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| append(tx, 1, None)).await.unwrap();
        let undone = engine.store.write(|tx| -> Result<(), Error> {
            append(tx, 1, None)?;
            append(tx, 1, None)?;
            Err(Error::Busy)
        });
        assert!(undone.await.is_err());
        assert_eq!(engine.store.write(|tx| append(tx, 1, None)).await.unwrap(), 1);
        assert_eq!(indexes(&leaves(&*engine.store, 1, ALL).await), [0, 1]);
    }

    async fn writes_of_one_batch_get_places_of_their_own(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        // The first holds the writer until the others wait, so that they are committed together; every fifth is undone.
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let first = engine.store.write(move |tx| {
            // It may be run again.
            let _ = wait.recv();
            append(tx, 1, None)
        });
        let store = engine.store.clone();
        let others: Vec<_> = (0..40).map(|number| {
            let store = store.clone();
            tokio::spawn(async move {
                store.write(move |tx| {
                    let index = append(tx, 1, None)?;
                    if number % 5 == 4 { Err(Error::Busy) } else { Ok(index) }
                }).await
            })
        }).collect();
        // Runs after the others, which have been spawned before and wait for their answers by then.
        let submitted = tokio::spawn(async move { go.send(()).unwrap() });
        let mut got = vec![first.await.unwrap()];
        submitted.await.unwrap();
        for write in others {
            got.extend(write.await.unwrap());
        }
        got.sort_unstable();
        assert_eq!(got, (0..33).collect::<Vec<_>>());
        assert_eq!(indexes(&leaves(&*engine.store, 1, ALL).await), got);
    }

    async fn an_event_for_another_place_than_the_next_is_refused(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| append(tx, 1, None)).await.unwrap();
        for wrong in [0, 2, 1 << 36, u64::MAX] {
            let refused = engine.store.write(move |tx| append_at(tx, 1, wrong, None)).await;
            assert!(matches!(refused, Err(Error::Corrupt(_))), "{wrong}: {refused:?}");
        }
        assert_eq!(engine.store.read(|rows| rows.log_size(&network(1))).await.unwrap(), 1);
    }

    async fn pages_are_bounded_by_count_by_bytes_and_by_their_ends(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| (0..20).try_for_each(|_| append(tx, 1, None).map(|_| ()))).await.unwrap();
        let store = &*engine.store;
        let page = |from, to, limit, bytes| LeafPage { from, to, limit, bytes, with_packets: true };
        assert_eq!(indexes(&leaves(store, 1, page(0, u64::MAX, 3, usize::MAX)).await), [0, 1, 2]);
        assert_eq!(indexes(&leaves(store, 1, page(5, 8, 100, usize::MAX)).await), [5, 6, 7]);
        assert_eq!(indexes(&leaves(store, 1, page(18, 100, 100, usize::MAX)).await), [18, 19]);
        let one = event(1, 0).len() + "packet 0".len();
        assert_eq!(indexes(&leaves(store, 1, page(0, 100, 100, one + 1)).await), [0, 1], "no more once it is enough");
        assert_eq!(indexes(&leaves(store, 1, page(0, 100, 100, 1)).await), [0], "but always one");
        for nothing in [page(8, 8, 9, 9), page(9, 8, 9, 9), page(20, 100, 9, 9), page(u64::MAX, u64::MAX, 9, 9)] {
            assert_eq!(leaves(store, 1, nothing).await, []);
        }
        assert_eq!(leaves(store, 2, ALL).await, [], "a network without a log");
        assert_eq!(store.read(|rows| rows.log_size(&network(2))).await.unwrap(), 0);
    }

    async fn a_task_has_the_events_of_its_history_and_those_beside(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_task(tx, 1, 1, "coder")?;
            insert_task(tx, 1, 2, "coder")?;
            change(tx, 1, None)?; // 0
            change(tx, 2, None)?; // 1
            append(tx, 1, Some(1))?; // 2, beside
            append(tx, 1, Some(2))?; // 3, beside
            append(tx, 1, None)?; // 4, of nobody
            change(tx, 1, Some(Status::Delivered)) // 5
        }).await.unwrap();
        let of = |n: u16, page: LeafPage| engine.store.read(move |rows| rows.leaves_of_task(&network(1), &task_id(n), page));
        assert_eq!(indexes(&of(1, ALL).await.unwrap()), [0, 2, 5]);
        assert_eq!(indexes(&of(2, ALL).await.unwrap()), [1, 3]);
        assert_eq!(indexes(&of(1, LeafPage { from: 1, to: 5, ..ALL }).await.unwrap()), [2]);
        assert_eq!(indexes(&of(1, LeafPage { limit: 2, ..ALL }).await.unwrap()), [0, 2]);
        assert_eq!(indexes(&of(1, LeafPage { bytes: 1, ..ALL }).await.unwrap()), [0]);
        assert_eq!(of(3, ALL).await.unwrap(), []);
        let elsewhere = engine.store.read(|rows| rows.leaves_of_task(&network(2), &task_id(1), ALL)).await;
        assert_eq!(elsewhere.unwrap(), []);
        let history = engine.store.read(|rows| rows.task_history(&task_id(1))).await.unwrap();
        assert_eq!(history.iter().map(|event| event.log_index).collect::<Vec<_>>(), [Some(0), Some(5)]);
    }

    async fn tiles_checkpoint_and_key_are_kept(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let checkpoint = |size| CheckpointRow { size, root: [size as u8; 32], note: format!("of {size}"), sealed_at: NOW };
        let tile = |hashes: usize| TileRow { level: 0, index: 3, hashes: vec![1; 32 * hashes] };
        engine.store.write(move |tx| -> Result<(), Error> {
            assert_eq!(tx.checkpoint(&network(1))?, None);
            append(tx, 1, None)?;
            for (base, size) in [(None, 1), (Some(checkpoint(1)), 2)] {
                tx.put_tile(&network(1), &tile(size as usize))?;
                assert!(tx.put_checkpoint(&network(1), base.as_ref(), &checkpoint(size))?);
            }
            tx.put_evidence_key("a key")
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(move |rows| -> Result<(), Error> {
            assert_eq!(rows.checkpoint(&network(1))?, Some(checkpoint(2)), "the newest only");
            assert_eq!(rows.tile(&network(1), 0, 3)?, tile(2).hashes, "as it was last written");
            assert_eq!((rows.tile(&network(1), 0, 4)?, rows.tile(&network(1), 1, 3)?), (vec![], vec![]));
            assert_eq!(rows.evidence_key()?.as_deref(), Some("a key"));
            Ok(())
        }).await.unwrap();
        let again = engine.store.write(|tx| tx.put_evidence_key("another")).await;
        assert!(again.is_err(), "a key is remembered once");
    }

    async fn of_two_who_seal_from_the_same_checkpoint_one_wins_and_the_other_writes_nothing(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| (0..9).try_for_each(|_| append(tx, 1, None).map(|_| ()))).await.unwrap();
        // The checkpoint decides, then come the tiles: both or neither.
        let checkpoint = |size: u64| CheckpointRow { size, root: [size as u8; 32], note: format!("of {size}"), sealed_at: NOW };
        let seal = |base: Option<CheckpointRow>, size: u64| engine.store.write(move |tx| -> Result<bool, Error> {
            let is_put = tx.put_checkpoint(&network(1), base.as_ref(), &checkpoint(size))?;
            if is_put {
                tx.put_tile(&network(1), &TileRow { level: 0, index: 0, hashes: vec![size as u8; 32 * size as usize] })?;
            }
            Ok(is_put)
        });
        let sizes = || engine.store.read(|rows| -> Result<_, Error> {
            let checkpoint = rows.checkpoint(&network(1))?.unwrap();
            let tile = rows.tile(&network(1), 0, 0)?;
            assert!(tile.iter().all(|byte| *byte == checkpoint.root[0]), "tree and checkpoint are of the same sealer");
            Ok((checkpoint.size, tile.len() as u64 / 32))
        });
        let (five, seven) = tokio::join!(seal(None, 5), seal(None, 7));
        assert_ne!(five.unwrap(), seven.unwrap(), "one of the two");
        let (size, hashes) = sizes().await.unwrap();
        assert_eq!(size, hashes);
        assert!(!seal(None, 9).await.unwrap(), "the first checkpoint is there");
        assert!(!seal(Some(checkpoint(size - 1)), 9).await.unwrap());
        let other_root = CheckpointRow { root: [0; 32], ..checkpoint(size) };
        assert!(!seal(Some(other_root), 9).await.unwrap(), "a tree of the same size and another root");
        assert_eq!(sizes().await.unwrap(), (size, size));
        assert!(seal(Some(checkpoint(size)), 9).await.unwrap(), "whoever reads again goes on");
        assert_eq!(sizes().await.unwrap(), (9, 9));
    }

    async fn a_packet_is_remembered_for_who_handed_it_in(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            append(tx, 1, None)?;
            tx.remember_reported(&network(1), &node("lead"), &[7; 32], 0)
        }).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            assert_eq!(rows.reported_at(&network(1), &node("lead"), &[7; 32])?, Some(0));
            assert_eq!(rows.reported_at(&network(1), &node("coder"), &[7; 32])?, None);
            assert_eq!(rows.reported_at(&network(1), &node("lead"), &[8; 32])?, None);
            assert_eq!(rows.reported_at(&network(2), &node("lead"), &[7; 32])?, None);
            Ok(())
        }).await.unwrap();
    }

    async fn a_log_goes_with_its_network_and_its_number_is_not_used_again(engine: &mut Engine, open: Open) {
        let log_of = |store: std::sync::Arc<dyn Store>, n: u8| async move {
            let logs = store.read(|rows| rows.logs(0, 10)).await.unwrap();
            logs.into_iter().find(|(_, of)| *of == network(n)).map(|(log, _)| log)
        };
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            append(tx, 2, None)?;
            for _ in 0..3 {
                append(tx, 1, Some(1))?;
            }
            tx.put_tile(&network(1), &TileRow { level: 0, index: 0, hashes: vec![1; 96] })?;
            let signed = CheckpointRow { size: 3, root: [0; 32], note: String::new(), sealed_at: NOW };
            assert!(tx.put_checkpoint(&network(1), None, &signed)?);
            tx.remember_reported(&network(1), &node("lead"), &[7; 32], 0)
        }).await.unwrap();
        let before = log_of(engine.store.clone(), 1).await.unwrap();
        engine.store.write(|tx| remove_network(tx, 1)).await.unwrap();
        assert_eq!(leaves(&*engine.store, 1, ALL).await, []);
        assert_eq!(indexes(&leaves(&*engine.store, 2, ALL).await), [0], "others keep theirs");
        engine.store.write(|tx| -> Result<(), Error> {
            tx.insert_network(&NetworkRow {
                network_id: network(1),
                name: "again".into(),
                owner_id: user(1),
                description: None,
                created_at: NOW,
                updated_at: NOW,
                public_cards: false,
            })?;
            assert_eq!(append(tx, 1, None)?, 0);
            assert_eq!(tx.checkpoint(&network(1))?, None);
            assert!(tx.tile(&network(1), 0, 0)?.is_empty());
            assert_eq!(tx.reported_at(&network(1), &node("lead"), &[7; 32])?, None);
            Ok(())
        }).await.unwrap();
        assert!(log_of(engine.store.clone(), 1).await.unwrap() > before);
    }

    async fn logs_that_grew_are_told_after_the_commit(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let undone = engine.store.write(|tx| -> Result<(), Error> {
            append(tx, 1, None)?;
            Err(Error::Busy)
        });
        assert!(undone.await.is_err());
        assert!(engine.grown.lock().unwrap().is_empty());
        engine.store.write(|tx| append(tx, 1, None)).await.unwrap();
        assert_eq!(*engine.grown.lock().unwrap(), [network(1)]);
    }
}
