//! Inboxes in their order, the feed with its numbers, and what is kept of both.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{NOW, insert_network, network, node, task_id, with_network};
use baton_core::{MessageId, Priority, UnixMillis};
use baton_store::rows::{DeliveryKind, NewDelivery, PageBounds};
use baton_store::{Error, Transaction};

fn message(
    tx: &mut dyn Transaction,
    n: u16,
    to: &str,
    priority: Priority,
    at: UnixMillis,
) -> Result<(), Error> {
    let (to, from) = (node(to), node("lead"));
    tx.insert_delivery(NewDelivery {
        message_id: &MessageId::from(&task_id(n)),
        network_id: &network(1),
        to: &to,
        from: &from,
        kind: DeliveryKind::Message,
        priority,
        task_id: None,
        content: &format!("message {n}"),
        at,
    })?;
    Ok(())
}

engines! {
    async fn an_inbox_goes_from_high_to_low_then_oldest_first(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            message(tx, 1, "coder", Priority::Low, NOW)?;
            message(tx, 2, "coder", Priority::Normal, NOW)?;
            message(tx, 3, "coder", Priority::High, NOW)?;
            message(tx, 4, "coder", Priority::Normal, NOW)?;
            message(tx, 5, "other", Priority::High, NOW)
        }).await.unwrap();
        let inbox = engine.store.read(|rows| rows.inbox(&network(1), &node("coder"), None, PageBounds::rows(10))).await.unwrap();
        let texts: Vec<&str> = inbox.rows.iter().map(|delivery| &*delivery.content).collect();
        assert_eq!(texts, ["message 3", "message 2", "message 4", "message 1"]);
    }

    async fn the_feed_counts_up_within_a_network(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            assert_eq!(tx.feed_range(&network(1))?, (1, 0));
            assert_eq!(tx.append_frame(&network(1), &node("a"), "1")?, 1);
            assert_eq!(tx.append_frame(&network(2), &node("a"), "x")?, 1);
            assert_eq!(tx.append_frame(&network(1), &node("b"), "2")?, 2);
            assert_eq!(tx.append_frame(&network(1), &node("a"), "3")?, 3);
            Ok(())
        }).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            let bodies = |to: Option<&str>, after| -> Result<Vec<String>, Error> {
                let to = to.map(node);
                let frames = rows.feed_after(&network(1), to.as_ref(), after, 10)?;
                Ok(frames.into_iter().map(|frame| frame.body).collect())
            };
            assert_eq!(bodies(None, 0)?, ["1", "2", "3"]);
            assert_eq!(bodies(Some("a"), 0)?, ["1", "3"]);
            assert_eq!(bodies(Some("a"), 1)?, ["3"]);
            assert_eq!(bodies(Some("b"), 2)?, [""; 0]);
            assert_eq!(rows.feed_range(&network(1))?, (1, 3));
            Ok(())
        }).await.unwrap();
    }

    async fn feeds_are_found_by_how_many_frames_they_have(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            for n in 1..=3 {
                insert_network(tx, n)?;
                (1..n).try_for_each(|_| tx.append_frame(&network(n), &node("a"), "{}").map(drop))?;
            }
            let longer = |tx: &mut dyn Transaction, keep| -> Result<Vec<_>, Error> {
                let mut longer = tx.feeds_longer_than(keep)?;
                longer.sort_by_key(|found| (1..=3).find(|n| network(*n) == *found));
                Ok(longer)
            };
            assert_eq!(longer(tx, 0)?, [network(2), network(3)]);
            assert_eq!((longer(tx, 1)?, longer(tx, 2)?), (vec![network(3)], vec![]));
            // Frames that have gone do not count, however high the numbers are.
            tx.trim_feed(&network(3), 1, 100)?;
            assert_eq!((longer(tx, 0)?, longer(tx, 1)?), (vec![network(2), network(3)], vec![]));
            Ok(())
        }).await.unwrap();
    }

    async fn only_the_newest_frames_and_messages_are_kept(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for n in 0..10 {
                tx.append_frame(&network(1), &node("a"), "frame")?;
                message(tx, n, "coder", Priority::Normal, NOW.plus_seconds(n.into()))?;
            }
            assert_eq!(tx.trim_feed(&network(1), 4, 100)?, 6);
            assert_eq!(tx.feed_range(&network(1))?, (7, 10));
            assert_eq!(tx.append_frame(&network(1), &node("a"), "next")?, 11);
            assert_eq!(tx.trim_inbox(&network(1), &node("coder"), 8)?, 2);
            assert_eq!(tx.inbox_count(&network(1), &node("coder"))?, 8);
            assert_eq!(tx.forget_deliveries(NOW.plus_seconds(5), 100)?, 3);
            let left = tx.inbox(&network(1), &node("coder"), None, PageBounds::rows(10))?;
            let texts: Vec<&str> = left.rows.iter().map(|delivery| &*delivery.content).collect();
            assert_eq!(texts, ["message 5", "message 6", "message 7", "message 8", "message 9"]);
            Ok(())
        }).await.unwrap();
    }

    async fn a_message_made_while_the_clock_was_ahead_keeps_no_older_one(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            message(tx, 1, "coder", Priority::Normal, NOW.plus_seconds(400 * 86_400))?;
            for n in 2..5 {
                message(tx, n, "coder", Priority::Normal, NOW)?;
            }
            assert_eq!(tx.forget_deliveries(NOW.plus_seconds(1), 2)?, 2);
            assert_eq!(tx.forget_deliveries(NOW.plus_seconds(1), 2)?, 2);
            assert_eq!(tx.inbox_count(&network(1), &node("coder"))?, 0);
            Ok(())
        }).await.unwrap();
    }

    async fn a_delivery_is_found_in_its_own_inbox_only(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            message(tx, 1, "coder", Priority::Normal, NOW)?;
            let id = task_id(1);
            let found = tx.open_delivery(&network(1), &node("coder"), id.as_str())?.unwrap();
            assert!(tx.open_delivery(&network(1), &node("other"), id.as_str())?.is_none());
            assert!(tx.open_delivery(&network(2), &node("coder"), id.as_str())?.is_none());
            tx.ack_delivery(found.seq)?;
            assert!(tx.open_delivery(&network(1), &node("coder"), id.as_str())?.is_none());
            Ok(())
        }).await.unwrap();
    }
}
