//! A task's stream: the task first, then an update for each of its events, until it has ended; the stream of a message
//! ends also where its sender is asked, who has to say something before it continues. Between events it sends the latest
//! progress. A frame's id is the number of its event, or that of the last event and the number of the progress after
//! it (`2.5`), so `Last-Event-ID` resumes after it; the rows are read in order, live or late, so every
//! subscriber receives the same. It is polled only as fast as its client reads: a slow one holds up nobody.

use a2a_types::StreamResponse;
use baton_core::{Quota, Status, TaskId, limits};
use baton_store::rows::{EventRow, ProgressRow};
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use serde::Serialize;
use serde_json::Value;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

use super::agent_caller::AgentCaller;
use super::error::{A2aError, Kind};
use super::task::{self, Shown};
use super::watch::{TaskWatch, WakeReason};
use crate::hub::Slot;
use crate::hub::in_flight::Cost;
use crate::hub::{Hub, Occupied};
use crate::service::task_record::{self, Extent, TaskRecord};

const COMMENT_EVERY: Duration = Duration::from_secs(limits::STREAM_COMMENT_SECONDS as u64);
const COMMENT: &[u8] = b": still here\n\n";
const FAREWELL: &[u8] = b": the hub is stopping\n\n";

/// Where a stream begins.
#[derive(Debug, Clone, Copy)]
pub(super) enum Begin {
    /// With the task as it is.
    Now,
    /// With the task as it stood at this event.
    After(i64),
}

/// Where a stream is: everything up to this event, and this progress after it, was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    event: i64,
    progress: i64,
}

impl Position {
    const fn of_event(event: i64) -> Self {
        Self { event, progress: 0 }
    }

    const fn of_progress(progress: &ProgressRow) -> Self {
        Self { event: progress.event, progress: progress.n }
    }

    /// The number of the event in a frame's id.
    fn event_of(id: &str) -> Option<i64> {
        let (event, progress) = id.split_once('.').unwrap_or((id, "1"));
        progress.parse::<u32>().ok().filter(|progress| *progress > 0)?;
        event.parse().ok()
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.progress {
            0 => write!(f, "{}", self.event),
            progress => write!(f, "{}.{progress}", self.event),
        }
    }
}

/// A stream that has not started yet.
pub(super) struct TaskStream {
    watch: TaskWatch,
    record: TaskRecord,
    /// Everything up to this event was sent, or is in the first frame.
    position: i64,
    history: usize,
    ends: StreamEnd,
    seat: StreamSlot,
}

/// Where a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamEnd {
    /// With the task.
    WithTask,
    /// With the task, or when its agent asks the sender.
    WithQuestion,
}

impl StreamEnd {
    fn at(self, status: Status) -> bool {
        status.is_terminal() || (self == Self::WithQuestion && status == Status::WaitingInput)
    }
}

impl TaskStream {
    /// Follows a task that is open, or whose end the client has not received.
    pub(super) async fn subscribe(hub: &Arc<Hub>, visitor: AgentCaller, id: &str) -> Result<Self, A2aError> {
        let seen = task_record::read(hub, visitor.caller(), &visitor.agent, id, Extent::now(0)).await?;
        let begin = match &visitor.last_event_id {
            None => Begin::Now,
            Some(last) => Begin::After(resumed(&seen, last)?),
        };
        let end = seen.history.last().filter(|_| seen.row.snapshot.status.is_terminal());
        let heard = |end: &EventRow| match begin {
            Begin::Now => true,
            Begin::After(n) => n >= end.n,
        };
        if end.is_some_and(heard) {
            let message =
                format!("the task is already {}: there is nothing to follow", seen.row.snapshot.status);
            return Err(A2aError::new(Kind::UnsupportedOperation, message));
        }
        let seat = take_seat(hub, &visitor).await?;
        let history = limits::A2A_HISTORY_DEFAULT_COUNT;
        Self::open(hub, visitor, seen.row.snapshot.id, seat, (begin, StreamEnd::WithTask), history).await
    }

