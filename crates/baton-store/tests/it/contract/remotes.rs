//! Remote agents and the remote tasks that are out at them: one task may have several, each keeps to itself.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{NOW, alias, insert_network, network, remove_network, task_id, with_network};
use baton_core::{LeaseId, MessageId, TokenId};
use baton_store::Error;
use baton_store::rows::{PageBounds, RemoteCredential, RemoteRow, RemoteTaskRow};

fn remote(in_network: u8, name: &str) -> RemoteRow {
    RemoteRow {
        network_id: network(in_network),
        alias: alias(name),
        card_url: "https://agents.example/scout/".into(),
        credential: Some(RemoteCredential("bearer".into())),
        token_id: TokenId::from_random([in_network; 6]),
        created_by: "user1".into(),
        created_at: NOW,
        pinned_key: Some("thumbprint".into()),
        card_error: None,
    }
}

fn errand_id(n: u8) -> MessageId {
    MessageId::new(NOW, [n; 10])
}

fn lease(n: u8) -> LeaseId {
    LeaseId::from_random([n; 16])
}

/// A remote task of a task at an agent, not sent yet.
fn errand(n: u8, task: u16, at: &str) -> RemoteTaskRow {
    RemoteTaskRow {
        errand_id: errand_id(n),
        task_id: task_id(task),
        network_id: network(1),
        alias: alias(at),
        lease_id: Some(lease(n)),
        remote_task_id: None,
        remote_context_id: None,
        asked: None,
        passed_on: 0,
        answer: None,
        unanswered: 0,
        began_at: NOW,
        is_called_off: false,
    }
}

/// As it stands once it arrived there and asked something.
fn asking(errand: RemoteTaskRow) -> RemoteTaskRow {
    RemoteTaskRow {
        remote_task_id: Some("there-1".into()),
        remote_context_id: Some("context-there".into()),
        asked: Some("question-1".into()),
        passed_on: 3,
        answer: Some("all there is".into()),
        unanswered: 2,
        ..errand
    }
}

