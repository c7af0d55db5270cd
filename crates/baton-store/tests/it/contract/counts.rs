//! Counters are right inside the transaction, after it, and after a network is gone.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_network, insert_task, move_delivery, network, node, remove_network, task_id,
    with_network,
};
use baton_core::access::TaskReach;
use baton_core::{MessageId, Status};
use baton_store::rows::{InboxState, MessageFilter, PageBounds, Redelivery, TaskChange};
use baton_store::{Error, Transaction};

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
            }
            let count = |tx: &mut dyn Transaction| tx.inbox_count(&network(1), &node("coder"));
            assert_eq!(count(tx)?, 3);
            move_delivery(tx, &task_id(0), InboxState::Hidden)?;
            assert_eq!(count(tx)?, 2);
            move_delivery(tx, &task_id(0), InboxState::Hidden)?; // again: nothing left to hide
            assert_eq!(count(tx)?, 2);
            move_delivery(tx, &task_id(0), InboxState::Open)?;
            assert_eq!(count(tx)?, 3);
            move_delivery(tx, &task_id(1), InboxState::Acked)?;
            move_delivery(tx, &task_id(1), InboxState::Acked)?;
            assert_eq!(count(tx)?, 2);
            move_delivery(tx, &task_id(2), InboxState::Hidden)?;
            move_delivery(tx, &task_id(2), InboxState::Acked)?; // a hidden one is acked without counting twice
            assert_eq!(count(tx)?, 1);
            Ok(())
        }).await.unwrap();
        let count = engine.store.read(|rows| rows.inbox_count(&network(1), &node("coder"))).await.unwrap();
        assert_eq!(count, 1);
    }

    async fn a_task_delivered_again_moves_to_the_end_of_its_new_inbox_and_leaves_its_former_delivery(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_task(tx, 1, 1, "coder")?;
            insert_task(tx, 1, 2, "tester")?;
            let (message_id, at) = (MessageId::from(&task_id(9)), NOW.plus_seconds(1));
            let to = Some(alias("tester"));
            let change = TaskChange { to, redelivery: Some(Redelivery { message_id, at }), ..TaskChange::default() };
            tx.change_task(&network(1), &task_id(1), Status::Delivered, Status::Delivered, &change)?;
            assert_eq!(tx.inbox_count(&network(1), &node("coder"))?, 0);
            assert_eq!(tx.inbox_count(&network(1), &node("tester"))?, 2);
            assert_eq!(tx.next_task(&network(1), &alias("tester"))?, Some(task_id(2)), "it came first");
            assert_eq!(tx.next_task(&network(1), &alias("coder"))?, None);
            let (new, old) = (task_id(9), task_id(1));
            let found = tx.open_delivery(&network(1), &node("tester"), new.as_str())?.unwrap();
            assert_eq!(found.task_id, Some(task_id(1)));
            assert_eq!(tx.open_delivery(&network(1), &node("tester"), old.as_str())?.unwrap(), found, "by the task too");
            assert!(tx.open_delivery(&network(1), &node("coder"), old.as_str())?.is_none(), "the former one is acked");
            Ok(())
        }).await.unwrap();
        let list = |before, rows| MessageFilter {
            networks: vec![(network(1), TaskReach::Network)],
            since: NOW,
            before,
            page: PageBounds::rows(rows),
        };
        engine.store.read(move |rows| -> Result<(), Error> {
            let all = rows.messages(&list(None, 10))?;
            let said: Vec<_> = all.rows.iter().map(|row| (row.message_id.to_string(), row.to.name(), &*row.content)).collect();
            let id = |n| task_id(n).to_string();
            assert_eq!(said, [(id(9), "tester", "task 1"), (id(2), "tester", "task 2"), (id(1), "coder", "task 1")]);
            // One at a time, each once.
            let (mut before, mut paged) = (None, Vec::new());
            loop {
                let page = rows.messages(&list(before, 1))?;
                paged.extend(page.rows);
                before = page.next;
                if before.is_none() {
                    break;
                }
            }
            assert_eq!(paged, all.rows);
            Ok(())
        }).await.unwrap();
    }

    async fn a_deleted_network_takes_everything_along_and_nothing_of_others(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            insert_task(tx, 1, 1, "coder")?;
            insert_task(tx, 2, 2, "coder")?;
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
