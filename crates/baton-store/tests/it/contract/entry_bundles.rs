//! Entry bundles: signed entries move out of a log's tail, all 256 or none, and no reader notices.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, insert_network, insert_task, network, node, remove_network, task_id, with_network,
};
use baton_core::Status;
use baton_core::limits::ENTRY_BUNDLED_MAX_BYTES;
use baton_store::rows::{CheckpointRow, LeafPage, LeafRow, NewEvent, NewLeaf};
use baton_store::{Entry, EntryBundle, Error, Store, Transaction};

const ALL: LeafPage =
    LeafPage { from: 0, to: u64::MAX, limit: 10_000, bytes: usize::MAX, with_packets: true };

/// Entries whose event or packet is longer than an entry bundle takes, and one that is just short enough.
const LONG_EVENT: u64 = 5;
const LONG_PACKET: u64 = 255;
const LONGEST: u64 = 256;

fn entry(in_network: u8, index: u64) -> Entry {
    let padded = |text: String, bytes: usize| format!("{text:<bytes$}").into_bytes();
    let (event, packet) = match index {
        LONG_EVENT => (ENTRY_BUNDLED_MAX_BYTES + 1, 0),
        LONG_PACKET => (0, ENTRY_BUNDLED_MAX_BYTES + 1),
        LONGEST => (ENTRY_BUNDLED_MAX_BYTES, ENTRY_BUNDLED_MAX_BYTES),
        _ => (0, 0),
    };
    Entry {
        event: padded(format!("event {index} of network {in_network}"), event),
        packet: padded(format!("packet {index}"), packet),
    }
}

/// Appends the next entry. Every tenth is the history of task 1, every eleventh is about it without a row of history.
fn append(tx: &mut dyn Transaction, in_network: u8) -> Result<u64, Error> {
    let index = tx.log_size(&network(in_network))?;
    let Entry { event, packet } = entry(in_network, index);
    let about = (in_network == 1 && index % 11 == 5).then(|| task_id(1));
    if in_network == 1 && index % 10 == 0 {
        tx.append_event(NewEvent {
            network_id: &network(1),
            task_id: &task_id(1),
            from: (index > 0).then_some(Status::Delivered),
            to: Status::Delivered,
            actor: &node("lead"),
            actor_token: None,
            detail: "sent",
            at: NOW,
            log_index: Some(index),
        })?;
    }
    let network_id = &network(in_network);
    tx.append_leaf(NewLeaf { network_id, index, about: about.as_ref(), event: &event, packet: &packet })?;
    Ok(index)
}

/// Networks 1 and 2, the log of the first with so many entries.
async fn with_log(store: &dyn Store, count: u64) {
    store
        .write(move |tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            insert_task(tx, 1, 1, "coder")?;
            append(tx, 2)?;
            (0..count).try_for_each(|_| append(tx, 1).map(|_| ()))
        })
        .await
        .unwrap();
}

async fn sign(store: &dyn Store, size: u64) {
    let row = CheckpointRow { size, root: [0; 32], note: String::new(), sealed_at: NOW };
    let sign = move |tx: &mut dyn Transaction| -> Result<bool, Error> {
        let base = tx.checkpoint(&network(1))?;
        tx.put_checkpoint(&network(1), base.as_ref(), &row)
    };
    assert!(store.write(sign).await.unwrap());
}

/// The next entry bundle of the first network, if there is one to be made.
async fn next(store: &dyn Store) -> Option<(u64, EntryBundle)> {
    let tail =
        store.read(|rows| rows.entries_to_bundle(&network(1), 256, usize::MAX)).await.unwrap().pop()?;
    Some((tail.first, EntryBundle::pack(&tail.entries).unwrap()))
}

/// Makes as many as can be made.
async fn bundle_all(store: &dyn Store) -> usize {
    let mut made = 0;
    while let Some((first, bundle)) = next(store).await {
        assert!(store.write(move |tx| tx.put_entry_bundle(&network(1), first, &bundle)).await.unwrap());
        made += 1;
    }
    made
}

async fn bundled(store: &dyn Store) -> u64 {
    store.read(|rows| rows.bundled(&network(1))).await.unwrap()
}

async fn leaves(store: &dyn Store, page: LeafPage) -> Vec<LeafRow> {
    store.read(move |rows| rows.leaves(&network(1), page)).await.unwrap()
}

/// Pages of all sorts, of the log and of a task.
async fn pages(store: &dyn Store) -> Vec<Vec<LeafRow>> {
    let mut pages = Vec::new();
    let ends = [0, 1, 4, 5, 6, 200, 254, 255, 256, 257, 400, 511, 512, 513, 599, 600, 601];
    for from in ends {
        for to in ends.into_iter().chain([u64::MAX]).filter(|to| *to >= from) {
            let (limit, bytes) = [(1, usize::MAX), (300, usize::MAX), (1000, 3000)][pages.len() / 2 % 3];
            let page = LeafPage { from, to, limit, bytes, with_packets: from % 2 == 0 };
            pages.push(leaves(store, page).await);
            let of_task =
                move |rows: &dyn baton_store::Snapshot| rows.leaves_of_task(&network(1), &task_id(1), page);
            pages.push(store.read(of_task).await.unwrap());
        }
    }
    pages.push(leaves(store, ALL).await);
    pages
}

