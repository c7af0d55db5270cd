//! A task's stream: the task first, then an update for each of its events, until it has ended; the stream of a message
//! ends also where its sender is asked, who has to say something before it continues. Between events it sends the latest
//! progress. A frame's id is the number of its event, or that of the last event and the number of the progress after
//! it (`2.5`), so `Last-Event-ID` resumes after it; the rows are read in order, live or late, so every
//! subscriber receives the same. It is polled only as fast as its client reads: a slow one holds up nobody.

use a2a_types::StreamResponse;
use baton_core::{Quota, Status, TaskId, limits};
use baton_store::Error as StoreError;
use baton_store::rows::{EventRow, ProgressRow};
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
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
const COMMENT: &str = ": still here\n\n";
const FAREWELL: &str = ": the hub is stopping\n\n";

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
        // Server-sent events have no word for an error: the stream ends, and the client asks again.
        let frames = self.printed(ServerSent { id });
        frames.filter_map(|frames| std::future::ready(frames.ok().map(|text| Ok(text.into()))))
    }

    /// The stream's updates, as they come; the last may be why it ends before the task has.
    pub(super) fn updates(self) -> impl Stream<Item = Result<Vec<StreamResponse>, A2aError>> + Send {
        self.printed(Plain)
    }

    fn printed<F: Format>(self, format: F) -> impl Stream<Item = Result<F::Frames, A2aError>> + Send {
        let teller = EventStream {
            watch: self.watch,
            position: Position::of_event(self.position),
            is_caught_up: false,
            is_over: false,
            ends: self.ends,
            comment_at: Instant::now() + COMMENT_EVERY,
            print: format,
            first: Some((self.record, self.history)),
            read: None,
            _seat: self.seat,
        };
        stream::unfold(teller, |mut teller| async move {
            let frames = teller.next().await?;
            Some((frames, teller))
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
struct EventStream<F: Format> {
    watch: TaskWatch,
    position: Position,
    is_caught_up: bool,
    is_over: bool,
    ends: StreamEnd,
    comment_at: Instant,
    print: F,
    /// What the first frame is made of.
    first: Option<(TaskRecord, usize)>,
    /// Frames that were read and not sent yet.
    read: Option<F::Frames>,
    _seat: StreamSlot,
}

impl<F: Format> EventStream<F> {
    async fn next(&mut self) -> Option<Result<F::Frames, A2aError>> {
        loop {
            if self.is_over && self.read.is_none() {
                return None;
            }
            if let Err(fault) = self.watch.check_access().await {
                // The store had no time to say: asked again before the next frame.
                if fault.kind != Kind::Unavailable {
                    tracing::debug!(?fault, "a task's stream ends");
                    return self.end(Err(fault));
                }
                tokio::select! {
                    () = sleep(limits::STORE_RETRY_AFTER) => continue,
                    // A store that is closed never says.
                    () = self.watch.hub.shutdown.wait() => return self.end(F::farewell()),
                }
            }
            let told = match (self.read.take(), self.first.take()) {
                (Some(frames), _) => Ok(frames),
                (None, Some((record, history))) => Ok(self.tell_first(&record, history)),
                (None, None) if self.is_caught_up => self.wait().await,
                (None, None) => {
                    // The task may have been given to another between the check and the read: access is checked again
                    // before these frames are sent.
                    match self.read_on().await {
                        Some(frames) => self.read = Some(frames),
                        None => return self.end(F::farewell()),
                    }
                    continue;
                }
            };
            if !told.as_ref().is_ok_and(F::is_empty) {
                return Some(told);
            }
        }
    }

    /// The last that is sent.
    fn end(&mut self, last: Result<F::Frames, A2aError>) -> Option<Result<F::Frames, A2aError>> {
        (self.is_over, self.read) = (true, None);
        Some(last)
    }

    fn tell_first(&mut self, record: &TaskRecord, history: usize) -> F::Frames {
        let mut frames = F::Frames::default();
        // A2A: the stream of a message is a task with its updates, or one message. A task that was answered with a message
        // before its stream began, as a repeated send finds it, is that message.
        if let Some(message) = task::bare_answer(record).filter(|_| self.ends == StreamEnd::WithQuestion) {
            self.is_over = true;
            let position = record.history.last().map_or(self.position, |event| Position::of_event(event.n));
            self.print.add(&mut frames, position, StreamResponse::Message(message));
            return frames;
        }
        let event = record.history.iter().find(|event| event.n == self.position.event);
        if let Some(progress) = event.and_then(|event| task::progress_at(record, event)) {
            self.position = Position::of_progress(progress);
        }
        self.is_over = event.is_some_and(|event| self.ends.at(event.to_status));
        let task = task::task_at(record, event, Shown { history, artifacts: true });
        self.print.add(&mut frames, self.position, StreamResponse::Task(task));
        frames
    }

    /// Tells what happened since. None when the store is closed.
    async fn read_on(&mut self) -> Option<F::Frames> {
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
                return Some(F::Frames::default());
            }
        };
        self.is_caught_up = true;
        let mut frames = F::Frames::default();
        for event in record.history.iter().filter(|event| event.n > self.position.event) {
            let updates = task::updates(&record, event);
            let last = updates.len();
            for (at, update) in (1..).zip(updates) {
                // Only the last frame of an event marks the event as sent: a resume before it sends all of it again.
                let id = if at == last { event.n } else { event.n - 1 };
                self.print.add(&mut frames, Position::of_event(id), update);
            }
            self.is_over = self.ends.at(event.to_status);
            if self.is_over {
                break;
            }
        }
        let Some(last) = record.history.last() else { return Some(frames) };
        self.position = self.position.max(Position::of_event(last.n));
        if let Some(progress) = task::progress_at(&record, last).filter(|_| !self.is_over) {
            let position = Position::of_progress(progress);
            if position > self.position {
                self.position = position;
                self.print.add(&mut frames, position, task::progress_update(&record, progress));
            }
        }
        Some(frames)
    }

    /// Waits for something to send; may return nothing.
    async fn wait(&mut self) -> Result<F::Frames, A2aError> {
        match self.watch.wait(self.comment_at).await {
            WakeReason::Rung => self.is_caught_up = false,
            WakeReason::Due if Instant::now() >= self.comment_at => {
                self.comment_at = Instant::now() + COMMENT_EVERY;
                // In case a ring was lost.
                self.is_caught_up = false;
                return Ok(F::comment());
            }
            WakeReason::Due => {}
            WakeReason::Stopping => {
                self.is_over = true;
                return F::farewell();
            }
        }
        Ok(F::Frames::default())
    }
}

/// What a binding makes of a stream's updates.
trait Format: Send + 'static {
    /// Updates that are sent together.
    type Frames: Default + Send + 'static;

    fn add(&self, frames: &mut Self::Frames, position: Position, told: StreamResponse);

    fn is_empty(frames: &Self::Frames) -> bool;

    /// What keeps a quiet stream open.
    fn comment() -> Self::Frames;

    /// The last that is sent when the hub stops.
    fn farewell() -> Result<Self::Frames, A2aError>;
}

