//! Tokens: found while they are not revoked, listed newest first, ended and narrowed for one user at a time. And the
//! aliases that they hold.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_network, network, node_token, remote_with, user, user_token, whole,
};
use baton_core::{TokenId, TokenScope, UnixMillis};
use baton_store::rows::{BROWSER_TOKEN_NAME, TokenRow};
use baton_store::{Error, Snapshot, Transaction};

/// Two users with a network each and eight tokens: of user 1 a browser's and one of a tool, and for network 1 `coder`,
/// `lead` and the hub's `scout`; of user 2 a user token, `tester` in network 1 and `coder` in network 2.
fn eight_tokens() -> [TokenRow; 8] {
    [
        user_token(1, 1, BROWSER_TOKEN_NAME),
        user_token(2, 1, "tool"),
        node_token(3, 1, 1, "coder"),
        TokenRow { scope: TokenScope::Coordinator, has_reported: true, ..node_token(4, 1, 1, "lead") },
        node_token(5, 1, 1, "scout"),
        user_token(6, 2, "tool"),
        TokenRow { scope: TokenScope::Coordinator, ..node_token(7, 2, 1, "tester") },
        TokenRow { created_at: NOW.plus_seconds(1), ..node_token(8, 2, 2, "coder") },
    ]
}

fn begin(tx: &mut dyn Transaction) -> Result<(), Error> {
    insert_network(tx, 1)?;
    insert_network(tx, 2)?;
    eight_tokens().iter().try_for_each(|token| tx.insert_token(token))?;
    tx.insert_remote(&remote_with(&eight_tokens()[4]))
}

fn id(n: u8) -> TokenId {
    TokenId::from_random([n; 6])
}

fn numbers(tokens: impl IntoIterator<Item = TokenRow>) -> Vec<u8> {
    tokens.into_iter().map(|token| token.hash[0]).collect()
}

/// The tokens of a user, newest first.
fn of_user(rows: &dyn Snapshot, n: u8) -> Result<Vec<u8>, Error> {
    Ok(numbers(whole(|before, bounds| rows.tokens(&user(n), before, bounds))?))
}

/// The node tokens of a network, newest first: all, or one user's.
fn of_network(rows: &dyn Snapshot, n: u8, owner: Option<u8>) -> Result<Vec<u8>, Error> {
    let owner = owner.map(user);
    let found = whole(|before, bounds| rows.node_tokens(&network(n), owner.as_ref(), before, bounds))?;
    for row in &found {
        assert_eq!(
            Some(row.token.user_id.clone()),
            rows.user_named(row.owner.as_str())?.map(|user| user.user_id)
        );
    }
    assert!(found.is_sorted_by(|newer, older| newer.seq > older.seq));
    Ok(numbers(found.into_iter().map(|row| row.token)))
}