    /// Begins to listen, then reads what there is: nothing is missed between the two.
    pub(super) async fn open(
        hub: &Arc<Hub>,
        visitor: AgentCaller,
        task: TaskId,
        seat: StreamSlot,
        (begin, ends): (Begin, StreamEnd),
        history: usize,
    ) -> Result<Self, A2aError> {
        let watch = TaskWatch::new(hub, visitor, task);
        let extent = match begin {
            Begin::Now => Extent::now(history),
            Begin::After(n) => Extent::at(n, history),
        };
        // The task it begins with may be large; the updates after it are not.
        watch.visitor.take_share(hub, Cost::Item).await?;
        let record = task_record::read_again(hub, watch.store(), &watch.task, extent).await?;
        let position = match begin {
            Begin::Now => record.history.last().map_or(0, |event| event.n),
            Begin::After(n) => n,
        };
        Ok(Self { watch, record, position, history, ends, seat })
    }

    /// The stream's bytes. With an id each frame is that JSON-RPC request's response.
    pub(super) fn frames(self, id: Option<Value>) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        let teller = EventStream {
            watch: self.watch,
            position: Position::of_event(self.position),
            is_caught_up: false,
            is_over: false,
            ends: self.ends,
            comment_at: Instant::now() + COMMENT_EVERY,
            print: FrameFormat { id },
            first: Some((self.record, self.history)),
            read: None,
            _seat: self.seat,
        };
        stream::unfold(teller, |mut teller| async move {
            let bytes = teller.next().await?;
            Some((Ok(bytes), teller))
        })
    }
}

/// A stream counted towards those its token and its network may have open.
pub(super) type StreamSlot = (Slot, Occupied);

/// Counts a stream towards both limits.
pub(super) async fn take_seat(hub: &Hub, visitor: &AgentCaller) -> Result<StreamSlot, A2aError> {
    let seat = hub.streams.take_seat(&visitor.identity.token_id)?;
    Ok((seat, hub.occupy(Quota::Streams, &visitor.agent.network_id).await?))
}

/// The number a client names as its last: one of the task's.
fn resumed(record: &TaskRecord, last: &str) -> Result<i64, A2aError> {
    let number = Position::event_of(last).filter(|n| record.history.iter().any(|event| event.n == *n));
    number.ok_or_else(|| A2aError::params("Last-Event-ID must be the id of a frame of this task's streams"))
}

/// An open stream.
struct EventStream {
    watch: TaskWatch,
    position: Position,
    is_caught_up: bool,
    is_over: bool,
    ends: StreamEnd,
    comment_at: Instant,
    print: FrameFormat,
    /// What the first frame is made of.
    first: Option<(TaskRecord, usize)>,
    /// Frames that were read and not sent yet.
    read: Option<Bytes>,
    _seat: StreamSlot,
}

