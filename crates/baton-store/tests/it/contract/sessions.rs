//! What agents report: a session for each alias, and completions numbered within their network.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_network, insert_task, insert_task_from, network, session, task_id, whole, with_network,
};
use baton_core::access::TaskReach;
use baton_core::{LeaseId, MonotonicMillis, NetworkId, Status, TokenId, UnixMillis};
use baton_store::rows::{
    CompletionFilter, CompletionRow, LeaseChange, NewCompletion, PageBounds, SessionRow, TaskChange,
};
use baton_store::{Error, Snapshot, Transaction};

fn token(n: u8) -> TokenId {
    TokenId::from_random([n; 6])
}

/// A session of which everything is known.
fn full(in_network: u8, name: &str, by: u8) -> SessionRow {
    let text = |text: &str| Some(format!("{text} of {name}"));
    SessionRow {
        status: "busy".into(),
        server: text("server"),
        hostname: text("host"),
        agent: text("agent"),
        project_dir: text("folder"),
        version: text("version"),
        task: text("task"),
        output: text("output"),
        progress: Some(40),
        score: Some(0.25),
        node_id: text("node"),
        session_id: text("session"),
        model: text("model"),
        description: text("description"),
        skills: Some("[\"rust\"]".into()),
        registered_at: NOW,
        updated_at: NOW.plus_seconds(1),
        last_seen_at: NOW.plus_seconds(2),
        ..session(in_network, name, by)
    }
}

fn hold(tx: &mut dyn Transaction, n: u16, lease: LeaseChange) -> Result<(), Error> {
    let change = TaskChange { lease: Some(lease), ..TaskChange::default() };
    tx.change_task(&network(1), &task_id(n), Status::Delivered, Status::Delivered, &change)
}

/// A completion of a task, so long after the beginning.
fn complete(tx: &mut dyn Transaction, in_network: u8, n: u16, by: &str, after: u32) -> Result<i64, Error> {
    let artifacts = (n != 2).then(|| format!("[{n}]"));
    tx.insert_completion(NewCompletion {
        network_id: &network(in_network),
        session_name: by,
        task_id: &task_id(n),
        task: &format!("task {n}"),
        result: "done",
        artifacts: artifacts.as_deref(),
        score: Some(0.5),
        duration_minutes: (n == 1).then_some(1.5),
        at: NOW.plus_seconds(after),
    })
}

fn completions(rows: &dyn Snapshot, filter: &CompletionFilter) -> Result<Vec<CompletionRow>, Error> {
    whole(|before, page| rows.completions(&CompletionFilter { before, page, ..filter.clone() }))
}

fn in_networks(networks: impl IntoIterator<Item = (NetworkId, TaskReach)>) -> CompletionFilter {
    CompletionFilter {
        networks: networks.into_iter().collect(),
        session: None,
        since: UnixMillis::new(0),
        before: None,
        page: PageBounds::rows(10),
    }
}

