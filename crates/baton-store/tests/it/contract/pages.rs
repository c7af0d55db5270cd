//! Lists page by page: every row once and in order, however many rows or bytes a page has.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{
    NOW, alias, insert_network, insert_task_from, network, node, node_token, remote_with, task_id, whole,
};
use baton_core::access::TaskReach;
use baton_core::{MessageId, NetworkId, Priority, Status};
use baton_store::rows::{
    DeliveryKind, EventFilter, MessageFilter, NewDelivery, NewEvent, TaskFilter, TaskSearch,
};
use baton_store::{Error, Snapshot, Transaction};

const TASKS: u16 = 9;

/// Two networks with tasks, messages, events, aliases and remote agents, turn and turn about.
fn fill(tx: &mut dyn Transaction) -> Result<(), Error> {
    insert_network(tx, 1)?;
    insert_network(tx, 2)?;
    for n in 0..TASKS {
        let in_network = if n % 3 == 2 { 2 } else { 1 };
        let to = if n % 2 == 0 { "coder" } else { "tester" };
        insert_task_from(tx, in_network, n, "lead", to)?;
        tx.append_event(NewEvent {
            network_id: &network(in_network),
            task_id: &task_id(n),
            from: None,
            to: Status::Delivered,
            actor: &node("lead"),
            actor_token: None,
            detail: &format!("event {n}"),
            at: NOW,
            log_index: None,
        })?;
        tx.insert_delivery(NewDelivery {
            message_id: &MessageId::from(&task_id(100 + n)),
            network_id: &network(in_network),
            to: &node("coder"),
            from: &node("lead"),
            kind: DeliveryKind::Message,
            priority: if n == 4 { Priority::High } else { Priority::Low },
            task_id: None,
            content: &format!("message {n}"),
            at: NOW,
        })?;
        let token = node_token(n as u8, 1, in_network, &format!("agent-{n}"));
        tx.insert_token(&token)?;
        tx.insert_remote(&remote_with(&token))?;
    }
    Ok(())
}

fn both() -> Vec<(NetworkId, TaskReach)> {
    vec![(network(1), TaskReach::Network), (network(2), TaskReach::Network)]
}

/// As a node that is party to some of the tasks of one network, and to all of the other's.
fn reaching() -> Vec<(NetworkId, TaskReach)> {
    vec![(network(1), TaskReach::Own(alias("tester"))), (network(2), TaskReach::Own(alias("lead")))]
}

fn texts(what: &str, numbers: impl IntoIterator<Item = u16>) -> Vec<String> {
    numbers.into_iter().map(|n| format!("{what} {n}")).collect()
}

/// Newest first, those of network 1 to `tester` and all of network 2.
fn reached() -> impl Iterator<Item = u16> {
    (0..TASKS).rev().filter(|n| n % 3 == 2 || n % 2 == 1)
}

fn found(rows: &dyn Snapshot, filter: TaskFilter) -> Result<Vec<String>, Error> {
    let listed = whole(|before, page| rows.tasks(&TaskFilter { before, page, ..filter.clone() }))?;
    let searched = whole(|before, page| {
        let filter = TaskFilter { before, page, ..filter.clone() };
        let text = Some("TASK".into());
        rows.search_tasks(&TaskSearch {
            filter,
            text,
            examined_rows: 4,
            examined_bytes: 1_000,
            ..TaskSearch::default()
        })
    })?;
    assert_eq!(searched, listed, "a search that finds all, of which it examines four at a time");
    Ok(listed.into_iter().map(|task| task.content).collect())
}

engines! {
    async fn tasks_and_their_history_come_newest_first_from_all_networks(engine: &mut Engine, open: Open) {
        engine.store.write(fill).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            let events = |networks: Vec<_>| -> Result<Vec<String>, Error> {
                let events = whole(|before, page| {
                    rows.events(&EventFilter { networks: networks.clone(), task: None, before, page })
                })?;
                Ok(events.into_iter().map(|event| event.detail).collect())
            };
            for (networks, numbers) in [(both(), (0..TASKS).rev().collect::<Vec<_>>()), (reaching(), reached().collect())] {
                assert_eq!(events(networks.clone())?, texts("event", numbers.clone()));
                assert_eq!(found(rows, TaskFilter { networks, ..TaskFilter::default() })?, texts("task", numbers));
            }
            let to_name = Some("coder".to_owned());
            let to_coder = found(rows, TaskFilter { networks: both(), to_name, ..TaskFilter::default() })?;
            assert_eq!(to_coder, texts("task", [8, 6, 4, 2, 0]));
            let of_one = whole(|before, page| {
                rows.events(&EventFilter { networks: Vec::new(), task: Some(task_id(3)), before, page })
            })?;
            assert_eq!(of_one.into_iter().map(|event| event.detail).collect::<Vec<_>>(), ["event 3"]);
            Ok(())
        }).await.unwrap();
    }

    async fn an_inbox_keeps_its_order_and_messages_come_newest_first(engine: &mut Engine, open: Open) {
        engine.store.write(fill).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            let inbox = whole(|after, bounds| rows.inbox(&network(1), &node("coder"), after, bounds))?;
            let shown: Vec<_> = inbox.iter().map(|delivery| delivery.content.as_str()).collect();
            let low = ["message 0", "message 1", "message 3", "message 6", "message 7"];
            assert_eq!(shown, [&["message 4", "task 0", "task 4", "task 6"][..], &low].concat());
            assert_eq!(rows.inbox_count(&network(1), &node("coder"))?, inbox.len() as i64);
            let messages = |networks: Vec<_>| -> Result<Vec<String>, Error> {
                let found = whole(|before, page| {
                    rows.messages(&MessageFilter { networks: networks.clone(), since: NOW, before, page })
                })?;
                Ok(found.into_iter().map(|delivery| delivery.content).collect())
            };
            let turn_about = (0..TASKS).rev().flat_map(|n| [format!("message {n}"), format!("task {n}")]);
            assert_eq!(messages(both())?, turn_about.collect::<Vec<_>>());
            let own = vec![(network(1), TaskReach::Own(alias("tester")))];
            assert_eq!(messages(own)?, texts("task", [7, 3, 1]));
            Ok(())
        }).await.unwrap();
    }

    async fn aliases_and_remote_agents_come_by_alias(engine: &mut Engine, open: Open) {
        engine.store.write(fill).await.unwrap();
        engine.store.read(|rows| -> Result<(), Error> {
            let names = [0, 1, 3, 4, 6, 7].map(|n| alias(&format!("agent-{n}")));
            let aliases = whole(|after, bounds| rows.aliases(&network(1), after.as_ref(), bounds))?;
            assert_eq!(aliases.into_iter().map(|row| row.alias).collect::<Vec<_>>(), names);
            let remotes = whole(|after, bounds| rows.remotes(&network(1), after.as_ref(), bounds))?;
            assert_eq!(remotes.into_iter().map(|row| row.alias).collect::<Vec<_>>(), names);
            Ok(())
        }).await.unwrap();
    }
}
