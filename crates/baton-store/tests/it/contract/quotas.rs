//! Quotas: what is counted moves with every row that comes and goes, and what may be had is kept beside it.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, insert_network, insert_task, move_delivery, network, node, node_token, remote_with, remove_network,
    session, task_id, user, user_token, with_network,
};
use super::workers::worker;
use baton_core::{NetworkRole, Quota, Status, TokenId};
use baton_store::rows::{
    InboxState, InviteRow, NetworkRow, PushConfigRow, PushFailures, PushSecrets, QuotaRow, QuotaSubject,
    TaskChange,
};
use baton_store::{Error, Snapshot, Transaction};

type Step = fn(&mut dyn Transaction) -> Result<(), Error>;

/// What is done, and how much is then used of a quota of user 1 or network 1.
const STEPS: &[(&str, Step, Quota, i64)] = &[
    ("a network is made", |tx| insert_network(tx, 1), Quota::Networks, 1),
    ("another owner's is made", |tx| insert_network(tx, 2), Quota::Networks, 1),
    ("a second network", second_network, Quota::Networks, 2),
    ("it is deleted", |tx| tx.delete_network(&network(3)), Quota::Networks, 1),
    ("its rows are removed", |tx| while_there_are_rows(tx, 3), Quota::Networks, 1),
    ("a user joins", |tx| join(tx, 1, 1), Quota::Members, 1),
    ("and is counted themselves", |_| Ok(()), Quota::Memberships, 1),
    ("again with another role", |tx| join(tx, 1, 1), Quota::Members, 1),
    ("another user joins", |tx| join(tx, 1, 2), Quota::Members, 2),
    ("who is not this one", |_| Ok(()), Quota::Memberships, 1),
    ("a user joins elsewhere", |tx| join(tx, 2, 1), Quota::Memberships, 2),
    ("and leaves", |tx| tx.delete_member(&network(2), &user(1)), Quota::Memberships, 1),
    ("and leaves again", |tx| tx.delete_member(&network(2), &user(1)), Quota::Memberships, 1),
    ("a user token", |tx| tx.insert_token(&user_token(1, 1, "tool")), Quota::Tokens, 1),
    ("a node token", |tx| tx.insert_token(&node_token(2, 1, 1, "coder")), Quota::Tokens, 2),
    ("another user's token", |tx| tx.insert_token(&node_token(3, 2, 1, "lead")), Quota::Tokens, 2),
    ("one is revoked", |tx| tx.revoke_token(&token(2), NOW).map(drop), Quota::Tokens, 1),
    ("and again", |tx| tx.revoke_token(&token(2), NOW).map(drop), Quota::Tokens, 1),
    ("one is deleted", |tx| tx.delete_user_token(&token(1)), Quota::Tokens, 0),
    ("an invite", |tx| tx.insert_invite(&invite()), Quota::Invites, 1),
    ("it is used", |tx| tx.use_invite(&invite().code_hash), Quota::Invites, 1),
    ("it is withdrawn", |tx| tx.delete_invite(&network(1), &[1; 8]).map(drop), Quota::Invites, 0),
    ("a session", |tx| tx.put_session(&session(1, "coder", 2)), Quota::Sessions, 1),
    ("the session again", |tx| tx.put_session(&session(1, "coder", 2)), Quota::Sessions, 1),
    ("a worker", |tx| tx.put_worker(&worker(1, "coder", "a", 7), 2), Quota::Workers, 1),
    ("the worker again", |tx| tx.put_worker(&worker(1, "coder", "a", 7), 2), Quota::Workers, 1),
    ("a task", |tx| insert_task(tx, 1, 1, "coder"), Quota::OpenTasks, 1),
    ("a second", |tx| insert_task(tx, 1, 2, "lead"), Quota::OpenTasks, 2),
    ("a task elsewhere", |tx| insert_task(tx, 2, 3, "coder"), Quota::OpenTasks, 2),
    ("one ends", |tx| end(tx, 1), Quota::OpenTasks, 1),
    ("a push receiver", |tx| tx.put_push_config(&receiver()), Quota::PushConfigs, 1),
    ("in its own place", |tx| tx.put_push_config(&receiver()), Quota::PushConfigs, 1),
    ("its last event is delivered", |tx| close(tx, false), Quota::PushConfigs, 0),
    ("it is opened again", |tx| close(tx, true), Quota::PushConfigs, 1),
    ("it is removed", |tx| tx.delete_push_config(&task_id(1), "a").map(drop), Quota::PushConfigs, 0),
    ("a remote agent", |tx| tx.insert_remote(&remote()), Quota::Remotes, 1),
    ("it is removed", |tx| tx.delete_remote(&network(1), &remote().alias).map(drop), Quota::Remotes, 0),
];

