//! One task out at an agent of others: its text is sent, what its sender says is passed on, and the task there is
//! looked at until it has ended or asks something. The lease is kept meanwhile; if it is lost, the errand ends.

use a2a_types::{Message, Part, Role, SendMessageResponse, Task, TaskState};
use baton_core::{Caller, LeaseId, Principal, Refusal, limits};
use baton_store::rows::{RemoteTaskRow, TaskMessageRow, TaskRow};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};

use super::agent::Remote;
use super::wording;
use crate::peer::Trouble;
use crate::service::send_reply::EndingName;
use crate::service::{Error, ask_sender, extend_lease, send_reply};

const POLL_FIRST: Duration = Duration::from_millis(limits::REMOTE_POLL_FIRST_MILLIS as u64);
const POLL_MAX: Duration = Duration::from_millis(limits::REMOTE_POLL_MAX_MILLIS as u64);
const GIVEN_UP: Duration = Duration::from_secs(limits::REMOTE_GIVEN_UP_SECONDS as u64);
/// A lease is kept well before it lapses.
const KEEP: Duration = Duration::from_secs(limits::REMOTE_LEASE_SECONDS as u64 / 3);

/// A task that is out.
pub(super) struct Errand {
    remote: Arc<Remote>,
    caller: Caller,
    out: RemoteTaskRow,
    lease: LeaseId,
    /// The errand ends the lease itself: its loss is no news.
    is_ending: Arc<AtomicBool>,
}

/// What a step came to.
enum Step {
    /// Something moved: look again soon.
    Moved,
    /// Nothing new there.
    Waiting,
    /// The task has ended here, or waits for its sender.
    Done,
}

/// Why a step came to nothing.
enum Failed {
    There(Trouble),
    /// The hub's own trouble, or a rule of its own.
    Here(Error),
}

impl From<Trouble> for Failed {
    fn from(trouble: Trouble) -> Self {
        Self::There(trouble)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Here(error)
    }
}

/// Something to pass on.
struct Word {
    message: Message,
    /// The number of the message on the task; 0 is its text.
    n: i64,
}

impl Errand {
    pub(super) fn new(remote: Arc<Remote>, caller: Caller, out: RemoteTaskRow, lease: LeaseId) -> Self {
        Self { remote, caller, out, lease, is_ending: Arc::default() }
    }

    /// Runs until the task has ended, waits for its sender, or is no longer the hub's to work on.
    pub(super) async fn run(mut self) {
        let (remote, caller, lease) = (self.remote.clone(), self.caller.clone(), self.lease.clone());
        let task_id = self.out.task_id.clone();
        let is_ending = self.is_ending.clone();
        let loss = async {
            keep_lease(&remote, &caller, &lease, &task_id).await;
            if is_ending.load(Ordering::Acquire) {
                std::future::pending::<()>().await; // what is left to note is noted first
            }
        };
        tokio::select! {
            outcome = self.work() => match outcome {
                Ok(()) => {}
                // Called off, reassigned or expired meanwhile: whoever looks for strays sees to the rest.
                Err(Error::Refused(refusal)) => {
                    tracing::debug!(worker = "remote", %task_id, %refusal, "an errand ends early");
                }
                Err(error) => {
                    tracing::warn!(worker = "remote", %task_id, %error, "an errand failed; its task is claimed again");
                }
            },
            () = loss => {
                tracing::debug!(worker = "remote", %task_id, "the lease is lost");
            }
        }
    }

