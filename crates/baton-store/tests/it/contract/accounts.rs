//! Users, networks, who belongs to them, and the log of changes.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{NOW, insert_network, network, user, whole, with_network};
use baton_core::{NetworkId, NetworkRole, SystemRole, UnixMillis, Username};
use baton_store::rows::{NetworkRow, PageBounds, UserRow};
use baton_store::{Error, Snapshot, Transaction};

const LATER: UnixMillis = NOW.plus_seconds(60);

fn person(n: u8, name: &str) -> UserRow {
    UserRow {
        user_id: user(n),
        username: Username::parse(name).unwrap(),
        display_name: Some(format!("Person {n}")),
        email: (n > 1).then(|| format!("{name}@example.org")),
        role: if n > 1 { SystemRole::User } else { SystemRole::Admin },
        password_hash: format!("hash {n}"),
        must_change_password: n > 1,
        created_at: NOW.plus_seconds(n.into()),
    }
}

fn sorted(numbers: impl IntoIterator<Item = u8>) -> Vec<NetworkId> {
    let mut ids: Vec<_> = numbers.into_iter().map(network).collect();
    ids.sort();
    ids
}

/// The usernames of a network's members, in order.
fn members(rows: &dyn Snapshot, n: u8) -> Result<Vec<String>, Error> {
    let members = whole(|after, bounds| rows.members(&network(n), after.as_ref(), bounds))?;
    Ok(members.into_iter().map(|member| member.username.to_string()).collect())
}

fn join(tx: &mut dyn Transaction, n: u8, who: u8, role: NetworkRole, after: u32) -> Result<(), Error> {
    tx.put_member(&network(n), &user(who), role, Some("user1"), NOW.plus_seconds(after))
}

