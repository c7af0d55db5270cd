//! One receiver is sent what it has not received, in order, until it fails, has received all, or others have waited long
//! enough. If the hub dies between a call and the note of it, the receiver receives that event twice.

use baton_core::{TaskId, limits};
use baton_store::Work;
use baton_store::rows::{EventRow, PushConfigRow, PushFailures};
use futures_util::FutureExt;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use std::panic::AssertUnwindSafe;

use super::retry::{self, Verdict};
use crate::hub::Hub;
use crate::metrics::PushOutcome;
use crate::outbound;
use crate::service::task_record::{self, Extent, TaskRecord};
use crate::service::{Error, push_configs};

/// How it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    UpToDate,
    /// So far; others have their turn before the rest.
    HasMore,
    Failed,
}

/// What to send to a receiver next.
enum Next {
    Event(Box<(PushConfigRow, EventRow)>),
    /// Nothing for now.
    Nothing,
    /// Nothing ever again.
    Closed(Box<PushConfigRow>, &'static str),
}

/// Tells a receiver what there is, up to a bound.
pub(super) async fn deliver(hub: &Hub, task_id: &TaskId, config_id: &str) -> Outcome {
    let delivered_outcome = match AssertUnwindSafe(deliver_some(hub, task_id, config_id)).catch_unwind().await
    {
        Ok(delivered_outcome) => delivered_outcome,
        Err(_) => {
            tracing::error!(worker = "push", %task_id, config_id, "notifying a receiver panicked; it is tried again");
            defer(hub, task_id, config_id).await.map(|()| Outcome::Failed)
        }
    };
    match delivered_outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            // The hub's own error, which says nothing of the receiver.
            tracing::warn!(worker = "push", %task_id, config_id, %error, "a receiver could not be notified; it is tried again");
            tokio::time::sleep(limits::STORE_RETRY_AFTER).await;
            Outcome::HasMore
        }
    }
}

async fn deliver_some(hub: &Hub, task_id: &TaskId, config_id: &str) -> Result<Outcome, Error> {
    for _ in 0..limits::PUSH_EVENTS_PER_TURN_COUNT {
        let (config, event) = match next(hub, task_id, config_id).await? {
            Next::Event(next) => *next,
            Next::Nothing => return Ok(Outcome::UpToDate),
            Next::Closed(config, why) => {
                tracing::debug!(worker = "push", task_id = %config.task_id, config_id = config.config_id, why, "closed");
                let delivered = config.delivered;
                note(hub, *config, delivered, PushFailures::default(), false).await?;
                return Ok(Outcome::UpToDate);
            }
        };
        // Another hub may have it by now.
        if !hub.owns_work(Work::Pushes, config.network_id.as_str()).await? {
            return Ok(Outcome::UpToDate);
        }
        let is_open = !event.to_status.is_terminal();
        let extent = Extent::told_from(event.n);
        let record =
            task_record::read_again(hub, hub.store_of(&config.network_id), &config.task_id, extent).await?;
        let failed = match send_event(hub, &config, &record, &event).await {
            Ok(()) => {
                hub.metrics.pushes.note(PushOutcome::Told);
                note(hub, config, event.n, PushFailures::default(), is_open).await?;
                continue;
            }
            Err(failed) => failed,
        };
        match retry::after_failure(config.trouble, hub.clock.now_without_jumps(), retry::jitter()) {
            Verdict::Again(trouble) => {
                hub.metrics.pushes.note(PushOutcome::TriedAgain);
                tracing::debug!(
                    worker = "push", task_id = %config.task_id, config_id = config.config_id, event = event.n,
                    failures = trouble.failures, error = %failed, "a receiver failed and is tried again"
                );
                let delivered = config.delivered;
                note(hub, config, delivered, trouble, true).await?;
                return Ok(Outcome::Failed);
            }
            Verdict::GivenUp(trouble) => {
                hub.metrics.pushes.note(PushOutcome::GivenUp);
                tracing::warn!(
                    worker = "push", task_id = %config.task_id, config_id = config.config_id, event = event.n,
                    failures = trouble.failures, error = %failed, "a receiver failed for too long; the event is given up"
                );
                note(hub, config, event.n, trouble, is_open).await?;
            }
        }
    }
    Ok(Outcome::HasMore)
}

