//! Receivers of a task's events: kept as they came, found when there is something to tell, and forgetful once not.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, insert_network, insert_task, network, node, remove_network, task_id, user, with_network,
};
use baton_core::{Principal, Status, TokenId, UnixMillis};
use baton_store::rows::{NewEvent, PushConfigRow, PushFailures, PushSecrets};
use baton_store::{Error, Transaction};

fn config(in_network: u8, task: u16, name: &str) -> PushConfigRow {
    PushConfigRow {
        task_id: task_id(task),
        config_id: name.into(),
        network_id: network(in_network),
        owner: node("lead"),
        user_id: user(in_network),
        token_id: Some(TokenId::from_random([3; 6])),
        url: "https://receiver.example/hook?key=1".into(),
        secrets: PushSecrets {
            token: Some("token".into()),
            scheme: Some("Bearer".into()),
            credentials: Some("credentials".into()),
        },
        created_at: NOW,
        delivered: 0,
        trouble: PushFailures::default(),
        is_open: true,
    }
}

fn failing(config: PushConfigRow, next_at: i64) -> PushConfigRow {
    let next_at = Some(UnixMillis::new(next_at));
    PushConfigRow { trouble: PushFailures { failures: 2, failing_since: Some(NOW), next_at }, ..config }
}

fn put(tx: &mut dyn Transaction, configs: &[PushConfigRow]) -> Result<(), Error> {
    configs.iter().try_for_each(|config| tx.put_push_config(config))
}

fn names(configs: &[PushConfigRow]) -> Vec<&str> {
    configs.iter().map(|config| &*config.config_id).collect()
}

