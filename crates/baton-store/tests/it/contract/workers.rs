//! Workers: a row each, as many as an agent may have, gone with their token, their network or their silence.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_network, network, node_token, remove_network, user, with_network,
};
use baton_core::{Quota, TokenId};
use baton_store::rows::{QuotaSubject, WorkerRow};
use baton_store::{Error, Snapshot};

const MOST: usize = 3;

pub(super) fn worker(in_network: u8, name: &str, id: &str, by: u8) -> WorkerRow {
    WorkerRow {
        network_id: network(in_network),
        alias: alias(name),
        worker_id: id.into(),
        token_id: TokenId::from_random([by; 6]),
        hostname: Some("host".into()),
        project_dir: None,
        version: Some("1.0".into()),
        concurrency: Some(4),
        description: Some("Writes code".into()),
        skills: Some("[]".into()),
        started_at: NOW,
        last_seen_at: NOW,
    }
}

fn seen(id: &str, after: u32) -> WorkerRow {
    WorkerRow { last_seen_at: NOW.plus_seconds(after), ..worker(1, "coder", id, 1) }
}

fn ids(rows: &dyn Snapshot, name: &str) -> Result<Vec<String>, Error> {
    let workers = rows.workers(&network(1), &alias(name), 100)?;
    Ok(workers.into_iter().map(|worker| worker.worker_id).collect())
}

fn used(rows: &dyn Snapshot) -> Result<i64, Error> {
    Ok(rows.quota(QuotaSubject::Network(&network(1)), Quota::Workers)?.used)
}

engines! {
    async fn an_agents_workers_have_a_row_each_and_the_last_word_counts(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            tx.put_worker(&worker(1, "coder", "a", 1), MOST)?;
            tx.put_worker(&worker(1, "coder", "b", 2), MOST)?;
            tx.put_worker(&worker(1, "tester", "a", 3), MOST)?;
            tx.put_worker(&worker(2, "coder", "a", 4), MOST)?;
            let later = WorkerRow { hostname: None, last_seen_at: NOW.plus_seconds(9), ..worker(1, "coder", "a", 5) };
            tx.put_worker(&later, MOST)
        }).await.unwrap();
        engine.reopen(open);
        engine.store.write(|tx| -> Result<(), Error> {
            let row = tx.worker(&network(1), &alias("coder"), "a")?.unwrap();
            assert_eq!((row.hostname, row.token_id), (None, TokenId::from_random([5; 6])));
            assert_eq!(tx.worker(&network(1), &alias("coder"), "b")?, Some(worker(1, "coder", "b", 2)));
            assert_eq!(ids(tx.as_snapshot(), "coder")?, ["a", "b"], "who was seen last comes first");
            assert_eq!(tx.workers(&network(1), &alias("coder"), 1)?.len(), 1);
            assert_eq!(used(tx.as_snapshot())?, 3);
            assert!(tx.remove_worker(&network(1), &alias("coder"), "a")?);
            assert!(!tx.remove_worker(&network(1), &alias("coder"), "a")?, "it is gone");
            assert!(tx.worker(&network(2), &alias("coder"), "a")?.is_some(), "that of another network stays");
            assert_eq!(used(tx.as_snapshot())?, 2);
            Ok(())
        }).await.unwrap();
        let refused = engine.store.write(|tx| tx.put_worker(&worker(9, "coder", "a", 1), MOST));
        assert!(refused.await.is_err(), "there is no such network");
    }

    async fn an_agent_keeps_the_workers_seen_last_and_the_newest_always(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for (id, after) in [("a", 5), ("b", 1), ("c", 5)] {
                tx.put_worker(&seen(id, after), MOST)?;
            }
            tx.put_worker(&seen("d", 5), MOST)?;
            assert_eq!(ids(tx.as_snapshot(), "coder")?, ["a", "c", "d"]);
            tx.put_worker(&seen("e", 5), MOST)?;
            assert!(ids(tx.as_snapshot(), "coder")?.contains(&"e".to_owned()), "the one that is written stays");
            assert_eq!((ids(tx.as_snapshot(), "coder")?.len(), used(tx.as_snapshot())?), (MOST, MOST as i64));
            tx.put_worker(&WorkerRow { alias: alias("tester"), ..seen("a", 0) }, MOST)?;
            assert_eq!(used(tx.as_snapshot())?, MOST as i64 + 1, "each agent has its own");
            Ok(())
        }).await.unwrap();
        let _ = open;
    }

    async fn workers_leave_when_they_are_silent_so_many_at_once(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for (id, after) in [("a", 1), ("b", 2), ("c", 3)] {
                tx.put_worker(&seen(id, after), MOST)?;
            }
            assert_eq!(tx.forget_workers(NOW.plus_seconds(3), 1)?, 1);
            assert_eq!(tx.forget_workers(NOW.plus_seconds(3), 9)?, 1);
            assert_eq!(tx.forget_workers(NOW.plus_seconds(3), 9)?, 0);
            assert_eq!((ids(tx.as_snapshot(), "coder")?, used(tx.as_snapshot())?), (vec!["c".to_owned()], 1));
            Ok(())
        }).await.unwrap();
        let _ = open;
    }

    async fn workers_leave_with_their_token_and_with_their_network(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            tx.insert_token(&node_token(1, 1, 1, "coder"))?;
            tx.insert_token(&node_token(2, 1, 1, "coder"))?;
            for (id, by) in [("a", 1), ("b", 2), ("c", 1)] {
                tx.put_worker(&worker(1, "coder", id, by), MOST)?;
            }
            tx.put_worker(&worker(2, "coder", "a", 9), MOST)?;
            tx.revoke_token(&TokenId::from_random([1; 6]), NOW)?;
            assert_eq!((ids(tx.as_snapshot(), "coder")?, used(tx.as_snapshot())?), (vec!["b".to_owned()], 1));
            // A token that is revoked with others is revoked as well.
            tx.revoke_alias_tokens_of_others(&network(1), &alias("coder"), &user(2), NOW)?;
            assert_eq!(used(tx.as_snapshot())?, 0);
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        engine.store.write(|tx| -> Result<(), Error> {
            remove_network(tx, 2)?;
            assert_eq!(tx.worker(&network(2), &alias("coder"), "a")?, None);
            Ok(())
        }).await.unwrap();
    }
}
