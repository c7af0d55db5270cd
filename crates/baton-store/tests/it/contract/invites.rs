//! Invites: known by the hash of their code, listed newest first, used and withdrawn one by one.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{NOW, insert_network, network, user, whole};
use baton_core::NetworkRole;
use baton_store::rows::InviteRow;
use baton_store::{Error, Snapshot, Transaction};

fn invite(n: u8, in_network: u8, after: u32) -> InviteRow {
    InviteRow {
        code_hash: [n; 32],
        network_id: network(in_network),
        role: if n == 1 { NetworkRole::Viewer } else { NetworkRole::Member },
        max_uses: 3,
        uses: 0,
        expires_at: (n > 1).then(|| NOW.plus_seconds(3_600)),
        created_by: user(1),
        created_at: NOW.plus_seconds(after),
    }
}

/// Two networks, one with four invites and one with one.
fn five_invites(tx: &mut dyn Transaction) -> Result<(), Error> {
    insert_network(tx, 1)?;
    insert_network(tx, 2)?;
    let invites = [invite(3, 1, 5), invite(1, 1, 0), invite(2, 1, 5), invite(4, 1, 9), invite(5, 2, 5)];
    invites.iter().try_for_each(|invite| tx.insert_invite(invite))
}

fn listed(rows: &dyn Snapshot, n: u8) -> Result<Vec<InviteRow>, Error> {
    let rows = whole(|after, bounds| rows.invites(&network(n), after, bounds))?;
    assert!(rows.iter().all(|(_, maker)| maker.as_str() == "user1"));
    Ok(rows.into_iter().map(|(invite, _)| invite).collect())
}

engines! {
    async fn invites_are_read_back_by_hash_and_listed_newest_first(engine: &mut Engine, open: Open) {
        engine.store.write(five_invites).await.unwrap();
        engine.reopen(open);
        engine.store.read(|rows| -> Result<(), Error> {
            assert_eq!(listed(rows, 1)?, [invite(4, 1, 9), invite(2, 1, 5), invite(3, 1, 5), invite(1, 1, 0)]);
            assert_eq!((listed(rows, 2)?, listed(rows, 9)?), (vec![invite(5, 2, 5)], vec![]));
            assert_eq!(rows.invite(&[1; 32])?, Some(invite(1, 1, 0)));
            assert_eq!(rows.invite(&[9; 32])?, None);
            Ok(())
        }).await.unwrap();
    }

    async fn an_invite_is_used_and_withdrawn_by_itself(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            five_invites(tx)?;
            tx.use_invite(&[1; 32])?;
            tx.use_invite(&[1; 32])?;
            tx.use_invite(&[9; 32])?; // there is none
            assert_eq!(tx.invite(&[1; 32])?, Some(InviteRow { uses: 2, ..invite(1, 1, 0) }));
            assert_eq!(tx.invite(&[2; 32])?, Some(invite(2, 1, 5)));
            for (n, hash, was_there) in [(2, 1, false), (1, 9, false), (1, 1, true), (1, 1, false), (1, 4, true)] {
                assert_eq!(tx.delete_invite(&network(n), &[hash; 8])?, was_there, "{hash} of network {n}");
            }
            assert_eq!(tx.invite(&[1; 32])?, None);
            assert_eq!(listed(tx.as_snapshot(), 1)?, [invite(2, 1, 5), invite(3, 1, 5)]);
            assert_eq!(listed(tx.as_snapshot(), 2)?, [invite(5, 2, 5)]);
            Ok(())
        }).await.unwrap();
    }

    async fn a_hash_that_is_taken_is_refused_and_a_network_that_is_not_there_too(engine: &mut Engine, open: Open) {
        engine.store.write(five_invites).await.unwrap();
        for refused in [invite(1, 2, 7), invite(7, 9, 0)] {
            let refused = engine.store.write(move |tx| -> Result<(), Error> {
                tx.use_invite(&[1; 32])?;
                tx.insert_invite(&refused)
            });
            assert!(refused.await.is_err());
        }
        engine.store.read(|rows| -> Result<(), Error> {
            assert_eq!((rows.invite(&[1; 32])?, rows.invite(&[7; 32])?), (Some(invite(1, 1, 0)), None));
            Ok(())
        }).await.unwrap();
    }
}
