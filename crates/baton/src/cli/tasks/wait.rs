//! Waiting for a task's end. Every change is told on stderr as it happens; a hub that is away for a while is waited
//! for. The stream only wakes: what is told is read from the task's history.

use baton_core::Status;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

use super::history::History;
use crate::cli::moment;
use crate::cli::screen::note;
use crate::client::tasks::{OneTask, TaskEvent};
use crate::client::{Answer, Channel, Client, Error, Follower, Heard, News};

/// Between two looks while the wait is young, and later.
const LOOK_SOON: Duration = Duration::from_secs(1);
const LOOK_LATER: Duration = Duration::from_secs(5);
const YOUNG: Duration = Duration::from_secs(60);
/// A hub that is away longer than this is given up.
const AWAY_MAX: Duration = Duration::from_secs(120);

/// What a wait came to.
pub(super) enum Outcome {
    Ended(Answer<OneTask>),
    StillOpen(Answer<OneTask>),
}

/// A wait for one task.
pub(super) struct Wait<'a> {
    client: &'a Client,
    task_id: &'a str,
    alias: &'a str,
    history: History,
    follower: Option<Follower>,
    began: Instant,
    deadline: Option<Instant>,
    away: Option<Away>,
    progress: Option<i64>,
}

/// Since when the hub has not answered, and how it failed last.
struct Away {
    since: Instant,
    error: Error,
}

impl<'a> Wait<'a> {
    pub(super) fn new(
        client: &'a Client,
        task_id: &'a str,
        alias: &'a str,
        channel: Option<Channel>,
        limit: Option<Duration>,
    ) -> Self {
        let began = Instant::now();
        Self {
            client,
            task_id,
            alias,
            history: History::of_task(task_id.to_owned()),
            follower: channel.map(|channel| client.follow(channel, None)),
            began,
            deadline: limit.map(|limit| began + limit),
            away: None,
            progress: None,
        }
    }

    pub(super) async fn run(mut self) -> Result<Outcome, Error> {
        loop {
            if let Some(status) = self.look().await?
                && status.is_terminal()
                && let Some(task) = self.task().await?
            {
                return Ok(Outcome::Ended(task));
            }
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return self.give_up().await;
            }
            self.sleep().await;
        }
    }

    /// Tells what is new; answers where the task stands if that changed.
    async fn look(&mut self) -> Result<Option<Status>, Error> {
        let looked = self.history.look(self.client).await;
        let Some(fresh) = self.met(looked)? else { return Ok(None) };
        for event in &fresh.events {
            note(&told(event));
        }
        Ok(fresh.events.last().map(|event| event.to_status))
    }

    /// The task's row, asked for until the hub is there again.
    async fn task(&mut self) -> Result<Option<Answer<OneTask>>, Error> {
        loop {
            let asked = self.client.task(self.task_id).await;
            if let Some(task) = self.met(asked)? {
                return Ok(Some(task));
            }
            self.sleep().await;
        }
    }

    /// What a call came to: nothing if the hub is away and may come back.
    fn met<T>(&mut self, outcome: Result<T, Error>) -> Result<Option<T>, Error> {
        match outcome {
            Ok(value) => {
                if self.away.take().is_some() {
                    note("the hub is back");
                }
                Ok(Some(value))
            }
            Err(error) if error.is_passing() => {
                let since = self.away.as_ref().map_or_else(Instant::now, |away| away.since);
                if self.away.is_none() {
                    note(&format!("waiting for the hub: {error}"));
                } else if since.elapsed() >= AWAY_MAX {
                    return Err(error);
                }
                self.away = Some(Away { since, error });
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    async fn give_up(self) -> Result<Outcome, Error> {
        match self.away {
            Some(away) => Err(away.error),
            None => Ok(Outcome::StillOpen(self.client.task(self.task_id).await?)),
        }
    }

    /// Sleeps until it is worth looking again.
    async fn sleep(&mut self) {
        let pause = if self.began.elapsed() < YOUNG { LOOK_SOON } else { LOOK_LATER };
        let mut until = Instant::now() + pause;
        if let Some(deadline) = self.deadline {
            until = until.min(deadline);
        }
        loop {
            let Some(follower) = &mut self.follower else { return sleep_until(until).await };
            let heard = tokio::select! {
                heard = follower.next() => heard,
                () = sleep_until(until) => return,
            };
            match heard {
                Some(Ok(Heard::News { news, .. })) => {
                    if self.is_worth_a_look(&news) {
                        return;
                    }
                }
                Some(Ok(Heard::Lost(_))) => {}
                // Without a stream the looks go on, only slower.
                Some(Err(_)) | None => self.follower = None,
            }
        }
    }

    fn is_worth_a_look(&mut self, news: &News) -> bool {
        match news {
            News::Connected { .. } | News::Reset => true,
            News::StatusUpdate { alias, progress, .. } if alias == self.alias => {
                if progress.is_some() && *progress != self.progress {
                    self.progress = *progress;
                    note(&format!("{}  {} %", moment::clock(moment::now().into()), progress.unwrap_or(0)));
                }
                true
            }
            news => news.task_id() == Some(self.task_id),
        }
    }
}

fn told(event: &TaskEvent) -> String {
    let TaskEvent { to_status, actor, detail, created_at, .. } = event;
    // Where the detail says no more than the status, the status says enough.
    let is_plain =
        matches!(&**detail, "sent" | "acknowledged" | "started" | "expired") || detail.starts_with("reply: ");
    let detail = if is_plain { String::new() } else { format!(": {detail}") };
    format!("{}  {to_status} by {actor}{detail}", moment::clock(*created_at))
}
