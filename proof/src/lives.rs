//! Durable lives: a task is sent (on the disk), claimed, answered (on the disk), and the sender sees the answer.
//! The hub and its peers take turns, because the machine's moods must meet all of them.

mod handoff_client;
pub(crate) mod hub;
pub(crate) mod hub_client;
mod nats;
pub(crate) mod pgmq;
mod sqlite;

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::disk;
use crate::failure::Failure;
use crate::figures::{Spread, say};
use crate::tally::Tally;
use crate::trouble::Trouble;
use crate::usage::{PerLife, Usage};

/// What a task of the run says, and its answer: about as much as real ones, the same for everybody.
pub(crate) const TASK: &str = "Read the three reports in the folder of last week, take out every figure about latency, put them \
    into one table with the machine, the date and the number of connections, and say in two sentences which of them \
    disagree and why you think so. Leave out the runs that were stopped early.";
pub(crate) const RESULT: &str =
    "The table is in the folder; two runs disagree because one of them shared its disk.";

/// Most clients at once; every system is set up for as many.
pub(crate) const CLIENTS_MAX: usize = 256;
/// Before the first turn, until everything is warm; not counted.
const WARM_UP: Duration = Duration::from_secs(1);
const DISK_LENGTH: Duration = Duration::from_millis(500);

/// Where the programs are, and how long is measured.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) baton: PathBuf,
    pub(crate) nats: PathBuf,
    pub(crate) postgres: PathBuf,
    pub(crate) scratch: PathBuf,
    pub(crate) clients: Vec<usize>,
    pub(crate) turns: usize,
    pub(crate) length: Duration,
}

/// Everything measured.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) turns: usize,
    pub(crate) seconds: f64,
    pub(crate) absent: Vec<Absent>,
    pub(crate) rows: Vec<Row>,
}

/// A system that could not be measured, and why.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Absent {
    pub(crate) system: String,
    pub(crate) reason: String,
}

/// All systems with one number of clients.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) clients: usize,
    pub(crate) lives: Vec<Lives>,
    pub(crate) fdatasync: Spread,
}

/// One system's turns.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Lives {
    pub(crate) system: String,
    pub(crate) per_second: Spread,
    pub(crate) p50_ms: Spread,
    pub(crate) p99_ms: Spread,
    /// What a life took of the system, where that was looked at: medians of the turns.
    #[serde(default)]
    pub(crate) used: Option<PerLife>,
}

/// A system under load.
enum System {
    Hub(Rc<hub::Hub>),
    Handoff(Rc<hub::Hub>),
    Nats(nats::Nats),
    Pgmq(pgmq::Pgmq),
    Sqlite(sqlite::Sqlite),
}

impl System {
    fn name(&self) -> &'static str {
        match self {
            Self::Hub(_) => hub::NAME,
            Self::Handoff(_) => hub::HANDOFF,
            Self::Nats(_) => nats::NAME,
            Self::Pgmq(_) => pgmq::NAME,
            Self::Sqlite(_) => sqlite::NAME,
        }
    }

    async fn lives(&self, clients: usize, length: Duration) -> Result<Tally, Failure> {
        let tally = match self {
            Self::Hub(hub) => hub.lives(clients, length).await,
            Self::Handoff(hub) => hub.handoffs(clients, length).await,
            Self::Nats(nats) => nats.lives(clients, length).await,
            Self::Pgmq(pgmq) => pgmq.lives(clients, length).await,
            Self::Sqlite(sqlite) => sqlite.lives(clients, length).await,
        }?;
        match tally.first_error {
            Some(trouble) => Err(trouble.into()),
            None => Ok(tally),
        }
    }

    /// Waits until it has done what its turn left for later, where that is known.
    async fn rest(&self) -> Result<(), Failure> {
        match self {
            Self::Hub(hub) | Self::Handoff(hub) => hub.rest().await,
            Self::Nats(_) | Self::Pgmq(_) | Self::Sqlite(_) => Ok(()),
        }
    }

    /// What it has used so far, where that is looked at.
    async fn usage(&self) -> Result<Option<Usage>, Failure> {
        match self {
            Self::Hub(hub) | Self::Handoff(hub) => hub.usage().await.map(Some),
            Self::Nats(_) | Self::Pgmq(_) | Self::Sqlite(_) => Ok(None),
        }
    }
}

/// A client that lives one life after the other.
pub(crate) trait Alive: Send {
    /// One life, from the send to the answer seen by the sender.
    fn live(&mut self) -> impl Future<Output = Result<(), Trouble>> + Send;
}

/// Lives until the time is over; the last life is finished.
pub(crate) async fn repeat(mut client: impl Alive, length: Duration) -> Tally {
    let mut tally = Tally::default();
    let started = Instant::now();
    while started.elapsed() < length {
        let begun = Instant::now();
        let lived = client.live().await.map(|()| begun.elapsed());
        if tally.note(lived).is_break() {
            break;
        }
    }
    tally
}

/// A system and its turns with one number of clients.
struct Contender {
    system: System,
    turns: Vec<Tally>,
    /// What a life took in each of them.
    used: Vec<PerLife>,
}

impl Contender {
    fn new(system: System) -> Self {
        Self { system, turns: Vec::new(), used: Vec::new() }
    }
}