engines! {
    async fn users_are_read_back_by_id_and_by_name_and_listed_in_the_order_they_came(engine: &mut Engine, open: Open) {
        let people = [person(9, "zoe"), person(1, "adam"), person(5, "mia")];
        let written = people.clone();
        engine.store.write(move |tx| -> Result<(), Error> {
            assert!(!tx.has_users()?);
            assert_eq!(whole(|after, bounds| tx.users(after, bounds))?, []);
            written.iter().try_for_each(|person| tx.insert_user(person))?;
            assert!(tx.has_users()?);
            assert_eq!(whole(|after, bounds| tx.users(after, bounds))?, written);
            Ok(())
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(move |rows| -> Result<(), Error> {
            assert!(rows.has_users()?);
            assert_eq!(whole(|after, bounds| rows.users(after, bounds))?, people);
            for person in &people {
                assert_eq!(rows.user(&person.user_id)?.as_ref(), Some(person));
                assert_eq!(rows.user_named(person.username.as_str())?.as_ref(), Some(person));
            }
            assert_eq!(rows.user(&user(2))?, None);
            assert_eq!((rows.user_named("nobody")?, rows.user_named("ZOE")?), (None, None), "a name as it is written");
            Ok(())
        }).await.unwrap();
    }

    async fn a_user_whose_id_or_name_is_taken_is_refused_and_nothing_of_the_write_stays(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| tx.insert_user(&person(1, "adam"))).await.unwrap();
        for taken in [person(1, "other"), person(2, "adam")] {
            let refused = engine.store.write(move |tx| -> Result<(), Error> {
                tx.insert_user(&person(3, "new"))?;
                tx.change_password(&user(1), "changed", true)?;
                tx.insert_user(&taken)
            });
            assert!(refused.await.is_err());
        }
        let users = engine.store.read(|rows| rows.users(None, PageBounds::rows(10))).await.unwrap();
        assert_eq!(users.rows, [person(1, "adam")]);
    }

    async fn a_profile_keeps_what_is_not_named_and_a_password_changes_for_one_user(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            tx.insert_user(&person(1, "adam"))?;
            tx.insert_user(&person(2, "mia"))?;
            tx.change_profile(&user(2), Some("Mia"), None)?;
            tx.change_profile(&user(2), None, Some("m@example.org"))?;
            tx.change_profile(&user(2), None, None)?;
            tx.change_password(&user(2), "new hash", false)?;
            let changed = UserRow {
                display_name: Some("Mia".into()),
                email: Some("m@example.org".into()),
                password_hash: "new hash".into(),
                must_change_password: false,
                ..person(2, "mia")
            };
            // Of somebody who is not there, nothing changes.
            tx.change_profile(&user(7), Some("x"), Some("x"))?;
            tx.change_password(&user(7), "x", true)?;
            assert_eq!(whole(|after, bounds| tx.users(after, bounds))?, [person(1, "adam"), changed]);
            Ok(())
        }).await.unwrap();
    }

    async fn a_network_is_changed_by_itself_and_found_by_its_owner_and_name(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            let (one, two) = (tx.network(&network(1))?.unwrap(), tx.network(&network(2))?);
            assert_eq!(tx.network_named(&user(1), "network 1")?, Some(network(1)));
            assert_eq!(tx.network_named(&user(2), "network 1")?, None);
            assert_eq!(tx.network_named(&user(1), "Network 1")?, None);
            tx.rename_network(&network(1), "network 2", LATER)?; // as another owner's is called
            let renamed = NetworkRow { name: "network 2".into(), updated_at: LATER, ..one };
            assert_eq!(tx.network(&network(1))?.as_ref(), Some(&renamed));
            assert_eq!(tx.network_named(&user(1), "network 1")?, None);
            assert_eq!(tx.network_named(&user(1), "network 2")?, Some(network(1)));
            let at = LATER.plus_seconds(1);
            tx.publish_cards(&network(1), true, at)?;
            let published = NetworkRow { public_cards: true, updated_at: at, ..renamed };
            assert_eq!(tx.network(&network(1))?, Some(published.clone()));
            tx.publish_cards(&network(1), false, at)?;
            assert_eq!(tx.network(&network(1))?, Some(NetworkRow { public_cards: false, ..published }));
            tx.rename_network(&network(9), "x", at)?;
            tx.publish_cards(&network(9), true, at)?;
            assert_eq!((tx.network(&network(9))?, tx.network(&network(2))?), (None, two));
            Ok(())
        }).await.unwrap();
    }

    async fn an_owner_has_one_network_of_a_name(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let second = |name: &str, owner: u8| NetworkRow {
            network_id: network(3), name: name.into(), owner_id: user(owner), description: Some("about".into()),
            created_at: NOW, updated_at: NOW, public_cards: true,
        };
        let refused = engine.store.write(move |tx| tx.insert_network(&second("network 1", 1)));
        assert!(refused.await.is_err(), "a second one");
        let refused = engine.store.write(move |tx| -> Result<(), Error> {
            tx.insert_network(&second("other", 1))?;
            tx.rename_network(&network(3), "network 1", NOW)
        });
        assert!(refused.await.is_err(), "a name that is taken");
        let refused = engine.store.write(move |tx| tx.insert_network(&second("other", 8)));
        assert!(refused.await.is_err(), "an owner who is not there");
        assert_eq!(engine.store.read(|rows| rows.network(&network(3))).await.unwrap(), None);
        let made = engine.store.write(move |tx| -> Result<_, Error> {
            tx.insert_network(&second("other", 1))?;
            tx.network(&network(3))
        });
        assert_eq!(made.await.unwrap(), Some(second("other", 1)));
    }

    async fn keys_are_random_and_stay_as_they_are(engine: &mut Engine, open: Open) {
        let keys = |rows: &dyn Snapshot| -> Result<_, Error> {
            Ok((rows.cursor_key()?, rows.token_key(&network(1))?.unwrap(), rows.token_key(&network(2))?.unwrap()))
        };
        let before = engine.store.write(move |tx| {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            assert_eq!(tx.token_key(&network(3))?, None);
            tx.rename_network(&network(1), "other", LATER)?;
            keys(tx.as_snapshot())
        }).await.unwrap();
        assert_eq!((before.1.len(), before.2.len()), (32, 32));
        assert_ne!(before.1, before.2, "each network has its own");
        engine.reopen(open);
        assert_eq!(engine.store.read(keys).await.unwrap(), before);
        let other = Engine::new(open);
        assert_ne!(other.store.read(|rows| rows.cursor_key()).await.unwrap(), before.0, "each hub has its own");
    }

    async fn members_are_listed_by_when_they_joined_and_networks_by_when_they_were_made(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            [4, 1, 3, 2].into_iter().try_for_each(|n| insert_network(tx, n))?;
            tx.put_member(&network(1), &user(1), NetworkRole::Owner, None, NOW.plus_seconds(5))?;
            for (who, after) in [(4, 9), (3, 0), (2, 0)] {
                join(tx, 1, who, NetworkRole::Member, after)?;
            }
            for n in [2, 4, 3] {
                join(tx, n, 1, NetworkRole::Viewer, 0)?;
            }
            Ok(())
        }).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            let at_once = if user(2) < user(3) { ["user2", "user3"] } else { ["user3", "user2"] };
            assert_eq!(members(rows, 1)?, [at_once[0], at_once[1], "user1", "user4"]);
            assert_eq!((members(rows, 2)?, members(rows, 9)?), (vec!["user1".to_owned()], vec![]));
            let page = rows.members(&network(1), None, PageBounds::rows(3))?;
            let owner = &page.rows[2];
            assert_eq!((&owner.user_id, owner.role, &owner.invited_by), (&user(1), NetworkRole::Owner, &None));
            assert_eq!((page.rows[0].invited_by.as_deref(), page.rows[0].joined_at), (Some("user1"), NOW));
            let networks = whole(|after, bounds| rows.memberships(&user(1), after, bounds))?;
            let shown: Vec<_> = networks.iter().map(|row| (row.network.name.as_str(), row.role)).collect();
            let viewer = NetworkRole::Viewer;
            assert_eq!(shown, [("network 4", viewer), ("network 1", NetworkRole::Owner), ("network 3", viewer), ("network 2", viewer)]);
            assert_eq!(rows.network(&network(4))?.as_ref(), Some(&networks[0].network));
            let roles = rows.membership_roles(&user(1))?;
            assert_eq!(roles.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>(), sorted(1..=4));
            for (id, role) in roles {
                assert_eq!(rows.member_role(&id, &user(1))?, Some(role));
                assert_eq!(role == NetworkRole::Owner, id == network(1));
            }
            for most in 0..6 {
                let some = rows.some_memberships(&user(1), most)?;
                assert_eq!(some, sorted(1..=4).into_iter().take(most).collect::<Vec<_>>());
            }
            assert_eq!((rows.membership_roles(&user(9))?, rows.some_memberships(&user(9), 2)?), (vec![], vec![]));
            assert_eq!(whole(|after, bounds| rows.memberships(&user(9), after, bounds))?, []);
            Ok(())
        }).await.unwrap();
    }

    async fn the_networks_with_public_cards_are_listed_by_id(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            for n in 1..=5 {
                insert_network(tx, n)?;
                tx.publish_cards(&network(n), n != 2, LATER)?;
            }
            tx.publish_cards(&network(4), false, LATER)
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(|rows| -> Result<(), Error> {
            let mut public = [1, 3, 5].map(network);
            public.sort_unstable_by_key(|id| id.as_str().to_owned());
            assert_eq!(rows.public_networks(None, 10)?, public);
            for most in 0..3 {
                assert_eq!(rows.public_networks(None, most)?, public[..most]);
            }
            assert_eq!(rows.public_networks(Some(&public[1]), 10)?, public[1..]);
            Ok(())
        }).await.unwrap();
    }

    async fn a_member_has_one_role_and_leaves_one_network(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 1)?;
            insert_network(tx, 2)?;
            join(tx, 1, 2, NetworkRole::Viewer, 0)?;
            join(tx, 2, 2, NetworkRole::Owner, 0)?;
            tx.put_member(&network(1), &user(2), NetworkRole::Admin, Some("user2"), LATER)?;
            let only = tx.members(&network(1), None, PageBounds::rows(9))?.rows.remove(0);
            assert_eq!((only.role, only.joined_at, only.invited_by.as_deref()), (NetworkRole::Admin, NOW, Some("user1")));
            for (n, name, is_there) in [(1, "user2", true), (1, "user1", false), (1, "USER2", false), (2, "user2", true), (9, "user2", false)] {
                assert_eq!(tx.has_member_named(&network(n), name)?, is_there, "{n} {name}");
            }
            tx.delete_member(&network(1), &user(2))?;
            tx.delete_member(&network(1), &user(2))?;
            tx.delete_member(&network(1), &user(1))?;
            assert_eq!((tx.member_role(&network(1), &user(2))?, members(tx.as_snapshot(), 1)?), (None, vec![]));
            assert!(!tx.has_member_named(&network(1), "user2")?);
            assert_eq!(tx.membership_roles(&user(2))?, [(network(2), NetworkRole::Owner)]);
            Ok(())
        }).await.unwrap();
        for (n, who) in [(9, 1), (1, 9)] {
            let refused = engine.store.write(move |tx| join(tx, n, who, NetworkRole::Member, 0));
            assert!(refused.await.is_err(), "user {who} in network {n}");
        }
    }

    async fn the_log_of_changes_is_read_newest_first(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            assert_eq!(whole(|before, bounds| tx.audit_log(before, bounds))?, []);
            for n in 0..5_u32 {
                let place = (n == 3).then(|| network(1));
                tx.audit(NOW.plus_seconds(9 - n), "user1", "token.made", place.as_ref(), &format!("subject {n}"), "detail")?;
            }
            Ok(())
        }).await.unwrap();
        let undone = engine.store.write(|tx| -> Result<(), Error> {
            tx.audit(NOW, "user1", "token.revoked", None, "undone", "")?;
            Err(Error::Busy)
        });
        assert!(undone.await.is_err());
        engine.reopen(open);
        engine.store.read(|rows| -> Result<(), Error> {
            let log = whole(|before, bounds| rows.audit_log(before, bounds))?;
            let subjects: Vec<_> = log.iter().map(|row| row.subject.as_str()).collect();
            assert_eq!(subjects, ["subject 4", "subject 3", "subject 2", "subject 1", "subject 0"]);
            assert!(log.is_sorted_by(|newer, older| newer.id > older.id));
            let row = &log[1];
            assert_eq!((row.at, row.network_id.as_ref()), (NOW.plus_seconds(6), Some(&network(1))));
            assert_eq!((&*row.actor, &*row.action, &*row.detail), ("user1", "token.made", "detail"));
            assert_eq!(log[0].network_id, None);
            Ok(())
        }).await.unwrap();
    }
}