engines! {
    async fn a_token_is_found_by_id_and_by_hash_until_it_is_revoked(engine: &mut Engine, open: Open) {
        engine.store.write(begin).await.unwrap();
        engine.reopen(open);
        engine.store.write(|tx| -> Result<(), Error> {
            for token in eight_tokens() {
                assert_eq!(tx.token(&token.token_id)?.as_ref(), Some(&token));
                assert_eq!(tx.token_by_hash(&token.hash)?, Some(token));
            }
            assert_eq!((tx.token(&id(9))?, tx.token_by_hash(&[9; 32])?), (None, None));
            assert!(tx.revoke_token(&id(3), NOW)?);
            assert!(!tx.revoke_token(&id(3), NOW)? && !tx.revoke_token(&id(9), NOW)?);
            assert_eq!((tx.token(&id(3))?, tx.token_by_hash(&[3; 32])?), (None, None));
            tx.use_tokens(&[(id(2), NOW.plus_seconds(7)), (id(9), NOW)])?;
            assert_eq!(tx.token(&id(2))?.unwrap().last_used_at, Some(NOW.plus_seconds(7)));
            assert_eq!(tx.token(&id(1))?.unwrap().last_used_at, None);
            Ok(())
        }).await.unwrap();
        for taken in [node_token(1, 1, 1, "x"), TokenRow { token_id: id(9), ..node_token(3, 1, 1, "x") }, node_token(9, 8, 1, "x"), node_token(9, 1, 8, "x")] {
            let refused = engine.store.write(move |tx| tx.insert_token(&taken));
            assert!(refused.await.is_err());
        }
        let left = engine.store.read(|rows| Ok::<_, Error>((rows.token(&id(9))?, rows.alias_was_used(&network(1), &alias("x"))?)));
        assert_eq!(left.await.unwrap(), (None, false));
    }

    async fn an_agent_is_connected_until_the_latest_time_of_its_tokens(engine: &mut Engine, open: Open) {
        let at = |after| NOW.plus_seconds(after);
        engine.store.write(move |tx| -> Result<(), Error> {
            begin(tx)?;
            tx.insert_token(&node_token(20, 1, 1, "worker"))?;
            tx.insert_token(&node_token(21, 1, 1, "worker"))?;
            assert_eq!(tx.connected_until(&network(1), &alias("worker"))?, None);
            tx.hold_connected(&[(id(20), at(60)), (id(21), at(30)), (id(99), at(90))])
        }).await.unwrap();
        engine.reopen(open);
        engine.store.write(move |tx| -> Result<(), Error> {
            let until = |tx: &mut dyn Transaction| tx.connected_until(&network(1), &alias("worker"));
            assert_eq!(until(tx)?, Some(at(60)));
            assert_eq!(tx.connected_until(&network(2), &alias("worker"))?, None);
            tx.hold_connected(&[(id(20), at(5))])?;
            assert_eq!(until(tx)?, Some(at(30)), "one of them has ended");
            tx.revoke_token(&id(21), NOW)?;
            assert_eq!(until(tx)?, Some(at(5)), "a revoked token speaks for nobody");
            Ok(())
        }).await.unwrap();
    }

    async fn tokens_are_listed_newest_first_by_user_and_by_network(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            begin(tx)?;
            assert_eq!((of_user(tx.as_snapshot(), 1)?, of_user(tx.as_snapshot(), 2)?), (vec![5, 4, 3, 2, 1], vec![8, 7, 6]));
            tx.revoke_token(&id(4), NOW)?;
            Ok(())
        }).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            assert_eq!((of_user(rows, 1)?, of_user(rows, 9)?), (vec![5, 3, 2, 1], vec![]));
            for (n, owner, tokens) in [
                (1, None, &[7, 5, 3][..]), (1, Some(1), &[5, 3]), (1, Some(2), &[7]), (1, Some(9), &[]),
                (2, None, &[8]), (2, Some(1), &[]), (9, None, &[]),
            ] {
                assert_eq!(of_network(rows, n, owner)?, tokens, "network {n}, user {owner:?}");
            }
            Ok(())
        }).await.unwrap();
    }

    async fn tokens_are_revoked_for_one_user_and_one_place_and_the_hubs_own_stay(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            begin(tx)?;
            assert_eq!(tx.revoke_user_tokens(&user(1), NOW)?, 2);
            assert_eq!(tx.revoke_user_tokens(&user(1), NOW)?, 0);
            assert_eq!(of_user(tx.as_snapshot(), 1)?, [5, 4, 3]);
            assert_eq!(tx.revoke_node_tokens(&user(1), &network(2), NOW)?, 0);
            assert_eq!(tx.revoke_node_tokens(&user(1), &network(1), NOW)?, 2);
            assert_eq!(tx.revoke_node_tokens(&user(1), &network(1), NOW)?, 0);
            assert_eq!(of_user(tx.as_snapshot(), 1)?, [5], "the hub works with it for a remote agent");
            assert_eq!(of_user(tx.as_snapshot(), 2)?, [8, 7, 6]);
            Ok(())
        }).await.unwrap();
    }

    async fn node_tokens_are_narrowed_for_one_user_and_one_network(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            begin(tx)?;
            let scope = |tx: &mut dyn Transaction, n| Ok::<_, Error>(tx.token(&id(n))?.unwrap().scope);
            assert_eq!(tx.narrow_node_tokens(&user(1), &network(2))?, 0);
            assert_eq!(scope(tx, 4)?, TokenScope::Coordinator);
            assert_eq!(tx.narrow_node_tokens(&user(1), &network(1))?, 1);
            assert_eq!(tx.narrow_node_tokens(&user(1), &network(1))?, 0);
            assert_eq!((scope(tx, 4)?, scope(tx, 3)?, scope(tx, 7)?), (TokenScope::Node, TokenScope::Node, TokenScope::Coordinator));
            tx.revoke_token(&id(7), NOW)?;
            assert_eq!(tx.narrow_node_tokens(&user(2), &network(1))?, 0, "it is revoked");
            Ok(())
        }).await.unwrap();
    }

    async fn a_user_token_is_deleted_and_a_node_token_is_not(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            begin(tx)?;
            for n in [2, 2, 3, 9] {
                tx.delete_user_token(&id(n))?;
            }
            assert_eq!(of_user(tx.as_snapshot(), 1)?, [5, 4, 3, 1]);
            tx.insert_token(&user_token(2, 1, "again")) // nothing of it is left
        }).await.unwrap();
    }

    async fn the_login_that_was_used_the_longest_ago_is_found(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            begin(tx)?;
            let oldest = |tx: &mut dyn Transaction, n| Ok::<_, Error>(tx.oldest_login(&user(n))?.map(|token| token.hash[0]));
            let at = |after| NOW.plus_seconds(after);
            assert_eq!(oldest(tx, 1)?, Some(1), "of two that were never used, the one that came first");
            tx.use_tokens(&[(id(1), at(9))])?;
            assert_eq!(oldest(tx, 1)?, Some(2), "from when it was made");
            tx.use_tokens(&[(id(2), at(10))])?;
            assert_eq!(oldest(tx, 1)?, Some(1));
            tx.insert_token(&TokenRow { created_at: at(5), ..user_token(10, 1, "third") })?;
            assert_eq!(oldest(tx, 1)?, Some(10));
            tx.revoke_user_tokens(&user(1), NOW)?;
            assert_eq!((oldest(tx, 1)?, oldest(tx, 2)?, oldest(tx, 9)?), (None, Some(6), None), "node tokens are no logins");
            Ok(())
        }).await.unwrap();
    }

    async fn browsers_are_stale_when_long_unused_or_long_made(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            begin(tx)?;
            let at = |after| NOW.plus_seconds(after);
            let browser = |n, made| TokenRow { created_at: at(made), ..user_token(n, 2, BROWSER_TOKEN_NAME) };
            for token in [browser(10, 0), browser(11, 100), browser(12, 0), browser(13, 50)] {
                tx.insert_token(&token)?;
            }
            tx.insert_token(&TokenRow { name: BROWSER_TOKEN_NAME.into(), ..node_token(14, 2, 1, "browsing") })?;
            tx.use_tokens(&[(id(10), at(200)), (id(13), at(60))])?;
            tx.revoke_token(&id(12), NOW)?;
            let stale = |tx: &mut dyn Transaction, used: UnixMillis, made: UnixMillis, limit| {
                let mut found = numbers(tx.stale_browser_tokens(used, made, limit)?);
                found.sort_unstable();
                Ok::<_, Error>(found)
            };
            let long_ago = UnixMillis::new(0);
            assert_eq!(stale(tx, long_ago, long_ago, 10)?, [0; 0]);
            assert_eq!(stale(tx, at(10), long_ago, 10)?, [1], "never used since it was made");
            assert_eq!(stale(tx, at(60), long_ago, 10)?, [1, 13], "then or before");
            assert_eq!(stale(tx, at(60).plus_millis(-1), long_ago, 10)?, [1]);
            assert_eq!(stale(tx, long_ago, at(10), 10)?, [1, 10], "created long ago, however recently it was used");
            assert_eq!(stale(tx, at(70), at(10), 10)?, [1, 10, 13], "each once");
            assert_eq!(stale(tx, at(70), at(10), 2)?.len(), 2);
            assert_eq!(stale(tx, at(70), at(10), 0)?, [0; 0]);
            Ok(())
        }).await.unwrap();
    }

    async fn a_token_is_bound_to_an_alias_which_the_network_remembers(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            begin(tx)?;
            let unbound = TokenRow { alias: None, ..node_token(10, 2, 2, "new") };
            tx.insert_token(&unbound)?;
            let is = |tx: &mut dyn Transaction, n, name: &str| {
                Ok::<_, Error>((tx.alias_exists(&network(n), &alias(name))?, tx.alias_was_used(&network(n), &alias(name))?))
            };
            assert_eq!((is(tx, 2, "new")?, tx.alias_count(&network(2))?), ((false, false), 1));
            tx.bind_token(&id(10), &user(2), &network(2), &alias("new"))?;
            let bound = TokenRow { alias: Some(alias("new")), has_reported: true, ..unbound };
            assert_eq!(tx.token(&id(10))?, Some(bound));
            assert_eq!(tx.alias_owner(&network(2), &alias("new"))?, Some(user(2)));
            assert_eq!((is(tx, 2, "new")?, is(tx, 1, "new")?, tx.alias_count(&network(2))?), ((true, true), (false, false), 2));
            // Two tokens of one alias are one alias.
            tx.insert_token(&node_token(11, 1, 2, "new"))?;
            assert_eq!(tx.alias_count(&network(2))?, 2);
            tx.revoke_token(&id(10), NOW)?;
            assert_eq!((is(tx, 2, "new")?, tx.alias_count(&network(2))?), ((true, true), 2));
            tx.revoke_token(&id(11), NOW)?;
            assert_eq!((is(tx, 2, "new")?, tx.alias_count(&network(2))?), ((false, true), 1), "it is not forgotten");
            assert_eq!((tx.alias_count(&network(1))?, tx.alias_count(&network(9))?), (4, 0));
            Ok(())
        }).await.unwrap();
    }
}
