//! One task out at a remote agent: its text is sent, what its sender says is passed on, and the task there is
//! looked at until it has ended or asks something. The lease is kept meanwhile; once it is lost the remote task ends, but
//! never between a send and the note of its answer: only that answer says what is to be cancelled there.

use a2a_types::{Message, Part, Role, SendMessageResponse, Task, TaskState};
use baton_core::{Caller, Ending, LeaseId, Principal, Refusal, TraceParent, limits};
use baton_store::rows::{RemoteTaskRow, TaskMessageRow, TaskRow};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

use super::agent::Remote;
use super::lease::keep_lease;
use super::retry::{is_transient, jittered, retry};
use super::text;
use crate::hub::Shutdown;
use crate::outbound::ANSWER;
use crate::peer::PeerError;
use crate::service::Error;
use crate::service::ask_sender::{self, AskSender};
use crate::service::send_reply::{self, ReplyToTask};
use crate::service::task_command::{OnTask, TaskCommand};

const POLL_FIRST: Duration = Duration::from_millis(limits::REMOTE_POLL_FIRST_MILLIS as u64);
const POLL_MAX: Duration = Duration::from_millis(limits::REMOTE_POLL_MAX_MILLIS as u64);
const GIVEN_UP: Duration = Duration::from_secs(limits::REMOTE_GIVEN_UP_SECONDS as u64);

/// A task that is out.
pub(super) struct RemoteTask {
    remote: Arc<Remote>,
    caller: Caller,
    out: RemoteTaskRow,
    lease: LeaseId,
    /// Begins when the lease is lost: the task was cancelled, reassigned or ended here.
    lost: Shutdown,
}

/// What a step came to.
enum StepOutcome {
    /// Something moved: look again soon.
    Moved,
    /// Nothing new there.
    Waiting,
    /// The task has ended here, or waits for its sender.
    Done,
}

/// Why a step came to nothing.
enum StepError {
    There(PeerError),
    /// The task's text may have arrived there and may be worked on, but no answer came.
    Unanswered(String),
    /// The hub's own error, or a rule of its own.
    Here(Error),
}

impl From<PeerError> for StepError {
    fn from(trouble: PeerError) -> Self {
        Self::There(trouble)
    }
}

impl From<Error> for StepError {
    fn from(error: Error) -> Self {
        Self::Here(error)
    }
}

/// Something to pass on.
struct OutgoingMessage {
    message: Message,
    /// The number of the message on the task; 0 is its text.
    n: i64,
    /// The trace of the task.
    traceparent: Option<TraceParent>,
}

impl RemoteTask {
    pub(super) fn new(remote: Arc<Remote>, caller: Caller, out: RemoteTaskRow, lease: LeaseId) -> Self {
        Self { remote, caller, out, lease, lost: Shutdown::default() }
    }

    /// Runs until the task has ended, waits for its sender, or is no longer the hub's to work on. What is still out
    /// there then is cancelled by the sweep for strays.
    pub(super) async fn run(mut self) {
        let (remote, caller, lease) = (self.remote.clone(), self.caller.clone(), self.lease.clone());
        let (task_id, lost) = (self.out.task_id.clone(), self.lost.clone());
        let keeping = async {
            keep_lease(&remote, &caller, &lease, &task_id).await;
            lost.begin();
            std::future::pending::<()>().await; // the remote task ends where it can
        };
        let outcome = tokio::select! {
            outcome = self.work() => outcome,
            () = keeping => Ok(()),
        };
        match outcome {
            Ok(()) => {}
            Err(Error::Refused(refusal)) => {
                tracing::debug!(worker = "remote", %task_id, %refusal, "an errand ends early");
            }
            Err(error) => {
                tracing::warn!(worker = "remote", %task_id, %error, "an errand failed; its task is claimed again");
            }
        }
    }