    async fn work(&mut self) -> Result<(), Error> {
        let mut bell = self.remote.hub.bells.listen_to_task(&self.out.task_id);
        let mut wait = POLL_FIRST;
        let mut failing_since: Option<Instant> = None;
        loop {
            match self.step().await {
                Ok(Step::Done) => return Ok(()),
                Ok(Step::Moved) => (wait, failing_since) = (POLL_FIRST, None),
                Ok(Step::Waiting) => failing_since = None,
                Err(Failed::Here(error)) => return Err(error),
                Err(Failed::There(Trouble::Passing(text))) => {
                    let since = *failing_since.get_or_insert_with(Instant::now);
                    tracing::debug!(worker = "remote", task_id = %self.out.task_id, text, "tried again");
                    if since.elapsed() >= GIVEN_UP {
                        return self.fail(&format!("the remote agent could not be reached: {text}")).await;
                    }
                    self.remote.forget_peer().await;
                }
                Err(Failed::There(Trouble::Final(text) | Trouble::TaskIsGone(text))) => {
                    return self.fail(&format!("the remote agent refused: {text}")).await;
                }
            }
            if self.out.began_at.plus_seconds(limits::REMOTE_TASK_MAX_SECONDS) <= self.remote.hub.clock.now()
            {
                return self.fail("the remote agent did not come to an end in time").await;
            }
            tokio::select! {
                () = sleep(jittered(wait)) => wait = (wait * 2).min(POLL_MAX),
                // Its sender may have said something. A ring for anything else costs a look.
                () = bell.wait() => {}
            }
        }
    }

    async fn step(&mut self) -> Result<Step, Failed> {
        let peer = self.remote.peer().await?;
        let outbound = &self.remote.hub.outbound;
        if let Some(Word { message, n }) = self.next_word().await? {
            let key = format!("{}-{n}", self.out.task_id);
            let answer = peer.send(outbound, message, &key).await?;
            return match answer {
                SendMessageResponse::Message(message) => {
                    self.finish(EndingName::Replied, &wording::of_parts(&message.parts)).await?;
                    Ok(Step::Done)
                }
                SendMessageResponse::Task(task) => {
                    // From here on a restart asks there instead of sending again.
                    self.out.remote_task_id = Some(task.id.clone());
                    self.out.remote_context_id = Some(task.context_id.clone()).filter(|id| !id.is_empty());
                    self.out.passed_on = n;
                    self.note().await?;
                    match self.take(&task).await? {
                        Step::Waiting => Ok(Step::Moved),
                        step => Ok(step),
                    }
                }
            };
        }
        let Some(id) = self.out.remote_task_id.clone() else { return Ok(Step::Waiting) };
        let task = peer.task(outbound, &id).await?;
        self.take(&task).await
    }

    /// Takes over where the task there stands.
    async fn take(&mut self, task: &Task) -> Result<Step, Failed> {
        match task.status.state {
            TaskState::Completed => self.finish(EndingName::Replied, &wording::of_result(task)).await?,
            TaskState::Failed | TaskState::Rejected => {
                self.finish(EndingName::Failed, &wording::of_status(task, "the remote agent failed")).await?;
            }
            TaskState::Canceled => {
                let text = wording::of_status(task, "the remote agent called the task off");
                self.finish(EndingName::Cancelled, &text).await?;
            }
            TaskState::AuthRequired => {
                let text =
                    wording::of_status(task, "the remote agent wants credentials that the hub does not have");
                self.finish(EndingName::Failed, &text).await?;
            }
            TaskState::InputRequired => return self.ask(task).await,
            TaskState::Submitted | TaskState::Working | TaskState::Unspecified => return Ok(Step::Waiting),
        }
        Ok(Step::Done)
    }

    /// Passes a question back, once. The lease ends with it; the answer brings the task back.
    async fn ask(&mut self, task: &Task) -> Result<Step, Failed> {
        let question = wording::question_id(task);
        if self.out.asked.as_ref() == Some(&question) {
            return Ok(Step::Waiting);
        }
        let args = ask_sender::PathArgs {
            question: wording::of_status(task, "the remote agent asks for input"),
            lease_id: Some(self.lease.as_str().to_owned()),
        };
        self.is_ending.store(true, Ordering::Release);
        ask_sender::run_on_path(&self.remote.hub, &self.caller, self.out.task_id.as_str(), args).await?;
        self.out.asked = Some(question);
        self.out.lease_id = None;
        self.note().await?;
        Ok(Step::Done)
    }