/// What is used once all of it is done.
const IN_THE_END: [(Quota, i64); 10] = [
    (Quota::Networks, 1),
    (Quota::Memberships, 1),
    (Quota::Tokens, 0),
    (Quota::Members, 2),
    (Quota::Invites, 0),
    (Quota::Sessions, 1),
    (Quota::Workers, 1),
    (Quota::OpenTasks, 1),
    (Quota::PushConfigs, 0),
    (Quota::Remotes, 0),
];

fn token(n: u8) -> TokenId {
    TokenId::from_random([n; 6])
}

fn second_network(tx: &mut dyn Transaction) -> Result<(), Error> {
    let first = tx.network(&network(1))?.unwrap();
    tx.insert_network(&NetworkRow { network_id: network(3), name: "another".into(), ..first })
}

fn while_there_are_rows(tx: &mut dyn Transaction, n: u8) -> Result<(), Error> {
    while tx.remove_rows_of(&network(n), 3)? {}
    Ok(())
}

fn join(tx: &mut dyn Transaction, n: u8, who: u8) -> Result<(), Error> {
    tx.put_member(&network(n), &user(who), NetworkRole::Member, None, NOW)
}

fn invite() -> InviteRow {
    InviteRow {
        code_hash: [1; 32],
        network_id: network(1),
        role: NetworkRole::Member,
        max_uses: 3,
        uses: 0,
        expires_at: None,
        created_by: user(1),
        created_at: NOW,
    }
}

fn end(tx: &mut dyn Transaction, n: u16) -> Result<(), Error> {
    let change =
        TaskChange { completed_at: Some(NOW), inbox: Some(InboxState::Acked), ..TaskChange::default() };
    tx.change_task(&network(1), &task_id(n), Status::Delivered, Status::Failed, &change)
}

fn receiver() -> PushConfigRow {
    PushConfigRow {
        task_id: task_id(1),
        config_id: "a".into(),
        network_id: network(1),
        owner: node("lead"),
        user_id: user(1),
        token_id: None,
        url: "https://receiver.example/".into(),
        secrets: PushSecrets::default(),
        created_at: NOW,
        delivered: 0,
        trouble: PushFailures::default(),
        is_open: true,
    }
}

fn close(tx: &mut dyn Transaction, is_open: bool) -> Result<(), Error> {
    tx.note_push(&receiver(), 1, PushFailures::default(), is_open)
}

fn remote() -> baton_store::rows::RemoteRow {
    remote_with(&node_token(3, 2, 1, "lead"))
}

/// A quota of user 1 or network 1, whichever has it.
fn quota(rows: &dyn Snapshot, quota: Quota) -> Result<QuotaRow, Error> {
    let (user, network) = (user(1), network(1));
    let is_of_user = Quota::OF_USER.contains(&quota);
    rows.quota(if is_of_user { QuotaSubject::User(&user) } else { QuotaSubject::Network(&network) }, quota)
}