engines! {
    async fn an_agent_reads_back_as_it_was_registered_and_prints_no_credential(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let open_to_all = RemoteRow { credential: None, pinned_key: None, ..remote(1, "b") };
        let rows = [remote(1, "a"), open_to_all];
        let inserted = rows.clone();
        engine.store.write(move |tx| -> Result<(), Error> {
            insert_network(tx, 2)?;
            for row in inserted.iter().rev().chain([&remote(2, "a")]) {
                tx.insert_remote(row)?;
            }
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(move |read| -> Result<(), Error> {
            assert_eq!(read.remotes(&network(1), None, PageBounds::rows(10))?.rows, rows);
            let first = read.remotes(&network(1), None, PageBounds::rows(1))?;
            assert_eq!(first.rows, rows[..1]);
            let second = read.remotes(&network(1), first.next.as_ref(), PageBounds::rows(1))?;
            assert_eq!((second.rows, second.next), (rows[1..].to_vec(), None));
            assert_eq!(read.remote(&network(1), &alias("a"))?.as_ref(), Some(&rows[0]));
            assert_eq!(read.remote(&network(2), &alias("b"))?, None);
            assert_eq!(read.all_remotes()?.len(), 3);
            assert!(!format!("{:?}", rows[0]).contains("bearer"));
            Ok(())
        }).await.unwrap();
    }

    async fn an_alias_is_registered_once_in_a_network(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let second = engine.store.write(|tx| -> Result<(), Error> {
            tx.insert_remote(&remote(1, "a"))?;
            tx.insert_remote(&remote(1, "a"))
        });
        assert!(second.await.is_err());
    }

    async fn what_was_seen_of_a_card_is_noted_for_that_agent_alone(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 2)?;
            for row in [remote(1, "a"), remote(1, "b"), remote(2, "a")] {
                tx.insert_remote(&row)?;
            }
            assert!(tx.note_remote_card(&network(1), &alias("a"), Some("second"), Some("refused"))?);
            assert!(!tx.note_remote_card(&network(2), &alias("b"), Some("second"), None)?);
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        engine.store.write(|tx| -> Result<(), Error> {
            let refused = RemoteRow {
                pinned_key: Some("second".into()),
                card_error: Some("refused".into()),
                ..remote(1, "a")
            };
            assert_eq!(tx.remote(&network(1), &alias("a"))?, Some(refused));
            assert_eq!(tx.remote(&network(1), &alias("b"))?, Some(remote(1, "b")));
            assert_eq!(tx.remote(&network(2), &alias("a"))?, Some(remote(2, "a")));
            assert!(tx.note_remote_card(&network(1), &alias("a"), None, None)?);
            let unsigned = RemoteRow { pinned_key: None, ..remote(1, "a") };
            assert_eq!(tx.remote(&network(1), &alias("a"))?, Some(unsigned));
            Ok(())
        }).await.unwrap();
    }

    async fn an_errand_is_noted_without_touching_its_lease(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            tx.insert_remote_task(&errand(1, 1, "a"))?;
            assert!(tx.lease_remote_task(&errand_id(1), Some(&lease(9)))?);
            // The worker of the first lease records its answer.
            assert!(tx.note_remote_task(&asking(errand(1, 1, "a")))?);
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        engine.store.write(|tx| -> Result<(), Error> {
            let noted = RemoteTaskRow { lease_id: Some(lease(9)), ..asking(errand(1, 1, "a")) };
            assert_eq!(tx.remote_task(&errand_id(1))?, Some(noted));
            assert!(tx.lease_remote_task(&errand_id(1), None)?);
            assert_eq!(tx.remote_task(&errand_id(1))?.unwrap().lease_id, None);
            Ok(())
        }).await.unwrap();
    }

    async fn what_is_gone_is_not_noted_back(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            tx.insert_remote_task(&errand(1, 1, "a"))?;
            tx.delete_remote_task(&errand_id(1))?;
            assert!(!tx.note_remote_task(&asking(errand(1, 1, "a")))?);
            assert!(!tx.lease_remote_task(&errand_id(1), Some(&lease(1)))?);
            assert_eq!(tx.remote_task(&errand_id(1))?, None);
            Ok(())
        }).await.unwrap();
    }

    async fn a_task_given_on_and_back_keeps_what_was_called_off_apart(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            tx.insert_remote_task(&errand(1, 1, "a"))?;
            tx.note_remote_task(&asking(errand(1, 1, "a")))?;
            tx.insert_remote_task(&errand(2, 1, "b"))?;
            assert_eq!(tx.remote_task_at(&task_id(1), &alias("a"))?.unwrap().errand_id, errand_id(1));
            assert_eq!(tx.remote_task_at(&task_id(1), &alias("b"))?, Some(errand(2, 1, "b")));
            tx.call_off_remote_task(&errand_id(1))?;
            assert_eq!(tx.remote_task_at(&task_id(1), &alias("a"))?, None, "nobody works on it again");
            tx.insert_remote_task(&errand(3, 1, "a"))?;
            assert_eq!(tx.remote_task_at(&task_id(1), &alias("a"))?, Some(errand(3, 1, "a")));
            let off = RemoteTaskRow { lease_id: None, is_called_off: true, ..asking(errand(1, 1, "a")) };
            assert_eq!(tx.remote_tasks(&network(1), &alias("a"))?, [off, errand(3, 1, "a")]);
            assert_eq!(tx.remote_task_at(&task_id(2), &alias("a"))?, None);
            Ok(())
        }).await.unwrap();
    }

    async fn errands_go_with_their_agent_and_with_their_network(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for name in ["a", "b"] {
                tx.insert_remote(&remote(1, name))?;
            }
            tx.insert_remote_task(&errand(1, 1, "a"))?;
            tx.insert_remote_task(&errand(2, 2, "b"))?;
            assert!(tx.delete_remote(&network(1), &alias("a"))?);
            assert!(!tx.delete_remote(&network(1), &alias("a"))?);
            assert_eq!(tx.remote_task(&errand_id(1))?, None);
            assert!(tx.remote_task(&errand_id(2))?.is_some());
            remove_network(tx, 1)?;
            assert_eq!((tx.remote_task(&errand_id(2))?, tx.all_remotes()?), (None, Vec::new()));
            Ok(())
        }).await.unwrap();
    }
}
