//! The times of a claim: those of its batch, in its answer as in every row. And who may wait for a task.

use baton_core::{Alias, Caller, NetworkRole, SystemRole, TaskId, UnixMillis};
use baton_store::rows::{EventFilter, PageBounds, RemoteRow};
use baton_store::{Snapshot, Transaction};
use serde_json::{Value, json};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use super::{Args, Claim, run};
use crate::fixture::{TestHub, network, user_id};
use crate::hub::Hub;
use crate::service::Error;
use crate::service::accounts::members;
use crate::service::agent::AgentAddress;
use crate::service::follow_up::MessageContent;
use crate::service::send_task::{NewMessage, send_message};
use crate::service::wire_time::WireTime;

/// Less than what counts as a jump of the clock.
const LATER_MILLIS: i64 = 5_000;
const LEASE_SECONDS: u32 = 60;

/// Keeps the writer busy until what is answered is dropped.
async fn hold_writer(hub: &Arc<Hub>) -> Sender<()> {
    let (go, wait) = channel::<()>();
    let (begin, mut begun) = tokio::sync::mpsc::unbounded_channel::<()>();
    let (hub, wait) = (hub.clone(), Mutex::new(wait));
    tokio::spawn(async move {
        let hold = move |_: &mut dyn Transaction| -> Result<(), Error> {
            let _ = begin.send(());
            let _ = wait.lock().unwrap().recv();
            Ok(())
        };
        hub.store.write(hold).await
    });
    begun.recv().await.unwrap();
    go
}

async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        tokio::task::yield_now().await;
    }
}

/// When a task was made, delivered and begun, and when each of its events happened.
fn times(rows: &dyn Snapshot, task: &TaskId) -> Result<Vec<UnixMillis>, Error> {
    let row = rows.task(task)?.unwrap();
    let filter = EventFilter {
        networks: Vec::new(),
        task: Some(task.clone()),
        before: None,
        page: PageBounds::rows(10),
    };
    let events = rows.events(&filter)?.rows;
    assert_eq!(events.len(), 2, "sent and claimed: {events:?}");
    let of_row = [row.created_at, row.delivered_at, row.started_at.unwrap()];
    Ok(of_row.into_iter().chain(events.into_iter().map(|event| event.created_at)).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_answers_the_time_of_its_batch_which_is_in_the_row_and_in_the_history() {
    let test = TestHub::start();
    let hub = &test.hub;
    let sender = test.person("alice", SystemRole::User, &[1]).await;
    let worker = test.agent("alice", 1, "worker").await;
    let sender = hub.identify(&sender).await.unwrap().caller.clone();
    let worker = hub.identify(&worker).await.unwrap().caller.clone();
    let claiming = {
        let (hub, args) = (hub.clone(), Args { wait_seconds: Some(50), ..Args::default() });
        tokio::spawn(async move { run(&hub, &worker, args).await })
    };
    until(|| hub.store.parked().count() == 1).await;

    let go = hold_writer(hub).await;
    let agent = AgentAddress { network_id: network(1), alias: Alias::parse("worker").unwrap() };
    let said = MessageContent { text: "work".into(), ..MessageContent::default() };
    let message = NewMessage { agent, said, context_id: None, traceparent: None };
    let sending = {
        let hub = hub.clone();
        tokio::spawn(async move { send_message(&hub, &sender, message).await })
    };
    // The send was stamped, and waits for the writer while time continues.
    until(|| hub.store.meter().writes_waiting() == 1).await;
    let stamped_before = hub.clock.now();
    hub.clock.put_ahead(LATER_MILLIS);
    drop(go);

    let task = sending.await.unwrap().unwrap();
    let answer = serde_json::to_value(claiming.await.unwrap().unwrap()).unwrap();
    let found = task.clone();
    let times = hub.store.read(move |rows| times(rows, &found)).await.unwrap();
    let at = times[0];
    assert!(at >= stamped_before.plus_millis(LATER_MILLIS), "the batch's time, not the stamp's");
    assert_eq!(times, vec![at; 5]);
    let shown = |at: UnixMillis| -> Value { json!(WireTime(at)) };
    let shown_task = &answer["task"];
    assert_eq!(
        [&shown_task["task_id"], &shown_task["delivered_at"], &shown_task["started_at"]],
        [&json!(task), &shown(at), &shown(at)]
    );
    assert_eq!(answer["lease_expires_at"], shown(at.plus_seconds(LEASE_SECONDS)));
}

/// An agent of a network that `bob`, an admin of it, registered as a remote agent before he left; as whom the hub works for it.
async fn remote_of_one_who_left(test: &TestHub) -> Caller {
    let bob = test.person("bob", SystemRole::User, &[]).await;
    let scout = test.agent("bob", 1, "scout").await;
    let bob = test.hub.identify(&bob).await.unwrap().caller.clone();
    let scout = test.hub.identify(&scout).await.unwrap().caller.clone();
    let remote = RemoteRow {
        network_id: network(1),
        alias: Alias::parse("scout").unwrap(),
        card_url: "https://scout.example/card.json".into(),
        credential: None,
        token_id: scout.token_id().unwrap().clone(),
        created_by: "bob".into(),
        created_at: test.hub.clock.now(),
        pinned_key: None,
        card_error: None,
    };
    test.write(move |tx| {
        tx.put_member(&network(1), &user_id("bob"), NetworkRole::Admin, None, remote.created_at)?;
        tx.insert_remote(&remote)?;
        tx.touch_access();
        Ok(())
    })
    .await;
    members::remove(&test.hub, bob, network(1).as_str(), "me").await.unwrap();
    scout
}

/// A claim that waits looks every few seconds whether it missed a task, and asks again whether its caller may: by the
/// same rule as the claim itself, or a remote agent would be refused while it is idle.
#[tokio::test(flavor = "multi_thread")]
async fn a_remote_agent_whose_registrar_left_may_wait_for_tasks_and_take_them() {
    let test = TestHub::start();
    let hub = &test.hub;
    let sender = test.person("alice", SystemRole::User, &[1]).await;
    let sender = hub.identify(&sender).await.unwrap().caller.clone();
    let scout = remote_of_one_who_left(&test).await;
    let claim = Claim::read(hub, &scout, None, 1).unwrap();
    assert!(!claim.is_there(hub).await.unwrap(), "allowed to wait, and nothing is there");

    let agent = AgentAddress { network_id: network(1), alias: Alias::parse("scout").unwrap() };
    let said = MessageContent { text: "work".into(), ..MessageContent::default() };
    let message = NewMessage { agent, said, context_id: None, traceparent: None };
    let task = send_message(hub, &sender, message).await.unwrap();
    assert!(claim.is_there(hub).await.unwrap());
    let answer = serde_json::to_value(run(hub, &scout, Args::default()).await.unwrap()).unwrap();
    assert_eq!(answer["task"]["task_id"], json!(task));
}
