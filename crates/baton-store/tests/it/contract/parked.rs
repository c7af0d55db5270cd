//! Claims that wait: run in the transaction that opens a task for them, in their order, and for nobody who has left.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    alias, insert_network, insert_task, move_delivery, network, task_id, with_network,
};
use baton_core::TaskId;
use baton_store::rows::InboxState;
use baton_store::{Claim, Error, Inbox, Share, Store, Transaction, WhenEmpty};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

fn inbox() -> Inbox {
    Inbox { network_id: network(1), alias: alias("coder") }
}

/// Takes the next task of the inbox.
fn take(tx: &mut dyn Transaction) -> Result<Option<TaskId>, Error> {
    let next = tx.next_task(&network(1), &alias("coder"))?;
    if let Some(task) = &next {
        move_delivery(tx, task, InboxState::Hidden)?;
    }
    Ok(next)
}

fn claim(store: &Arc<dyn Store>) -> Claim<TaskId, Error> {
    store.of(Share::Hub).claim(inbox(), WhenEmpty::Park, take).unwrap()
}

/// Waits until so many claims are parked.
async fn parked(store: &Arc<dyn Store>, count: usize) {
    while store.parked().count() != count {
        tokio::task::yield_now().await;
    }
}

async fn send(store: &Arc<dyn Store>, n: u16) {
    store.write(move |tx| insert_task(tx, 1, n, "coder")).await.unwrap();
}

/// The batches of exactly two writes, and the writes of all batches.
fn written(store: &Arc<dyn Store>) -> (u64, u64) {
    let batches = store.meter().batches();
    let at_most = |size| batches.at_most.iter().find(|(bound, _)| *bound == size).unwrap().1;
    (at_most(2) - at_most(1), batches.sum)
}

