//! Hubs on PostgreSQL: one beside pgmq and beside a hub on SQLite, three synchronous servers beside one, push from one hub to
//! another, and what a snapshot that somebody holds open costs. All by handoff, in turns.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::{Client, Config, NoTls};

use crate::failure::Failure;
use crate::figures::{Speed, Spread, say};
use crate::lives::Absent;
use crate::lives::hub::Hub;
use crate::lives::pgmq::{self, Pgmq};
use crate::load::push;
use crate::metrics::Metrics;
use crate::server::hub::Home;
use crate::server::patroni::Patroni;
use crate::server::postgres::Postgres;
use crate::tally::Tally;
use crate::tenant::Tenant;

pub(crate) const NETWORKS: usize = 16;
const WARM_UP: Duration = Duration::from_secs(2);
/// Clients at which a hub on PostgreSQL is compared with pgmq.
pub(crate) const BESIDE_PGMQ: [usize; 2] = [16, 256];
/// Clients at which all else is compared.
pub(crate) const CLIENTS: usize = 64;
/// Listeners that are sent to, one task at a time, at another hub.
const PUSHES: usize = 8;

pub(crate) const ON_POSTGRES: &str = "hub on PostgreSQL, 16 networks";
pub(crate) const ONE_NETWORK: &str = "hub on PostgreSQL, one network";
pub(crate) const ON_SQLITE: &str = "hub on SQLite, one network";
pub(crate) const ON_THREE: &str = "hub on three synchronous servers, 16 networks";

/// Where the programs are, and how long is measured.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) baton: PathBuf,
    pub(crate) postgres: PathBuf,
    pub(crate) patroni: PathBuf,
    pub(crate) scratch: PathBuf,
    pub(crate) turns: usize,
    pub(crate) length: Duration,
    /// How long a snapshot is held open.
    pub(crate) held: Duration,
}

/// Everything measured.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) turns: usize,
    pub(crate) seconds: f64,
    pub(crate) held_seconds: f64,
    pub(crate) absent: Vec<Absent>,
    pub(crate) rows: Vec<Row>,
    pub(crate) engine: Option<Engine>,
    /// From a send at one hub to its frame at another.
    pub(crate) push: Option<Speed>,
    pub(crate) snapshot: Option<Snapshot>,
}

/// Handoffs a second after a load of some minutes: an ordinary one, and one during which somebody held a snapshot open.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    pub(crate) without: f64,
    pub(crate) with: f64,
}

/// Handoffs a second of one system with one number of clients.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) system: String,
    pub(crate) clients: usize,
    pub(crate) per_second: Spread,
    pub(crate) p50_ms: Spread,
    pub(crate) p99_ms: Spread,
}

/// What the hub on PostgreSQL counts of its own work under load.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Engine {
    pub(crate) round_trips_a_batch: f64,
    pub(crate) writes_a_batch: f64,
    /// Loads that missed the working set, of all writes.
    pub(crate) missed_loads: f64,
}

impl Measured {
    pub(crate) fn row(&self, system: &str, clients: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.system == system && row.clients == clients)
    }

    /// Handoffs of one system as a multiple of another's.
    pub(crate) fn times(&self, system: &str, other: &str, clients: usize) -> Option<f64> {
        Some(self.row(system, clients)?.per_second.median / self.row(other, clients)?.per_second.median)
    }
}

/// A system under load.
enum System<'a> {
    Hub(&'a Hub),
    Pgmq(&'a Pgmq),
}

impl System<'_> {
    /// Waits until a hub has done what its turn left for later.
    async fn rest(&self) -> Result<(), Failure> {
        match self {
            Self::Hub(hub) => hub.rest().await,
            Self::Pgmq(_) => Ok(()),
        }
    }

    async fn turn(&self, clients: usize, length: Duration) -> Result<Tally, Failure> {
        let tally = match self {
            Self::Hub(hub) => hub.handoffs(clients, length).await,
            Self::Pgmq(pgmq) => pgmq.lives(clients, length).await,
        }?;
        tally.first_error.map_or(Ok(Tally { first_error: None, ..tally }), |trouble| Err(trouble.into()))
    }
}