    async fn work(&mut self) -> Result<(), Error> {
        let mut bell = self.remote.hub.bells.listen_to_task(&self.out.task_id);
        let mut wait = POLL_FIRST;
        let mut failing_since: Option<Instant> = None;
        loop {
            match self.step().await {
                Ok(StepOutcome::Done) => return Ok(()),
                Ok(StepOutcome::Moved) => (wait, failing_since) = (POLL_FIRST, None),
                Ok(StepOutcome::Waiting) => failing_since = None,
                Err(StepError::Here(error)) if is_transient(&error) => {
                    tracing::warn!(worker = "remote", task_id = %self.out.task_id, %error, "tried again");
                }
                Err(StepError::Here(error)) => return Err(error),
                Err(StepError::Unanswered(text)) => {
                    self.out.unanswered += 1;
                    self.note().await?;
                    let Some(pause) = resend_pause(self.out.unanswered) else {
                        let times = self.out.unanswered;
                        let words = "the remote agent gave no answer to the task, sent";
                        return self.fail(&format!("{words} {times} times: {text}")).await;
                    };
                    tracing::debug!(worker = "remote", task_id = %self.out.task_id, text, "sent again");
                    self.remote.forget_peer().await;
                    // Whatever rings meanwhile, it is not sent sooner.
                    tokio::select! {
                        () = sleep(jittered(pause)) => continue,
                        () = self.no_more() => return Ok(()),
                    }
                }
                Err(StepError::There(error)) if error.may_pass() => {
                    let since = *failing_since.get_or_insert_with(Instant::now);
                    tracing::debug!(worker = "remote", task_id = %self.out.task_id, %error, "tried again");
                    if since.elapsed() >= GIVEN_UP {
                        let words = match error {
                            PeerError::Refused(_) => "the hub refused the remote agent's card",
                            _ => "the remote agent could not be reached",
                        };
                        return self.fail(&format!("{words}: {error}")).await;
                    }
                    self.remote.forget_peer().await;
                }
                Err(StepError::There(error)) => {
                    return self.fail(&format!("the remote agent refused: {error}")).await;
                }
            }
            let (now, jumps) = self.remote.hub.clock.observe();
            let began_at = self.out.began_at;
            if began_at.plus_seconds(limits::REMOTE_TASK_MAX_SECONDS) <= jumps.now_since(began_at, now) {
                return self.fail("the remote agent did not come to an end in time").await;
            }
            tokio::select! {
                () = sleep(jittered(wait)) => wait = (wait * 2).min(POLL_MAX),
                // Its sender may have sent a message. A ring for anything else costs one read.
                () = bell.wait() => {}
                () = self.no_more() => return Ok(()),
            }
        }
    }

    async fn step(&mut self) -> Result<StepOutcome, StepError> {
        if let Some(text) = &self.out.answer {
            // It was noted under a lease that was lost before the end could be written.
            self.finish(Ending::Replied, text).await?;
            return Ok(StepOutcome::Done);
        }
        let peer = self.unless_over(self.remote.peer()).await?;
        if let Some(OutgoingMessage { message, n, traceparent }) = self.next_word().await? {
            let key = format!("{}-{n}", self.out.errand_id);
            let answer = self.for_a_while(peer.send(self.remote.calls(), message, &key, traceparent)).await;
            return match (&self.out.remote_task_id, answer) {
                (None, Err(PeerError::Transient(text))) => Err(StepError::Unanswered(text)),
                (None, answer) => self.take_first(answer?).await,
                (Some(_), answer) => self.take_follow_up(n, answer).await,
            };
        }
        let Some(id) = self.out.remote_task_id.clone() else { return Ok(StepOutcome::Waiting) };
        let task = self.unless_over(peer.task(self.remote.calls(), &id)).await?;
        self.take(&task).await
    }

    /// Waits until the remote task is to end where it can: its lease is lost, or the hub stops.
    async fn no_more(&self) {
        tokio::select! {
            () = self.lost.wait() => {}
            () = self.remote.hub.shutdown.wait() => {}
        }
    }

    /// The answer to a call that can be dropped without harm, unless the remote task is to end before it comes.
    async fn unless_over<T>(&self, call: impl Future<Output = Result<T, PeerError>>) -> Result<T, StepError> {
        tokio::select! {
            answer = call => Ok(answer?),
            () = self.no_more() => Err(Error::from(Refusal::LeaseLost).into()),
        }
    }

    /// The answer to a send. It is not dropped when the lease is lost, for what it made there is known by its answer
    /// alone; but who may take minutes to answer is then waited for no longer than any other.
    async fn for_a_while<T>(&self, call: impl Future<Output = Result<T, PeerError>>) -> Result<T, PeerError> {
        let enough = async {
            self.no_more().await;
            sleep(ANSWER).await;
        };
        tokio::select! {
            answer = call => answer,
            () = enough => Err(PeerError::Transient("no answer in time".into())),
        }
    }