engines! {
    async fn a_parked_claim_is_run_in_the_transaction_that_opens_its_task(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let mut waiting = claim(&engine.store);
        parked(&engine.store, 1).await;
        // The batch that parked the claim may be counted only now; it has no write in it.
        let before = written(&engine.store);
        send(&engine.store, 1).await;
        assert_eq!(waiting.found().await.unwrap(), Some(task_id(1)));
        let after = written(&engine.store);
        assert_eq!((after.0 - before.0, after.1 - before.1), (1, 2), "one commit of two writes");
        assert_eq!(engine.store.parked().count(), 0);
    }

    async fn a_claim_that_finds_something_at_once_is_not_parked_and_one_that_does_not_wait_neither(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        send(&engine.store, 1).await;
        assert_eq!(claim(&engine.store).found().await.unwrap(), Some(task_id(1)));
        let mut once = engine.store.of(Share::Hub).claim(inbox(), WhenEmpty::Answer, take).unwrap();
        assert_eq!(once.found().await.unwrap(), None);
        assert_eq!(engine.store.parked().count(), 0);
    }

    async fn parked_claims_are_served_in_the_order_they_were_made(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let mut waiting: Vec<_> = (0..3).map(|_| claim(&engine.store)).collect();
        parked(&engine.store, 3).await;
        // Two at once in one write, then the third alone.
        engine.store.write(|tx| { insert_task(tx, 1, 1, "coder")?; insert_task(tx, 1, 2, "coder") }).await.unwrap();
        parked(&engine.store, 1).await;
        send(&engine.store, 3).await;
        for (n, claim) in (1..).zip(&mut waiting) {
            assert_eq!(claim.found().await.unwrap(), Some(task_id(n)));
        }
    }

    async fn a_task_for_another_agent_wakes_nobody(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| { insert_network(tx, 1)?; insert_network(tx, 2) }).await.unwrap();
        let waiting = claim(&engine.store);
        parked(&engine.store, 1).await;
        engine.store.write(|tx| insert_task(tx, 1, 1, "reviewer")).await.unwrap();
        // Nor does one for an agent of the same name in another network.
        engine.store.write(|tx| insert_task(tx, 2, 2, "coder")).await.unwrap();
        assert_eq!(engine.store.parked().count(), 1);
        assert_eq!(waiting.end().await.unwrap(), None);
        assert_eq!(engine.store.parked().count(), 0);
    }

    async fn a_task_that_is_shown_again_goes_to_a_parked_claim(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        send(&engine.store, 1).await;
        assert_eq!(claim(&engine.store).found().await.unwrap(), Some(task_id(1)));
        let mut waiting = claim(&engine.store);
        parked(&engine.store, 1).await;
        engine.store.write(|tx| move_delivery(tx, &task_id(1), InboxState::Open)).await.unwrap();
        assert_eq!(waiting.found().await.unwrap(), Some(task_id(1)));
    }

    async fn of_two_parked_claims_and_one_task_exactly_one_wins(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        for n in 0..100 {
            let (mut one, mut two) = (claim(&engine.store), claim(&engine.store));
            let (found, ()) = tokio::join!(
                async {
                    tokio::select! {
                        found = one.found() => (1, found),
                        found = two.found() => (2, found),
                    }
                },
                send(&engine.store, n)
            );
            assert_eq!(found.1.unwrap(), Some(task_id(n)));
            let other = if found.0 == 1 { two } else { one };
            assert_eq!(other.end().await.unwrap(), None, "{n}");
        }
        assert_eq!(engine.store.parked().count(), 0);
    }

    async fn ten_thousand_claims_that_hung_up_take_no_task(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        for n in 0..100 {
            // Some leave while they stand in the queue, some once they are parked.
            let mut gone: Vec<_> = (0..100).map(|_| claim(&engine.store)).collect();
            gone.truncate(66);
            while engine.store.parked().count() < 33 {
                tokio::task::yield_now().await;
            }
            gone.truncate(33);
            let mut alive = claim(&engine.store);
            drop(gone);
            send(&engine.store, n).await;
            assert_eq!(alive.found().await.unwrap(), Some(task_id(n)), "round {n}");
            assert_eq!(engine.store.parked().count(), 0, "round {n}");
        }
    }

    async fn a_parked_claim_that_is_refused_is_told_so_and_the_next_one_has_the_task(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let is_revoked = Arc::new(AtomicBool::new(false));
        let asked = is_revoked.clone();
        let refused = move |tx: &mut dyn Transaction| {
            if asked.load(Ordering::SeqCst) { Err(Error::Busy) } else { take(tx) }
        };
        let mut refused = engine.store.of(Share::Hub).claim(inbox(), WhenEmpty::Park, refused).unwrap();
        let mut second = claim(&engine.store);
        parked(&engine.store, 2).await;
        is_revoked.store(true, Ordering::SeqCst);
        send(&engine.store, 1).await;
        assert!(matches!(refused.found().await, Err(Error::Busy)));
        assert_eq!(second.found().await.unwrap(), Some(task_id(1)));
    }

    async fn a_batch_that_is_run_again_hands_over_again(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = runs.clone();
        let counting = move |tx: &mut dyn Transaction| {
            counted.fetch_add(1, Ordering::SeqCst);
            take(tx)
        };
        let mut waiting = engine.store.of(Share::Hub).claim(inbox(), WhenEmpty::Park, counting).unwrap();
        let (mut second, third) = (claim(&engine.store), claim(&engine.store));
        parked(&engine.store, 3).await;
        // Refused after it wrote: everything before it in its batch is undone and run again.
        let store = engine.store.clone();
        let sent = tokio::join!(
            store.write(|tx| insert_task(tx, 1, 1, "coder")),
            store.write(|tx| -> Result<(), Error> {
                insert_task(tx, 1, 2, "coder")?;
                Err(Error::Busy)
            }),
            store.write(|tx| insert_task(tx, 1, 3, "coder")),
        );
        assert!(sent.0.is_ok() && sent.1.is_err() && sent.2.is_ok());
        assert_eq!(waiting.found().await.unwrap(), Some(task_id(1)));
        assert_eq!(second.found().await.unwrap(), Some(task_id(3)));
        assert_eq!(third.end().await.unwrap(), None);
        assert!(runs.load(Ordering::SeqCst) >= 2);
    }

    async fn a_closed_store_answers_those_who_wait(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let mut waiting = claim(&engine.store);
        parked(&engine.store, 1).await;
        let store = engine.store.clone();
        tokio::task::spawn_blocking(move || store.close()).await.unwrap();
        assert!(matches!(waiting.found().await, Err(Error::Closed)));
        assert_eq!(engine.store.parked().count(), 0);
    }
}