engines! {
    async fn a_receiver_reads_back_as_it_was_put_also_after_a_start(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        let by_a_user = PushConfigRow {
            owner: Principal::User(baton_core::Username::parse("user1").unwrap()),
            token_id: None,
            secrets: PushSecrets::default(),
            ..failing(config(1, 1, "b"), 7)
        };
        let rows = [config(1, 1, "a"), by_a_user];
        let put_rows = rows.clone();
        engine.store.write(move |tx| -> Result<(), Error> {
            put(tx, &put_rows)
        }).await.unwrap();
        engine.reopen(open);
        engine.store.read(move |read| -> Result<(), Error> {
            assert_eq!(read.push_configs(&task_id(1))?, rows);
            assert_eq!(read.push_config(&task_id(1), "a")?.as_ref(), Some(&rows[0]));
            assert_eq!(read.push_config(&task_id(1), "c")?, None);
            assert_eq!(read.push_config(&task_id(2), "a")?, None);
            Ok(())
        }).await.unwrap();
    }

    async fn the_same_name_again_takes_the_place_and_a_removal_is_told_once(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            let second = PushConfigRow { url: "https://other.example/".into(), ..config(1, 1, "a") };
            put(tx, &[config(1, 1, "a"), second.clone()])?;
            assert_eq!(tx.push_configs(&task_id(1))?, [second]);
            assert!(tx.delete_push_config(&task_id(1), "a")?);
            assert!(!tx.delete_push_config(&task_id(1), "a")?);
            Ok(())
        }).await.unwrap();
    }

    async fn a_note_moves_a_receiver_on_and_one_made_again_is_left_alone(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            put(tx, &[config(1, 1, "a")])?;
            let trouble = failing(config(1, 1, "a"), 9).trouble;
            tx.note_push(&config(1, 1, "a"), 4, trouble, true)?;
            let noted = PushConfigRow { delivered: 4, trouble, ..config(1, 1, "a") };
            assert_eq!(tx.push_config(&task_id(1), "a")?, Some(noted), "its secrets stay while it is open");
            let again = PushConfigRow { created_at: NOW.plus_seconds(1), ..config(1, 1, "a") };
            put(tx, std::slice::from_ref(&again))?;
            tx.note_push(&config(1, 1, "a"), 9, PushFailures::default(), false)?;
            assert_eq!(tx.push_config(&task_id(1), "a")?, Some(again));
            tx.note_push(&config(1, 2, "gone"), 1, PushFailures::default(), true)
        }).await.unwrap();
    }

    async fn a_receiver_that_closes_keeps_no_token_and_no_credentials(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            put(tx, &[config(1, 1, "a")])?;
            tx.note_push(&config(1, 1, "a"), 4, PushFailures::default(), false)?;
            let closed = tx.push_config(&task_id(1), "a")?.unwrap();
            let secrets = PushSecrets { scheme: Some("Bearer".into()), ..PushSecrets::default() };
            assert!(closed.secrets == secrets, "how it was shown who calls may be seen; what it was shown is gone");
            assert_eq!((closed.is_open, closed.delivered), (false, 4));
            Ok(())
        }).await.unwrap();
    }

    async fn tasks_with_open_receivers_come_page_by_page(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            let closed = PushConfigRow { is_open: false, ..config(1, 2, "a") };
            put(tx, &[config(1, 1, "a"), config(1, 1, "b"), closed, config(1, 3, "a"), config(1, 4, "a")])?;
            let first = tx.tasks_with_open_pushes("", 2)?;
            assert_eq!(first, [task_id(1), task_id(3)]);
            assert_eq!(tx.tasks_with_open_pushes(first[1].as_str(), 2)?, [task_id(4)]);
            assert!(tx.tasks_with_open_pushes(task_id(4).as_str(), 2)?.is_empty());
            Ok(())
        }).await.unwrap();
    }

    async fn due_receivers_come_network_by_network_oldest_first(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            insert_network(tx, 2)?;
            insert_network(tx, 3)?;
            put(tx, &[
                failing(config(1, 1, "late"), 30),
                failing(config(1, 1, "early"), 10),
                failing(config(1, 2, "early-too"), 10),
                failing(config(1, 1, "not-yet"), 50),
                config(1, 1, "well"),
                failing(config(3, 3, "elsewhere"), 1),
            ])?;
            due_are_as_put(tx)
        }).await.unwrap();
    }

    async fn the_event_after_a_number_is_the_next_of_its_task(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            for task in [1, 2] {
                insert_task(tx, 1, task, "coder")?;
                for (from, to) in [(None, Status::Delivered), (Some(Status::Delivered), Status::Running)] {
                    tx.append_event(NewEvent {
                        network_id: &network(1),
                        task_id: &task_id(task),
                        from,
                        to,
                        actor: &node("lead"),
                        actor_token: None,
                        detail: "",
                        at: NOW,
                        log_index: None,
                    })?;
                }
            }
            let after = |n| -> Result<_, Error> { Ok(tx.event_after(&task_id(1), n)?.map(|event| event.n)) };
            assert_eq!((after(0)?, after(1)?, after(2)?), (Some(1), Some(2), None));
            Ok(())
        }).await.unwrap();
    }

    async fn receivers_go_with_their_network(engine: &mut Engine, open: Open) {
        with_network(&*engine.store).await;
        engine.store.write(|tx| -> Result<(), Error> {
            put(tx, &[config(1, 1, "a")])?;
            remove_network(tx, 1)?;
            assert!(tx.push_configs(&task_id(1))?.is_empty());
            Ok(())
        }).await.unwrap();
    }
}

fn due_are_as_put(tx: &dyn Transaction) -> Result<(), Error> {
    let mut networks = Vec::new();
    while let Some(next) =
        tx.network_with_failing_pushes(networks.last().map_or("", baton_core::NetworkId::as_str))?
    {
        networks.push(next);
    }
    assert_eq!(networks, [network(1), network(3)], "who has none that fails is passed over");
    let now = UnixMillis::new(30);
    let first = tx.due_pushes(&network(1), now, None, 2)?;
    assert_eq!(names(&first), ["early", "early-too"]);
    let second = tx.due_pushes(&network(1), now, first.last(), 2)?;
    assert_eq!(names(&second), ["late"]);
    assert_eq!(names(&tx.due_pushes(&network(3), now, None, 2)?), ["elsewhere"]);
    assert!(tx.due_pushes(&network(2), now, None, 2)?.is_empty());
    Ok(())
}
