//! What the hub does by itself: leases that lapse, tasks whose time is over, rows that are no longer kept.
//! Each round is bounded; what is left is found by the next one.

use baton_core::{Command, Refusal, TaskId, UnixMillis, limits};
use baton_store::rows::{hour_of, minute_of};
use baton_store::{ClockReading, Transaction};

use super::accounts::registration::HUB;
use super::stamp::Stamp;
use super::{Error, audit, operation};
use crate::hub::Hub;

/// Gives every lease its whole time again: monotonic time began again with this start.
pub async fn rearm(hub: &Hub) -> Result<(), Error> {
    let rearm = |tx: &mut dyn Transaction| -> Result<(), Error> {
        let ClockReading { monotonic, now, .. } = tx.time();
        Ok(tx.rearm_leases(monotonic, now)?)
    };
    hub.store.write(rearm).await
}

/// Takes tasks back from workers that went silent. Answers how many.
pub async fn leases(hub: &Hub) -> Result<usize, Error> {
    if hub.peers.as_ref().is_some_and(|peers| peers.take_outage()) {
        // No hub could reach the database, so nobody could renew a lease.
        rearm(hub).await?;
    }
    let now = hub.clock.monotonic();
    let due = hub
        .store
        .read(move |rows| -> Result<_, Error> { Ok(rows.due_leases(now, limits::SWEEP_ROWS_COUNT)?) })
        .await?;
    let mut lapsed = 0;
    for lease in due {
        let command = Command::LapseLease { lease_id: lease.lease_id };
        lapsed += usize::from(hub_acts(hub, lease.task_id, command).await?);
    }
    Ok(lapsed)
}

/// Ends tasks whose time is over and that nobody works on. Answers how many. Those in work are found again each
/// round; they cost a look on a read connection, never a write.
pub async fn expiry(hub: &Hub) -> Result<usize, Error> {
    let (now, clock_jumps) = hub.clock.observe();
    let mut expired = 0;
    for (after, until) in clock_jumps.due_ranges(now) {
        expired += in_range(hub, after, until, &Command::Expire).await?;
    }
    Ok(expired)
}

/// Ends runs that take too long, and delivers tasks again whose pause is over. Answers how many.
pub async fn due(hub: &Hub) -> Result<usize, Error> {
    let (now, clock_jumps) = hub.clock.observe();
    let mut done = 0;
    for (after, until) in clock_jumps.due_ranges(now) {
        done += in_range(hub, after, until, &Command::ComeDue).await?;
    }
    Ok(done)
}

/// Carries out an expiry, or what has come due, for tasks whose time lies in a range.
async fn in_range(
    hub: &Hub,
    after: UnixMillis,
    until: UnixMillis,
    command: &Command,
) -> Result<usize, Error> {
    let mut done = 0;
    let mut after = (after.get(), i64::MAX);
    for _ in 0..limits::SWEEP_REPEATS_MAX_COUNT {
        let (stamp, asked) = (Stamp::new(hub), command.clone());
        let page = hub.store.read(move |rows| -> Result<_, Error> {
            let overdue = match asked {
                Command::ComeDue => rows.due_tasks(until, after, limits::SWEEP_ROWS_COUNT)?,
                _ => rows.overdue_tasks(until, after, limits::SWEEP_ROWS_COUNT)?,
            };
            let mut due = Vec::new();
            for (_, _, task_id) in &overdue {
                if operation::would_act_as_hub(rows, &stamp, task_id, &asked)? {
                    due.push(task_id.clone());
                }
            }
            Ok((overdue.len(), overdue.last().map(|(expires_at, seq, _)| (*expires_at, *seq)), due))
        });
        let (looked_at, last, due) = page.await?;
        for task_id in due {
            done += usize::from(hub_acts(hub, task_id, command.clone()).await?);
        }
        match last {
            Some(last) if looked_at == limits::SWEEP_ROWS_COUNT => after = last,
            _ => break,
        }
    }
    Ok(done)
}

