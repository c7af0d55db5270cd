//! Counters are right inside the transaction, after it, and after a network is gone.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, insert_network, insert_task, network, node, remove_network, task_id, with_network,
};
use baton_core::{MessageId, Priority, Status};
use baton_store::rows::{DeliveryKind, NewDelivery, TaskChange};
use baton_store::{Error, Transaction};

fn deliver(tx: &mut dyn Transaction, n: u16, to: &str) -> Result<(), Error> {
    let (to, from) = (node(to), node("lead"));
    tx.insert_delivery(NewDelivery {
        message_id: &MessageId::from(&task_id(n)),
        network_id: &network(1),
        to: &to,
        from: &from,
        kind: DeliveryKind::Task,
        priority: Priority::Normal,
        task_id: Some(&task_id(n)),
        content: None,
        at: NOW,
    })?;
    Ok(())
}

engines! {
    async fn tasks_are_counted_by_status_as_they_move(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for n in 0..5 {
                insert_task(tx, 1, n, "coder")?;
            }
            assert_eq!(tx.task_counts(&network(1))?, [(Status::Delivered, 5)]);
            let change = TaskChange { completed_at: Some(NOW), ..TaskChange::default() };
            tx.change_task(&network(1), &task_id(0), Status::Delivered, Status::Failed, &change)?;
            assert_eq!(tx.task_counts(&network(1))?, [(Status::Delivered, 4), (Status::Failed, 1)]);
            Ok(())
        }).await.unwrap();
        engine.store.write(|tx| insert_task(tx, 1, 5, "coder")).await.unwrap();
        let counts = engine.store.read(|rows| rows.task_counts(&network(1))).await.unwrap();
        assert_eq!(counts, [(Status::Delivered, 5), (Status::Failed, 1)]);
    }

    async fn an_inbox_counts_what_is_open(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for n in 0..3 {
                insert_task(tx, 1, n, "coder")?;
                deliver(tx, n, "coder")?;
            }
            let count = |tx: &mut dyn Transaction| tx.inbox_count(&network(1), &node("coder"));
            assert_eq!(count(tx)?, 3);
            tx.hide_task_delivery(&task_id(0))?;
            assert_eq!(count(tx)?, 2);
            tx.hide_task_delivery(&task_id(0))?; // again: nothing left to hide
            assert_eq!(count(tx)?, 2);
            tx.show_task_delivery(&task_id(0))?;
            assert_eq!(count(tx)?, 3);
            tx.ack_every_delivery(&task_id(1))?;
            tx.ack_every_delivery(&task_id(1))?;
            assert_eq!(count(tx)?, 2);
            tx.hide_task_delivery(&task_id(2))?;
            tx.ack_task_delivery(&task_id(2))?; // a hidden one is acked without counting twice
            assert_eq!(count(tx)?, 1);
            Ok(())
        }).await.unwrap();
        let count = engine.store.read(|rows| rows.inbox_count(&network(1), &node("coder"))).await.unwrap();
        assert_eq!(count, 1);
    }

    async fn a_deleted_network_takes_everything_along_and_nothing_of_others(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            insert_task(tx, 1, 1, "coder")?;
            insert_task(tx, 2, 2, "coder")?;
            deliver(tx, 1, "coder")?;
            remove_network(tx, 1)
        }).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            assert!(rows.network(&network(1))?.is_none() && rows.task(&task_id(1))?.is_none());
            assert!(rows.task_counts(&network(1))?.is_empty());
            assert_eq!(rows.inbox_count(&network(1), &node("coder"))?, 0);
            assert!(rows.task(&task_id(2))?.is_some());
            assert_eq!(rows.task_counts(&network(2))?, [(Status::Delivered, 1)]);
            Ok(())
        }).await.unwrap();
    }
}