engines! {
    async fn every_page_is_the_same_before_and_after_its_entries_are_bundled(engine: &mut Engine, open: Open) {
        with_log(&*engine.store, 600).await;
        sign(&*engine.store, 600).await;
        let before = pages(&*engine.store).await;
        assert_eq!(before.last().unwrap().len(), 600);
        for expected in [256, 512] {
            let (first, bundle) = next(&*engine.store).await.unwrap();
            assert_eq!((first, bundle.count()), (expected - 256, if expected == 256 { 254 } else { 256 }));
            assert!(engine.store.write(move |tx| tx.put_entry_bundle(&network(1), first, &bundle)).await.unwrap());
            assert_eq!(bundled(&*engine.store).await, expected);
            assert!(pages(&*engine.store).await == before, "with {expected} bundled");
        }
        assert_eq!(next(&*engine.store).await, None, "88 are too few");
        engine.reopen(open);
        assert!(pages(&*engine.store).await == before);
        for leaf in leaves(&*engine.store, ALL).await {
            let Entry { event, packet } = entry(1, leaf.index);
            assert!(leaf.event == event && leaf.packet == packet, "{}", leaf.index);
        }
        let without = leaves(&*engine.store, LeafPage { with_packets: false, ..ALL }).await;
        assert!(without.iter().all(|leaf| leaf.packet.is_empty() && leaf.event == entry(1, leaf.index).event));
        let other = engine.store.read(|rows| rows.leaves(&network(2), ALL)).await.unwrap();
        assert_eq!(other.len(), 1, "another log is as it was");
    }

    async fn a_log_goes_on_where_its_bundles_end(engine: &mut Engine, open: Open) {
        with_log(&*engine.store, 512).await;
        sign(&*engine.store, 512).await;
        assert_eq!(bundle_all(&*engine.store).await, 2);
        assert_eq!(engine.store.read(|rows| rows.log_size(&network(1))).await.unwrap(), 512);
        engine.reopen(open);
        assert_eq!(engine.store.write(|tx| append(tx, 1)).await.unwrap(), 512);
        let edge = leaves(&*engine.store, LeafPage { from: 511, ..ALL }).await;
        assert_eq!(edge.iter().map(|leaf| leaf.index).collect::<Vec<_>>(), [511, 512]);
    }

    async fn only_signed_entries_are_bundled_and_only_whole_bundles(engine: &mut Engine, open: Open) {
        with_log(&*engine.store, 600).await;
        assert_eq!(next(&*engine.store).await, None, "nothing is signed");
        sign(&*engine.store, 255).await;
        assert_eq!(next(&*engine.store).await, None);
        sign(&*engine.store, 511).await;
        assert_eq!(bundle_all(&*engine.store).await, 1);
        assert_eq!(bundled(&*engine.store).await, 256);
        let nobody = engine.store.read(|rows| rows.entries_to_bundle(&network(3), 256, usize::MAX)).await.unwrap();
        assert_eq!((nobody, engine.store.read(|rows| rows.bundled(&network(3))).await.unwrap()), (vec![], 0));
    }

    async fn several_bundles_are_read_within_their_bounds_and_written_at_once(engine: &mut Engine, open: Open) {
        with_log(&*engine.store, 1100).await;
        sign(&*engine.store, 1100).await;
        let before = leaves(&*engine.store, LeafPage { limit: 2000, ..ALL }).await;
        let store = engine.store.clone();
        let firsts = async |count, bytes| {
            let tails = store.read(move |rows| rows.entries_to_bundle(&network(1), count, bytes)).await.unwrap();
            tails.iter().map(|tail| tail.first).collect::<Vec<_>>()
        };
        assert_eq!(firsts(10_000, usize::MAX).await, [0, 256, 512, 768], "76 are too few for a fifth");
        assert_eq!(firsts(767, usize::MAX).await, [0, 256], "whole bundles only");
        assert_eq!(firsts(0, 0).await, [0], "but always one");
        assert_eq!(firsts(10_000, 1).await, [0]);
        let tails = store.read(|rows| rows.entries_to_bundle(&network(1), 768, usize::MAX)).await.unwrap();
        assert_eq!(firsts(10_000, tails[0].bytes() + 1).await, [0, 256], "no more once they are enough");
        engine.store.write(move |tx| -> Result<(), Error> {
            for tail in &tails {
                assert!(tx.put_entry_bundle(&network(1), tail.first, &EntryBundle::pack(&tail.entries)?)?);
            }
            Ok(())
        }).await.unwrap();
        assert_eq!(bundled(&*engine.store).await, 768);
        assert!(leaves(&*engine.store, LeafPage { limit: 2000, ..ALL }).await == before);
        assert_eq!(firsts(10_000, usize::MAX).await, [768]);
    }

    async fn a_bundle_for_another_place_than_the_next_changes_nothing(engine: &mut Engine, open: Open) {
        with_log(&*engine.store, 600).await;
        sign(&*engine.store, 600).await;
        let before = leaves(&*engine.store, ALL).await;
        let (_, bundle) = next(&*engine.store).await.unwrap();
        for (of, first) in [(1, 256), (1, 1), (3, 0)] {
            let bundle = bundle.clone();
            let put = engine.store.write(move |tx| tx.put_entry_bundle(&network(of), first, &bundle)).await;
            assert!(!put.unwrap(), "{of} {first}");
        }
        let again = bundle.clone();
        assert!(engine.store.write(move |tx| tx.put_entry_bundle(&network(1), 0, &bundle)).await.unwrap());
        assert!(!engine.store.write(move |tx| tx.put_entry_bundle(&network(1), 0, &again)).await.unwrap());
        assert!(leaves(&*engine.store, ALL).await == before);
    }

    async fn a_step_that_fails_leaves_all_entries_in_the_tail(engine: &mut Engine, open: Open) {
        with_log(&*engine.store, 300).await;
        sign(&*engine.store, 300).await;
        let before = leaves(&*engine.store, ALL).await;
        let (first, bundle) = next(&*engine.store).await.unwrap();
        let failed = engine.store.write(move |tx| -> Result<(), Error> {
            assert!(tx.put_entry_bundle(&network(1), first, &bundle)?);
            assert_eq!((tx.bundled(&network(1))?, tx.leaves(&network(1), ALL)?.len()), (256, 300));
            Err(Error::Busy)
        });
        assert!(failed.await.is_err());
        engine.reopen(open);
        assert_eq!(bundled(&*engine.store).await, 0);
        assert!(leaves(&*engine.store, ALL).await == before);
        // One that lacks an entry whose row would go, or has one whose row would stay.
        let tail = engine.store.read(|rows| rows.entries_to_bundle(&network(1), 256, usize::MAX)).await.unwrap().remove(0);
        for wrong in [9, LONG_EVENT as usize] {
            let mut entries = tail.entries.clone();
            entries[wrong] = entries[wrong].is_none().then(|| entry(1, 0));
            let bundle = EntryBundle::pack(&entries).unwrap();
            let refused = engine.store.write(move |tx| tx.put_entry_bundle(&network(1), 0, &bundle)).await;
            assert!(matches!(refused, Err(Error::Corrupt(_))), "{refused:?}");
        }
        assert!(leaves(&*engine.store, ALL).await == before);
        assert_eq!(bundle_all(&*engine.store).await, 1);
    }

    async fn entries_are_appended_and_bundled_in_one_batch(engine: &mut Engine, open: Open) {
        with_log(&*engine.store, 300).await;
        sign(&*engine.store, 300).await;
        let (first, bundle) = next(&*engine.store).await.unwrap();
        engine.store.write(move |tx| -> Result<(), Error> {
            assert_eq!(append(tx, 1)?, 300);
            assert!(tx.put_entry_bundle(&network(1), first, &bundle)?);
            assert_eq!(append(tx, 1)?, 301);
            assert_eq!(tx.leaves(&network(1), ALL)?.len(), 302);
            Ok(())
        }).await.unwrap();
        assert_eq!(leaves(&*engine.store, LeafPage { from: 250, ..ALL }).await.len(), 52);
    }

    async fn bundles_go_with_their_network(engine: &mut Engine, open: Open) {
        with_log(&*engine.store, 600).await;
        sign(&*engine.store, 600).await;
        let (first, late) = next(&*engine.store).await.unwrap();
        bundle_all(&*engine.store).await;
        engine.store.write(|tx| tx.delete_network(&network(1))).await.unwrap();
        let gone = engine.store.write(move |tx| tx.put_entry_bundle(&network(1), first, &late)).await;
        assert!(!gone.unwrap(), "a bundle that comes late");
        assert_eq!((bundled(&*engine.store).await, leaves(&*engine.store, ALL).await.len()), (0, 0));
        let mut steps = 0;
        while engine.store.write(|tx| tx.remove_rows_of(&network(1), 3)).await.unwrap() {
            steps += 1;
        }
        assert!(steps > 20, "in steps: {steps}");
        let strays = engine.inspect(|rows| {
            let mut strays = Vec::new();
            rows.each_stray(&mut |stray| { strays.push(stray); Ok(()) })?;
            Ok(strays)
        });
        assert_eq!(strays.unwrap(), []);
    }

    async fn a_log_that_is_removed_and_made_again_has_no_bundles(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| {
            insert_task(tx, 1, 1, "coder")?;
            (0..256).try_for_each(|_| append(tx, 1).map(|_| ()))
        }).await.unwrap();
        sign(&*engine.store, 256).await;
        assert_eq!(bundle_all(&*engine.store).await, 1);
        engine.store.write(|tx| remove_network(tx, 1)).await.unwrap();
        assert_eq!(bundled(&*engine.store).await, 0);
        assert_eq!(engine.store.read(|rows| rows.log_size(&network(1))).await.unwrap(), 0);
    }
}
