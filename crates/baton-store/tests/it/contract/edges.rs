//! Who sent tasks to whom, by the hour: counted as tasks are made, change hands, end and leave, and recounted by a check.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_network, insert_task_from, network, remove_network, task_id, with_network,
};
use baton_core::{PrincipalKind, Status, UnixMillis, limits};
use baton_store::rows::{EdgeCounts, EdgeRow, Edges, Ends, TaskChange, WrongCount, hour_of};
use baton_store::{Error, Store, Transaction};

const ALL: std::ops::Range<i64> = 0..i64::MAX;

fn end(tx: &mut dyn Transaction, n: u16, status: Status) -> Result<(), Error> {
    let change = TaskChange { completed_at: Some(NOW.plus_millis(5)), ..TaskChange::default() };
    tx.change_task(&network(1), &task_id(n), Status::Delivered, status, &change)
}

fn reassign(tx: &mut dyn Transaction, n: u16, to: &str) -> Result<(), Error> {
    let change = TaskChange { to: Some(alias(to)), ..TaskChange::default() };
    tx.change_task(&network(1), &task_id(n), Status::Delivered, Status::Delivered, &change)
}

fn edge(from: &str, to: &str, counts: EdgeCounts) -> EdgeRow {
    EdgeRow { from_kind: PrincipalKind::Node, from_name: from.into(), to_name: to.into(), counts }
}

async fn edges(store: &dyn Store, limit: usize) -> Edges {
    store.read(move |rows| rows.edges(&network(1), ALL, limit)).await.unwrap()
}

/// What a recount over the tasks finds wrong.
fn wrong(engine: &Engine) -> Vec<WrongCount> {
    let found = engine.inspect(|rows| {
        let mut wrong = Vec::new();
        rows.each_wrong_edge_count(&mut |count| {
            wrong.push(count);
            Ok(())
        })?;
        Ok(wrong)
    });
    found.unwrap()
}

/// Task `n` of its own sender, `from0`, `from1` and so on.
fn insert_own(tx: &mut dyn Transaction, numbers: std::ops::Range<u16>) -> Result<(), Error> {
    for n in numbers {
        insert_task_from(tx, 1, n, &format!("from{n}"), "coder")?;
    }
    Ok(())
}

