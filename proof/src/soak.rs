//! A soak: lives, looks, lists, searches and streams that come and go, for minutes; every so often the hub's memory
//! and its files. Flat is: the last third's median within a tenth of the middle third's.

use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};

use crate::connection::Connection;
use crate::failure::Failure;
use crate::figures::{Spread, say};
use crate::lives::hub_client::Client;
use crate::lives::repeat;
use crate::memory::Memory;
use crate::request::{Address, request};
use crate::server::check;
use crate::server::hub::{Home, Hub};
use crate::stream::Stream;
use crate::tally::Tally;
use crate::tenant::{Agent, Tenant};
use crate::trouble::Trouble;

const CLIENTS: usize = 16;
/// Streams that open, listen for a while and leave.
const LISTENERS: usize = 32;
const LISTENS: Duration = Duration::from_secs(3);
/// Between two reads of the dashboard's pages.
const LOOKS_EVERY: Duration = Duration::from_millis(200);

/// How long, and how often is looked.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) baton: PathBuf,
    pub(crate) scratch: PathBuf,
    pub(crate) length: Duration,
    pub(crate) sample_every: Duration,
}

/// Everything measured.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) seconds: f64,
    pub(crate) lives: u64,
    pub(crate) lives_per_second: f64,
    pub(crate) streams_opened: u64,
    pub(crate) reads: u64,
    pub(crate) samples: Vec<Sample>,
}

/// One look at the hub.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Sample {
    pub(crate) at_seconds: f64,
    pub(crate) memory: Memory,
    pub(crate) database_mib: f64,
    pub(crate) wal_mib: f64,
}

impl Measured {
    /// The last third's median of a figure as a multiple of the middle third's.
    pub(crate) fn growth(&self, figure: impl Fn(&Sample) -> f64) -> f64 {
        let third = self.samples.len() / 3;
        let median = |samples: &[Sample]| Spread::of(samples.iter().map(&figure).collect()).median;
        let last = self.samples.len() - third;
        median(&self.samples[last..]) / median(&self.samples[last - third..last]).max(f64::MIN_POSITIVE)
    }

    pub(crate) fn most(&self, figure: impl Fn(&Sample) -> f64) -> f64 {
        Spread::of(self.samples.iter().map(figure).collect()).most
    }
}

/// What one part of the load did.
enum Done {
    Lived(Tally),
    Listened(u64),
    Looked(u64),
}

pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    let scratch = &plan.scratch;
    let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
    let home = Home::new(folder.path())?;
    let hub = home.start(&plan.baton)?;
    let user = home.log_in(&hub).await?;
    let mut tenant = Tenant::make(&hub.address, user.clone()).await?;
    let mut load = start_load(plan, &hub, &mut tenant, &user).await?;
    let mut measured = Measured {
        seconds: plan.length.as_secs_f64(),
        lives: 0,
        lives_per_second: 0.0,
        streams_opened: 0,
        reads: 0,
        samples: Vec::new(),
    };
    let started = Instant::now();
    let mut pulse = interval(plan.sample_every);
    pulse.tick().await;
    loop {
        tokio::select! {
            _ = pulse.tick() => {
                let sample = Sample::take(&hub, folder.path(), started)?;
                tell(&sample)?;
                measured.samples.push(sample);
            }
            done = load.join_next() => match done {
                Some(done) => measured.add(done.map_err(Failure::of("the generator"))??)?,
                None => break,
            },
        }
    }
    measured.lives_per_second = measured.lives as f64 / started.elapsed().as_secs_f64();
    hub.stop()?;
    check(&plan.baton, folder.path())?;
    Ok(measured)
}

impl Measured {
    fn add(&mut self, done: Done) -> Result<(), Failure> {
        match done {
            Done::Lived(Tally { first_error: Some(trouble), .. }) => return Err(trouble.into()),
            Done::Lived(tally) => self.lives += tally.latencies.count(),
            Done::Listened(times) => self.streams_opened += times,
            Done::Looked(times) => self.reads += times,
        }
        Ok(())
    }
}

async fn start_load(
    plan: &Plan,
    hub: &Hub,
    tenant: &mut Tenant,
    user: &str,
) -> Result<JoinSet<Result<Done, Failure>>, Failure> {
    let sender = tenant.mint("sender".into()).await?;
    let workers = tenant.agents("worker", CLIENTS).await?;
    let listeners = tenant.agents("listener", LISTENERS).await?;
    let (length, address) = (plan.length, &hub.address);
    let mut load = JoinSet::new();
    for worker in &workers {
        let client = Client::open(address, &sender, worker).await?;
        load.spawn(async move { Ok(Done::Lived(repeat(client, length).await)) });
    }
    for listener in listeners {
        let address = address.clone();
        load.spawn(async move { Ok(come_and_go(&address, &listener, length).await?) });
    }
    let looks = Looks::of(address, user, tenant.network_id(), &workers);
    let connection = Connection::open(address).await?;
    load.spawn(async move { Ok(looks.repeat(connection, length).await?) });
    Ok(load)
}

