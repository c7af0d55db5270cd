//! A network's agents: every alias with its signs of life, what is worked on, and figures by assignee.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_network, insert_task, insert_task_from, network, node_token, session, task_id,
    with_network,
};
use super::workers::worker;
use baton_core::{LeaseId, MonotonicMillis, Status, TokenId};
use baton_store::rows::{AgentRow, AliasProfile, LeaseChange, TaskChange, hour_of};
use baton_store::{Error, Snapshot, Transaction};

fn agent(name: &str) -> AgentRow {
    AgentRow {
        alias: alias(name),
        last_used_at: None,
        queue: 0,
        leases: 0,
        has_session: false,
        has_worker: false,
    }
}

fn lease(n: u16) -> LeaseChange {
    let mut random = [0; 16];
    random[..2].copy_from_slice(&n.to_be_bytes());
    LeaseChange::Grant {
        lease_id: LeaseId::from_random(random),
        lease_seconds: 60,
        deadline: MonotonicMillis::new(60_000),
        expires_at: NOW.plus_seconds(60),
    }
}

fn change(tx: &mut dyn Transaction, n: u16, to: Status, change: &TaskChange) -> Result<(), Error> {
    tx.change_task(&network(1), &task_id(n), Status::Delivered, to, change)
}

fn end(tx: &mut dyn Transaction, n: u16, to: Status, millis: i64) -> Result<(), Error> {
    let ended = TaskChange { completed_at: Some(NOW.plus_millis(millis)), ..TaskChange::default() };
    change(tx, n, to, &ended)
}

fn names(rows: &dyn Snapshot, after: Option<&str>, limit: usize) -> Result<Vec<String>, Error> {
    let agents = rows.agents(&network(1), after.map(alias).as_ref(), limit)?;
    Ok(agents.into_iter().map(|agent| agent.alias.to_string()).collect())
}

