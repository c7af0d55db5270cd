//! What an engine keeps in memory between writes is what its database says: use cases picked by chance, several to a
//! batch, some of them refused halfway, are seen alike by the next write, by a reader, and after a new start.

use super::super::engine::{Engine, Open, engines};
use super::super::fixtures::{NOW, alias, insert_network, insert_task, network, node, session, task_id};
use baton_core::{
    LeaseId, MessageId, MessageKind, MonotonicMillis, NetworkId, Principal, Priority, Status, TaskId,
};
use baton_store::rows::{
    DeliveryKind, EventRow, FeedRow, IdempotentSend, InboxState, LeaseChange, NewDelivery, NewEvent, NewLeaf,
    NewTaskMessage, PageBounds, Redelivery, SessionSummaryRow, TaskChange, TaskRow,
};
use baton_store::{Error, Snapshot, Store, Transaction};
use std::sync::Arc;

const TASKS: u16 = 12;
const NAMES: [&str; 3] = ["coder", "tester", "lead"];

/// Chance that can be repeated (SplitMix64).
#[derive(Clone)]
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }
}

/// Everything a use case may ask of tasks and inboxes.
#[derive(Debug, PartialEq)]
struct Seen {
    tasks: Vec<Option<TaskRow>>,
    histories: Vec<Vec<EventRow>>,
    next: Vec<Option<TaskId>>,
    counts: Vec<(Status, i64)>,
    inboxes: Vec<(i64, bool, Option<SessionSummaryRow>)>,
    frames: Vec<Vec<FeedRow>>,
    sends: Vec<Option<IdempotentSend>>,
    said: Vec<usize>,
    log: u64,
}

fn see(rows: &dyn Snapshot) -> Result<Seen, Error> {
    let here = network(1);
    let each = |n: u16| task_id(n);
    let all = |read: &dyn Fn(u16) -> Result<Option<TaskRow>, Error>| (0..TASKS).map(read).collect();
    let tasks: Result<Vec<_>, Error> = all(&|n| rows.task(&each(n)));
    for n in 0..TASKS {
        assert_eq!(rows.task_snapshot(&each(n))?, rows.task(&each(n))?.map(|task| task.snapshot));
        assert_eq!(rows.task_network(&each(n), None)?.is_some(), rows.task(&each(n))?.is_some());
        assert_eq!(rows.task_snapshot_in(&here, &each(n))?, rows.task_snapshot(&each(n))?);
        assert_eq!(rows.task_snapshot_in(&network(2), &each(n))?, None, "another network's");
    }
    let inbox = |name: &&str| {
        let count = rows.inbox_count(&here, &node(name))?;
        let session = rows.session_glance(&here, &alias(name))?;
        Ok((count, rows.holds_lease(&here, &alias(name))?, session))
    };
    let frames = |name: &&str| {
        let whole = rows.feed_after(&here, Some(&node(name)), 0, 10_000)?;
        let half = whole.get(whole.len() / 2).map_or(0, |frame| frame.n);
        let rest = rows.feed_after(&here, Some(&node(name)), half, 3)?;
        assert_eq!(rest, whole.iter().filter(|frame| frame.n > half).take(3).cloned().collect::<Vec<_>>());
        Ok(whole)
    };
    let send = |n: u16| rows.idempotent_send(&here, &node("lead"), &format!("key {n}"));
    let said = |n: u16| Ok(rows.newest_task_messages(&here, &each(n), None, PageBounds::rows(100))?.len());
    Ok(Seen {
        tasks: tasks?,
        histories: (0..TASKS).map(|n| rows.task_history(&each(n))).collect::<Result<_, _>>()?,
        next: NAMES.iter().map(|name| rows.next_task(&here, &alias(name))).collect::<Result<_, _>>()?,
        counts: rows.task_counts(&here)?,
        inboxes: NAMES.iter().map(inbox).collect::<Result<_, Error>>()?,
        frames: NAMES.iter().map(frames).collect::<Result<_, Error>>()?,
        sends: (0..TASKS).map(send).collect::<Result<_, _>>()?,
        said: (0..TASKS).map(said).collect::<Result<_, Error>>()?,
        log: rows.log_size(&here)?,
    })
}

/// Moves a task as a use case does: its row, its history, its evidence.
fn go(tx: &mut dyn Transaction, id: &TaskId, to: Status, change: &TaskChange) -> Result<(), Error> {
    let Some(task) = tx.task(id)?.filter(|task| !task.snapshot.status.is_terminal()) else { return Ok(()) };
    let from = task.snapshot.status;
    tx.change_task(&network(1), id, from, to, change)?;
    record(tx, id, Some(from), to)
}