    /// What the task's text was answered: by a task there, or by a message that is all there is.
    async fn take_first(&mut self, answer: SendMessageResponse) -> Result<StepOutcome, StepError> {
        match answer {
            SendMessageResponse::Message(message) => {
                // It will not be sent again: if the lease is lost before the end is written, it ends from here.
                let text = text::of_parts(&message.parts);
                self.out.answer = Some(text.clone());
                self.note().await?;
                self.finish(Ending::Replied, &text).await?;
                Ok(StepOutcome::Done)
            }
            SendMessageResponse::Task(task) => {
                check_id("task", &task.id)?;
                check_id("conversation", &task.context_id)?;
                // From here on a restart asks there instead of sending again.
                self.out.remote_task_id = Some(task.id.clone());
                self.out.remote_context_id = Some(task.context_id.clone()).filter(|id| !id.is_empty());
                self.note().await?;
                self.take_moved(&task).await
            }
        }
    }

    /// What a word on the way was answered. It decides nothing by itself: a refusal or a message says nothing of the
    /// task there, so that is looked at next.
    async fn take_follow_up(
        &mut self,
        n: i64,
        answer: Result<SendMessageResponse, PeerError>,
    ) -> Result<StepOutcome, StepError> {
        let answer = match answer {
            Err(trouble) if trouble.may_pass() => return Err(trouble.into()),
            answer => answer,
        };
        self.out.passed_on = n;
        if let Err(trouble) = &answer {
            tracing::info!(worker = "remote", task_id = %self.out.task_id, %trouble, "a word was not taken there");
            // If it answered a question that is still open, the question is passed back again.
            self.out.asked = None;
        }
        self.note().await?;
        match answer {
            Ok(SendMessageResponse::Task(task)) if Some(&task.id) == self.out.remote_task_id.as_ref() => {
                self.take_moved(&task).await
            }
            _ => Ok(StepOutcome::Moved),
        }
    }

    async fn take_moved(&mut self, task: &Task) -> Result<StepOutcome, StepError> {
        match self.take(task).await? {
            StepOutcome::Waiting => Ok(StepOutcome::Moved),
            step => Ok(step),
        }
    }

    /// Takes over where the task there stands.
    async fn take(&mut self, task: &Task) -> Result<StepOutcome, StepError> {
        match task.status.state {
            TaskState::Completed => self.finish(Ending::Replied, &text::of_result(task)).await?,
            TaskState::Failed => {
                self.finish(Ending::Failed, &text::of_status(task, "the remote agent failed")).await?;
            }
            TaskState::Rejected => {
                let text = text::of_status(task, "the remote agent declined the task");
                self.finish(Ending::Rejected, &text).await?;
            }
            TaskState::Canceled => {
                let text = text::of_status(task, "the remote agent called the task off");
                self.finish(Ending::Cancelled, &text).await?;
            }
            // It has not ended there, and nobody here can continue with it: so it is cancelled there too.
            TaskState::AuthRequired => self.fail(&text::of_wanted_credentials(task)).await?,
            TaskState::InputRequired => return self.ask(task).await,
            TaskState::Submitted | TaskState::Working | TaskState::Unspecified => {
                return Ok(StepOutcome::Waiting);
            }
        }
        Ok(StepOutcome::Done)
    }

    /// Passes a question back, once. The lease ends with it; the answer brings the task back.
    async fn ask(&mut self, task: &Task) -> Result<StepOutcome, StepError> {
        let question = text::question_id(task);
        if self.out.asked.as_ref() == Some(&question) {
            return Ok(StepOutcome::Waiting);
        }
        let text = text::of_status(task, "the remote agent asks for input");
        let (remote, caller, task_id) = (&self.remote, &self.caller, self.out.task_id.as_str());
        let asked = retry("a question", GIVEN_UP, || {
            let args = ask_sender::Args {
                question: text.clone(),
                lease_id: Some(self.lease.as_str().to_owned()),
                ..ask_sender::Args::default()
            };
            AskSender::run(&remote.hub, caller, OnTask::of_path(task_id), args)
        });
        asked.await?;
        self.out.asked = Some(question);
        self.note().await?;
        Ok(StepOutcome::Done)
    }