/// Opens a stream, listens for a while, leaves, and comes again.
async fn come_and_go(address: &Address, agent: &Agent, length: Duration) -> Result<Done, Trouble> {
    let started = Instant::now();
    let mut times = 0;
    while started.elapsed() < length {
        let mut stream = Stream::open(address, agent).await?;
        times += 1;
        // Nobody sends to a listener: a stream that says something else than comments has broken.
        if let Ok(broken) = timeout(LISTENS, stream.wait_for("new_task")).await {
            broken?;
        }
    }
    Ok(Done::Listened(times))
}

/// What a dashboard and a tool ask, one after the other.
struct Looks {
    requests: Vec<Vec<u8>>,
}

impl Looks {
    fn of(address: &Address, user: &str, network: &str, workers: &[Agent]) -> Self {
        let get = |path: String, token: &str| request(address, "GET", &path, Some(token), &json!({}));
        let mut requests: Vec<_> =
            ["/api/tasks?", "/api/tasks?text=latency&", "/api/overview?", "/api/stats?", "/api/status?"]
                .iter()
                .map(|path| get(format!("{path}network_id={network}"), user))
                .collect();
        requests.extend(workers.iter().map(|worker| get("/api/inbox".to_owned(), &worker.token)));
        Self { requests }
    }

    async fn repeat(self, mut connection: Connection, length: Duration) -> Result<Done, Trouble> {
        let started = Instant::now();
        let mut pulse = interval(LOOKS_EVERY);
        let mut times = 0;
        for look in self.requests.iter().cycle() {
            pulse.tick().await;
            if started.elapsed() >= length {
                break;
            }
            connection.call("a look", look).await?;
            times += 1;
        }
        Ok(Done::Looked(times))
    }
}

impl Sample {
    fn take(hub: &Hub, folder: &Path, started: Instant) -> Result<Self, Failure> {
        let (mut database, mut wal) = (0, 0);
        let failed = Failure::file(folder.display());
        for entry in fs::read_dir(folder).map_err(&failed)? {
            let entry = entry.map_err(&failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let bytes = entry.metadata().map_err(&failed)?.len();
            if name.ends_with(".db") {
                database += bytes;
            } else if name.ends_with("-wal") {
                wal += bytes;
            }
        }
        let mib = |bytes: u64| bytes as f64 / 1_048_576.0;
        Ok(Self {
            at_seconds: started.elapsed().as_secs_f64(),
            memory: hub.memory()?,
            database_mib: mib(database),
            wal_mib: mib(wal),
        })
    }
}

fn tell(sample: &Sample) -> Result<(), Failure> {
    let Sample { at_seconds, memory, database_mib, wal_mib } = sample;
    say(&format!(
        "{at_seconds:>5.0} s  resident {:>6.1} MiB, own {:>6.1} MiB, database {database_mib:>7.1} MiB, WAL {wal_mib:>6.1} MiB",
        memory.resident_mib, memory.own_mib
    ))
}

#[cfg(test)]
mod tests {
    use super::{Measured, Memory, Sample};

    fn soak(own_mib: &[f64]) -> Measured {
        let sample = |own_mib: &f64| Sample {
            at_seconds: 0.0,
            memory: Memory { resident_mib: 0.0, own_mib: *own_mib, peak_mib: 0.0 },
            database_mib: 0.0,
            wal_mib: 0.0,
        };
        let samples = own_mib.iter().map(sample).collect();
        Measured { seconds: 0.0, lives: 0, lives_per_second: 0.0, streams_opened: 0, reads: 0, samples }
    }

    #[test]
    fn growth_compares_the_last_third_with_the_middle_and_leaves_the_warm_up_out() {
        let own = |sample: &Sample| sample.memory.own_mib;
        assert_eq!(soak(&[1.0, 2.0, 3.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0]).growth(own), 1.0);
        assert_eq!(soak(&[9.0, 9.0, 9.0, 10.0, 10.0, 10.0, 12.0, 20.0, 90.0]).growth(own), 2.0);
        assert_eq!(soak(&[]).growth(own), 0.0);
    }
}
