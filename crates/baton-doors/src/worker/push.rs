//! Sends tasks' events to push receivers. What there is to send follows from the rows: the events after the last
//! one a receiver was notified of. So a restart is nothing special, and no call waits for a receiver. Each receiver is
//! notified in order, one event at a time; receivers do not wait for each other, and networks take turns.

mod delivery;
mod due;
mod queue;
mod registry;
mod retry;

use baton_core::{NetworkId, TaskId, limits};
use baton_store::Work;
use baton_store::rows::PushConfigRow;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use crate::hub::Hub;
use crate::service::Error;
use due::Due;
use registry::PushRegistry;

/// Runs until the hub stops. Deliveries in progress then are sent again after the next start.
pub(super) async fn run(hub: Arc<Hub>) {
    let (mut registry, mut due) = (PushRegistry::default(), Due::default());
    let mut is_known = false;
    let (mut looked_at, mut watched_at) = (Instant::now(), Instant::now());
    loop {
        tokio::select! {
            () = hub.bells.pushes.wait() => {}
            () = registry.one_done(&hub) => {}
            () = tokio::time::sleep(limits::PUSH_LOOK_EVERY) => {}
            () = hub.shutdown.wait() => return,
        }
        // Another hub that ended may have left some.
        let may_be_left = hub.peers.is_some() && watched_at.elapsed() >= limits::LEFT_WORK_EVERY;
        if !is_known || may_be_left {
            is_known = log_outcome(&watch_all(&hub).await);
            watched_at = Instant::now();
        }
        log_outcome(&take_news(&hub, &mut registry).await);
        if looked_at.elapsed() >= limits::PUSH_LOOK_EVERY {
            log_outcome(&due.take(&hub, &mut registry).await);
            looked_at = Instant::now();
        }
        registry.start(&hub);
    }
}

/// A failed look-up is logged; the next one makes up for it.
fn log_outcome(outcome: &Result<(), Error>) -> bool {
    if let Err(error) = outcome {
        tracing::warn!(worker = "push", %error, "finding push receivers failed; it is tried again");
    }
    outcome.is_ok()
}

/// After a start every task with a receiver may have news.
async fn watch_all(hub: &Hub) -> Result<(), Error> {
    let mut after = String::new();
    loop {
        let from = after.clone();
        let page = hub
            .store
            .read(move |rows| -> Result<_, Error> {
                Ok(rows.tasks_with_open_pushes(&from, limits::PUSH_TASKS_COUNT)?)
            })
            .await?;
        page.iter().for_each(|task| hub.bells.pushes.watch(task));
        match page.last() {
            Some(last) if page.len() == limits::PUSH_TASKS_COUNT => last.as_str().clone_into(&mut after),
            _ => return Ok(()),
        }
    }
}

async fn take_news(hub: &Arc<Hub>, registry: &mut PushRegistry) -> Result<(), Error> {
    let tasks = hub.bells.pushes.take_rung();
    let mut outcome = Ok(());
    for some in tasks.chunks(limits::PUSH_TASKS_COUNT) {
        if outcome.is_ok() {
            outcome = take_news_of(hub, registry, some.to_vec()).await;
        }
        match outcome {
            Ok(()) => registry.start(hub),
            Err(_) => some.iter().for_each(|task| hub.bells.pushes.watch(task)),
        }
    }
    outcome
}

async fn take_news_of(hub: &Hub, registry: &mut PushRegistry, tasks: Vec<TaskId>) -> Result<(), Error> {
    let found = hub.store.read(move |rows| -> Result<Vec<(TaskId, Vec<PushConfigRow>)>, Error> {
        let with_receivers = |task: &TaskId| Ok((task.clone(), rows.push_configs(task)?));
        tasks.iter().map(with_receivers).collect()
    });
    let mut all = Vec::new();
    for (task, configs) in found.await? {
        let open: Vec<_> = configs.into_iter().filter(|config| config.is_open).collect();
        hub.bells.pushes.keep(&task, !open.is_empty());
        // Who failed recently is notified of this when its next try is due.
        all.extend(open.into_iter().filter(|config| config.trouble.next_at.is_none()));
    }
    owned(hub, all).await?.into_iter().for_each(|config| registry.take(config));
    Ok(())
}

/// The receivers that this hub calls; another hub calls those of other networks.
async fn owned(hub: &Hub, configs: Vec<PushConfigRow>) -> Result<Vec<PushConfigRow>, Error> {
    let networks: HashSet<NetworkId> = configs.iter().map(|config| config.network_id.clone()).collect();
    if networks.is_empty() || hub.peers.is_none() {
        return Ok(configs);
    }
    let keys = networks.iter().map(|network| network.as_str().to_owned()).collect();
    let owned = hub.own_work(Work::Pushes, keys).await?;
    let is_owned = |network: &NetworkId| owned.contains(network.as_str());
    networks.iter().for_each(|network| hub.bells.pushes.follow(network, is_owned(network)));
    Ok(configs.into_iter().filter(|config| is_owned(&config.network_id)).collect())
}
