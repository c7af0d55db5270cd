//! A deleted network: unseen at once, its rows removed a few at a time, and nothing of others.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_network, insert_task, network, node, node_token, task_id, user, user_token, whole,
};
use baton_core::NetworkRole;
use baton_store::rows::{InviteRow, PageBounds};
use baton_store::{Error, Snapshot, Transaction};

/// A network with a member, an invite, a token, tasks and frames, and a user token of its owner.
fn fill(tx: &mut dyn Transaction, n: u8) -> Result<(), Error> {
    insert_network(tx, n)?;
    tx.put_member(&network(n), &user(n), NetworkRole::Owner, None, NOW)?;
    tx.insert_invite(&InviteRow {
        code_hash: [n; 32],
        network_id: network(n),
        role: NetworkRole::Member,
        max_uses: 1,
        uses: 0,
        expires_at: None,
        created_by: user(n),
        created_at: NOW,
    })?;
    tx.insert_token(&node_token(n, n, n, "coder"))?;
    tx.insert_token(&user_token(100 + n, n, "tool"))?;
    for task in 0..5 {
        insert_task(tx, n, u16::from(n) * 10 + task, "coder")?;
        tx.append_frame(&network(n), &node("coder"), "{}")?;
    }
    Ok(())
}

/// What somebody sees of a network: itself, its name, roles, members, invites, tokens and tasks.
fn seen(rows: &dyn Snapshot, n: u8) -> Result<[bool; 12], Error> {
    let (token, task) = (node_token(n, n, n, "coder"), task_id(u16::from(n) * 10));
    let tokens = whole(|before, bounds| rows.tokens(&user(n), before, bounds))?;
    Ok([
        rows.network(&network(n))?.is_some(),
        rows.network_named(&user(n), &format!("network {n}"))?.is_some(),
        rows.member_role(&network(n), &user(n))?.is_some(),
        !rows.memberships(&user(n), None, PageBounds::rows(9))?.rows.is_empty(),
        !rows.membership_roles(&user(n))?.is_empty(),
        rows.invite(&[n; 32])?.is_some(),
        rows.token(&token.token_id)?.is_some(),
        rows.token_by_hash(&token.hash)?.is_some(),
        tokens.iter().any(|found| found.token_id == token.token_id),
        rows.task(&task)?.is_some() || rows.task_snapshot(&task)?.is_some(),
        rows.task_network(&task, None)?.is_some(),
        !rows.task_counts(&network(n))?.is_empty(),
    ])
}

engines! {
    async fn a_deleted_network_is_unseen_at_once_and_its_rows_leave_a_few_at_a_time(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            fill(tx, 1)?;
            fill(tx, 2)?;
            assert_eq!((seen(tx.as_snapshot(), 1)?, tx.network_to_remove()?), ([true; 12], None));
            tx.delete_network(&network(1))?;
            assert_eq!((seen(tx.as_snapshot(), 1)?, tx.network_to_remove()?), ([false; 12], Some(network(1))));
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        let steps = engine.store.write(|tx| -> Result<usize, Error> {
            let mut steps = 0;
            assert_eq!((seen(tx.as_snapshot(), 1)?, tx.network_to_remove()?), ([false; 12], Some(network(1))));
            while tx.remove_rows_of(&network(1), 2)? {
                steps += 1;
                assert_eq!(tx.network_to_remove()?, Some(network(1)));
            }
            Ok(steps)
        }).await.unwrap();
        assert!(steps >= 6, "ten rows of two tables, two at a time, were gone after {steps} steps");
        engine.store.write(|tx| -> Result<(), Error> {
            assert_eq!((tx.network_to_remove()?, tx.remove_rows_of(&network(1), 2)?), (None, false));
            assert!(!tx.alias_was_used(&network(1), &alias("coder"))?);
            assert_eq!((tx.token_key(&network(1))?, tx.feed_range(&network(1))?), (None, (1, 0)));
            assert_eq!(tx.inbox_count(&network(1), &node("coder"))?, 0);
            assert_eq!(seen(tx.as_snapshot(), 2)?, [true; 12], "the other is as it was");
            assert_eq!((tx.feed_range(&network(2))?, tx.inbox_count(&network(2), &node("coder"))?), ((1, 5), 5));
            assert!(!tx.remove_rows_of(&network(2), 100)?, "it is not deleted");
            assert_eq!(seen(tx.as_snapshot(), 2)?, [true; 12]);
            Ok(())
        }).await.unwrap();
    }

    async fn the_name_of_a_deleted_network_can_be_given_again_before_its_rows_are_gone(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            fill(tx, 1)?;
            let deleted = tx.network(&network(1))?.unwrap();
            tx.delete_network(&network(1))?;
            let again = baton_store::rows::NetworkRow { network_id: network(3), ..deleted };
            tx.insert_network(&again)?;
            assert_eq!(tx.network_named(&user(1), "network 1")?, Some(network(3)));
            while tx.remove_rows_of(&network(1), 3)? {}
            assert_eq!(tx.network(&network(3))?, Some(again));
            Ok(())
        }).await.unwrap();
    }
}