/// A receiver that could not be called because of an error of the hub itself is tried again later, like one that failed.
pub(super) async fn defer(hub: &Hub, task_id: &TaskId, config_id: &str) -> Result<(), Error> {
    let now = hub.clock.now_without_jumps();
    let (task_id, config_id) = (task_id.clone(), config_id.to_owned());
    hub.store
        .write(move |tx| -> Result<(), Error> {
            let config = tx.push_config(&task_id, &config_id)?.filter(|config| config.is_open);
            let Some(config) = config else { return Ok(()) };
            let (delivered, trouble) = match retry::after_failure(config.trouble, now, retry::jitter()) {
                Verdict::Again(trouble) => (config.delivered, trouble),
                Verdict::GivenUp(trouble) => (config.delivered + 1, trouble),
            };
            Ok(tx.note_push(&config, delivered, trouble, true)?)
        })
        .await
}

/// What comes next, as things stand.
async fn next(hub: &Hub, task_id: &TaskId, config_id: &str) -> Result<Next, Error> {
    let (task_id, config_id) = (task_id.clone(), config_id.to_owned());
    hub.store
        .read(move |rows| -> Result<Next, Error> {
            let config = rows.push_config(&task_id, &config_id)?.filter(|config| config.is_open);
            let Some(config) = config else { return Ok(Next::Nothing) };
            if !push_configs::may_still_be_told(rows, &config)? {
                return Ok(Next::Closed(Box::new(config), "its creator may no longer see the task"));
            }
            let has_ended = rows.task_snapshot(&task_id)?.is_none_or(|task| task.status.is_terminal());
            match rows.event_after(&task_id, config.delivered)? {
                Some(event) => Ok(Next::Event(Box::new((config, event)))),
                None if has_ended => Ok(Next::Closed(Box::new(config), "the task has ended")),
                None => Ok(Next::Nothing),
            }
        })
        .await
}

async fn note(
    hub: &Hub,
    config: PushConfigRow,
    delivered: i64,
    trouble: PushFailures,
    is_open: bool,
) -> Result<(), Error> {
    let store = hub.store_of(&config.network_id);
    store.write(move |tx| Ok(tx.note_push(&config, delivered, trouble, is_open)?)).await
}

/// Calls the receiver with what an event says; an event may say several things.
async fn send_event(
    hub: &Hub,
    config: &PushConfigRow,
    record: &TaskRecord,
    event: &EventRow,
) -> Result<(), outbound::Error> {
    let calls = hub.outbound.for_network(&config.network_id);
    for update in crate::a2a::updates(record, event) {
        let body =
            serde_json::to_vec(&update).map_err(|error| outbound::Error::Unreadable(error.to_string()))?;
        let target = calls.target(&config.url)?;
        let mut request = calls.request(Method::POST, &target)?.header(CONTENT_TYPE, "application/a2a+json");
        if let Some(token) = &config.secrets.token {
            request = request.header("X-A2A-Notification-Token", secret(token)?);
        }
        if let Some(scheme) = &config.secrets.scheme {
            let credentials = config.secrets.credentials.as_deref().unwrap_or_default();
            request = request.header(AUTHORIZATION, secret(format!("{scheme} {credentials}").trim_end())?);
        }
        let status = calls.send_for_status(request.body(body)).await?;
        if !status.is_success() {
            return Err(outbound::Error::Failed(format!("it answered {}", status.as_u16())));
        }
    }
    Ok(())
}

/// A header that no log prints.
fn secret(text: &str) -> Result<HeaderValue, outbound::Error> {
    let value = HeaderValue::from_str(text);
    let mut value = value.map_err(|_| outbound::Error::NoTarget("its credentials make no header"))?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{TestHub, network, node, user_id};
    use baton_core::{SystemRole, UnixMillis};
    use baton_store::rows::PushSecrets;

    #[tokio::test]
    async fn a_receiver_that_was_put_off_has_a_time_when_it_is_tried_again_and_misses_nothing() {
        let test = TestHub::start();
        test.person("alice", SystemRole::User, &[1]).await;
        let long_ago = UnixMillis::new(1);
        let config = PushConfigRow {
            task_id: TaskId::new(long_ago, [1; 10]),
            config_id: "mine".into(),
            network_id: network(1),
            owner: node("lead"),
            user_id: user_id("alice"),
            token_id: None,
            url: "https://a.example/".into(),
            secrets: PushSecrets::default(),
            created_at: long_ago,
            delivered: 3,
            trouble: PushFailures::default(),
            is_open: true,
        };
        let (task, made) = (config.task_id.clone(), config);
        test.write(move |tx| tx.put_push_config(&made)).await;
        defer(&test.hub, &task, "mine").await.unwrap();
        let read =
            test.hub.store.read(move |rows| -> Result<_, Error> { Ok(rows.push_config(&task, "mine")?) });
        let config = read.await.unwrap().unwrap();
        assert_eq!((config.delivered, config.trouble.failures), (3, 1));
        assert!(config.trouble.next_at.is_some());
    }
}