/// The hub on PostgreSQL must start; what else cannot be measured is named with its reason, and the rest is kept.
pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    let scratch = &plan.scratch;
    let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
    let server = Postgres::start(&plan.postgres, folder.path())?;
    let [many, single] = ["many", "single"].map(|name| store_url(&server, name));
    make_databases(&server).await?;
    let hub = Hub::start_on(&plan.baton, scratch, Some(&many), NETWORKS).await?;
    let mut parts = Parts::default();
    for clients in BESIDE_PGMQ {
        parts.rows(pgmq::NAME, beside_pgmq(plan, &hub, clients).await);
    }
    let engine = parts.keep("round trips", count_work(plan, &hub).await);
    parts.rows(ONE_NETWORK, beside_sqlite(plan, &single).await);
    parts.rows(ON_THREE, on_three_servers(plan, &hub).await);
    let push = parts.keep("push from one hub to another", push_across(plan, &hub, &many).await);
    let snapshot = parts.keep("a snapshot held open", hold_snapshot(plan, &server, &hub).await);
    let (turns, seconds, held_seconds) = (plan.turns, plan.length.as_secs_f64(), plan.held.as_secs_f64());
    let Parts { rows, absent } = parts;
    Ok(Measured { turns, seconds, held_seconds, absent, rows, engine, push, snapshot })
}

/// What was measured so far, and what was not.
#[derive(Default)]
struct Parts {
    rows: Vec<Row>,
    absent: Vec<Absent>,
}

impl Parts {
    fn keep<T>(&mut self, part: &str, measured: Result<T, Failure>) -> Option<T> {
        let absent = |failure: Failure| Absent { system: part.to_owned(), reason: failure.to_string() };
        measured.map_err(|failure| self.absent.push(absent(failure))).ok()
    }

    fn rows(&mut self, part: &str, measured: Result<Vec<Row>, Failure>) {
        let rows = self.keep(part, measured);
        self.rows.extend(rows.into_iter().flatten());
    }
}

async fn beside_pgmq(plan: &Plan, hub: &Hub, clients: usize) -> Result<Vec<Row>, Failure> {
    let pgmq = Pgmq::start(&plan.postgres, &plan.scratch).await?;
    take_turns(plan, &[(pgmq::NAME, System::Pgmq(&pgmq)), (ON_POSTGRES, System::Hub(hub))], clients).await
}

async fn beside_sqlite(plan: &Plan, store: &str) -> Result<Vec<Row>, Failure> {
    let one_network = Hub::start_on(&plan.baton, &plan.scratch, Some(store), 1).await?;
    let on_sqlite = Hub::start(&plan.baton, &plan.scratch).await?;
    let systems = [(ON_SQLITE, System::Hub(&on_sqlite)), (ONE_NETWORK, System::Hub(&one_network))];
    take_turns(plan, &systems, CLIENTS).await
}

async fn on_three_servers(plan: &Plan, hub: &Hub) -> Result<Vec<Row>, Failure> {
    let scratch = &plan.scratch;
    let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
    let cluster = Patroni::start(&plan.patroni, folder.path())?;
    let on_three = Hub::start_on(&plan.baton, scratch, Some(&cluster.url), NETWORKS).await?;
    take_turns(plan, &[(ON_POSTGRES, System::Hub(hub)), (ON_THREE, System::Hub(&on_three))], CLIENTS).await
}

fn store_url(server: &Postgres, database: &str) -> String {
    format!("postgres://postgres@127.0.0.1:{}/{database}", server.port)
}

async fn connect(server: &Postgres, database: &str) -> Result<Client, Failure> {
    let mut config = Config::new();
    config.host("127.0.0.1").port(server.port).user("postgres").dbname(database);
    let (client, connection) = config.connect(NoTls).await.map_err(Failure::of("PostgreSQL"))?;
    tokio::spawn(connection);
    Ok(client)
}

async fn make_databases(server: &Postgres) -> Result<(), Failure> {
    let client = connect(server, "postgres").await?;
    for name in ["many", "single"] {
        let made = client.batch_execute(&format!("CREATE DATABASE {name}")).await;
        made.map_err(Failure::of("PostgreSQL"))?;
    }
    Ok(())
}