/// Starts all systems that can be started, and measures them in turns.
pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    let (mut contenders, mut absent) = start(plan).await?;
    let mut rows = Vec::new();
    for &clients in &plan.clients {
        rows.push(take_turns(plan, &mut contenders, &mut absent, clients).await?);
    }
    Ok(Measured { turns: plan.turns, seconds: plan.length.as_secs_f64(), absent, rows })
}

/// The hub must start; a peer that does not is named.
async fn start(plan: &Plan) -> Result<(Vec<Contender>, Vec<Absent>), Failure> {
    let scratch = &plan.scratch;
    let hub = Rc::new(hub::Hub::start(&plan.baton, scratch).await?);
    let mut contenders = vec![Contender::new(System::Hub(hub.clone())), Contender::new(System::Handoff(hub))];
    let mut absent = Vec::new();
    let mut keep = |name: &str, started: Result<System, Failure>| match started {
        Ok(system) => contenders.push(Contender::new(system)),
        Err(failure) => absent.push(Absent { system: name.to_owned(), reason: failure.to_string() }),
    };
    keep(nats::NAME, nats::Nats::start(&plan.nats, scratch).await.map(System::Nats));
    keep(pgmq::NAME, pgmq::Pgmq::start(&plan.postgres, scratch).await.map(System::Pgmq));
    keep(sqlite::NAME, sqlite::Sqlite::start(scratch).map(System::Sqlite));
    Ok((contenders, absent))
}

async fn take_turns(
    plan: &Plan,
    contenders: &mut Vec<Contender>,
    absent: &mut Vec<Absent>,
    clients: usize,
) -> Result<Row, Failure> {
    take_turn(contenders, absent, clients, WARM_UP).await?;
    for contender in contenders.iter_mut() {
        contender.turns.clear();
        contender.used.clear();
    }
    let mut syncs = Vec::new();
    for _ in 0..plan.turns {
        take_turn(contenders, absent, clients, plan.length).await?;
        let rate = disk::fdatasyncs_per_second(&plan.scratch, DISK_LENGTH);
        syncs.push(rate.map_err(Failure::file(plan.scratch.display()))?);
    }
    let lives = contenders.iter().map(Lives::of).collect();
    let row = Row { clients, lives, fdatasync: Spread::of(syncs) };
    tell(&row)?;
    Ok(row)
}

/// One turn of everybody. A peer that fails is named and leaves; the hub must not.
async fn take_turn(
    contenders: &mut Vec<Contender>,
    absent: &mut Vec<Absent>,
    clients: usize,
    length: Duration,
) -> Result<(), Failure> {
    let mut going_on = Vec::with_capacity(contenders.len());
    for mut contender in contenders.drain(..) {
        let before = contender.system.usage().await?;
        match contender.system.lives(clients, length).await {
            Ok(tally) => {
                contender.system.rest().await?;
                if let (Some(before), Some(after)) = (before, contender.system.usage().await?) {
                    contender.used.push(after.per_life_since(before, tally.latencies.count() as f64));
                }
                contender.turns.push(tally);
                going_on.push(contender);
            }
            Err(failure) if matches!(contender.system, System::Hub(_) | System::Handoff(_)) => {
                return Err(failure);
            }
            Err(failure) => absent.push(Absent {
                system: contender.system.name().to_owned(),
                reason: format!("from {clients} clients on: {failure}"),
            }),
        }
    }
    *contenders = going_on;
    Ok(())
}

impl Lives {
    fn of(contender: &Contender) -> Self {
        let Contender { system, turns, used } = contender;
        let median = |figure: &dyn Fn(&PerLife) -> f64| Spread::of(used.iter().map(figure).collect()).median;
        let used = (!used.is_empty()).then(|| PerLife {
            writer_micros: median(&|used| used.writer_micros),
            other_micros: median(&|used| used.other_micros),
            written_bytes: median(&|used| used.written_bytes),
            wal_bytes: Some(median(&|used| used.wal_bytes.unwrap_or_default())),
        });
        let spread = |figure: &dyn Fn(&Tally) -> f64| Spread::of(turns.iter().map(figure).collect());
        Self {
            system: system.name().to_owned(),
            per_second: spread(&|turn| turn.latencies.count() as f64 / turn.elapsed.as_secs_f64()),
            p50_ms: spread(&|turn| turn.latencies.percentile_ms(50)),
            p99_ms: spread(&|turn| turn.latencies.percentile_ms(99)),
            used,
        }
    }
}

fn tell(row: &Row) -> Result<(), Failure> {
    say(&format!(
        "{} clients{:>24}{:>22}{:>10}{:>10}",
        row.clients, "lives a second", "from – to", "p50 ms", "p99 ms"
    ))?;
    for Lives { system, per_second, p50_ms, p99_ms, used } in &row.lives {
        let range = format!("{:.0} – {:.0}", per_second.least, per_second.most);
        say(&format!(
            "{system:<20}{:>14.0}{range:>22}{:>10.2}{:>10.2}",
            per_second.median, p50_ms.median, p99_ms.median
        ))?;
        if let Some(PerLife { writer_micros, other_micros, written_bytes, wal_bytes }) = used {
            say(&format!(
                "  a life takes {writer_micros:.0} µs of the writer, {other_micros:.0} µs of other threads, \
                 {written_bytes:.0} bytes written to storage, {:.0} of WAL",
                wal_bytes.unwrap_or_default()
            ))?;
        }
    }
    let Spread { median, least, most } = row.fdatasync;
    let range = format!("{least:.0} – {most:.0}");
    say(&format!("{:<18}{median:>16.0}{range:>22}", "fdatasync alone"))
}