fn record(tx: &mut dyn Transaction, id: &TaskId, from: Option<Status>, to: Status) -> Result<(), Error> {
    let here = network(1);
    let index = tx.log_size(&here)?;
    tx.append_event(NewEvent {
        network_id: &here,
        task_id: id,
        from,
        to,
        actor: &node("lead"),
        actor_token: None,
        detail: "moved",
        at: NOW,
        log_index: Some(index),
    })?;
    tx.append_leaf(NewLeaf { network_id: &here, index, about: None, event: b"{}", packet: b"" })
}

fn deliver(
    tx: &mut dyn Transaction,
    here: &NetworkId,
    id: Option<&TaskId>,
    random: u64,
) -> Result<(), Error> {
    let message_id = message(random);
    let to = node(NAMES[(random % 3) as usize]);
    tx.insert_delivery(NewDelivery {
        message_id: &message_id,
        network_id: here,
        to: &to,
        from: &node("lead"),
        kind: DeliveryKind::Reply,
        priority: Priority::Normal,
        task_id: id,
        content: "text",
        at: NOW,
    })?;
    tx.append_frame(here, &to, "{}").map(|_| ())
}

fn message(random: u64) -> MessageId {
    let bytes = random.to_be_bytes();
    MessageId::new(NOW, std::array::from_fn(|n| bytes[n % 8]))
}

/// One use case, as far as chance takes it.
fn act(tx: &mut dyn Transaction, chance: &mut Chance) -> Result<(), Error> {
    let here = network(1);
    let (n, random) = (chance.below(TASKS.into()) as u16, chance.below(u64::MAX));
    let (id, name) = (task_id(n), NAMES[chance.below(3) as usize]);
    match chance.below(11) {
        0..=2 if tx.task(&id)?.is_none() => {
            insert_task(tx, 1, n, name)?;
            record(tx, &id, None, Status::Delivered)?;
            tx.append_frame(&here, &node(name), "{}")?;
            let send = IdempotentSend {
                arguments: vec![7],
                task_id: id,
                session_status: "idle".into(),
                created_at: NOW,
            };
            tx.remember_send(&here, &node("lead"), &format!("key {n}"), &send)
        }
        3 | 4 => {
            let Some(next) = tx.next_task(&here, &alias(name))? else { return Ok(()) };
            let lease = LeaseChange::Grant {
                lease_id: LeaseId::from_random(std::array::from_fn(|at| random.to_be_bytes()[at % 8])),
                lease_seconds: 60,
                deadline: MonotonicMillis::new(7),
                expires_at: NOW,
            };
            let change = TaskChange {
                lease: Some(lease),
                inbox: Some(InboxState::Hidden),
                started_at: Some(NOW),
                ..TaskChange::default()
            };
            go(tx, &next, Status::Running, &change)
        }
        5 | 6 => {
            let change = TaskChange {
                lease: Some(LeaseChange::End),
                inbox: Some(InboxState::Acked),
                completed_at: Some(NOW),
                result: Some("done".into()),
                ..TaskChange::default()
            };
            let is_open = tx.task(&id)?.is_some_and(|task| !task.snapshot.status.is_terminal());
            if is_open {
                tx.ack_deliveries_about(&id)?;
            }
            go(tx, &id, Status::Replied, &change)
        }
        7 => {
            let redelivery = Some(Redelivery { message_id: message(random), at: NOW });
            let (to, lease) = (Some(alias(name)), Some(LeaseChange::End));
            let change = TaskChange { redelivery, to, lease, ..TaskChange::default() };
            go(tx, &id, Status::Delivered, &change)
        }
        8 => {
            let about = tx.task(&id)?.map(|_| &id);
            deliver(tx, &here, about, random)
        }
        // These write by statements of their own.
        9 if tx.task(&id)?.is_some() => {
            tx.append_task_message(NewTaskMessage {
                network_id: &here,
                task_id: &id,
                message_id: &message(random),
                author: &Principal::Hub,
                kind: MessageKind::Message,
                content: "said",
                options: None,
                input_ttl_seconds: None,
                auth_required: false,
                parts: None,
                meta: None,
                at: NOW,
            })?;
            tx.ack_deliveries_about(&id)
        }
        _ => tx.put_session(&session(1, name, 1)),
    }
}