    /// The task's text if it has not arrived there, else what its sender said since.
    async fn next_word(&self) -> Result<Option<Word>, Error> {
        let (task_id, out) = (self.out.task_id.clone(), self.out.clone());
        let read = self.remote.hub.store.read(move |rows| -> Result<_, Error> {
            let task = rows.task(&task_id)?.ok_or(Refusal::TaskNotFound)?;
            let messages = match out.remote_task_id {
                Some(_) => rows.task_messages(&out.network_id, &task_id)?,
                None => Vec::new(),
            };
            Ok((task, messages))
        });
        let (task, messages) = read.await?;
        if self.out.remote_task_id.is_none() {
            let message = self.message(task.snapshot.id.as_str(), first_parts(&task));
            return Ok(Some(Word { message, n: self.out.passed_on }));
        }
        let sender: &Principal = &task.snapshot.from;
        let said = messages.into_iter().find(|said| said.n > self.out.passed_on && said.author == *sender);
        Ok(said
            .map(|said| Word { n: said.n, message: self.message(said.message_id.as_str(), parts_of(&said)) }))
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
        self.end(EndingName::Failed, &wording::bounded(text)).await
    }

    /// Ends the task here as it ended there. If the hub dies between the two writes, a cancel goes out for nothing.
    async fn finish(&self, ending: EndingName, text: &str) -> Result<(), Error> {
        self.end(ending, text).await?;
        let task_id = self.out.task_id.clone();
        self.remote.hub.store.write(move |tx| Ok(tx.delete_remote_task(&task_id)?)).await
    }

    /// Ends the task here. What it still has out there is called off by whoever looks for strays.
    async fn end(&self, ending: EndingName, text: &str) -> Result<(), Error> {
        let args = send_reply::PathArgs {
            text: text.to_owned(),
            status: Some(ending),
            lease_id: Some(self.lease.as_str().to_owned()),
            bare: None,
        };
        self.is_ending.store(true, Ordering::Release);
        send_reply::run_on_path(&self.remote.hub, &self.caller, self.out.task_id.as_str(), args).await?;
        Ok(())
    }

    async fn note(&self) -> Result<(), Error> {
        let out = self.out.clone();
        self.remote.hub.store.write(move |tx| Ok(tx.put_remote_task(&out)?)).await
    }
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

/// Keeps the lease until it is lost.
async fn keep_lease(remote: &Remote, caller: &Caller, lease: &LeaseId, task_id: &baton_core::TaskId) {
    let mut bell = remote.hub.bells.listen_to_task(task_id);
    let mut keep_at = Instant::now() + KEEP;
    loop {
        tokio::select! {
            () = tokio::time::sleep_until(keep_at) => {
                keep_at = Instant::now() + KEEP;
                let kept = extend_lease::run_on_path(
                    &remote.hub, caller, lease.as_str().to_owned(), extend_lease::PathArgs::default(),
                );
                match kept.await {
                    Err(Error::Refused(_)) => return,
                    Err(error) => tracing::warn!(worker = "remote", %error, "a lease was not kept this time"),
                    Ok(_) => {}
                }
            }
            () = bell.wait() => {
                let held = lease.clone();
                let is_held = remote.hub.store.read(move |rows| -> Result<_, Error> { Ok(rows.lease(&held)?.is_some()) });
                if matches!(is_held.await, Ok(false)) {
                    return;
                }
            }
        }
    }
}

/// Between half of and all of a wait, so that many errands do not all ask at once.
fn jittered(wait: Duration) -> Duration {
    let jitter = f64::from(u16::from_ne_bytes(crate::hub::random_bytes())) / f64::from(u16::MAX);
    wait / 2 + (wait / 2).mul_f64(jitter)
}