    /// The task's text if it has not arrived there, else the sender's messages since then.
    async fn next_word(&self) -> Result<Option<OutgoingMessage>, Error> {
        let (task_id, out, lease) = (self.out.task_id.clone(), self.out.clone(), self.lease.clone());
        let read = self.remote.hub.store.read(move |rows| -> Result<_, Error> {
            // Nothing goes out for a task that has ended here or is somebody else's.
            rows.lease(&lease)?.ok_or(Refusal::LeaseLost)?;
            let task = rows.task(&task_id)?.ok_or(Refusal::TaskNotFound)?;
            let messages = match out.remote_task_id {
                Some(_) => rows.task_messages(&out.network_id, &task_id)?,
                None => Vec::new(),
            };
            Ok((task, messages))
        });
        let (task, messages) = read.await?;
        let traceparent = task.traceparent;
        if self.out.remote_task_id.is_none() {
            let message = self.message(self.out.errand_id.as_str(), first_parts(&task));
            return Ok(Some(OutgoingMessage { message, n: 0, traceparent }));
        }
        let sender: &Principal = &task.snapshot.from;
        let said = messages.into_iter().find(|said| said.n > self.out.passed_on && said.author == *sender);
        Ok(said.map(|said| {
            let message = self.message(said.message_id.as_str(), parts_of(&said));
            OutgoingMessage { message, n: said.n, traceparent }
        }))
    }

    fn message(&self, message_id: &str, parts: Vec<Part>) -> Message {
        Message {
            message_id: message_id.to_owned(),
            context_id: self.out.remote_context_id.clone(),
            task_id: self.out.remote_task_id.clone(),
            role: Role::User,
            parts,
            metadata: None,
            extensions: None,
            reference_task_ids: None,
        }
    }

    async fn fail(&self, text: &str) -> Result<(), Error> {
        self.end(Ending::Failed, &text::bounded(text)).await
    }

    /// Ends the task here as it ended there. If the hub dies between the two writes, a cancel goes out for nothing.
    async fn finish(&self, ending: Ending, text: &str) -> Result<(), Error> {
        self.end(ending, text).await?;
        retry("the end of an errand", GIVEN_UP, || {
            let errand = self.out.errand_id.clone();
            self.remote.hub.store.write(move |tx| Ok(tx.delete_remote_task(&errand)?))
        })
        .await
    }

    /// Ends the task here. What it still has out there is cancelled by the sweep for strays.
    async fn end(&self, ending: Ending, text: &str) -> Result<(), Error> {
        let task_id = self.out.task_id.as_str();
        let ended = retry("an answer", GIVEN_UP, || {
            let lease_id = self.lease.as_str().to_owned();
            let args = send_reply::PathArgs::ending(ending, text.to_owned(), lease_id);
            ReplyToTask::run(&self.remote.hub, &self.caller, OnTask::of_path(task_id), args)
        });
        ended.await.map(drop)
    }

    /// Records the task's state there, also when the lease is lost meanwhile. Only the removal of the agent
    /// takes the row away.
    async fn note(&self) -> Result<(), Error> {
        let noted = retry("where a task stands", GIVEN_UP, || {
            let out = self.out.clone();
            self.remote.hub.store.write(move |tx| -> Result<_, Error> { Ok(tx.note_remote_task(&out)?) })
        });
        if noted.await? { Ok(()) } else { Err(Refusal::TaskNotFound.into()) }
    }
}

/// An id is kept and sent back, so it has a bound.
fn check_id(of: &str, id: &str) -> Result<(), PeerError> {
    if id.chars().count() <= limits::REMOTE_ID_MAX_CHARS {
        return Ok(());
    }
    Err(PeerError::Final(format!(
        "the id of its {of} is longer than {} characters",
        limits::REMOTE_ID_MAX_CHARS
    )))
}

/// The wait before a text is sent again that was sent so often without an answer; none: it is not.
fn resend_pause(unanswered: u32) -> Option<Duration> {
    let nth = usize::try_from(unanswered).ok()?.checked_sub(1)?;
    let seconds = limits::REMOTE_RESEND_SECONDS.get(nth)?;
    Some(Duration::from_secs((*seconds).into()))
}

/// The parts a message came with, or its text.
fn parts(text: &str, parts: Option<&str>) -> Vec<Part> {
    let parts = parts.and_then(|parts| serde_json::from_str::<Vec<Part>>(parts).ok());
    parts.filter(|parts| !parts.is_empty()).unwrap_or_else(|| vec![Part::text(text)])
}

fn first_parts(task: &TaskRow) -> Vec<Part> {
    let mut all = parts(&task.content, task.parts.as_deref());
    all.extend(task.context.as_deref().filter(|context| !context.is_empty()).map(Part::text));
    all
}

fn parts_of(said: &TaskMessageRow) -> Vec<Part> {
    parts(&said.content, said.parts.as_deref())
}
