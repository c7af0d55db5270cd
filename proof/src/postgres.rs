//! Hubs on PostgreSQL: one beside pgmq and beside a hub on SQLite, three synchronous servers beside one, push from one hub to
//! another, and what a snapshot that somebody holds open costs. All by handoff, in turns.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::{Client, Config, NoTls};

use crate::connection::Connection;
use crate::failure::Failure;
use crate::figures::{Speed, Spread, say};
use crate::lives::Absent;
use crate::lives::hub::Hub;
use crate::lives::pgmq::{self, Pgmq};
use crate::load::push;
use crate::request::request;
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
    pub(crate) engine: Engine,
    /// From a send at one hub to its frame at another.
    pub(crate) push: Speed,
    pub(crate) before_snapshot: f64,
    pub(crate) during_snapshot: f64,
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
    async fn turn(&self, clients: usize, length: Duration) -> Result<Tally, Failure> {
        let tally = match self {
            Self::Hub(hub) => hub.handoffs(clients, length).await,
            Self::Pgmq(pgmq) => pgmq.lives(clients, length).await,
        }?;
        tally.first_error.map_or(Ok(Tally { first_error: None, ..tally }), |trouble| Err(trouble.into()))
    }
}

pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    let scratch = &plan.scratch;
    let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
    let server = Postgres::start(&plan.postgres, folder.path())?;
    let [many, single] = ["many", "single"].map(|name| store_url(&server, name));
    make_databases(&server).await?;
    let on_postgres = Hub::start_on(&plan.baton, scratch, Some(&many), NETWORKS).await?;
    let (mut rows, mut absent) = (Vec::new(), Vec::new());
    match Pgmq::start(&plan.postgres, scratch).await {
        Ok(pgmq) => {
            for clients in BESIDE_PGMQ {
                let systems = [(pgmq::NAME, System::Pgmq(&pgmq)), (ON_POSTGRES, System::Hub(&on_postgres))];
                rows.extend(take_turns(plan, &systems, clients).await?);
            }
        }
        Err(failure) => absent.push(Absent { system: pgmq::NAME.to_owned(), reason: failure.to_string() }),
    }
    let engine = count_work(plan, &on_postgres).await?;
    {
        let one_network = Hub::start_on(&plan.baton, scratch, Some(&single), 1).await?;
        let on_sqlite = Hub::start(&plan.baton, scratch).await?;
        let systems = [(ON_SQLITE, System::Hub(&on_sqlite)), (ONE_NETWORK, System::Hub(&one_network))];
        rows.extend(take_turns(plan, &systems, CLIENTS).await?);
    }
    let cluster = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
    match Patroni::start(&plan.patroni, cluster.path()) {
        Ok(cluster) => {
            let on_three = Hub::start_on(&plan.baton, scratch, Some(&cluster.url), NETWORKS).await?;
            let systems = [(ON_POSTGRES, System::Hub(&on_postgres)), (ON_THREE, System::Hub(&on_three))];
            rows.extend(take_turns(plan, &systems, CLIENTS).await?);
        }
        Err(failure) => absent.push(Absent { system: ON_THREE.to_owned(), reason: failure.to_string() }),
    }
    let push = push_across(plan, &on_postgres, &many).await?;
    let (before_snapshot, during_snapshot) = hold_snapshot(plan, &server, &on_postgres).await?;
    let (turns, seconds, held_seconds) = (plan.turns, plan.length.as_secs_f64(), plan.held.as_secs_f64());
    Ok(Measured { turns, seconds, held_seconds, absent, rows, engine, push, before_snapshot, during_snapshot })
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
async fn take_turns(plan: &Plan, systems: &[(&str, System<'_>)], clients: usize) -> Result<Vec<Row>, Failure> {
    let mut turns: Vec<Vec<Tally>> = systems.iter().map(|_| Vec::new()).collect();
    for (_, system) in systems {
        system.turn(clients, WARM_UP.min(plan.length)).await?;
    }
    for _ in 0..plan.turns {
        for ((_, system), turns) in systems.iter().zip(&mut turns) {
            turns.push(system.turn(clients, plan.length).await?);
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
        let address = &hub.server.address;
        let bytes = request(address, "GET", "/metrics", Some(&hub.user), &serde_json::json!({}));
        let mut connection = Connection::open(address).await?;
        let page = String::from_utf8_lossy(connection.call("the figures", &bytes).await?).into_owned();
        let figure = |name: &str| {
            let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            let found = line.and_then(|text| text.trim().parse::<f64>().ok());
            found.ok_or_else(|| Failure::of("the figures")(format!("{name} is missing")))
        };
        Ok(Self {
            round_trips: figure("baton_postgres_round_trips_total")?,
            missed_loads: figure("baton_postgres_missed_loads_total")?,
            batches: figure("baton_store_commit_writes_count")?,
            writes: figure("baton_store_commit_writes_sum")?,
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

/// Handoffs a second before a snapshot is taken, and at the end of the time for which it is held open.
async fn hold_snapshot(plan: &Plan, server: &Postgres, hub: &Hub) -> Result<(f64, f64), Failure> {
    let system = System::Hub(hub);
    let before = rate(&system.turn(CLIENTS, plan.length).await?);
    let holder = connect(server, "many").await?;
    let hold = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT count(*) FROM network_keys";
    holder.batch_execute(hold).await.map_err(Failure::of("PostgreSQL"))?;
    system.turn(CLIENTS, plan.held.saturating_sub(plan.length)).await?;
    let during = rate(&system.turn(CLIENTS, plan.length).await?);
    holder.batch_execute("ROLLBACK").await.map_err(Failure::of("PostgreSQL"))?;
    let seconds = plan.held.as_secs();
    say(&format!("{before:.0} a second; {during:.0} with a snapshot held open for {seconds} s"))?;
    Ok((before, during))
}
