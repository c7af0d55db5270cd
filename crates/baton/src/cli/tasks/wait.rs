//! Waiting for a task until it has ended or asks for input: one call that the hub answers when something has happened, made
//! again when its time is over. Events are printed to stderr as they happen; a hub that is unreachable for a while is retried.

use baton_core::{Status, limits};
use serde_json::value::RawValue;
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::{Instant, sleep};

use super::history::History;
use super::question::Question;
use crate::cli::moment;
use crate::cli::screen::{Screen, note};
use crate::client::tasks::{Task, TaskEnvelope, TaskEvent, TaskMessage, TaskSent};
use crate::client::{Channel, Client, Error, Follower, HubEvent, HubResponse, StreamEvent};
use crate::service::WireTime;

/// What one call waits at most.
const LONGEST: Duration = Duration::from_secs(limits::CALL_WAIT_MAX_SECONDS as u64);

/// The wait ended before the task did.
pub(super) const STILL_OPEN: u8 = 7;
/// The task waits for an answer.
const NEEDS_INPUT: u8 = 8;

/// A task as the wait for it left it.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The hub's answer.
    pub(super) json: Box<RawValue>,
    pub(super) task: Task,
    messages: Vec<TaskMessage>,
}

impl Outcome {
    /// What the answer to a send says, if the hub waited.
    pub(super) fn of_send(sent: HubResponse<TaskSent>) -> Option<Self> {
        let task = sent.task.clone()?;
        let messages = task.messages.clone();
        Some(Self { json: sent.into_text(), task, messages })
    }

    fn of_look(answer: HubResponse<TaskEnvelope>) -> Self {
        let TaskEnvelope { task, messages, .. } = (*answer).clone();
        Self { json: answer.into_text(), task, messages }
    }

    /// Whether there is nothing more to wait for.
    pub(super) fn is_settled(&self) -> bool {
        self.task.status.is_terminal() || self.task.status == Status::WaitingInput
    }

    /// What the agent asks, if it waits for an answer.
    pub(super) fn question(&self) -> Option<Question<'_>> {
        let agent = &self.task.to_name;
        // Older hubs do not say what a message is, and have no other messages of an agent.
        let is_question = |message: &&TaskMessage| {
            message.is_question() || (message.kind.is_none() && message.from_name == *agent)
        };
        let asked = self.messages.iter().rev().find(is_question);
        let asked = asked.filter(|_| self.task.status == Status::WaitingInput)?;
        Some(Question { agent, asked })
    }

    /// Prints the task's course as far as its row says it, for a caller that did not follow it.
    pub(super) fn note_course(&self) {
        let Task { from_name, to_name, status, attempt, created_at, started_at, completed_at, .. } =
            &self.task;
        let line = |at: WireTime, what: &str| note(&format!("{}  {what}", moment::clock(at)));
        line(*created_at, &format!("delivered by {from_name}"));
        if let Some(at) = started_at {
            line(*at, &format!("running by {to_name}: claimed, attempt {attempt}"));
        }
        if let Some(at) = completed_at {
            match status {
                Status::Replied => line(*at, &format!("replied by {to_name}")),
                Status::Expired => line(*at, "expired by hub"),
                status => line(*at, status.as_str()),
            }
        }
    }

    /// Says on stderr why a task ended without an answer, for a script that keeps stdout for itself.
    pub(super) fn note_reason(&self, screen: &Screen) {
        let Task { status, task_id, result, .. } = &self.task;
        if *status != Status::Replied && !screen.is_terminal() {
            let reason = result.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
            note(&format!("task {task_id} {status}{reason}"));
        }
    }

    /// The exit code for scripts.
    pub(super) const fn code(&self) -> u8 {
        ended_code(self.task.status)
    }
}

/// The exit codes of the further ends, for the help of every command that waits; `ended_code` gives them.
macro_rules! further_ends {
    () => {
        "3 cancelled, 4 expired"
    };
}
pub(super) use further_ends;

/// The exit code for a task that was left in this status.
pub(super) const fn ended_code(status: Status) -> u8 {
    match status {
        Status::Replied => 0,
        Status::Failed => 1,
        Status::Cancelled => 3,
        Status::Expired => 4,
        Status::WaitingInput => NEEDS_INPUT,
        Status::Delivered | Status::Acked | Status::Running => STILL_OPEN,
    }
}