/// Carries out the hub's own command; a task that moved on meanwhile is left alone.
async fn hub_acts(hub: &Hub, task_id: TaskId, command: Command) -> Result<bool, Error> {
    let stamp = Stamp::new(hub);
    let done =
        hub.store.write(move |tx| operation::act_as_hub(tx, &stamp, &task_id, &command).map(|_| ())).await;
    match done {
        Ok(()) => Ok(true),
        Err(Error::Refused(
            Refusal::LeaseLost
            | Refusal::LeaseStillRuns
            | Refusal::TaskNotOverdue
            | Refusal::TaskNotFound
            | Refusal::TaskIsTerminal { .. },
        )) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes what is no longer kept: old messages, old keys, old frames, failed logins that no longer matter,
/// silent workers. Answers how many rows went.
pub async fn retention(hub: &Hub) -> Result<usize, Error> {
    let now = hub.clock.now_without_jumps();
    let ago = move |seconds: u32| -> UnixMillis { now.plus_millis(-1000 * i64::from(seconds)) };
    let mut removed = 0;
    for _ in 0..limits::RETENTION_REPEATS_MAX_COUNT {
        // Short writes, one after another: callers' writes go between them.
        let round = hub.store.write(move |tx| -> Result<usize, Error> {
            let deliveries =
                tx.forget_deliveries(ago(limits::DELIVERY_KEPT_SECONDS), limits::SWEEP_ROWS_COUNT)?;
            let keys = tx.forget_sends(ago(limits::IDEMPOTENCY_KEPT_SECONDS), limits::SWEEP_ROWS_COUNT)?;
            let minutes =
                tx.forget_minutes(minute_of(ago(limits::MINUTES_KEPT_SECONDS)), limits::SWEEP_ROWS_COUNT)?;
            let edges =
                tx.forget_edges(hour_of(ago(limits::EDGES_KEPT_SECONDS)), limits::SWEEP_ROWS_COUNT)?;
            let attempts = tx.forget_attempts(now, limits::SWEEP_ROWS_COUNT)?;
            let workers = tx.forget_workers(ago(limits::WORKER_KEPT_SECONDS), limits::SWEEP_ROWS_COUNT)?;
            Ok(deliveries + keys + minutes + edges + attempts + workers)
        });
        let round = round.await?;
        removed += round;
        if round < limits::SWEEP_ROWS_COUNT {
            break;
        }
    }
    Ok(removed + trim_feeds(hub).await?)
}

/// Removes frames that no stream can resume from any more, a network at a time.
async fn trim_feeds(hub: &Hub) -> Result<usize, Error> {
    let keep = limits::FEED_KEPT_COUNT;
    let longer = hub.store.read(move |rows| -> Result<_, Error> { Ok(rows.feeds_longer_than(keep)?) });
    let mut removed = 0;
    for network in longer.await? {
        let trim = hub.store.write(move |tx| -> Result<_, Error> {
            Ok(tx.trim_feed(&network, keep, limits::FRAMES_FORGOTTEN_COUNT)?)
        });
        removed += trim.await?;
    }
    Ok(removed)
}

/// Ends sessions of browsers whose time is over; their streams end with them. Answers how many.
pub async fn browsers(hub: &Hub) -> Result<usize, Error> {
    let now = hub.clock.now();
    let without_jumps = hub.clock.now_without_jumps();
    let ago = move |seconds: u32| without_jumps.plus_millis(-1000 * i64::from(seconds));
    let quiet = ago(limits::BROWSER_IDLE_MAX_SECONDS);
    let old = ago(limits::BROWSER_SESSION_MAX_SECONDS);
    let stale = move |rows: &dyn baton_store::Snapshot| -> Result<bool, Error> {
        Ok(!rows.stale_browser_tokens(quiet, old, 1)?.is_empty())
    };
    if !hub.store.read(stale).await? {
        return Ok(0);
    }
    let remove = move |tx: &mut dyn baton_store::Transaction| -> Result<usize, Error> {
        let stale = tx.stale_browser_tokens(quiet, old, limits::SWEEP_ROWS_COUNT)?;
        for token in &stale {
            tx.delete_user_token(&token.token_id)?;
            tx.audit(now, HUB, audit::TOKEN_EXPIRED, None, token.token_id.as_str(), &token.name)?;
        }
        tx.touch_access();
        Ok(stale.len())
    };
    hub.store.write(remove).await
}

/// Revokes tokens that have expired, so that streams and waiting calls end with them. A call with one is refused from its
/// last moment on (`hub/access.rs`). Answers how many.
pub async fn tokens(hub: &Hub) -> Result<usize, Error> {
    let now = hub.clock.now_without_jumps();
    let is_any = move |rows: &dyn baton_store::Snapshot| -> Result<bool, Error> {
        Ok(!rows.expired_tokens(now, 1)?.is_empty())
    };
    if !hub.store.read(is_any).await? {
        return Ok(0);
    }
    let revoke = move |tx: &mut dyn baton_store::Transaction| -> Result<usize, Error> {
        let expired = tx.expired_tokens(now, limits::SWEEP_ROWS_COUNT)?;
        for token in &expired {
            let (network, id) = (token.network_id.as_ref(), token.token_id.as_str());
            tx.revoke_token(&token.token_id, now)?;
            tx.audit(now, HUB, audit::TOKEN_EXPIRED, network, id, &token.name)?;
        }
        tx.touch_access();
        Ok(expired.len())
    };
    hub.store.write(revoke).await
}

/// Forgets what OAuth's clients have that is over: access tokens, codes, and clients that nobody uses. Answers how many rows.
pub async fn oauth(hub: &Hub) -> Result<usize, Error> {
    let now = hub.clock.now_without_jumps();
    let ago = move |seconds: u32| now.plus_millis(-1000 * i64::from(seconds));
    let forget = move |tx: &mut dyn baton_store::Transaction| -> Result<usize, Error> {
        let (codes, used) = (ago(limits::OAUTH_CODE_KEPT_SECONDS), ago(limits::OAUTH_CLIENT_KEPT_SECONDS));
        let most = limits::SWEEP_ROWS_COUNT;
        let unused = ago(limits::OAUTH_CLIENT_UNUSED_MAX_SECONDS);
        Ok(tx.forget_oauth(now, codes, used, most)? + tx.forget_unused_oauth_clients(unused, most)?)
    };
    hub.store.write(forget).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{TestHub, browser_token, network, node, user_id};
    use crate::service::send_tasks;
    use baton_core::{
        Alias, Kind, MaxAttempts, NewTask, Priority, RunTerms, Status, SystemRole, TokenId, TtlSeconds,
    };
    use baton_store::rows::{AttemptKind, AttemptsRow, IdempotentSend, NewEvent, NewTaskRow, WorkerRow};
    use std::sync::atomic::{AtomicBool, Ordering};

    const WEEKS: i64 = 40 * 86_400_000;

    #[tokio::test]
    async fn attempts_that_no_longer_matter_are_removed_and_the_others_stay() {
        let test = TestHub::start();
        let now = test.hub.clock.now();
        test.write(move |tx| {
            for (n, millis) in [(1, -1), (2, 60_000)] {
                let row = AttemptsRow { count: 1, times: vec![now], forgotten_at: now.plus_millis(millis) };
                tx.put_attempts(AttemptKind::Address, &[n; 32], &row, 10)?;
            }
            Ok(())
        })
        .await;
        assert_eq!(retention(&test.hub).await.unwrap(), 1);
        let kept = test.hub.store.read(|rows| rows.attempts(AttemptKind::Address, &[2; 32])).await.unwrap();
        assert!(kept.is_some());
    }

    #[tokio::test]
    async fn a_worker_that_is_silent_for_an_hour_is_removed_and_one_that_was_just_seen_stays() {
        let test = TestHub::start();
        test.person("ada", SystemRole::User, &[1]).await;
        test.agent("ada", 1, "coder").await;
        let now = test.hub.clock.now();
        test.write(move |tx| {
            for (id, seconds) in [("silent", 3_601), ("there", 60)] {
                let seen = now.plus_millis(-1_000 * seconds);
                let worker = WorkerRow {
                    network_id: network(1),
                    alias: Alias::parse("coder").unwrap(),
                    worker_id: id.into(),
                    token_id: TokenId::from_random([1; 6]),
                    hostname: None,
                    project_dir: None,
                    version: None,
                    concurrency: None,
                    description: None,
                    skills: None,
                    started_at: seen,
                    last_seen_at: seen,
                };
                tx.put_worker(&worker, 9)?;
            }
            Ok(())
        })
        .await;
        assert_eq!(retention(&test.hub).await.unwrap(), 1);
        let coder = Alias::parse("coder").unwrap();
        let left = test.hub.store.read(move |rows| rows.workers(&network(1), &coder, 9)).await.unwrap();
        assert_eq!(left.into_iter().map(|worker| worker.worker_id).collect::<Vec<_>>(), ["there"]);
    }

    #[tokio::test]
    async fn a_clock_that_was_put_ahead_removes_no_key_and_ends_no_browsers_session() {
        let test = TestHub::start();
        test.person("alice", SystemRole::User, &[1]).await;
        let hub = &test.hub;
        let (now, task_id) = (hub.clock.now(), hub.new_task_id());
        let session_status = String::from("idle");
        let send = IdempotentSend { arguments: vec![1], task_id, session_status, created_at: now };
        test.write(move |tx| {
            let user_id = user_id("alice");
            let session = browser_token(&user_id, now);
            tx.insert_token(&session)?;
            tx.remember_send(&network(1), &node("sender"), "key", &send)
        })
        .await;
        hub.clock.put_ahead(WEEKS);
        assert_eq!((retention(hub).await.unwrap(), browsers(hub).await.unwrap()), (0, 0));
        // The same hours later on a clock that was always right.
        let later = now.plus_millis(WEEKS);
        let forgotten = hub.store.write(move |tx| -> Result<_, Error> {
            Ok((tx.stale_browser_tokens(later, later, 9)?.len(), tx.forget_sends(later, 9)?))
        });
        assert_eq!(forgotten.await.unwrap(), (1, 1), "both were there");
    }

    /// A task that has waited past its time.
    fn insert_overdue(
        tx: &mut dyn Transaction,
        id: &TaskId,
        now: UnixMillis,
    ) -> Result<(), baton_store::Error> {
        let task = NewTask {
            id: id.clone(),
            network_id: network(1),
            from: node("lead"),
            to: Alias::parse("coder").unwrap(),
            kind: Kind::parse("delegation").unwrap(),
            attempt: 1,
            max_attempts: MaxAttempts::default().get(),
            runs: RunTerms::default(),
            ttl: TtlSeconds::default(),
            delivered_at: now.plus_seconds(1).plus_millis(-WEEKS),
            expires_at: now.plus_millis(-1),
            parent_task_id: None,
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
        })?;
        let event = NewEvent {
            network_id: &task.network_id,
            task_id: id,
            from: None,
            to: Status::Delivered,
            actor: &task.from,
            actor_token: None,
            detail: "sent",
            at: task.delivered_at,
            log_index: None,
        };
        tx.append_event(event).map(drop)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn thousands_of_overdue_tasks_expire_one_a_commit_while_another_tenant_sends_between_them() {
        const OVERDUE: usize = 2_000;
        let test = TestHub::start();
        test.person("ada", SystemRole::User, &[1]).await;
        test.agent("ada", 1, "coder").await;
        let sender = test.person("bob", SystemRole::User, &[2]).await;
        test.agent("bob", 2, "worker").await;
        let (hub, now) = (&test.hub, test.hub.clock.now());
        let ids: Vec<_> = (0..OVERDUE).map(|_| hub.new_task_id()).collect();
        test.write(move |tx| ids.iter().try_for_each(|id| insert_overdue(tx, id, now))).await;
        let sender = hub.identify(&sender).await.unwrap().caller.clone();
        let is_over = AtomicBool::new(false);
        let before = hub.store.meter().batches();
        let sending = async {
            let mut sent = 0;
            while !is_over.load(Ordering::Relaxed) {
                let tasks = vec![serde_json::json!({"alias": "worker", "task": "work"})];
                let outcomes = send_tasks::run(hub, &sender, send_tasks::Args { tasks }, None).await.unwrap();
                sent += outcomes.iter().flatten().count();
            }
            sent
        };
        let expiring = async {
            let expired = expiry(hub).await.unwrap();
            is_over.store(true, Ordering::Relaxed);
            expired
        };
        let (expired, sent) = tokio::join!(expiring, sending);
        assert_eq!(expired, OVERDUE);
        // Never more than the one step, and the one send that waits beside it; each is run twice here.
        let after = hub.store.meter().batches();
        let small =
            |counted: &baton_core::Counted| counted.at_most.iter().find(|(size, _)| *size == 4).unwrap().1;
        assert_eq!(small(&after) - small(&before), after.count - before.count);
        assert!(after.count - before.count >= OVERDUE as u64, "a step is a commit of its own");
        // A send waits for a step at most, so it has its turn after every few of them.
        assert!(sent >= OVERDUE / 10, "{sent} sends went between {OVERDUE} expiries");
        assert_eq!(hub.store.meter().tasks(Status::Expired), OVERDUE as i64);
        assert_eq!(expiry(hub).await.unwrap(), 0);
    }
}
