//! Tasks that ended longer ago than the operator keeps them leave the tables, with all that is theirs; what the logs say of
//! them stays. In short writes, so that callers' writes go between them; what is left is found by the next round.

use baton_core::{TaskId, UnixMillis, limits};
use std::time::{Duration, Instant};

use super::Error;
use crate::hub::Hub;

const WRITE_MAX: Duration = Duration::from_millis(limits::LEAVING_WRITE_MAX_MILLIS as u64);
const ROUND_MAX: Duration = Duration::from_secs(limits::LEAVING_ROUND_MAX_SECONDS as u64);
const MARKED_EVERY: Duration = Duration::from_secs(limits::FEED_MARKED_EVERY_SECONDS as u64);

/// Removes what is too old, for a while. Answers how many tasks went.
pub async fn leave(hub: &Hub) -> Result<usize, Error> {
    let Some(keep) = hub.settings.keep_tasks else { return Ok(0) };
    // What is removed is gone for good, so a clock that was set ahead must not count.
    let before = ago(hub.clock.now_without_jumps(), keep);
    let left = tasks(hub, before).await?;
    if left > 0 {
        tracing::info!(tasks = left, "tasks that ended long ago have left");
    }
    Ok(left)
}

/// Looks them up beside the writer, and removes as many of them at once as a short write allows.
async fn tasks(hub: &Hub, before: UnixMillis) -> Result<usize, Error> {
    let began = Instant::now();
    let mut left = 0;
    while began.elapsed() < ROUND_MAX && !hub.shutdown.is_draining() {
        let most = limits::LEAVING_TASKS_MAX_COUNT;
        let old =
            hub.store.read(move |rows| -> Result<_, Error> { Ok(rows.tasks_ended_before(before, most)?) });
        let old: Vec<TaskId> = old.await?;
        if old.is_empty() {
            break;
        }
        let removed = hub
            .store
            .write(move |tx| -> Result<usize, Error> {
                let began = Instant::now();
                let mut left = 0;
                for task in &old {
                    left += usize::from(tx.remove_task(task, before)?);
                    if began.elapsed() > WRITE_MAX {
                        break;
                    }
                }
                Ok(left)
            })
            .await?;
        left += removed;
        if removed == 0 {
            break;
        }
    }
    Ok(left)
}

/// Frames have no times of their own: how far the feeds have come is noted now and then, and they go by the notes.
/// Answers how many went.
pub async fn frames_leave(hub: &Hub) -> Result<usize, Error> {
    let Some(keep) = hub.settings.keep_tasks else { return Ok(0) };
    let now = hub.clock.now_without_jumps();
    let (since, before) = (ago(now, MARKED_EVERY), ago(now, keep));
    let due = hub.store.read(move |rows| -> Result<_, Error> { Ok(rows.feeds_due(since, before)?) });
    let mut forgotten = 0;
    for network in due.await? {
        if hub.shutdown.is_draining() {
            break;
        }
        let one = hub.store.write(move |tx| -> Result<usize, Error> {
            tx.mark_feed(&network, now, since)?;
            Ok(tx.forget_frames(&network, before, limits::FRAMES_FORGOTTEN_COUNT)?)
        });
        forgotten += one.await?;
    }
    Ok(forgotten)
}

fn ago(now: UnixMillis, time: Duration) -> UnixMillis {
    now.plus_millis(-i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}
