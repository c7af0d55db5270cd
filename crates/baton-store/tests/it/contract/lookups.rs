//! What is asked of one task without its whole row: what the rules see, its network, its last event, its salt, and
//! which task an agent means by a text.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_network, insert_task, insert_task_saying, network, node, task_id, with_network,
};
use baton_core::{LeaseId, MonotonicMillis, Status, TaskId};
use baton_store::rows::{InboxState, LeaseChange, NewEvent, TaskChange};
use baton_store::{Error, Snapshot, Transaction};

fn change(tx: &mut dyn Transaction, n: u16, from: Status, to: Status) -> Result<(), Error> {
    let completed_at = to.is_terminal().then_some(NOW);
    tx.change_task(&network(1), &task_id(n), from, to, &TaskChange { completed_at, ..TaskChange::default() })
}

fn log(tx: &mut dyn Transaction, n: u16, to: Status, detail: &str) -> Result<u64, Error> {
    tx.append_event(NewEvent {
        network_id: &network(1),
        task_id: &task_id(n),
        from: (to != Status::Delivered).then_some(Status::Delivered),
        to,
        actor: &node("lead"),
        actor_token: None,
        detail,
        at: NOW,
        log_index: None,
    })
}

engines! {
    async fn the_rules_see_a_task_as_its_row_has_it(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_task(tx, 1, 1, "coder")?;
            let seen = |tx: &mut dyn Transaction| -> Result<_, Error> {
                let snapshot = tx.task_snapshot(&task_id(1))?.unwrap();
                assert_eq!(snapshot, tx.task(&task_id(1))?.unwrap().snapshot);
                Ok((snapshot.status, snapshot.to.to_string(), snapshot.is_in_inbox, snapshot.lease.map(|lease| lease.id)))
            };
            assert_eq!(seen(tx)?, (Status::Delivered, "coder".into(), true, None));
            let lease_id = LeaseId::from_random([1; 16]);
            let (deadline, expires_at) = (MonotonicMillis::new(9), NOW);
            let grant = LeaseChange::Grant { lease_id: lease_id.clone(), lease_seconds: 60, deadline, expires_at };
            let claim = TaskChange { inbox: Some(InboxState::Hidden), lease: Some(grant), ..TaskChange::default() };
            tx.change_task(&network(1), &task_id(1), Status::Delivered, Status::Running, &claim)?;
            assert_eq!(seen(tx)?, (Status::Running, "coder".into(), false, Some(lease_id)));
            let give = TaskChange {
                to: Some(alias("tester")), inbox: Some(InboxState::Open), lease: Some(LeaseChange::End), ..TaskChange::default()
            };
            tx.change_task(&network(1), &task_id(1), Status::Running, Status::Delivered, &give)?;
            assert_eq!(seen(tx)?, (Status::Delivered, "tester".into(), true, None));
            assert_eq!(tx.task_snapshot(&task_id(2))?, None);
            Ok(())
        }).await.unwrap();
    }

    async fn a_task_has_the_network_the_salt_and_the_last_event_that_were_written(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            insert_task(tx, 1, 1, "coder")?;
            insert_task(tx, 2, 2, "coder")?;
            assert_eq!(tx.last_event(&task_id(1))?, None);
            for (n, to) in [(1, Status::Delivered), (2, Status::Acked)] {
                assert_eq!(log(tx, 1, to, &format!("event {n}"))?, n);
                assert_eq!(tx.last_event(&task_id(1))?.unwrap().to_status, to);
            }
            Ok(())
        }).await.unwrap();
        let found_in = |rows: &dyn Snapshot| -> Result<(), Error> {
            for (n, own) in [(1, 1), (2, 2)] {
                for asked in [1, 2] {
                    let found = rows.task_snapshot_in(&network(asked), &task_id(n))?;
                    assert_eq!(found, rows.task_snapshot(&task_id(n))?.filter(|_| asked == own), "{n} in {asked}");
                }
                let networks = [1, 2].map(|own| rows.task_network(&task_id(n), Some(&network(own))).unwrap());
                assert_eq!(networks, [Some(network(own)), Some(network(own))]);
            }
            assert_eq!(rows.task_snapshot_in(&network(1), &task_id(3))?, None);
            Ok(())
        };
        engine.store.write(move |tx| found_in(tx.as_snapshot())).await.unwrap();
        engine.reopen(open);
        engine.store.write(move |tx| found_in(tx.as_snapshot())).await.unwrap();
        engine.store.read(found_in).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            let networks = [1, 2, 3].map(|n| rows.task_network(&task_id(n), None).unwrap());
            assert_eq!(networks, [Some(network(1)), Some(network(2)), None]);
            assert_eq!((rows.task_salt(&task_id(1))?, rows.task_salt(&task_id(3))?), (Some(vec![7; 16]), None));
            let last = rows.last_event(&task_id(1))?.unwrap();
            assert_eq!((last.n, &*last.detail, last.from_status), (2, "event 2", Some(Status::Delivered)));
            assert_eq!(Some(&last), rows.task_history(&task_id(1))?.last());
            assert_eq!((rows.last_event(&task_id(2))?, rows.last_event(&task_id(3))?), (None, None));
            Ok(())
        }).await.unwrap();
    }

    async fn an_agent_means_a_task_it_can_work_on_by_its_exact_text(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            for (in_network, n, to, text) in [
                (1, 1, "coder", "Build"), (1, 2, "coder", "build"), (1, 3, "tester", "build"), (2, 4, "coder", "build"),
                (1, 5, "coder", "build "), (1, 6, "coder", "ask"), (1, 7, "coder", "end"),
            ] {
                insert_task_saying(tx, in_network, n, ("lead", to), text)?;
            }
            let meant = |tx: &mut dyn Transaction, to: &str, text: &str| -> Result<Vec<TaskId>, Error> {
                let mut found = tx.open_tasks_with_content(&network(1), &alias(to), text)?;
                found.sort();
                Ok(found)
            };
            assert_eq!(meant(tx, "coder", "build")?, [task_id(2)]);
            assert_eq!((meant(tx, "tester", "build")?, meant(tx, "lead", "build")?), (vec![task_id(3)], vec![]));
            assert_eq!(meant(tx, "coder", "")?, []);
            for (from, to) in [(Status::Delivered, Status::Acked), (Status::Acked, Status::Running)] {
                change(tx, 2, from, to)?;
                assert_eq!(meant(tx, "coder", "build")?, [task_id(2)], "{to}");
            }
            change(tx, 6, Status::Delivered, Status::WaitingInput)?;
            assert_eq!(meant(tx, "coder", "ask")?, [], "it waits for its sender");
            change(tx, 7, Status::Delivered, Status::Replied)?;
            assert_eq!(meant(tx, "coder", "end")?, []);
            for n in 10..13 {
                insert_task_saying(tx, 1, n, ("lead", "coder"), "many")?;
            }
            assert_eq!(meant(tx, "coder", "many")?.len(), 2, "which is one too many");
            Ok(())
        }).await.unwrap();
    }
}
