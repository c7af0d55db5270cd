//! The stream of one task: its statuses, its progress and what its command prints, until it has ended. A frame's id is the
//! place it leads to, so `Last-Event-ID` resumes after it within what is kept. What is new is read from the rows, live or
//! late; a bell only says that it is worth looking. It is polled only as fast as its client reads.

use baton_core::{Caller, Quota, Refusal, TaskId, limits};
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use std::convert::Infallible;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

use super::frame;
use crate::hub::{Bell, Hub, Occupied, Slot};
use crate::service::Error;
use crate::service::follow_task::{self, TaskPosition, TaskUpdate};

const COMMENT_EVERY: Duration = Duration::from_secs(limits::STREAM_COMMENT_SECONDS as u64);
const LOOK_EVERY: Duration = Duration::from_secs((limits::REVOKED_STREAM_ENDS_SECONDS / 3) as u64);

/// An open stream.
pub(super) struct TaskStream {
    hub: Arc<Hub>,
    bearer: String,
    caller: Caller,
    task: TaskId,
    bell: Bell,
    /// The access epoch under which the caller was last allowed to look.
    epoch: u64,
    /// Where the client is; none before the first frame.
    place: Option<TaskPosition>,
    is_caught_up: bool,
    is_over: bool,
    comment_at: Instant,
    _seat: Slot,
    _occupied: Occupied,
}

impl TaskStream {
    /// Opens a stream for a caller that may see the task. An id that does not parse restarts from the beginning.
    pub(super) async fn open(
        hub: Arc<Hub>,
        bearer: String,
        task: &str,
        last_event_id: Option<&str>,
    ) -> Result<Self, Error> {
        // Read before the rows are: what was allowed is at least as new as this number says.
        let epoch = hub.store.access_epoch();
        let who = hub.identity_of(&bearer).await?;
        let caller = who.caller.clone();
        let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
        let network = follow_task::open(&hub, &caller, &task).await?;
        let seat = hub.streams.take_seat(&who.token_id)?;
        let occupied = hub.occupy(Quota::Streams, &network).await?;
        // Listening begins before the rows are read: what comes between is not missed.
        let bell = hub.bells.listen_to_task(&task);
        Ok(Self {
            place: last_event_id.and_then(TaskPosition::parse),
            is_caught_up: false,
            is_over: false,
            comment_at: Instant::now() + COMMENT_EVERY,
            _seat: seat,
            _occupied: occupied,
            hub,
            bearer,
            caller,
            task,
            bell,
            epoch,
        })
    }

    /// The stream's bytes, until the task has ended, the token is revoked, the hub stops or the client leaves.
    pub(super) fn frames(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        stream::unfold(self, |mut stream| async move {
            let bytes = stream.next().await?;
            Some((Ok(bytes), stream))
        })
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.is_over || !self.may_go_on().await {
                return None;
            }
            let told = match self.is_caught_up {
                true => self.wait().await,
                false => self.read_on().await?,
            };
            if !told.is_empty() {
                return Some(told);
            }
        }
    }

    /// Whether the caller may still look; asked of the store only when tokens, members or an assignee changed.
    async fn may_go_on(&mut self) -> bool {
        let epoch = self.hub.store.access_epoch();
        if epoch == self.epoch {
            return true;
        }
        match self.check().await {
            Ok(()) => self.epoch = epoch,
            // The store had no time to say: asked again before the next frame.
            Err(Error::Store(error)) => tracing::debug!(%error, "a task's stream is not looked at yet"),
            Err(refused) => {
                tracing::debug!(%refused, "a task's stream ends");
                return false;
            }
        }
        true
    }

    async fn check(&self) -> Result<(), Error> {
        let identity = self.hub.identity_of(&self.bearer).await?;
        follow_task::check_visible(&self.hub, &identity.caller, &self.task).await
    }

    /// Tells what is new. None when the store is closed.
    async fn read_on(&mut self) -> Option<Bytes> {
        let news = match follow_task::read(&self.hub, &self.caller, &self.task, self.place).await {
            Ok(news) => news,
            Err(Error::Store(baton_store::Error::Closed)) => return None,
            // It left by retention, or with its network.
            Err(Error::Refused(_)) => return None,
            Err(error) => {
                tracing::warn!(%error, "a task's stream could not read it");
                sleep(limits::STORE_RETRY_AFTER).await;
                return Some(Bytes::new());
            }
        };
        self.is_caught_up = true;
        self.is_over = news.has_ended;
        let mut frames = String::new();
        for (place, told) in &news.told {
            self.place = Some(*place);
            // Writing to a string cannot fail.
            let _ = write!(frames, "id: {place}\ndata: {}\n\n", json(told));
        }
        Some(frames.into())
    }

    /// Waits for something to send; may return nothing.
    async fn wait(&mut self) -> Bytes {
        tokio::select! {
            () = self.bell.wait() => self.is_caught_up = false,
            () = sleep_until(self.comment_at.min(Instant::now() + LOOK_EVERY)) => {
                if Instant::now() >= self.comment_at {
                    self.comment_at = Instant::now() + COMMENT_EVERY;
                    // In case a ring was lost.
                    self.is_caught_up = false;
                    return Bytes::from_static(frame::COMMENT);
                }
            }
            () = self.hub.shutdown.wait() => {
                self.is_over = true;
                return Bytes::from_static(frame::FAREWELL);
            }
        }
        Bytes::new()
    }
}

fn json(told: &TaskUpdate) -> String {
    // Plain words and numbers: there is nothing in it that JSON cannot say.
    serde_json::to_string(told).unwrap_or_default()
}