/// What a wait for the answer to a question came to.
#[derive(Debug)]
pub(super) enum Answered {
    With(TaskMessage),
    NotInTime,
    /// The task ended without an answer.
    Never(Status),
}

/// Waits for the answer to a question.
pub(super) async fn until_answered(
    client: &Client,
    task_id: &str,
    question_id: &str,
    deadline: Option<Instant>,
) -> Result<Answered, Error> {
    let (mut after, mut away) = (0, HubOutage::default());
    loop {
        let (wait, is_last) = next_wait(deadline);
        let asked = client.task_after(task_id, after, wait).await;
        let Some(seen) = away.met(asked)? else {
            if is_last {
                return Err(Error::away(client.hub(), "no answer before the wait ended"));
            }
            sleep(limits::HUB_AWAY_RETRY_AFTER).await;
            continue;
        };
        after = seen.event_count.unwrap_or(0);
        if let Some(answer) = answer_to(&seen.messages, question_id) {
            return Ok(Answered::With(answer.clone()));
        }
        match seen.task.status {
            status if status.is_terminal() => return Ok(Answered::Never(status)),
            _ if is_last => return Ok(Answered::NotInTime),
            _ => {}
        }
    }
}

/// What answered a question: the first answer after it.
fn answer_to<'a>(messages: &'a [TaskMessage], question_id: &str) -> Option<&'a TaskMessage> {
    let asked = messages.iter().position(|message| message.message_id == question_id)?;
    messages[asked..].iter().find(|message| message.is_answer())
}

/// How long the next call waits, and whether it is the last.
fn next_wait(deadline: Option<Instant>) -> (Duration, bool) {
    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    (left.map_or(LONGEST, |left| left.min(LONGEST)), left == Some(Duration::ZERO))
}

/// A wait for one task.
pub(super) struct Wait<'a> {
    client: &'a Client,
    task_id: &'a str,
    deadline: Option<Instant>,
    /// The last event that is known.
    after: i64,
    away: HubOutage,
    course: Option<ProgressPrinter<'a>>,
}

/// Since when the hub has not answered.
#[derive(Default)]
pub(crate) struct HubOutage {
    since: Option<Instant>,
    is_quiet: bool,
}

impl HubOutage {
    pub(crate) fn quiet(is_quiet: bool) -> Self {
        Self { since: None, is_quiet }
    }

    /// What a call came to: nothing if the hub is away and may come back.
    pub(crate) fn met<T>(&mut self, outcome: Result<T, Error>) -> Result<Option<T>, Error> {
        match outcome {
            Ok(value) => {
                if self.since.take().is_some() && !self.is_quiet {
                    note("the hub is back");
                }
                Ok(Some(value))
            }
            Err(error) if error.is_final() => Err(error),
            Err(error) => match self.since {
                Some(since) if since.elapsed() >= limits::HUB_AWAY_MAX => Err(error),
                Some(_) => Ok(None),
                None => {
                    if !self.is_quiet {
                        note(&format!("waiting for the hub: {error}"));
                    }
                    self.since = Some(Instant::now());
                    Ok(None)
                }
            },
        }
    }
}

/// What is printed on stderr while a task continues.
struct ProgressPrinter<'a> {
    alias: &'a str,
    history: History,
    /// For its progress, which is not an event.
    follower: Option<Follower>,
    progress: Option<i64>,
}

impl<'a> Wait<'a> {
    pub(super) fn new(client: &'a Client, task_id: &'a str, deadline: Option<Instant>) -> Self {
        Self { client, task_id, deadline, after: 0, away: HubOutage::quiet(true), course: None }
    }

    /// The same, with its course on stderr.
    pub(super) fn telling(self, alias: &'a str, channel: Option<Channel>) -> Self {
        let course = ProgressPrinter {
            alias,
            history: History::of_task(self.task_id.to_owned()),
            follower: channel.map(|channel| self.client.follow(channel, None)),
            progress: None,
        };
        Self { course: Some(course), away: HubOutage::default(), ..self }
    }

