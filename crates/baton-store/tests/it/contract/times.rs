//! The time of a batch: one for all its use cases, and never one from before an earlier batch's.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{NOW, alias, insert_task, network, with_network};
use baton_store::{ClockReading, Error, Inbox, Share, Transaction, WhenEmpty};

fn read(tx: &mut dyn Transaction) -> Result<ClockReading, Error> {
    Ok(tx.time())
}

engines! {
    async fn a_write_and_the_claim_it_has_a_task_for_have_one_time(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let inbox = Inbox { network_id: network(1), alias: alias("coder") };
        let claim = |tx: &mut dyn Transaction| -> Result<_, Error> {
            let next = tx.next_task(&network(1), &alias("coder"))?;
            Ok(next.map(|_| tx.time()))
        };
        let mut waiting = engine.store.of(Share::Hub).claim(inbox, WhenEmpty::Park, claim).unwrap();
        while engine.store.parked().count() == 0 {
            tokio::task::yield_now().await;
        }
        let send = |tx: &mut dyn Transaction| -> Result<_, Error> {
            let began = tx.time();
            insert_task(tx, 1, 1, "coder")?;
            assert_eq!(tx.time(), began, "it stands still");
            Ok(began)
        };
        let sent = engine.store.write(send).await.unwrap();
        // The clock has moved on with every reading: they share one.
        assert_eq!(waiting.found().await.unwrap(), Some(sent));
    }

    async fn no_batch_has_a_time_from_before_an_earlier_one(engine: &mut Engine, open: Open) {
        let first = engine.store.write(read).await.unwrap();
        assert!(first.now > NOW);
        let mut last = first.clone();
        for _ in 0..8 {
            let time = engine.store.write(read).await.unwrap();
            assert!(time.monotonic >= last.monotonic && time.now >= last.now, "{time:?} after {last:?}");
            last = time;
        }
        assert!(last.monotonic > first.monotonic && last.now > first.now, "it goes on");
    }
}