engines! {
    async fn a_session_is_one_aliass_and_its_last_report_counts(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            tx.put_session(&session(1, "coder", 1))?;
            assert_eq!(tx.session(&network(1), &alias("coder"))?, Some(session(1, "coder", 1)));
            tx.put_session(&full(1, "coder", 2))?;
            tx.put_session(&session(1, "tester", 1))?;
            tx.put_session(&session(2, "coder", 3))
        }).await.unwrap();
        engine.reopen(open);
        engine.store.write(|tx| -> Result<(), Error> {
            assert_eq!(tx.session(&network(1), &alias("coder"))?, Some(full(1, "coder", 2)));
            assert_eq!(tx.session(&network(1), &alias("tester"))?, Some(session(1, "tester", 1)));
            assert_eq!(tx.session(&network(2), &alias("coder"))?, Some(session(2, "coder", 3)));
            assert_eq!(tx.session(&network(2), &alias("tester"))?, None);
            assert_eq!([tx.session_count(&network(1))?, tx.session_count(&network(2))?, tx.session_count(&network(9))?], [2, 1, 0]);
            assert!(tx.alias_exists(&network(1), &alias("tester"))?, "a session is enough");
            assert_eq!(tx.alias_count(&network(1))?, 2);
            // What is not reported again is not known any more.
            tx.put_session(&session(1, "coder", 1))?;
            assert_eq!(tx.session(&network(1), &alias("coder"))?, Some(session(1, "coder", 1)));
            assert_eq!(tx.session_count(&network(1))?, 2);
            Ok(())
        }).await.unwrap();
        let refused = engine.store.write(|tx| tx.put_session(&session(9, "coder", 1)));
        assert!(refused.await.is_err(), "there is no such network");
    }

    async fn a_session_is_seen_by_its_token_and_never_earlier_than_before(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for row in [session(1, "a", 1), session(1, "b", 1), session(1, "c", 2)] {
                tx.put_session(&row)?;
            }
            let at = |after| NOW.plus_seconds(after);
            tx.see_sessions(&[(token(1), at(9)), (token(7), at(9))])?;
            tx.see_sessions(&[(token(1), at(5)), (token(2), at(3))])?;
            tx.see_sessions(&[])?;
            for (name, by, seen) in [("a", 1, 9), ("b", 1, 9), ("c", 2, 3)] {
                let seen = SessionRow { last_seen_at: at(seen), ..session(1, name, by) };
                assert_eq!(tx.session(&network(1), &alias(name))?, Some(seen));
            }
            Ok(())
        }).await.unwrap();
    }

    async fn sessions_at_a_glance_come_by_alias_and_tell_who_holds_a_lease(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            for row in [session(1, "tester", 1), full(1, "coder", 2), session(1, "lead", 3), session(2, "other", 4)] {
                tx.put_session(&row)?;
            }
            insert_task(tx, 1, 1, "coder")?;
            let glance = |tx: &mut dyn Transaction| tx.session_glance(&network(1), &alias("coder"));
            assert!(!glance(tx)?.unwrap().holds_lease);
            let (deadline, expires_at) = (MonotonicMillis::new(100), NOW);
            hold(tx, 1, LeaseChange::Grant { lease_id: LeaseId::from_random([1; 16]), lease_seconds: 60, deadline, expires_at })?;
            let found = glance(tx)?.unwrap();
            assert_eq!((found.alias.as_str(), &*found.status, found.server.as_deref()), ("coder", "busy", Some("server of coder")));
            assert_eq!((found.last_seen_at, found.holds_lease), (NOW.plus_seconds(2), true));
            assert_eq!(tx.session_glance(&network(2), &alias("coder"))?, None);
            Ok(())
        }).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            let names = |after: Option<&str>, limit| -> Result<Vec<(String, bool)>, Error> {
                let found = rows.session_glances(&network(1), after.map(alias).as_ref(), limit)?;
                Ok(found.into_iter().map(|glance| (glance.alias.to_string(), glance.holds_lease)).collect())
            };
            let all = [("coder".to_owned(), true), ("lead".into(), false), ("tester".into(), false)];
            assert_eq!(names(None, 10)?, all);
            assert_eq!((names(None, 2)?, names(Some("lead"), 2)?), (all[..2].to_vec(), all[2..].to_vec()));
            assert_eq!((names(Some("d"), 1)?, names(Some("tester"), 1)?), (all[1..2].to_vec(), vec![]), "also after one that is not there");
            assert_eq!(rows.session_glances(&network(1), None, 1)?[0], rows.session_glance(&network(1), &alias("coder"))?.unwrap());
            assert_eq!(rows.session_glances(&network(9), None, 10)?, []);
            Ok(())
        }).await.unwrap();
        engine.store.write(|tx| -> Result<(), Error> {
            hold(tx, 1, LeaseChange::End)?;
            assert!(!tx.session_glance(&network(1), &alias("coder"))?.unwrap().holds_lease);
            Ok(())
        }).await.unwrap();
    }

    async fn completions_are_numbered_in_their_network_and_listed_newest_first(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            insert_task_from(tx, 1, 3, "boss", "tester")?;
            let made = [(1, 1, "coder", 0), (1, 2, "tester", 5), (2, 9, "coder", 5), (1, 3, "tester", 5), (1, 4, "coder", 9)];
            let numbers: Vec<_> = made.iter().map(|(network, n, by, after)| complete(tx, *network, *n, by, *after)).collect::<Result<_, _>>()?;
            assert_eq!(numbers, [1, 2, 1, 3, 4]);
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(|rows| -> Result<(), Error> {
            let shown = |filter: &CompletionFilter| -> Result<Vec<String>, Error> {
                Ok(completions(rows, filter)?.into_iter().map(|row| row.task).collect())
            };
            let names = |numbers: &[u16]| numbers.iter().map(|n| format!("task {n}")).collect::<Vec<_>>();
            let one = in_networks([(network(1), TaskReach::Network)]);
            assert_eq!(shown(&one)?, names(&[4, 3, 2, 1]));
            let both = in_networks([(network(2), TaskReach::Network), (network(1), TaskReach::Network)]);
            assert_eq!(shown(&both)?, names(&[4, 3, 9, 2, 1]), "of one time, the latest written first");
            assert_eq!(shown(&CompletionFilter { session: Some("coder".into()), ..both.clone() })?, names(&[4, 9, 1]));
            assert_eq!(shown(&CompletionFilter { since: NOW.plus_seconds(5), ..both.clone() })?, names(&[4, 3, 9, 2]));
            assert_eq!(shown(&CompletionFilter { since: NOW.plus_seconds(6), ..both })?, names(&[4]));
            let own = |name| in_networks([(network(1), TaskReach::Own(alias(name)))]);
            assert_eq!(shown(&own("tester"))?, names(&[3, 2]), "its own");
            assert_eq!(shown(&own("boss"))?, names(&[3]), "of a task it sent");
            assert_eq!((shown(&own("other"))?, shown(&in_networks([]))?), (vec![], vec![]));
            let oldest = completions(rows, &one)?.pop().unwrap();
            let expected = CompletionRow {
                id: oldest.id, number: 1, network_id: network(1), session_name: "coder".into(), task: "task 1".into(), result: "done".into(),
                artifacts: Some("[1]".into()), score: Some(0.5), duration_minutes: Some(1.5), completed_at: NOW,
            };
            assert_eq!(oldest, expected);
            Ok(())
        }).await.unwrap();
        let refused = engine.store.write(|tx| complete(tx, 7, 1, "coder", 0));
        assert!(refused.await.is_err(), "there is no such network");
    }

    async fn artifacts_are_found_by_the_task_and_when_it_was_completed(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            complete(tx, 1, 1, "coder", 0)?;
            complete(tx, 1, 2, "coder", 0)?;
            complete(tx, 1, 3, "coder", 4)?;
            for (n, task, after, artifacts) in [
                (1, 1, 0, Some("[1]")), (1, 1, 4, None), (2, 1, 0, None), (1, 2, 0, None), (1, 3, 4, Some("[3]")), (1, 8, 0, None),
            ] {
                let found = tx.artifacts_of(&network(n), &task_id(task), NOW.plus_seconds(after))?;
                assert_eq!(found.as_deref(), artifacts, "task {task} of network {n} after {after} s");
            }
            Ok(())
        }).await.unwrap();
    }
}
