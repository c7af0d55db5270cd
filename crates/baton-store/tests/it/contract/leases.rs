//! Leases: one per task, found when due, armed again after a start.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{NOW, alias, insert_task, network, task_id, with_network};
use baton_core::{LeaseId, MonotonicMillis, Status};
use baton_store::rows::{LeaseChange, LeaseRow, TaskChange};
use baton_store::{Error, Transaction};

fn lease(n: u8, deadline: i64) -> LeaseRow {
    LeaseRow {
        lease_id: LeaseId::from_random([n; 16]),
        task_id: task_id(n.into()),
        network_id: network(1),
        alias: alias("coder"),
        lease_seconds: 60,
        deadline: MonotonicMillis::new(deadline),
        expires_at: NOW,
    }
}

fn change(tx: &mut dyn Transaction, n: u8, lease: LeaseChange) -> Result<(), Error> {
    let change = TaskChange { lease: Some(lease), ..TaskChange::default() };
    tx.change_task(&network(1), &task_id(n.into()), Status::Delivered, Status::Delivered, &change)
}

fn grant(tx: &mut dyn Transaction, lease: LeaseRow) -> Result<(), Error> {
    let LeaseRow { lease_id, lease_seconds, deadline, expires_at, .. } = lease;
    let n = (1..10).find(|n| task_id(*n) == lease.task_id).unwrap();
    change(tx, n as u8, LeaseChange::Grant { lease_id, lease_seconds, deadline, expires_at })
}

engines! {
    async fn due_leases_come_oldest_first(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for (n, deadline) in [(1, 300), (2, 100), (3, 200)] {
                insert_task(tx, 1, n.into(), "coder")?;
                grant(tx, lease(n, deadline))?;
            }
            assert!(tx.holds_lease(&network(1), &alias("coder"))?);
            assert!(!tx.holds_lease(&network(1), &alias("other"))?);
            let due = tx.due_leases(MonotonicMillis::new(200), 10)?;
            assert_eq!(due.iter().map(|due| &due.task_id).collect::<Vec<_>>(), [&task_id(2), &task_id(3)]);
            change(tx, 2, LeaseChange::Extend { deadline: MonotonicMillis::new(900), expires_at: NOW })?;
            change(tx, 3, LeaseChange::End)?;
            assert_eq!(tx.lease(&lease(3, 0).lease_id)?, None);
            assert!(tx.due_leases(MonotonicMillis::new(299), 10)?.is_empty());
            assert_eq!(tx.lease(&lease(1, 300).lease_id)?, Some(lease(1, 300)));
            Ok(())
        }).await.unwrap();
    }

    async fn a_new_start_gives_every_lease_its_whole_time(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_task(tx, 1, 1, "coder")?;
            grant(tx, lease(1, 500_000))
        }).await.unwrap();
        engine.reopen(open);
        engine.store.write(|tx| -> Result<(), Error> {
            tx.rearm_leases(MonotonicMillis::new(5), NOW)?;
            let armed = tx.lease(&lease(1, 0).lease_id)?.unwrap();
            assert_eq!(armed.deadline, MonotonicMillis::new(60_005));
            assert_eq!(armed.expires_at, NOW.plus_seconds(60));
            Ok(())
        }).await.unwrap();
    }

    async fn a_task_has_at_most_one_lease(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let second = engine.store.write(|tx| -> Result<(), Error> {
            insert_task(tx, 1, 1, "coder")?;
            grant(tx, lease(1, 100))?;
            grant(tx, LeaseRow { lease_id: LeaseId::from_random([9; 16]), ..lease(1, 100) })
        });
        assert!(second.await.is_err());
    }
}
