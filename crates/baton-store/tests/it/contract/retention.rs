//! Tasks that leave: with all that is theirs, with counters right, and nothing else goes.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, insert_network, insert_task, network, node, remove_network, task_id, with_network,
};
use baton_core::{MessageId, MessageKind, Priority, Status, UnixMillis};
use baton_store::rows::{
    DeliveryKind, InboxState, NewCompletion, NewDelivery, NewEvent, NewTaskMessage, RetentionRow, TaskChange,
};
use baton_store::{Error, Transaction};

const AFTER: UnixMillis = NOW.plus_seconds(1);

fn deliver(tx: &mut dyn Transaction, n: u16, kind: DeliveryKind, to: &str) -> Result<(), Error> {
    tx.insert_delivery(NewDelivery {
        message_id: &MessageId::from(&task_id(1_000 + n)),
        network_id: &network(1),
        to: &node(to),
        from: &node("lead"),
        kind,
        priority: Priority::Normal,
        task_id: Some(&task_id(n)),
        content: "text",
        at: NOW,
    })?;
    Ok(())
}

fn event(tx: &mut dyn Transaction, n: u16, from: Option<Status>, to: Status) -> Result<(), Error> {
    tx.append_event(NewEvent {
        network_id: &network(1),
        task_id: &task_id(n),
        from,
        to,
        actor: &node("lead"),
        actor_token: None,
        detail: "",
        at: NOW,
        log_index: Some(u64::from(n)),
    })?;
    Ok(())
}

/// A task with everything a task can have; ended or not.
fn live(tx: &mut dyn Transaction, n: u16, end: Option<Status>) -> Result<(), Error> {
    insert_task(tx, 1, n, "coder")?;
    event(tx, n, None, Status::Delivered)?;
    tx.append_task_message(NewTaskMessage {
        network_id: &network(1),
        task_id: &task_id(n),
        message_id: &MessageId::from(&task_id(2_000 + n)),
        author: &node("lead"),
        kind: MessageKind::Message,
        content: "said",
        options: None,
        input_ttl_seconds: None,
        auth_required: false,
        parts: None,
        meta: None,
        at: NOW,
    })?;
    tx.append_output(&network(1), &task_id(n), "printed", 100)?;
    let Some(end) = end else { return Ok(()) };
    let (completed_at, inbox) = (Some(NOW), Some(InboxState::Acked));
    let change = TaskChange { completed_at, inbox, ..TaskChange::default() };
    tx.change_task(&network(1), &task_id(n), Status::Delivered, end, &change)?;
    event(tx, n, Some(Status::Delivered), end)?;
    tx.ack_deliveries_about(&task_id(n))?;
    deliver(tx, n, DeliveryKind::Reply, "lead")?; // nobody has read it
    tx.insert_completion(NewCompletion {
        network_id: &network(1),
        session_name: "coder",
        task_id: &task_id(n),
        task: "text",
        result: "done",
        artifacts: None,
        score: None,
        duration_minutes: None,
        at: NOW,
    })?;
    Ok(())
}

engines! {
    async fn a_task_leaves_with_all_that_is_its_own(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            live(tx, 1, Some(Status::Replied))?;
            live(tx, 2, Some(Status::Cancelled))?;
            live(tx, 3, None)
        }).await.unwrap();
        let old = engine.store.read(|rows| rows.tasks_ended_before(AFTER, 10)).await.unwrap();
        assert_eq!(old, [task_id(1), task_id(2)]);
        engine.store.write(|tx| -> Result<(), Error> {
            assert!(!tx.remove_task(&task_id(1), NOW)?, "it ended then, not before");
            assert!(!tx.remove_task(&task_id(3), AFTER)?, "it has not ended");
            assert!(tx.remove_task(&task_id(1), AFTER)?);
            assert!(!tx.remove_task(&task_id(1), AFTER)?, "it is gone");
            Ok(())
        }).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            assert!(rows.task(&task_id(1))?.is_none());
            assert!(rows.task_history(&task_id(1))?.is_empty());
            assert!(rows.task_output(&task_id(1))?.is_none() && rows.task_output(&task_id(2))?.is_some());
            assert!(rows.task_messages(&network(1), &task_id(1))?.is_empty());
            assert_eq!(rows.task_counts(&network(1))?, [(Status::Delivered, 1), (Status::Cancelled, 1)]);
            assert_eq!(rows.inbox_count(&network(1), &node("lead"))?, 1, "the other's reply");
            assert_eq!(rows.inbox_count(&network(1), &node("coder"))?, 1);
            let left = RetentionRow { through: NOW, tasks: 1, events: 2 };
            assert_eq!(rows.retention(&network(1))?, Some(left));
            assert_eq!(rows.task_history(&task_id(2))?.len(), 2);
            assert_eq!(rows.task_messages(&network(1), &task_id(2))?.len(), 1);
            Ok(())
        }).await.unwrap();
    }

    async fn a_network_goes_with_its_tasks_and_what_was_written_of_those_that_left(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            live(tx, 1, Some(Status::Replied))?;
            live(tx, 2, None)?;
            tx.remove_task(&task_id(1), AFTER)?;
            tx.append_frame(&network(1), &node("coder"), "{}")?;
            tx.mark_feed(&network(1), NOW, NOW)
        }).await.unwrap();
        engine.store.write(|tx| remove_network(tx, 1)).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            assert!(rows.network(&network(1))?.is_none() && rows.task(&task_id(2))?.is_none());
            assert_eq!(rows.retention(&network(1))?, None);
            Ok(())
        }).await.unwrap();
    }

    async fn frames_go_by_the_notes_of_how_far_the_feed_had_come(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let range = engine.store.write(|tx| -> Result<(), Error> {
            let tell = |tx: &mut dyn Transaction, frames: usize| {
                (0..frames).try_for_each(|_| tx.append_frame(&network(1), &node("coder"), "{}").map(drop))
            };
            let hour = |n: u32| NOW.plus_seconds(3_600 * n);
            let net = network(1);
            tell(tx, 5)?;
            assert_eq!(tx.feeds_due(hour(0), hour(0))?, [network(1)], "to be noted");
            tx.mark_feed(&net, hour(1), hour(0))?;
            assert_eq!(tx.feeds_due(hour(1), hour(1))?, []);
            tell(tx, 5)?;
            tx.mark_feed(&net, hour(1).plus_seconds(9), hour(0))?; // too soon after the last note
            tell(tx, 5)?;
            tx.mark_feed(&net, hour(3), hour(2))?;
            assert_eq!(tx.forget_frames(&net, hour(1), 100)?, 0, "no note is that old");
            assert_eq!(tx.feeds_due(hour(0), hour(2))?, [network(1)], "to be forgotten");
            assert_eq!(tx.forget_frames(&net, hour(2), 3)?, 3, "so many at once");
            assert_eq!(tx.forget_frames(&net, hour(2), 100)?, 2);
            assert_eq!(tx.feed_range(&net)?, (6, 15));
            assert_eq!(tx.forget_frames(&net, hour(9), 100)?, 9, "the newest stays");
            assert_eq!(tx.feeds_due(hour(9), hour(9))?, [net], "a new note, and then nothing");
            Ok(())
        });
        range.await.unwrap();
        let range = engine.store.read(|rows| rows.feed_range(&network(1))).await.unwrap();
        assert_eq!(range, (15, 15));
    }
}
