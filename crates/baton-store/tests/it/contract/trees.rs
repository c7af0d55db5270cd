//! Trees: a task is found in its network only, a level has the children of its parents within its bounds, and a transaction
//! sees what it wrote.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_child, insert_network, insert_task, network, node, remove_network, task_id,
    with_network,
};
use baton_core::access::TaskReach;
use baton_core::{Kind, Quota, Status, TaskId};
use baton_store::rows::{LevelFilter, QuotaSubject, TaskChange, TreeLevel, TreeTaskRow};
use baton_store::{Error, Snapshot};

/// A level of network 1, as far as the caller reaches and with these limits.
fn level(
    rows: &dyn Snapshot,
    reach: &TaskReach,
    parents: &[u16],
    limit: usize,
    examined: usize,
) -> Result<TreeLevel, Error> {
    let parents: Vec<TaskId> = parents.iter().copied().map(task_id).collect();
    rows.tree_level(&LevelFilter { network: &network(1), reach, parents: &parents, limit, examined })
}

fn ids(level: &TreeLevel) -> Vec<TaskId> {
    level.tasks.iter().map(|task| task.task_id.clone()).collect()
}

fn names(numbers: &[u16]) -> Vec<TaskId> {
    numbers.iter().copied().map(task_id).collect()
}

engines! {
    async fn a_task_of_a_tree_is_found_in_its_own_network_as_it_stands(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            insert_task(tx, 1, 1, "coder")?;
            insert_child(tx, 1, 2, 1, "tester")
        }).await.unwrap();
        let child = || TreeTaskRow {
            task_id: task_id(2),
            parent_task_id: Some(task_id(1)),
            from: node("lead"),
            to: alias("tester"),
            kind: Kind::parse("delegation").unwrap(),
            status: Status::Delivered,
            created_at: NOW,
            started_at: None,
            completed_at: None,
        };
        let seen = move |rows: &dyn Snapshot| -> Result<(), Error> {
            assert_eq!(rows.tree_task(&network(1), &task_id(2))?, Some(child()));
            assert_eq!(rows.tree_task(&network(1), &task_id(1))?.unwrap().parent_task_id, None);
            assert_eq!(rows.tree_task(&network(2), &task_id(2))?, None);
            assert_eq!(rows.tree_task(&network(1), &task_id(9))?, None);
            Ok(())
        };
        // From memory, from the database, and after a new start.
        engine.store.write(move |tx| seen(tx.as_snapshot())).await.unwrap();
        engine.store.read(seen).await.unwrap();
        engine.reopen(open);
        engine.store.write(move |tx| seen(tx.as_snapshot())).await.unwrap();
        engine.store.write(|tx| -> Result<(), Error> {
            let change = TaskChange { started_at: Some(NOW), completed_at: Some(NOW), ..TaskChange::default() };
            tx.change_task(&network(1), &task_id(2), Status::Delivered, Status::Failed, &change)?;
            let ended = tx.tree_task(&network(1), &task_id(2))?.unwrap();
            assert_eq!((ended.status, ended.started_at, ended.completed_at), (Status::Failed, Some(NOW), Some(NOW)));
            remove_network(tx, 2)
        }).await.unwrap();
        // One that is deleted has no tasks, though rows are left.
        engine.store.write(|tx| -> Result<(), Error> {
            tx.delete_network(&network(1))
        }).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            assert_eq!(rows.tree_task(&network(1), &task_id(1))?, None);
            Ok(())
        }).await.unwrap();
    }

    async fn a_level_has_the_children_of_its_parents_oldest_first(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let seen = |rows: &dyn Snapshot| -> Result<(), Error> {
            let all = TaskReach::Network;
            let whole = level(rows, &all, &[1, 2], 10, 10)?;
            assert_eq!((ids(&whole), whole.examined, whole.is_cut), (names(&[3, 5, 7, 4, 6]), 5, false));
            assert_eq!(ids(&level(rows, &all, &[2, 1], 10, 10)?), names(&[4, 6, 3, 5, 7]));
            assert_eq!(level(rows, &all, &[9, 8], 10, 10)?, TreeLevel::default());
            assert_eq!(level(rows, &all, &[], 10, 10)?, TreeLevel::default());
            assert_eq!(ids(&level(rows, &all, &[3], 10, 10)?), names(&[8]));
            // Exactly as many as fit are not cut, one less is; wherever the limit falls.
            for most in 0..6 {
                for (limit, examined) in [(most, 100), (100, most)] {
                    let cut = level(rows, &all, &[1, 2], limit, examined)?;
                    assert_eq!(ids(&cut), names(&[3, 5, 7, 4, 6][..most]), "{limit} of {examined}");
                    assert_eq!((cut.examined, cut.is_cut), (most, most < 5), "{limit} of {examined}");
                }
            }
            let own = TaskReach::Own(alias("tester"));
            let seen = level(rows, &own, &[1, 2], 10, 10)?;
            assert_eq!((ids(&seen), seen.examined, seen.is_cut), (names(&[5, 4]), 5, false));
            // What is not shown counts among what is examined.
            let cut = level(rows, &own, &[1, 2], 10, 2)?;
            assert_eq!((ids(&cut), cut.examined, cut.is_cut), (names(&[5]), 2, true));
            let cut = level(rows, &own, &[1, 2], 1, 10)?;
            assert_eq!((ids(&cut), cut.is_cut), (names(&[5]), true));
            Ok(())
        };
        engine.store.write(move |tx| -> Result<(), Error> {
            insert_task(tx, 1, 1, "coder")?;
            insert_task(tx, 1, 2, "coder")?;
            for (n, parent, to) in
                [(3, 1, "coder"), (4, 2, "tester"), (5, 1, "tester"), (6, 2, "coder"), (7, 1, "coder"), (8, 3, "coder")]
            {
                insert_child(tx, 1, n, parent, to)?;
            }
            seen(tx.as_snapshot())
        }).await.unwrap();
        engine.store.read(seen).await.unwrap();
        engine.reopen(open);
        engine.store.read(seen).await.unwrap();
    }

    async fn how_deep_delegation_may_go_is_known_as_soon_as_it_is_set(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        for max in [None, Some(3), Some(0), None] {
            // Asked first, so that an engine that remembers has something to forget.
            engine.store.write(|tx| tx.delegation_depth(&network(1)).map(drop)).await.unwrap();
            engine.store.write(move |tx| -> Result<(), Error> {
                tx.set_quota(QuotaSubject::Network(&network(1)), Quota::DelegationDepth, max)
            }).await.unwrap();
            engine.store.write(move |tx| -> Result<(), Error> {
                assert_eq!(tx.delegation_depth(&network(1))?, max);
                assert_eq!(tx.delegation_depth(&network(2))?, None);
                Ok(())
            }).await.unwrap();
        }
    }
}