impl EventStream {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.is_over && self.read.is_none() {
                return None;
            }
            if let Err(fault) = self.watch.check_access().await {
                // The store had no time to say: asked again before the next frame.
                if fault.kind != Kind::Unavailable {
                    tracing::debug!(?fault, "a task's stream ends");
                    return None;
                }
                tokio::select! {
                    () = sleep(limits::STORE_RETRY_AFTER) => continue,
                    // A store that is closed never says.
                    () = self.watch.hub.shutdown.wait() => return None,
                }
            }
            let told = match (self.read.take(), self.first.take()) {
                (Some(frames), _) => frames,
                (None, Some((record, history))) => self.tell_first(&record, history),
                (None, None) if self.is_caught_up => self.wait().await,
                (None, None) => {
                    // The task may have been given to another between the check and the read: access is checked again
                    // before these frames are sent.
                    self.read = Some(self.read_on().await?);
                    continue;
                }
            };
            if !told.is_empty() {
                return Some(told);
            }
        }
    }

    fn tell_first(&mut self, record: &TaskRecord, history: usize) -> Bytes {
        // A2A: the stream of a message is a task with its updates, or one message. A task that was answered with a message
        // before its stream began, as a repeated send finds it, is that message.
        if let Some(message) = task::bare_answer(record).filter(|_| self.ends == StreamEnd::WithQuestion) {
            self.is_over = true;
            let position = record.history.last().map_or(self.position, |event| Position::of_event(event.n));
            return self.print.frame(position, &StreamResponse::Message(message)).into();
        }
        let event = record.history.iter().find(|event| event.n == self.position.event);
        if let Some(progress) = event.and_then(|event| task::progress_at(record, event)) {
            self.position = Position::of_progress(progress);
        }
        self.is_over = event.is_some_and(|event| self.ends.at(event.to_status));
        let task = task::task_at(record, event, Shown { history, artifacts: true });
        self.print.frame(self.position, &StreamResponse::Task(task)).into()
    }

    /// Tells what happened since. None when the store is closed.
    async fn read_on(&mut self) -> Option<Bytes> {
        let news = Extent::told_from(self.position.event + 1);
        let record = match task_record::read_again(
            &self.watch.hub,
            self.watch.store(),
            &self.watch.task,
            news,
        )
        .await
        {
            Ok(record) => record,
            Err(crate::service::Error::Store(baton_store::Error::Closed)) => return None,
            Err(error) => {
                tracing::warn!(%error, "a task's stream could not read it");
                sleep(limits::STORE_RETRY_AFTER).await;
                return Some(Bytes::new());
            }
        };
        self.is_caught_up = true;
        let mut frames = String::new();
        for event in record.history.iter().filter(|event| event.n > self.position.event) {
            let updates = task::updates(&record, event);
            for (at, update) in (1..).zip(&updates) {
                // Only the last frame of an event marks the event as sent: a resume before it sends all of it again.
                let id = if at == updates.len() { event.n } else { event.n - 1 };
                frames.push_str(&self.print.frame(Position::of_event(id), update));
            }
            self.is_over = self.ends.at(event.to_status);
            if self.is_over {
                break;
            }
        }
        let Some(last) = record.history.last() else { return Some(frames.into()) };
        self.position = self.position.max(Position::of_event(last.n));
        if let Some(progress) = task::progress_at(&record, last).filter(|_| !self.is_over) {
            let position = Position::of_progress(progress);
            if position > self.position {
                self.position = position;
                frames.push_str(&self.print.frame(position, &task::progress_update(&record, progress)));
            }
        }
        Some(frames.into())
    }

    /// Waits for something to send; may return nothing.
    async fn wait(&mut self) -> Bytes {
        match self.watch.wait(self.comment_at).await {
            WakeReason::Rung => self.is_caught_up = false,
            WakeReason::Due if Instant::now() >= self.comment_at => {
                self.comment_at = Instant::now() + COMMENT_EVERY;
                // In case a ring was lost.
                self.is_caught_up = false;
                return Bytes::from_static(COMMENT);
            }
            WakeReason::Due => {}
            WakeReason::Stopping => {
                self.is_over = true;
                return Bytes::from_static(FAREWELL);
            }
        }
        Bytes::new()
    }
}

/// How frames are printed.
struct FrameFormat {
    /// The JSON-RPC request they answer.
    id: Option<Value>,
}

#[derive(Serialize)]
struct Response<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    result: &'a StreamResponse,
}

impl FrameFormat {
    fn frame(&self, position: Position, told: &StreamResponse) -> String {
        let json = match &self.id {
            Some(id) => serde_json::to_string(&Response { jsonrpc: "2.0", id, result: told }),
            None => serde_json::to_string(told),
        };
        // Everything in it came from JSON or is plain words: there is nothing that JSON cannot say.
        format!("id: {position}\ndata: {}\n\n", json.unwrap_or_default())
    }
}