/// Several systems with one number of clients, in turns.
async fn take_turns(
    plan: &Plan,
    systems: &[(&str, System<'_>)],
    clients: usize,
) -> Result<Vec<Row>, Failure> {
    let mut turns: Vec<Vec<Tally>> = systems.iter().map(|_| Vec::new()).collect();
    for (_, system) in systems {
        system.turn(clients, WARM_UP.min(plan.length)).await?;
        system.rest().await?;
    }
    for _ in 0..plan.turns {
        for ((_, system), turns) in systems.iter().zip(&mut turns) {
            turns.push(system.turn(clients, plan.length).await?);
            system.rest().await?;
        }
    }
    let row = |((name, _), turns): (&(&str, System<'_>), &Vec<Tally>)| {
        let spread = |figure: &dyn Fn(&Tally) -> f64| Spread::of(turns.iter().map(figure).collect());
        Row {
            system: (*name).to_owned(),
            clients,
            per_second: spread(&rate),
            p50_ms: spread(&|turn| turn.latencies.percentile_ms(50)),
            p99_ms: spread(&|turn| turn.latencies.percentile_ms(99)),
        }
    };
    let rows: Vec<Row> = systems.iter().zip(&turns).map(row).collect();
    for Row { system, clients, per_second, p50_ms, p99_ms } in &rows {
        say(&format!(
            "{clients:>4} clients  {system:<48}{:>8.0} a second ({:.0} – {:.0}), p50 {:.2} ms, p99 {:.2} ms",
            per_second.median, per_second.least, per_second.most, p50_ms.median, p99_ms.median
        ))?;
    }
    Ok(rows)
}

fn rate(tally: &Tally) -> f64 {
    tally.latencies.count() as f64 / tally.elapsed.as_secs_f64()
}

/// Round trips and late loads while clients of all networks are busy, from the hub's own figures.
async fn count_work(plan: &Plan, hub: &Hub) -> Result<Engine, Failure> {
    let before = Counts::read(hub).await?;
    System::Hub(hub).turn(CLIENTS, plan.length).await?;
    let after = Counts::read(hub).await?;
    let (batches, writes) = (after.batches - before.batches, after.writes - before.writes);
    let engine = Engine {
        round_trips_a_batch: (after.round_trips - before.round_trips) / batches.max(1.0),
        writes_a_batch: writes / batches.max(1.0),
        missed_loads: (after.missed_loads - before.missed_loads) / writes.max(1.0),
    };
    say(&format!(
        "{:.2} round trips a batch of {:.1} writes, {:.2} % of loads late",
        engine.round_trips_a_batch,
        engine.writes_a_batch,
        engine.missed_loads * 100.0
    ))?;
    Ok(engine)
}

/// Some lines of `GET /metrics`.
struct Counts {
    round_trips: f64,
    missed_loads: f64,
    batches: f64,
    writes: f64,
}

impl Counts {
    async fn read(hub: &Hub) -> Result<Self, Failure> {
        let metrics = Metrics::read(&hub.server.address, &hub.user).await?;
        Ok(Self {
            round_trips: metrics.figure("baton_postgres_round_trips_total")?,
            missed_loads: metrics.figure("baton_postgres_missed_loads_total")?,
            batches: metrics.figure("baton_store_commit_writes_count")?,
            writes: metrics.figure("baton_store_commit_writes_sum")?,
        })
    }
}

/// A second hub on the same database: tasks are sent at the first, streams are open at the second.
async fn push_across(plan: &Plan, hub: &Hub, store: &str) -> Result<Speed, Failure> {
    let scratch = &plan.scratch;
    let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
    let home = Home::new(folder.path())?;
    // Hubs on one database sign with the same key.
    let key = "evidence.key";
    std::fs::copy(hub.folder().join(key), folder.path().join(key)).map_err(Failure::file(key))?;
    let other = home.start_in(&plan.baton, &[("BATON_STORE", store.into())])?;
    let mut tenant = Tenant::make(&hub.server.address, hub.user.clone()).await?;
    let tally = push::measure(&hub.server.address, &other.address, &mut tenant, PUSHES, plan.length).await?;
    let speed = tally.speed()?;
    say(&format!("push from one hub to another: p50 {:.2} ms, p99 {:.2} ms", speed.p50_ms, speed.p99_ms))?;
    Ok(speed)
}

/// The same load twice, so that what the database has grown by meanwhile shows in both: first without a snapshot, then with
/// one held open from its beginning. Each time the last turn counts.
async fn hold_snapshot(plan: &Plan, server: &Postgres, hub: &Hub) -> Result<Snapshot, Failure> {
    let system = System::Hub(hub);
    let before = plan.held.saturating_sub(plan.length);
    system.turn(CLIENTS, before).await?;
    let without = rate(&system.turn(CLIENTS, plan.length).await?);
    let holder = connect(server, "many").await?;
    let hold = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT count(*) FROM network_keys";
    holder.batch_execute(hold).await.map_err(Failure::of("PostgreSQL"))?;
    system.turn(CLIENTS, before).await?;
    let with = rate(&system.turn(CLIENTS, plan.length).await?);
    holder.batch_execute("ROLLBACK").await.map_err(Failure::of("PostgreSQL"))?;
    let seconds = plan.held.as_secs();
    say(&format!(
        "{without:.0} a second after {seconds} s of load; {with:.0} with a snapshot held open for as long"
    ))?;
    Ok(Snapshot { without, with })
}
