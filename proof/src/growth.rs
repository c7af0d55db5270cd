//! Growth: every operation's time with few tasks stored and with many. Two hubs stand side by side and take turns, so
//! that the machine's moods meet both; each call is made alone, on one connection.

mod operation;
mod past;
mod seed;

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

use self::operation::{Operation, Probe};
use self::past::Past;
use self::seed::Seeded;
use crate::failure::Failure;
use crate::figures::{Spread, say};
use crate::lives::hub_client::Client;
use crate::lives::repeat;
use crate::memory::Memory;
use crate::server::check;
use crate::server::hub::{Home, Hub};
use crate::tally::together;

/// Clients of the whole lives on both hubs.
const CLIENTS: usize = 16;

/// What is compared, and how long.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) baton: PathBuf,
    pub(crate) scratch: PathBuf,
    pub(crate) few: usize,
    pub(crate) many: usize,
    pub(crate) turns: usize,
    /// Of one operation on one hub in one turn.
    pub(crate) length: Duration,
}

/// Everything measured.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) few: Stored,
    pub(crate) many: Stored,
    pub(crate) turns: usize,
    pub(crate) rows: Vec<Row>,
    pub(crate) lives_clients: usize,
    pub(crate) lives_few: Spread,
    pub(crate) lives_many: Spread,
}

/// A hub with that many tasks.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub(crate) tasks: usize,
    /// Over how many days they were made by the hub's clock; none where it could not be set.
    pub(crate) days: Option<f64>,
    pub(crate) seeded_in_seconds: f64,
    pub(crate) folder_mib: f64,
    /// Its memory once all was measured.
    pub(crate) memory: Option<Memory>,
}

impl Stored {
    pub(crate) fn bytes_a_task(&self) -> f64 {
        self.folder_mib * 1024.0 * 1024.0 / self.tasks as f64
    }
}

/// One operation on both.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) operation: String,
    pub(crate) few: Times,
    pub(crate) many: Times,
}

impl Row {
    /// How many times as long it takes with many.
    pub(crate) fn ratio(&self) -> f64 {
        self.many.p50_ms.median / self.few.p50_ms.median.max(f64::MIN_POSITIVE)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) p50_ms: Spread,
    pub(crate) p99_ms: Spread,
}

/// A hub whose tasks are made, and what is known of them.
struct Side {
    hub: Hub,
    seeded: Seeded,
    stored: Stored,
    folder: TempDir,
}

impl Side {
    async fn make(plan: &Plan, tasks: usize) -> Result<Self, Failure> {
        let scratch = &plan.scratch;
        let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
        let home = Home::new(folder.path())?;
        let past = Past::find(scratch, tasks)?;
        let hub = match &past {
            Some(past) => home.start_in(&plan.baton, &past.environment())?,
            None => home.start(&plan.baton)?,
        };
        let begun = Instant::now();
        let seeded = seed::fill(&home, &hub, tasks, past.as_ref()).await?;
        let seconds = begun.elapsed().as_secs_f64();
        // Started again, so that neither has anything in memory that the other has not.
        hub.stop()?;
        let tasks = seeded.tasks;
        let stored = Stored {
            tasks,
            days: past.map(|_| seeded.tasks as f64 / past::TASKS_PER_DAY as f64),
            seeded_in_seconds: seconds,
            folder_mib: folder_mib(folder.path())?,
            memory: None,
        };
        say(&format!("{tasks} tasks made in {seconds:.0} s, {:.0} MiB", stored.folder_mib))?;
        Ok(Self { hub: home.start(&plan.baton)?, seeded, stored, folder })
    }

    async fn lives(&self, length: Duration) -> Result<f64, Failure> {
        let mut lives = Vec::with_capacity(CLIENTS);
        for worker in self.seeded.workers.iter().take(CLIENTS) {
            lives.push(repeat(Client::open(&self.hub.address, &self.seeded.sender, worker).await?, length));
        }
        let tally = together(lives).await;
        match tally.first_error {
            Some(trouble) => Err(trouble.into()),
            None => Ok(tally.latencies.count() as f64 / tally.elapsed.as_secs_f64()),
        }
    }
}

/// Makes both hubs' tasks and measures every operation on them in turns. The folder of the few is checked at the end.
pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    let (mut few, mut many) = (Side::make(plan, plan.few).await?, Side::make(plan, plan.many).await?);
    let mut rows = Vec::new();
    for operation in Operation::ALL {
        let row = compare(plan, operation, &few, &many).await?;
        say(&format!(
            "{:<28}{:>10.3}{:>10.3} ms{:>8.2} ×",
            row.operation,
            row.few.p50_ms.median,
            row.many.p50_ms.median,
            row.ratio()
        ))?;
        rows.push(row);
    }
    let (mut lives_few, mut lives_many) = (Vec::new(), Vec::new());
    for _ in 0..plan.turns {
        lives_few.push(few.lives(plan.length).await?);
        lives_many.push(many.lives(plan.length).await?);
    }
    few.stored.memory = Some(few.hub.memory()?);
    many.stored.memory = Some(many.hub.memory()?);
    few.hub.stop()?;
    many.hub.stop()?;
    check(&plan.baton, few.folder.path())?;
    Ok(Measured {
        few: few.stored,
        many: many.stored,
        turns: plan.turns,
        rows,
        lives_clients: CLIENTS,
        lives_few: Spread::of(lives_few),
        lives_many: Spread::of(lives_many),
    })
}

async fn compare(plan: &Plan, operation: Operation, few: &Side, many: &Side) -> Result<Row, Failure> {
    let (mut of_few, mut of_many) = (Turns::default(), Turns::default());
    for _ in 0..plan.turns {
        for (side, turns) in [(few, &mut of_few), (many, &mut of_many)] {
            let mut probe = Probe::open(&side.hub.address, &side.seeded).await?;
            turns.take(&probe.measure(operation, plan.length).await?);
        }
    }
    Ok(Row { operation: operation.name().to_owned(), few: of_few.times(), many: of_many.times() })
}

/// The turns of one operation on one hub.
#[derive(Default)]
struct Turns {
    p50: Vec<f64>,
    p99: Vec<f64>,
}

impl Turns {
    fn take(&mut self, latencies: &crate::histogram::Histogram) {
        self.p50.push(latencies.percentile_ms(50));
        self.p99.push(latencies.percentile_ms(99));
    }

    fn times(self) -> Times {
        Times { p50_ms: Spread::of(self.p50), p99_ms: Spread::of(self.p99) }
    }
}

fn folder_mib(folder: &Path) -> Result<f64, Failure> {
    let failed = Failure::file(folder.display());
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).map_err(&failed)? {
        bytes += entry.and_then(|entry| entry.metadata()).map_err(&failed)?.len();
    }
    Ok(bytes as f64 / 1_048_576.0)
}