/// Several use cases that are one batch: a first write holds the writer until the others wait behind it.
async fn batch(store: &Arc<dyn Store>, chance: &mut Chance) {
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let held = store.clone();
    let (begin, mut begun) = tokio::sync::mpsc::unbounded_channel::<()>();
    let first = tokio::spawn(async move {
        let hold = move |_: &mut dyn Transaction| -> Result<(), Error> {
            let _ = begin.send(());
            let _ = wait.lock().unwrap().recv();
            Ok(())
        };
        held.write(hold).await
    });
    begun.recv().await.unwrap();
    let writes: Vec<_> = (0..1 + chance.below(8))
        .map(|_| {
            let (store, dice) = (store.clone(), Chance(chance.below(u64::MAX)));
            tokio::spawn(async move {
                let run = move |tx: &mut dyn Transaction| -> Result<(), Error> {
                    let mut dice = dice.clone();
                    for _ in 0..1 + dice.below(3) {
                        act(tx, &mut dice)?;
                    }
                    // Mostly nothing is looked at that makes the engine write before the end.
                    if dice.one_in(4) {
                        assert_eq!(see(tx.as_snapshot())?, see(tx.as_snapshot())?, "a look changes nothing");
                        act(tx, &mut dice)?;
                    }
                    if dice.one_in(3) { Err(Error::Busy) } else { Ok(()) }
                };
                match store.write(run).await {
                    Ok(()) | Err(Error::Busy) => {}
                    Err(error) => panic!("{error}"),
                }
            })
        })
        .collect();
    tokio::task::yield_now().await;
    drop(go);
    first.await.unwrap().unwrap();
    for write in writes {
        write.await.unwrap();
    }
}

async fn check(store: &dyn Store, when: &str) -> Seen {
    let written = store.write(|tx| see(tx.as_snapshot())).await.unwrap();
    let read = store.read(see).await.unwrap();
    assert_eq!(written.log, read.log, "the log, {when}");
    assert_eq!(written.counts, read.counts, "tasks by status, {when}");
    assert_eq!(written.inboxes, read.inboxes, "inboxes, {when}");
    assert_eq!(written.next, read.next, "the next tasks, {when}");
    assert_eq!(written.frames, read.frames, "frames, {when}");
    assert_eq!(written, read, "{when}");
    read
}

engines! {
    async fn what_is_said_on_a_task_that_is_kept_in_memory_is_seen_by_the_next_write(engine: &mut Engine, open: Open) {
        engine.store.write(|tx| insert_network(tx, 1)).await.unwrap();
        engine.store.write(|tx| insert_task(tx, 1, 1, "coder")).await.unwrap();
        let here = network(1);
        // Without a change of the task beside it, as a follow-up is.
        engine.store.write(|tx| -> Result<(), Error> {
            let here = network(1);
            assert_eq!(tx.task_messages_bytes(&here, &task_id(1))?, 0);
            tx.append_task_message(NewTaskMessage {
                network_id: &here,
                task_id: &task_id(1),
                message_id: &message(1),
                author: &node("lead"),
                kind: MessageKind::Message,
                content: "more",
                options: None,
                input_ttl_seconds: None,
                auth_required: false,
                parts: None,
                meta: None,
                at: NOW,
            })?;
            deliver(tx, &here, Some(&task_id(1)), 0)
        }).await.unwrap();
        assert_eq!(engine.store.read(move |rows| rows.inbox_count(&here, &node(NAMES[0]))).await.unwrap(), 2);
        engine.store.write(|tx| -> Result<(), Error> {
            let said = tx.newest_task_messages(&network(1), &task_id(1), None, PageBounds::rows(9))?;
            assert_eq!(said.iter().map(|said| &*said.content).collect::<Vec<_>>(), ["more"]);
            tx.ack_deliveries_about(&task_id(1))?;
            assert_eq!(tx.inbox_count(&network(1), &node(NAMES[0]))?, 1, "the task's own");
            Ok(())
        }).await.unwrap();
    }

    async fn what_is_kept_in_memory_is_what_the_database_says(engine: &mut Engine, open: Open) {
        for seed in 0..engine.seeds {
            *engine = Engine::new(open);
            engine.store.write(|tx| insert_network(tx, 1)).await.unwrap();
            let mut chance = Chance(seed);
            for round in 0..25 {
                batch(&engine.store, &mut chance).await;
                check(&*engine.store, &format!("seed {seed}, round {round}")).await;
            }
            let before = check(&*engine.store, "at the end").await;
            engine.reopen(open);
            assert_eq!(check(&*engine.store, "after a new start").await, before, "seed {seed}");
        }
    }
}
