//! OAuth: clients are counted and forgotten, codes are kept for a while, and a grant's secrets end with the grant. And tokens that
//! expire.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_network, network, node_token, remove_network, user, user_token,
};
use baton_core::{SystemRole, TokenId, UnixMillis};
use baton_store::rows::{OauthClientRow, OauthCodeRow, TokenRow};
use baton_store::{Error, Snapshot, Transaction};

fn at(seconds: u32) -> UnixMillis {
    NOW.plus_seconds(seconds)
}

fn id(n: u8) -> TokenId {
    TokenId::from_random([n; 6])
}

fn client(n: u8, made: u32) -> OauthClientRow {
    OauthClientRow {
        client_id: format!("client {n}"),
        name: "A client".into(),
        redirect_uris: vec!["https://client.example/a?b=\"c\"".into(), "http://127.0.0.1/".into()],
        created_at: at(made),
        used_at: None,
    }
}

fn code(n: u8, of: u8, expires: u32) -> OauthCodeRow {
    OauthCodeRow {
        hash: [n; 32],
        client_id: "client 1".into(),
        client_name: "A client".into(),
        redirect_uri: "https://client.example/a".into(),
        challenge: "challenge".into(),
        user_id: user(of),
        network_id: network(of),
        alias: alias("hosted"),
        expires_at: at(expires),
        token_id: None,
    }
}

/// A grant of user 1 for network 1, with a refresh token and an access token that ends after a minute.
fn grant(tx: &mut dyn Transaction, n: u8) -> Result<TokenRow, Error> {
    let row = TokenRow {
        client_id: Some("https://client.example/oauth.json".into()),
        expires_at: Some(at(600)),
        ..node_token(n, 1, 1, "hosted")
    };
    tx.insert_token(&row)?;
    tx.put_oauth_refresh(&row.token_id, &[n; 32], &[n + 100; 32])?;
    tx.insert_oauth_access(&row.token_id, &[n; 32], at(60))?;
    Ok(row)
}

/// Whether the access tokens with these numbers open something.
fn opens(rows: &dyn Snapshot, numbers: &[u8]) -> Result<Vec<bool>, Error> {
    numbers.iter().map(|n| Ok(rows.oauth_access(&[*n; 32])?.is_some())).collect()
}

