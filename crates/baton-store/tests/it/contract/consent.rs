//! Pending invitations, owners of aliases, and look-alike names.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{NOW, alias, insert_network, network, node_token, user};
use baton_core::{NameSkeletons, NetworkRole, TokenId};
use baton_store::rows::PageBounds;
use baton_store::{Error, Transaction};

fn two_networks(tx: &mut dyn Transaction) -> Result<(), Error> {
    insert_network(tx, 1)?;
    insert_network(tx, 2)
}

engines! {
    /// An invitation is one network's and one user's, and goes with its network.
    async fn invitations_are_found_by_user_and_by_network(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            two_networks(tx)?;
            tx.insert_invitation(&network(1), &user(2), NetworkRole::Viewer, &user(1), NOW)?;
            let [one] = &tx.invitations_of_user(&user(2), 10)?[..] else { panic!("one invitation") };
            assert_eq!((one.network_name.as_str(), one.role), ("network 1", NetworkRole::Viewer));
            assert_eq!((one.invited_by.as_str(), one.username.as_str()), ("user1", "user2"));
            assert_eq!(&tx.invitations_of_network(&network(1), 10)?[0], one);
            assert_eq!(tx.invitation(&network(1), &user(2))?, Some(one.clone()));
            assert_eq!(tx.invitation(&network(2), &user(2))?, None);
            assert_eq!(tx.member_role(&network(1), &user(2))?, None);
            assert_eq!(tx.delete_invitations_by(&network(1), &user(2))?, 0);
            assert_eq!(tx.delete_invitations_by(&network(1), &user(1))?, 1);
            assert!(!tx.delete_invitation(&network(1), &user(2))?);
            tx.insert_invitation(&network(1), &user(2), NetworkRole::Viewer, &user(1), NOW)?;
            tx.delete_network(&network(1))?;
            assert_eq!(tx.invitations_of_user(&user(2), 10)?, []);
            Ok(())
        }).await.unwrap();
    }

    async fn invitations_of_a_user_come_oldest_first_and_of_a_network_by_user(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            (1..=4).try_for_each(|n| insert_network(tx, n))?;
            let invite = |tx: &mut dyn Transaction, n, who, by, after| {
                tx.insert_invitation(&network(n), &user(who), NetworkRole::Member, &user(by), NOW.plus_seconds(after))
            };
            for (n, after) in [(1, 9), (2, 0), (3, 5)] {
                invite(tx, n, 4, n, after)?;
            }
            for who in [3, 2] {
                invite(tx, 1, who, 2, 0)?;
            }
            let of_user = |tx: &mut dyn Transaction, limit| -> Result<Vec<_>, Error> {
                Ok(tx.invitations_of_user(&user(4), limit)?.into_iter().map(|row| row.network_name).collect())
            };
            assert_eq!(of_user(tx, 10)?, ["network 2", "network 3", "network 1"]);
            assert_eq!(of_user(tx, 2)?, ["network 2", "network 3"]);
            let of_network = |tx: &mut dyn Transaction, limit| -> Result<Vec<_>, Error> {
                Ok(tx.invitations_of_network(&network(1), limit)?.into_iter().map(|row| row.user_id).collect())
            };
            let mut invited = [2, 3, 4].map(user).to_vec();
            invited.sort();
            assert_eq!((of_network(tx, 10)?, of_network(tx, 1)?), (invited.clone(), invited[..1].to_vec()));
            assert_eq!(tx.delete_invitations_by(&network(1), &user(2))?, 2, "in this network, by this user");
            assert_eq!((of_network(tx, 10)?, of_user(tx, 10)?.len()), (vec![user(4)], 3));
            assert!(tx.delete_invitation(&network(1), &user(4))? && !tx.delete_invitation(&network(1), &user(4))?);
            assert_eq!(of_user(tx, 10)?, ["network 2", "network 3"]);
            Ok(())
        }).await.unwrap();
        for (n, who) in [(2, 4), (9, 1), (1, 9)] {
            let refused = engine.store.write(move |tx| {
                tx.insert_invitation(&network(n), &user(who), NetworkRole::Viewer, &user(1), NOW)
            });
            assert!(refused.await.is_err(), "user {who} to network {n}");
        }
        let kept = engine.store.read(|rows| rows.invitation(&network(2), &user(4))).await.unwrap();
        assert_eq!(kept.unwrap().role, NetworkRole::Member);
    }

    /// The first token decides, also when it is revoked; a hand-over ends the tokens of others.
    async fn an_alias_is_of_whoever_held_it_first_until_it_is_handed_over(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            two_networks(tx)?;
            let (first, second) = (node_token(1, 1, 1, "coder"), node_token(2, 2, 1, "coder"));
            tx.insert_token(&first)?;
            tx.insert_token(&second)?;
            tx.insert_token(&node_token(3, 1, 1, "lead"))?;
            tx.revoke_token(&first.token_id, NOW)?;
            assert_eq!(tx.alias_owner(&network(1), &alias("coder"))?, Some(user(1)));
            assert_eq!(tx.alias_owner(&network(2), &alias("coder"))?, None);
            tx.use_tokens(&[(first.token_id.clone(), NOW)])?;
            let page = tx.aliases(&network(1), None, PageBounds::rows(1))?.rows;
            assert_eq!((page[0].alias.as_str(), page[0].last_used_at), ("coder", Some(NOW)));
            assert_eq!(page[0].owner.as_ref().unwrap().1.as_str(), "user1");
            let rest = tx.aliases(&network(1), Some(&alias("coder")), PageBounds::rows(10))?.rows;
            assert_eq!(rest.iter().map(|row| row.alias.as_str()).collect::<Vec<_>>(), ["lead"]);
            tx.hand_over_alias(&network(1), &alias("coder"), &user(1))?;
            assert_eq!(tx.revoke_alias_tokens_of_others(&network(1), &alias("coder"), &user(1), NOW)?, 1);
            assert_eq!(tx.token(&second.token_id)?, None);
            assert!(tx.token(&TokenId::from_random([3; 6]))?.is_some());
            Ok(())
        }).await.unwrap();
    }

    /// Names are compared by what they look like: aliases as written, usernames in any case.
    async fn look_alikes_are_found_among_aliases_and_usernames(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            two_networks(tx)?;
            tx.put_member(&network(1), &user(1), NetworkRole::Owner, None, NOW)?;
            let agent = node_token(1, 1, 1, "agent-1");
            tx.insert_token(&agent)?;
            for (name, is_like) in [("agent-l", true), ("agent-1", false), ("Agent-1", false), ("agent-2", false)] {
                let found = tx.has_alias_like(&network(1), &alias(name), &NameSkeletons::of(name))?;
                assert_eq!(found, is_like, "{name}");
            }
            assert!(!tx.has_alias_like(&network(2), &alias("agent-l"), &NameSkeletons::of("agent-l"))?);
            assert!(tx.has_live_alias_like(&network(1), &NameSkeletons::of("AGENT-1"))?);
            tx.revoke_token(&agent.token_id, NOW)?;
            assert!(!tx.has_live_alias_like(&network(1), &NameSkeletons::of("agent-1"))?);
            assert!(tx.has_member_like(&network(1), &NameSkeletons::of("USER1"))?);
            assert!(tx.has_member_like(&network(1), &NameSkeletons::of("userl"))?);
            assert!(!tx.has_member_like(&network(1), &NameSkeletons::of("user2"))?);
            assert!(tx.has_user_like(&NameSkeletons::of("USER2"))?);
            assert!(!tx.has_user_like(&NameSkeletons::of("user3"))?);
            Ok(())
        }).await.unwrap();
    }
}