engines! {
    async fn what_is_used_moves_with_every_row_that_comes_and_goes(engine: &mut Engine, open: Open) {
        for (what, step, counted, used) in STEPS {
            // Undone it counts nothing, and a read in the transaction sees what it wrote.
            let before = engine.store.read(move |rows| quota(rows, *counted)).await.unwrap();
            let undone = engine.store.write(move |tx| -> Result<(), Error> {
                step(tx)?;
                assert_eq!(quota(tx.as_snapshot(), *counted)?.used, *used, "{what}, in its transaction");
                Err(Error::Busy)
            });
            assert!(matches!(undone.await, Err(Error::Busy)), "{what}");
            assert_eq!(engine.store.read(move |rows| quota(rows, *counted)).await.unwrap(), before, "{what}, undone");
            engine.store.write(move |tx| step(tx)).await.unwrap();
            let after = engine.store.read(move |rows| quota(rows, *counted)).await.unwrap();
            assert_eq!(after, QuotaRow { used: *used, max: None }, "{what}");
        }
        engine.reopen(open);
        engine.store.read(|rows| -> Result<(), Error> {
            for (counted, used) in IN_THE_END {
                assert_eq!(quota(rows, counted)?, QuotaRow { used, max: None }, "{counted:?}");
            }
            Ok(())
        }).await.unwrap();
    }

    async fn one_more_task_is_measured_against_open_tasks_and_the_recipients_inbox(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)
        }).await.unwrap();
        let seen = |rows: &dyn Snapshot| -> Result<_, Error> {
            let found = rows.task_quotas(&network(1), &node("coder"))?;
            assert_eq!(found.open_tasks.used, rows.quota(QuotaSubject::Network(&network(1)), Quota::OpenTasks)?.used);
            assert_eq!(found.inbox.used, rows.inbox_count(&network(1), &node("coder"))?);
            Ok((found.open_tasks.used, found.inbox.used))
        };
        engine.store.write(move |tx| -> Result<(), Error> {
            assert_eq!(seen(tx.as_snapshot())?, (0, 0));
            for (n, to) in [(1, "coder"), (2, "coder"), (3, "lead")] {
                insert_task(tx, 1, n, to)?;
            }
            insert_task(tx, 2, 4, "coder")?;
            assert_eq!(seen(tx.as_snapshot())?, (3, 2));
            Ok(())
        }).await.unwrap();
        engine.store.write(move |tx| -> Result<(), Error> {
            move_delivery(tx, &task_id(1), InboxState::Hidden)?;
            assert_eq!(seen(tx.as_snapshot())?, (3, 1), "a hidden delivery is not open, its task is");
            end(tx, 2)?;
            assert_eq!(seen(tx.as_snapshot())?, (2, 0));
            tx.set_quota(QuotaSubject::Network(&network(1)), Quota::OpenTasks, Some(7))?;
            tx.set_quota(QuotaSubject::Network(&network(1)), Quota::Inbox, Some(5))?;
            Ok(())
        }).await.unwrap();
        engine.store.read(move |rows| -> Result<(), Error> {
            assert_eq!(seen(rows)?, (2, 0));
            let found = rows.task_quotas(&network(1), &node("coder"))?;
            assert_eq!((found.open_tasks.max, found.inbox.max), (Some(7), Some(5)));
            let other = rows.task_quotas(&network(2), &node("coder"))?;
            assert_eq!((other.open_tasks, other.inbox), (QuotaRow { used: 1, max: None }, QuotaRow { used: 1, max: None }));
            let none = rows.task_quotas(&network(9), &node("coder"))?;
            assert_eq!((none.open_tasks, none.inbox), (QuotaRow::default(), QuotaRow::default()));
            Ok(())
        }).await.unwrap();
    }

    async fn what_may_be_had_is_one_subjects_until_it_is_the_default_again(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 2)?;
            join(tx, 1, 1)?;
            let (one, two, owner) = (network(1), network(2), user(1));
            let (first, second, of_owner) = (QuotaSubject::Network(&one), QuotaSubject::Network(&two), QuotaSubject::User(&owner));
            let set = |tx: &mut dyn Transaction| -> Result<_, Error> {
                let mut set = tx.set_quotas(Quota::Members)?;
                set.sort_by_key(|(_, max)| *max);
                Ok(set)
            };
            assert_eq!(set(tx)?, []);
            tx.set_quota(first, Quota::Members, Some(5))?;
            tx.set_quota(second, Quota::Members, Some(0))?;
            tx.set_quota(first, Quota::Streams, Some(3))?;
            tx.set_quota(of_owner, Quota::Tokens, Some(9))?;
            assert_eq!(set(tx)?, [(network(2), 0), (network(1), 5)]);
            assert_eq!(tx.quota(first, Quota::Members)?, QuotaRow { used: 1, max: Some(5) }, "what is used stays");
            tx.set_quota(first, Quota::Members, Some(6))?;
            assert_eq!((tx.quota(first, Quota::Members)?.max, tx.quota(second, Quota::Members)?.max), (Some(6), Some(0)));
            assert_eq!((tx.quota(of_owner, Quota::Tokens)?.max, tx.quota(of_owner, Quota::Networks)?.max), (Some(9), None));
            tx.set_quota(first, Quota::Members, None)?;
            assert_eq!((set(tx)?, tx.quota(first, Quota::Members)?), (vec![(network(2), 0)], QuotaRow { used: 1, max: None }));
            remove_network(tx, 2)?;
            assert_eq!((set(tx)?, tx.quota(second, Quota::Members)?), (vec![], QuotaRow::default()));
            assert_eq!(tx.set_quotas(Quota::Streams)?, [(network(1), 3)]);
            Ok(())
        }).await.unwrap();
    }
}
