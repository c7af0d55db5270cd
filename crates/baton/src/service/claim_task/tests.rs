//! The times of a claim: those of its batch, in its answer as in every row.

use baton_core::{Alias, SystemRole, TaskId, UnixMillis};
use baton_store::rows::{EventFilter, PageBounds};
use baton_store::{Snapshot, Transaction};
use serde_json::{Value, json};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use super::{Args, run};
use crate::fixture::{TestHub, network};
use crate::hub::Hub;
use crate::service::Error;
use crate::service::agent::AgentAddress;
use crate::service::follow_up::Said;
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
    let said = Said { text: "work".into(), ..Said::default() };
    let message = NewMessage { agent, said, context_id: None, traceparent: None };
    let sending = {
        let hub = hub.clone();
        tokio::spawn(async move { send_message(&hub, &sender, message).await })
    };
    // The send was stamped, and waits for the writer while time goes on.
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