engines! {
    async fn every_alias_is_listed_with_its_signs_of_life(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            for (n, name) in [(1, "claims"), (2, "reports"), (3, "works"), (4, "revoked"), (5, "unused")] {
                tx.insert_token(&node_token(n, 1, 1, name))?;
            }
            tx.insert_token(&node_token(6, 2, 2, "stranger"))?;
            for n in [1, 4] {
                tx.use_tokens(&[(TokenId::from_random([n; 6]), NOW)])?;
            }
            tx.revoke_token(&TokenId::from_random([4; 6]), NOW)?;
            tx.put_session(&session(1, "reports", 2))?;
            tx.put_worker(&worker(1, "works", "w", 3), 9)?;
            insert_task(tx, 1, 1, "claims")?;
            insert_task(tx, 1, 2, "claims")?;
            let taken = TaskChange { lease: Some(lease(1)), inbox: Some(baton_store::rows::InboxState::Hidden), ..TaskChange::default() };
            change(tx, 1, Status::Running, &taken)
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(|rows| -> Result<(), Error> {
            let claims = AgentRow { last_used_at: Some(NOW), queue: 1, leases: 1, ..agent("claims") };
            let reports = AgentRow { has_session: true, ..agent("reports") };
            let works = AgentRow { has_worker: true, ..agent("works") };
            let expected = [claims, reports, agent("revoked"), agent("unused"), works];
            assert_eq!(rows.agents(&network(1), None, 9)?, expected);
            assert_eq!(names(rows, None, 2)?, ["claims", "reports"]);
            assert_eq!(names(rows, Some("reports"), 2)?, ["revoked", "unused"]);
            Ok(())
        }).await.unwrap();
    }

    async fn what_runs_and_what_waits_under_a_lease_is_worked_on(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for n in 1..=5 {
                insert_task(tx, 1, n, "coder")?;
            }
            let started = TaskChange { started_at: Some(NOW.plus_seconds(7)), ..TaskChange::default() };
            change(tx, 1, Status::Running, &started)?;
            change(tx, 2, Status::Running, &TaskChange { lease: Some(lease(2)), ..TaskChange::default() })?;
            change(tx, 3, Status::WaitingInput, &TaskChange { lease: Some(lease(3)), ..TaskChange::default() })?;
            change(tx, 4, Status::WaitingInput, &TaskChange::default())
        }).await.unwrap();
        let _ = open;
        engine.store.read(|rows| -> Result<(), Error> {
            let worked = rows.worked_tasks(&network(1), 9)?;
            let ids: Vec<_> = worked.iter().map(|task| task.task_id.clone()).collect();
            assert_eq!(ids, [task_id(2), task_id(1), task_id(3)], "the newest first, without 4, which nobody holds");
            assert_eq!((worked[0].since, worked[1].since), (NOW, NOW.plus_seconds(7)));
            assert_eq!((&worked[0].to, worked[0].attempt), (&alias("coder"), 1));
            assert_eq!(rows.worked_tasks(&network(1), 1)?.len(), 1, "of those that wait the newest has no lease");
            assert!(rows.worked_tasks(&network(9), 9)?.is_empty());
            Ok(())
        }).await.unwrap();
    }

    async fn figures_are_added_up_by_assignee_and_durations_follow_the_tasks(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for n in 0..8 {
                insert_task_from(tx, 1, n, if n % 2 == 0 { "lead" } else { "boss" }, "coder")?;
            }
            insert_task(tx, 1, 8, "tester")?;
            end(tx, 0, Status::Replied, 100) // in the batch in which it was made
        }).await.unwrap();
        engine.store.write(|tx| -> Result<(), Error> {
            end(tx, 1, Status::Replied, 100)?;
            end(tx, 2, Status::Replied, 100)?;
            end(tx, 3, Status::Failed, 60_000)?;
            end(tx, 4, Status::Cancelled, 60_000)?;
            end(tx, 5, Status::Expired, 60_000)?;
            // A task counts for whoever has it when it ends.
            let given = TaskChange { to: Some(alias("tester")), ..TaskChange::default() };
            change(tx, 6, Status::Delivered, &given)?;
            end(tx, 6, Status::Failed, 2_000)
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(|rows| -> Result<(), Error> {
            let hour = hour_of(NOW);
            let figures = rows.figures_of_agents(&network(1), hour..hour + 1)?;
            let coder = &figures[&alias("coder")];
            let counts = coder.counts;
            assert_eq!((counts.open, Status::terminal().map(|end| counts.ends.get(end)).collect::<Vec<_>>()), (1, vec![3, 1, 1, 1]));
            let within = |percent, low, high| (low..=high).contains(&coder.durations.percentile(percent).unwrap());
            assert!(within(50, 95, 105) && within(100, 57_000, 63_000), "{:?}", coder.durations);
            let tester = &figures[&alias("tester")];
            assert_eq!((tester.counts.ends.get(Status::Failed), tester.counts.open), (1, 1));
            assert!((1_900..=2_100).contains(&tester.durations.percentile(50).unwrap()));
            assert_eq!(rows.figures_of_agents(&network(1), hour + 1..hour + 2)?.len(), 0);
            Ok(())
        }).await.unwrap();
    }

    async fn what_a_worker_says_of_an_alias_is_kept(engine: &mut Engine, open: Open) {
        let said = AliasProfile { description: Some("Writes code".into()), skills: Some("[]".into()) };
        let kept = said.clone();
        engine.store.write(move |tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            tx.insert_token(&node_token(1, 1, 1, "coder"))?;
            assert_eq!(tx.alias_profile(&network(1), &alias("coder"))?, AliasProfile::default());
            tx.set_alias_profile(&network(1), &alias("coder"), &said)
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(move |rows| -> Result<(), Error> {
            assert_eq!(rows.alias_profile(&network(1), &alias("coder"))?, kept);
            assert_eq!(rows.alias_profile(&network(1), &alias("nobody"))?, AliasProfile::default());
            Ok(())
        }).await.unwrap();
    }
}