engines! {
    async fn an_edge_counts_what_became_of_its_tasks(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for n in 0..6 {
                insert_task_from(tx, 1, n, "lead", "coder")?;
            }
            insert_task_from(tx, 1, 6, "boss", "lead")?;
            end(tx, 0, Status::Replied) // in the batch in which it was made
        }).await.unwrap();
        engine.store.write(|tx| -> Result<(), Error> {
            end(tx, 1, Status::Failed)?;
            end(tx, 2, Status::Cancelled)?;
            end(tx, 3, Status::Expired)?;
            reassign(tx, 4, "tester")?;
            end(tx, 4, Status::Replied)
        }).await.unwrap();
        let refused = engine.store.write(|tx| -> Result<(), Error> {
            end(tx, 5, Status::Failed)?;
            insert_task_from(tx, 1, 7, "boss", "lead")?;
            Err(Error::Busy)
        }).await;
        assert!(refused.is_err());
        let coder = EdgeCounts { open: 1, ends: Status::terminal().map(|end| (end, 1)).collect() };
        let lead = EdgeCounts { open: 1, ..EdgeCounts::default() };
        let tester = EdgeCounts { open: 0, ends: Ends::from_iter([(Status::Replied, 1)]) };
        let shown = vec![edge("lead", "coder", coder), edge("boss", "lead", lead), edge("lead", "tester", tester)];
        let all = Edges { shown, left_out: 0, tasks: 7, tasks_of_no_edge: 0 };
        assert_eq!(edges(&*engine.store, 10).await, all);
        let two = edges(&*engine.store, 2).await;
        assert_eq!((two.shown, two.left_out, two.tasks), (all.shown[..2].to_vec(), 1, 7));
        let elsewhen = engine.store.read(|rows| rows.edges(&network(1), 0..hour_of(NOW), 10)).await.unwrap();
        assert_eq!(elsewhen, Edges::default());
        assert_eq!(wrong(engine), []);
    }

    async fn an_hour_has_so_many_edges_and_further_tasks_are_counted_together(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let most = limits::EDGES_PER_HOUR_MAX_COUNT as u16;
        engine.store.write(move |tx| insert_own(tx, 0..most)).await.unwrap();
        engine.store.write(move |tx| insert_own(tx, most..most + 5)).await.unwrap();
        let full = edges(&*engine.store, 10).await;
        assert_eq!((full.shown.len(), full.left_out), (10, i64::from(most) - 10));
        assert_eq!((full.tasks, full.tasks_of_no_edge), (i64::from(most) + 5, 5));
        engine.store.write(move |tx| -> Result<(), Error> {
            end(tx, most, Status::Replied)?; // stays with the further ones
            reassign(tx, most + 1, "tester")?;
            end(tx, 0, Status::Failed)?;
            reassign(tx, 1, "tester")?; // to an edge that has no room
            insert_task_from(tx, 1, most + 5, "from2", "coder") // an edge that is there
        }).await.unwrap();
        let after = edges(&*engine.store, 1).await;
        assert_eq!((after.tasks, after.tasks_of_no_edge), (i64::from(most) + 6, 6));
        let two = EdgeCounts { open: 2, ..EdgeCounts::default() };
        assert_eq!(after.shown, [edge("from2", "coder", two)]);
        assert_eq!(after.left_out, i64::from(most) - 2, "the edge whose task went elsewhere is empty");
        assert_eq!(wrong(engine), []);
    }

    async fn hours_are_forgotten_and_what_ends_later_is_not_counted_there_again(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| insert_own(tx, 0..8)).await.unwrap();
        let next = hour_of(NOW) + 1;
        let gone = engine.store.write(move |tx| tx.forget_edges(next, 3)).await.unwrap();
        assert_eq!((gone, wrong(engine)), (3, vec![]), "a check does not look at an hour that is leaving");
        let gone = engine.store.write(move |tx| tx.forget_edges(next, 100)).await.unwrap();
        assert_eq!((gone, engine.store.read(|rows| rows.edges_since()).await.unwrap()), (5, next));
        engine.store.write(|tx| -> Result<(), Error> {
            end(tx, 0, Status::Replied)?;
            reassign(tx, 1, "tester")?;
            insert_own(tx, 8..9) // by a clock that was set back
        }).await.unwrap();
        assert_eq!(edges(&*engine.store, 10).await, Edges::default());
        assert_eq!(wrong(engine), []);
        let back = engine.store.write(move |tx| tx.forget_edges(next - 5, 100)).await.unwrap();
        assert_eq!((back, engine.store.read(|rows| rows.edges_since()).await.unwrap()), (0, next));
    }

    async fn a_clock_that_was_far_ahead_does_not_end_the_counting(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let (ahead, now) = (hour_of(NOW) + 90_000, hour_of(NOW));
        let kept = i64::from(limits::EDGES_KEPT_SECONDS) / 3600;
        engine.store.write(move |tx| tx.forget_edges(ahead, 100)).await.unwrap();
        engine.store.write(move |tx| tx.forget_edges(now - kept - 1, 100)).await.unwrap();
        assert_eq!(engine.store.read(|rows| rows.edges_since()).await.unwrap(), now);
        engine.store.write(|tx| insert_own(tx, 0..3)).await.unwrap();
        assert_eq!((edges(&*engine.store, 10).await.tasks, wrong(engine)), (3, vec![]));
    }

    async fn tasks_that_leave_are_subtracted_and_a_network_takes_its_edges_along(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| insert_network(tx, 2)).await.unwrap();
        engine.store.write(|tx| -> Result<(), Error> {
            insert_own(tx, 0..5)?;
            insert_task_from(tx, 2, 9, "lead", "coder")?;
            end(tx, 0, Status::Replied)
        }).await.unwrap();
        let later: UnixMillis = NOW.plus_millis(60_000);
        assert!(engine.store.write(move |tx| tx.remove_task(&task_id(0), later)).await.unwrap());
        let left = edges(&*engine.store, 10).await;
        assert_eq!((left.tasks, left.shown.len(), left.left_out), (4, 4, 0));
        assert_eq!(wrong(engine), []);
        engine.store.write(|tx| -> Result<(), Error> {
            insert_own(tx, 5..6)?;
            remove_network(tx, 1)
        }).await.unwrap();
        assert_eq!(edges(&*engine.store, 10).await, Edges::default());
        let others = engine.store.read(|rows| rows.edges(&network(2), ALL, 10)).await.unwrap();
        assert_eq!(others.tasks, 1);
    }

    async fn a_count_that_was_changed_is_found(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| insert_own(tx, 0..2)).await.unwrap();
        let hour = "2023-11-14 22:00";
        for (sql, of, counter, counted) in [
            ("UPDATE edges SET open = 3 WHERE from_name = 'from1'", "from1 to coder (open)", 3, 1),
            ("UPDATE edges SET open = 1, failed = 1 WHERE from_name = 'from1'", "from1 to coder (failed)", 1, 0),
            ("DELETE FROM edges WHERE from_name = 'from1'", "further edges (open)", 0, 1),
        ] {
            engine.execute(sql);
            let of = format!("{of} of {hour}");
            let network_id = network(1).to_string();
            assert_eq!(wrong(engine), [WrongCount { network_id, of, counter, counted }], "{sql}");
        }
    }
}