/// Server-sent events.
struct ServerSent {
    /// The JSON-RPC request they answer.
    id: Option<Value>,
}

#[derive(Serialize)]
struct Response<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    result: &'a StreamResponse,
}

impl Format for ServerSent {
    type Frames = String;

    fn add(&self, frames: &mut String, position: Position, told: StreamResponse) {
        let json = match &self.id {
            Some(id) => serde_json::to_string(&Response { jsonrpc: "2.0", id, result: &told }),
            None => serde_json::to_string(&told),
        };
        // Everything in it came from JSON or is plain words: there is nothing that JSON cannot say.
        frames.push_str(&format!("id: {position}\ndata: {}\n\n", json.unwrap_or_default()));
    }

    fn is_empty(frames: &String) -> bool {
        frames.is_empty()
    }

    fn comment() -> String {
        COMMENT.to_owned()
    }

    fn farewell() -> Result<String, A2aError> {
        Ok(FAREWELL.to_owned())
    }
}

/// The updates themselves, for a binding with frames and errors of its own. Its connection keeps itself open.
struct Plain;

impl Format for Plain {
    type Frames = Vec<StreamResponse>;

    fn add(&self, frames: &mut Self::Frames, _: Position, told: StreamResponse) {
        frames.push(told);
    }

    fn is_empty(frames: &Self::Frames) -> bool {
        frames.is_empty()
    }

    fn comment() -> Self::Frames {
        Vec::new()
    }

    fn farewell() -> Result<Self::Frames, A2aError> {
        Err(StoreError::Closed.into())
    }
}
