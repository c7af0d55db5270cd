//! Fills a hub through its own door: tasks sent and answered over HTTP, so that every row, index entry and evidence
//! event is what work leaves behind. Almost all have ended, as in a hub that has run for long; the open ones are as
//! many however many there are in all, because a backlog comes of load and not of age.

use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::interval;

use super::past::{Past, TASKS_PER_DAY};
use crate::connection::Connection;
use crate::failure::Failure;
use crate::request::{Address, request};
use crate::server::hub::{Home, Hub};
use crate::tenant::{Agent, Tenant, read};
use crate::trouble::Trouble;

/// Connections that fill, each with a worker of its own.
const CONNECTIONS: usize = 128;
/// Tasks that stay open, the last ones made.
const OPEN: usize = 1_024;
/// Every so many tasks' ids are kept, to be asked for later.
const KEPT_OF: usize = 97;
/// A machine on which it takes longer gets fewer tasks, and the page says how many.
const FILL_MAX: Duration = Duration::from_secs(420);
const CLOCK_MOVES_EVERY: Duration = Duration::from_millis(500);
/// In every text, and in the text of one task alone.
pub(super) const COMMON_WORD: &str = "latency";
pub(super) const RARE_WORD: &str = "chrysanthemum";

/// What is known of a filled hub.
pub(super) struct Seeded {
    /// Fewer than asked for where the time did not suffice.
    pub(super) tasks: usize,
    pub(super) user_token: String,
    pub(super) network_id: String,
    pub(crate) sender: Agent,
    /// Each has open tasks.
    pub(crate) workers: Vec<Agent>,
    /// Has none; for what is sent, claimed and answered during the measurement.
    pub(super) probe: Agent,
    pub(super) task_ids: Vec<String>,
}

#[derive(Deserialize)]
struct Sent {
    task_id: String,
}

pub(super) async fn fill(
    home: &Home,
    hub: &Hub,
    tasks: usize,
    past: Option<&Past>,
) -> Result<Seeded, Failure> {
    let user_token = home.log_in(hub).await?;
    let mut tenant = Tenant::make(&hub.address, user_token.clone()).await?;
    let network_id = tenant.network_id().to_owned();
    let (sender, probe) = (tenant.mint("sender".into()).await?, tenant.mint("probe".into()).await?);
    let workers = tenant.agents("worker", CONNECTIONS).await?;
    let progress = Arc::new(Progress::default());
    let last_day = tasks.min(TASKS_PER_DAY);
    let mut filling = JoinSet::new();
    for (number, worker) in workers.iter().enumerate() {
        let filler = Filler {
            connection: Connection::open(&hub.address).await?,
            address: hub.address.clone(),
            sender: sender.clone(),
            worker: worker.clone(),
            number,
            before: (tasks - last_day).div_ceil(CONNECTIONS),
            last_day: last_day.div_ceil(CONNECTIONS),
            made: 0,
            progress: Arc::clone(&progress),
        };
        filling.spawn(filler.fill());
    }
    let mut task_ids = Vec::new();
    let mut pulse = interval(CLOCK_MOVES_EVERY);
    loop {
        tokio::select! {
            _ = pulse.tick() => if let Some(past) = past {
                past.set(progress.left(tasks, last_day))?;
            },
            filled = filling.join_next() => match filled {
                Some(filled) => task_ids.extend(filled.map_err(Failure::of("the generator"))??),
                None => break,
            },
        }
    }
    let tasks = progress.made();
    Ok(Seeded { tasks, user_token, network_id, sender, workers, probe, task_ids })
}

/// How many tasks were made, by all connections together.
#[derive(Default)]
struct Progress {
    before: AtomicUsize,
    last_day: AtomicUsize,
}

impl Progress {
    fn made(&self) -> usize {
        self.before.load(Ordering::Relaxed) + self.last_day.load(Ordering::Relaxed)
    }

    /// How many are left, and none of the days before once the last day has begun: the clock jumps to that day where
    /// the time did not suffice for all before it.
    fn left(&self, tasks: usize, last_day: usize) -> usize {
        match self.last_day.load(Ordering::Relaxed) {
            0 => tasks.saturating_sub(self.before.load(Ordering::Relaxed)),
            made => last_day.saturating_sub(made),
        }
    }
}

/// One connection's share.
struct Filler {
    connection: Connection,
    address: Address,
    sender: Agent,
    worker: Agent,
    number: usize,
    /// Tasks to be made of the days before, and of the last.
    before: usize,
    last_day: usize,
    made: usize,
    progress: Arc<Progress>,
}

impl Filler {
    async fn fill(mut self) -> Result<Vec<String>, Trouble> {
        let mut kept = Vec::new();
        let started = Instant::now();
        while self.made < self.before && started.elapsed() < FILL_MAX {
            self.live(&mut kept).await?;
            self.progress.before.fetch_add(1, Ordering::Relaxed);
        }
        let open = OPEN / CONNECTIONS;
        for task in 0..self.last_day {
            if task + open < self.last_day {
                self.live(&mut kept).await?;
            } else {
                self.make().await?;
            }
            self.progress.last_day.fetch_add(1, Ordering::Relaxed);
        }
        Ok(kept)
    }

    /// A task that is made and answered.
    async fn live(&mut self, kept: &mut Vec<String>) -> Result<(), Trouble> {
        let task_id = self.make().await?;
        let path = format!("/api/tasks/{task_id}/reply");
        let body = json!({"text": format!("Done: table {} of {}.", self.made, self.number)});
        let reply = request(&self.address, "POST", &path, Some(&self.worker.token), &body);
        self.connection.call("a reply", &reply).await?;
        if self.made % KEPT_OF == 1 {
            kept.push(task_id);
        }
        Ok(())
    }

    async fn make(&mut self) -> Result<String, Trouble> {
        let bytes = self.send(self.made);
        let sent: Sent = read("a send", self.connection.call("a send", &bytes).await?)?;
        self.made += 1;
        Ok(sent.task_id)
    }

    fn send(&self, task: usize) -> Vec<u8> {
        // The first connection's first task: the oldest of all, where a search looks last.
        let word = if self.number == 0 && task == 0 { RARE_WORD } else { "machine" };
        let text = format!(
            "Read report {task} of folder {}, take out every figure about {COMMON_WORD} and put them into one table \
             with the {word}, the date and the number of connections. Say which of them disagree, and why.",
            self.number
        );
        let body = json!({"alias": self.worker.alias, "task": text, "ttl_seconds": 86_400});
        request(&self.address, "POST", "/api/task", Some(&self.sender.token), &body)
    }
}