engines! {
    async fn clients_are_counted_and_forgotten_when_nobody_uses_them(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            for (n, made) in [(1, 0), (2, 10), (3, 20), (4, 30)] {
                tx.insert_oauth_client(&client(n, made))?;
            }
            assert_eq!(tx.oauth_client("client 2")?, Some(client(2, 10)));
            assert_eq!(tx.oauth_client("client")?, None);
            tx.use_oauth_client("client 1", at(100))?;
            assert_eq!(tx.oauth_client("client 1")?.unwrap().used_at, Some(at(100)));
            assert_eq!((tx.oauth_client_counts(9)?, tx.oauth_client_counts(2)?), ((4, 3), (2, 2)));
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        engine.store.write(|tx| -> Result<(), Error> {
            assert_eq!(tx.forget_unused_oauth_clients(at(9), 9)?, 0, "the first was used");
            assert_eq!(tx.forget_unused_oauth_clients(at(20), 1)?, 1, "the oldest");
            assert_eq!((tx.oauth_client("client 2")?, tx.oauth_client("client 3")?.is_some()), (None, true));
            assert_eq!(tx.forget_oauth(at(99), at(99), at(99), 9)?, 0);
            assert_eq!(tx.forget_oauth(at(99), at(99), at(100), 9)?, 1);
            assert_eq!(tx.oauth_client_counts(9)?, (2, 2));
            Ok(())
        }).await.unwrap();
    }

    async fn a_code_is_kept_with_its_grant_until_it_is_forgotten_and_a_user_has_so_many(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            tx.insert_oauth_code(&code(1, 1, 10), 2)?;
            tx.insert_oauth_code(&code(2, 2, 10), 2)?;
            assert_eq!(tx.oauth_code(&[1; 32])?, Some(code(1, 1, 10)));
            tx.redeem_oauth_code(&[1; 32], &id(7))?;
            assert_eq!(tx.oauth_code(&[1; 32])?.unwrap().token_id, Some(id(7)));
            tx.insert_oauth_code(&code(3, 1, 20), 2)?;
            tx.insert_oauth_code(&code(4, 1, 30), 2)?;
            let kept = |tx: &mut dyn Transaction| {
                (1..=4).map(|n| Ok(tx.oauth_code(&[n; 32])?.is_some())).collect::<Result<Vec<_>, Error>>()
            };
            assert_eq!(kept(tx)?, [false, true, true, true], "the newest two of each user");
            assert_eq!(tx.forget_oauth(at(0), at(20), at(0), 9)?, 2);
            assert_eq!(kept(tx)?, [false, false, false, true]);
            remove_network(tx, 1)?;
            assert_eq!(kept(tx)?, [false; 4]);
            Ok(())
        }).await.unwrap();
    }

    async fn a_grants_secrets_end_with_the_grant(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            let row = grant(tx, 1)?;
            grant(tx, 2)?;
            assert_eq!(tx.oauth_access(&[1; 32])?, Some((row.clone(), at(60))));
            let found = tx.oauth_grant(&[1; 32])?.unwrap();
            assert_eq!((found.token, found.secret), (row.clone(), [101; 32]));
            assert_eq!((tx.oauth_grant(&[101; 32])?, tx.oauth_access(&[9; 32])?), (None, None));
            // It rotates: the access token before stays, the one before that does not.
            for (n, seconds) in [(11, 70), (12, 80)] {
                tx.put_oauth_refresh(&row.token_id, &[1; 32], &[n; 32])?;
                tx.insert_oauth_access(&row.token_id, &[n; 32], at(seconds))?;
            }
            assert_eq!(tx.oauth_grant(&[1; 32])?.unwrap().secret, [12; 32]);
            assert_eq!(opens(tx.as_snapshot(), &[1, 2, 11, 12])?, [false, true, true, true]);
            assert_eq!(tx.forget_oauth(at(70), at(0), at(0), 9)?, 2);
            assert_eq!(opens(tx.as_snapshot(), &[2, 11, 12])?, [false, false, true]);
            assert!(tx.revoke_token(&row.token_id, NOW)?);
            assert_eq!(opens(tx.as_snapshot(), &[12])?, [false]);
            assert_eq!((tx.oauth_grant(&[1; 32])?, tx.oauth_grant(&[2; 32])?.is_some()), (None, true));
            remove_network(tx, 1)?;
            assert_eq!(tx.oauth_grant(&[2; 32])?, None);
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
    }

    async fn a_client_whose_grants_ended_makes_room_and_a_users_grants_and_codes_end_together(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            for (n, used) in [(1, Some(10)), (2, Some(20)), (3, None)] {
                tx.insert_oauth_client(&OauthClientRow { used_at: used.map(at), ..client(n, 0) })?;
            }
            let row = TokenRow { client_id: Some("client 1".into()), expires_at: Some(at(600)), ..node_token(9, 1, 1, "hosted") };
            tx.insert_token(&row)?;
            grant(tx, 1)?;
            tx.insert_oauth_code(&code(1, 1, 10), 9)?;
            tx.insert_oauth_code(&code(2, 2, 10), 9)?;
            assert_eq!(tx.forget_idle_oauth_clients(9)?, 1, "one has a grant, and one never had any");
            assert_eq!((tx.oauth_client("client 1")?.is_some(), tx.oauth_client("client 2")?), (true, None));
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        engine.store.write(|tx| -> Result<(), Error> {
            assert_eq!(tx.forget_oauth(at(0), at(0), at(0), 9)?, 0, "the grants stand");
            tx.insert_token(&node_token(7, 1, 1, "worker"))?;
            assert_eq!((tx.revoke_oauth_grants(&user(1), NOW)?, tx.revoke_oauth_grants(&user(1), NOW)?), (2, 0));
            assert_eq!((tx.oauth_code(&[1; 32])?, tx.oauth_code(&[2; 32])?.is_some()), (None, true));
            assert!(tx.token(&id(7))?.is_some(), "what is no client's stays");
            assert_eq!(opens(tx.as_snapshot(), &[1])?, [false]);
            assert_eq!(tx.forget_oauth(at(0), at(0), at(0), 9)?, 1, "the refresh token");
            assert_eq!(tx.forget_idle_oauth_clients(9)?, 1);
            Ok(())
        }).await.unwrap();
    }

    async fn a_user_of_an_issuer_is_found_by_issuer_and_subject_together(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            tx.link_user(&user(1), "https://a.example", "1")?;
            tx.link_user(&user(2), "https://b.example", "1")?;
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        engine.store.write(|tx| -> Result<(), Error> {
            let found = |tx: &mut dyn Transaction, issuer, subject| {
                Ok::<_, Error>(tx.user_of_issuer(issuer, subject)?.map(|user| user.user_id))
            };
            assert_eq!(found(tx, "https://a.example", "1")?, Some(user(1)));
            assert_eq!(found(tx, "https://b.example", "1")?, Some(user(2)));
            assert_eq!((found(tx, "https://a.example", "2")?, found(tx, "https://a.example/", "1")?), (None, None));
            tx.change_system_role(&user(1), SystemRole::Admin)?;
            assert_eq!(tx.user(&user(1))?.unwrap().role, SystemRole::Admin);
            assert_eq!(tx.user(&user(2))?.unwrap().role, SystemRole::User);
            Ok(())
        }).await.unwrap();
        let twice = engine.store.write(|tx| tx.link_user(&user(2), "https://a.example", "1")).await;
        assert!(twice.is_err(), "a subject is one user");
    }

    async fn tokens_that_expired_are_found_until_they_are_revoked(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            tx.insert_token(&user_token(1, 1, "forever"))?;
            for (n, seconds) in [(2, 20), (3, 10), (4, 30)] {
                tx.insert_token(&TokenRow { expires_at: Some(at(seconds)), ..node_token(n, 1, 1, "coder") })?;
            }
            let expired = |tx: &mut dyn Transaction, now, limit| {
                let tokens = tx.expired_tokens(at(now), limit)?;
                Ok::<_, Error>(tokens.into_iter().map(|token| token.hash[0]).collect::<Vec<_>>())
            };
            assert_eq!(tx.token(&id(3))?.unwrap().expires_at, Some(at(10)));
            assert_eq!((expired(tx, 9, 9)?, expired(tx, 20, 9)?, expired(tx, 20, 1)?), (vec![], vec![3, 2], vec![3]));
            tx.renew_token(&id(3), at(40))?;
            tx.revoke_token(&id(2), NOW)?;
            assert_eq!((expired(tx, 30, 9)?, expired(tx, 40, 9)?), (vec![4], vec![4, 3]));
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
    }
}
