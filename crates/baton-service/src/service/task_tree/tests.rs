//! Trees as no hub of today makes them: deeper than the loop guard allows, and larger than a walk examines.

use baton_core::{NewTask, Principal, Priority, SystemRole, TtlSeconds, UnixMillis, UserCaller, Username};
use baton_store::rows::{NewTaskRow, TaskChange};
use baton_store::{Error as StoreError, Transaction};

use super::*;
use crate::fixture::{TestHub, network, node, user_id};

const NOW: UnixMillis = UnixMillis::new(1_700_000_000_000);

fn id(number: usize) -> TaskId {
    let mut random = [0; 10];
    random[..8].copy_from_slice(&(number as u64).to_be_bytes());
    TaskId::new(NOW, random)
}

/// A task of network 1, straight in the rows.
fn insert(tx: &mut dyn Transaction, number: usize, parent: Option<usize>) -> Result<(), StoreError> {
    let Principal::Node(to) = node("coder") else { unreachable!("a node is a node") };
    let task = NewTask {
        id: id(number),
        network_id: network(1),
        from: node("lead"),
        to,
        kind: Kind::parse("delegation").unwrap(),
        attempt: 1,
        max_attempts: 3,
        runs: baton_core::RunTerms::default(),
        ttl: TtlSeconds::default(),
        delivered_at: NOW,
        expires_at: NOW.plus_seconds(3_600),
        parent_task_id: parent.map(id),
        retry_of: None,
        context_id: None,
    };
    tx.insert_task(NewTaskRow {
        task: &task,
        status: Status::Delivered,
        priority: Priority::Normal,
        content: "work",
        context: None,
        meta: None,
        parts: None,
        salt: &[7; 16],
        traceparent: None,
    })
}

/// Ends a task, straight in the rows.
fn end(tx: &mut dyn Transaction, number: usize) -> Result<(), StoreError> {
    let change = TaskChange { completed_at: Some(NOW), ..TaskChange::default() };
    tx.change_task(&network(1), &id(number), Status::Delivered, Status::Failed, &change)
}

async fn hub() -> (TestHub, Caller) {
    let hub = TestHub::start();
    hub.person("ada", SystemRole::User, &[1]).await;
    let username = Username::parse("ada").unwrap();
    let ada = UserCaller { user_id: user_id("ada"), username, system_role: SystemRole::User, token_id: None };
    (hub, Caller::User(ada))
}

async fn tree(hub: &TestHub, caller: &Caller, number: usize) -> Tree {
    run_on_path(&hub.hub, caller, id(number).as_str()).await.unwrap().tree
}

#[tokio::test]
async fn a_chain_is_shown_32_levels_up_and_32_down() {
    let (hub, ada) = hub().await;
    hub.write(|tx| (0..=80).try_for_each(|n: usize| insert(tx, n, n.checked_sub(1)))).await;
    // Which task, and the first and the last that its tree shows.
    for (asked, first, last, truncated) in [
        (0, 0, 32, true),
        (31, 0, 63, true),
        (32, 0, 64, true),
        (33, 1, 65, true),
        (48, 16, 80, true),
        (60, 28, 80, true),
        (80, 48, 80, true),
    ] {
        let tree = tree(&hub, &ada, asked).await;
        let shown: Vec<_> = tree.nodes.iter().map(|node| (node.task_id.clone(), node.depth)).collect();
        let expected: Vec<_> = (first..=last).zip(0..).map(|(number, depth)| (id(number), depth)).collect();
        assert_eq!((shown, tree.truncated), (expected, truncated), "of task {asked}");
    }
    // Exactly as deep as is shown.
    hub.write(|tx| (100..=164).try_for_each(|n: usize| insert(tx, n, (n > 100).then(|| n - 1)))).await;
    let middle = tree(&hub, &ada, 132).await;
    assert_eq!((middle.nodes.len(), middle.truncated), (65, false));
}

#[tokio::test]
async fn what_is_below_a_task_is_examined_up_to_a_bound() {
    let (hub, ada) = hub().await;
    let most = limits::TREE_EXAMINED_COUNT;
    hub.write(move |tx| {
        insert(tx, 0, None)?;
        for number in 1..=most {
            insert(tx, number, Some(0))?;
            end(tx, number)?;
        }
        Ok(())
    })
    .await;
    let below = |count: usize| {
        let open = move |rows: &dyn Snapshot| -> Result<_, Error> {
            let found = open_below(rows, &network(1), &id(0), count)?;
            Ok((found.tasks.len(), found.examined, found.is_cut))
        };
        hub.hub.store.read(open)
    };
    assert_eq!(below(usize::MAX).await.unwrap(), (0, most, false), "ended ones count too");
    hub.write(move |tx| insert(tx, most + 1, Some(0))).await;
    assert_eq!(below(usize::MAX).await.unwrap(), (0, most, true));
    let shown = tree(&hub, &ada, 0).await;
    assert_eq!((shown.nodes.len(), shown.truncated), (limits::TREE_TASKS_MAX_COUNT, true));
}

#[tokio::test]
async fn a_parent_that_has_left_by_retention_is_nobodys_parent() {
    let (hub, ada) = hub().await;
    hub.write(|tx| insert(tx, 2, Some(1))).await;
    let shown = tree(&hub, &ada, 2).await;
    assert_eq!((shown.nodes.len(), shown.nodes[0].parent_task_id.as_ref()), (1, None));
}
