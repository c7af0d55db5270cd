//! Tells receivers outside of tasks' events. What there is to tell follows from the rows: the events after the last
//! one a receiver was told of. So a restart is nothing special, and no call waits for a receiver. Each receiver is
//! told in order, one event at a time; receivers do not wait for each other, and a host gets a few calls at once,
//! one while it fails.

mod carrier;
mod desk;
mod retry;

use baton_store::rows::PushConfigRow;
use std::sync::Arc;
use std::time::Duration;

use crate::hub::Hub;
use crate::service::Error;
use desk::Desk;

/// How soon a retry that is due is found, and news whose ring was lost in trouble.
const LOOK: Duration = Duration::from_millis(250);
/// Rows read at once.
const PAGE: usize = 200;
/// And how often before others have their turn.
const PAGES: usize = 50;

/// Runs until the hub stops. What is under way then is told again after the next start.
pub(super) async fn run(hub: Arc<Hub>) {
    let mut desk = Desk::default();
    let mut is_known = false;
    loop {
        tokio::select! {
            () = hub.bells.pushes.wait() => {}
            () = desk.one_done(&hub) => {}
            () = tokio::time::sleep(LOOK) => {}
            () = hub.shutdown.wait() => return,
        }
        if !is_known {
            is_known = told(&watch_all(&hub).await);
        }
        told(&take_news(&hub, &mut desk).await);
        told(&take_retries(&hub, &mut desk).await);
        desk.start(&hub);
    }
}

/// A look that failed is told in the log; the next one makes up for it.
fn told(outcome: &Result<(), Error>) -> bool {
    if let Err(error) = outcome {
        tracing::warn!(worker = "push", %error, "a look for what is to be told failed and is tried again");
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
            .read(move |rows| -> Result<_, Error> { Ok(rows.tasks_with_open_pushes(&from, PAGE)?) })
            .await?;
        page.iter().for_each(|task| hub.bells.pushes.watch(task));
        match page.last() {
            Some(last) if page.len() == PAGE => last.as_str().clone_into(&mut after),
            _ => return Ok(()),
        }
    }
}

async fn take_news(hub: &Hub, desk: &mut Desk) -> Result<(), Error> {
    let tasks = hub.bells.pushes.take_rung();
    if tasks.is_empty() {
        return Ok(());
    }
    let rung = tasks.clone();
    let found = hub.store.read(move |rows| -> Result<Vec<(usize, Vec<PushConfigRow>)>, Error> {
        rung.iter().enumerate().map(|(i, task)| Ok((i, rows.push_configs(task)?))).collect()
    });
    let found = match found.await {
        Ok(found) => found,
        Err(error) => {
            tasks.iter().for_each(|task| hub.bells.pushes.watch(task));
            return Err(error);
        }
    };
    for (i, configs) in found {
        let open: Vec<_> = configs.into_iter().filter(|config| config.is_open).collect();
        hub.bells.pushes.keep(&tasks[i], !open.is_empty());
        // Who failed lately is told of this when its next try is due.
        open.into_iter()
            .filter(|config| config.trouble.next_at.is_none())
            .for_each(|config| desk.take(config));
    }
    Ok(())
}

/// All that are due, not only the oldest: those may be waiting for a host that hangs, and others do not wait for it.
async fn take_retries(hub: &Hub, desk: &mut Desk) -> Result<(), Error> {
    let now = hub.clock.now();
    let mut after = None;
    for _ in 0..PAGES {
        let from: Option<PushConfigRow> = after.take();
        let page = hub
            .store
            .read(move |rows| -> Result<_, Error> { Ok(rows.due_pushes(now, from.as_ref(), PAGE)?) })
            .await?;
        after = page.last().filter(|_| page.len() == PAGE).cloned();
        page.into_iter().for_each(|config| desk.take(config));
        if after.is_none() {
            break;
        }
    }
    Ok(())
}