    /// Waits until the task is settled or the time is over.
    pub(super) async fn run(&mut self) -> Result<Outcome, Error> {
        loop {
            let (wait, is_last) = next_wait(self.deadline);
            let asked = self.ask(wait).await;
            if let Some(answer) = self.away.met(asked)? {
                self.print_progress().await?;
                let can_wait = answer.event_count.is_some();
                self.after = answer.event_count.unwrap_or(0);
                let outcome = Outcome::of_look(answer);
                if outcome.is_settled() || is_last {
                    return Ok(outcome);
                }
                if can_wait {
                    continue;
                }
            } else if is_last {
                return Err(Error::away(self.client.hub(), "no answer before the wait ended"));
            }
            sleep(limits::HUB_AWAY_RETRY_AFTER).await;
        }
    }

    /// One call. Meanwhile the agent's progress is printed.
    async fn ask(&mut self, wait: Duration) -> Result<HubResponse<TaskEnvelope>, Error> {
        let asking = self.client.task_after(self.task_id, self.after, wait);
        let Some(course) = &mut self.course else { return asking.await };
        tokio::select! {
            answer = asking => answer,
            never = course.follow() => match never {},
        }
    }

    /// Tells the events that are new.
    pub(super) async fn print_progress(&mut self) -> Result<(), Error> {
        let Some(course) = &mut self.course else { return Ok(()) };
        let looked = course.history.look(self.client).await;
        for event in self.away.met(looked)?.into_iter().flat_map(|fresh| fresh.events) {
            note(&event_line(&event));
        }
        Ok(())
    }
}

impl ProgressPrinter<'_> {
    /// Tells the agent's progress as it is reported.
    async fn follow(&mut self) -> Infallible {
        while let Some(follower) = &mut self.follower {
            match follower.next().await {
                Some(Ok(StreamEvent::HubEvent {
                    news: HubEvent::StatusUpdate { alias, progress, .. },
                    ..
                })) if alias == self.alias && progress.is_some() && progress != self.progress => {
                    self.progress = progress;
                    note(&format!("{}  {} %", moment::clock(moment::now().into()), progress.unwrap_or(0)));
                }
                Some(Ok(_)) => {}
                // Without a stream only the progress is missed.
                Some(Err(_)) | None => self.follower = None,
            }
        }
        std::future::pending().await
    }
}

fn event_line(event: &TaskEvent) -> String {
    let TaskEvent { to_status, actor, detail, created_at, .. } = event;
    // Where the detail refuses more than the status, the status says enough.
    let is_plain =
        matches!(&**detail, "sent" | "acknowledged" | "started" | "expired") || detail.starts_with("reply: ");
    let detail = if is_plain { String::new() } else { format!(": {detail}") };
    format!("{}  {to_status} by {actor}{detail}", moment::clock(*created_at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Holds the one line of a page that begins so to what the code says, or writes it with `BATON_BLESS`.
    fn hold_line(page: &str, begins: &str, line: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
        let text = std::fs::read_to_string(&path).unwrap();
        let found: Vec<_> = text.lines().filter(|line| line.starts_with(begins)).collect();
        assert_eq!(found.len(), 1, "{page}: {begins}");
        if std::env::var_os("BATON_BLESS").is_some() {
            std::fs::write(&path, text.replace(found[0], line)).unwrap();
        } else {
            assert_eq!(found, [line], "{page}; BATON_BLESS=1 writes it again");
        }
    }

    #[test]
    fn the_help_and_the_pages_name_the_exit_code_of_every_end() {
        let mut ends: Vec<_> = Status::terminal().map(|status| (ended_code(status), status)).collect();
        ends.sort_unstable();
        let joined = |ends: &[(u8, Status)]| {
            let codes: Vec<_> = ends.iter().map(|(code, _)| code.to_string()).collect();
            let names: Vec<_> = ends.iter().map(|(_, status)| status.as_str()).collect();
            (codes.join(" · "), names.join(" · "))
        };
        let (codes, names) = joined(&ends);
        hold_line("guides/shell-agent.md", "| 0 · 1 ·", &format!("| {codes} | {names} |"));
        let further = &ends[2..];
        let (codes, names) = joined(further);
        hold_line("cli.md", "| 3 ·", &format!("| {codes} | `send --wait`, `wait`: {names} |"));
        let help: Vec<_> = further.iter().map(|(code, status)| format!("{code} {status}")).collect();
        assert_eq!(further_ends!(), help.join(", "));
    }
}
