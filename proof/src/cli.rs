//! The command line: one subcommand a part. Each prints a table and leaves its figures as JSON for the page.

use clap::{Args, Parser, Subcommand};
use serde::Serialize;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

use crate::failure::Failure;
use crate::figures::say;
use crate::left::{self, Left};
use crate::{a2a, evidence, fairness, growth, hostile, lives, load, page, soak, start, streams, work};

/// Measures the hub beside its peers.
#[derive(Debug, Parser)]
pub(crate) struct Proof {
    #[command(flatten)]
    places: Places,
    #[command(subcommand)]
    part: Part,
}

/// Where things are.
#[derive(Debug, Args)]
struct Places {
    /// The hub's release binary
    #[arg(long, value_name = "FILE", default_value = "target/release/baton", global = true)]
    baton: PathBuf,
    /// NATS's server
    #[arg(long, value_name = "FILE", default_value = "target/tools/nats/bin/nats-server", global = true)]
    nats: PathBuf,
    /// Where PostgreSQL's programs are
    #[arg(long, value_name = "DIR", default_value = "target/tools/postgresql-15", global = true)]
    postgres: PathBuf,
    /// Where servers keep their folders: on the disk that is meant
    #[arg(long, value_name = "DIR", default_value = "target/proof/scratch", global = true)]
    scratch: PathBuf,
    /// Where figures are left for the page
    #[arg(long, value_name = "DIR", default_value = "target/proof/figures", global = true)]
    figures: PathBuf,
}

#[derive(Debug, Subcommand)]
enum Part {
    /// Durable lives of the hub and its peers, in turns
    Lives {
        /// Numbers of clients
        #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,16,64,256")]
        clients: Vec<usize>,
        /// Turns of each system
        #[arg(long, value_name = "N", default_value_t = 3)]
        turns: usize,
        /// Length of a turn
        #[arg(long, value_name = "S", default_value_t = 4)]
        seconds: u64,
    },
    /// Every operation's time with few tasks stored and with many
    Growth {
        #[arg(long, value_name = "TASKS", default_value_t = 10_000)]
        few: usize,
        #[arg(long, value_name = "TASKS", default_value_t = 1_000_000)]
        many: usize,
        #[arg(long, value_name = "N", default_value_t = 3)]
        turns: usize,
        /// Length of one operation on one hub in one turn
        #[arg(long, value_name = "MS", default_value_t = 1_000)]
        millis: u64,
    },
    /// Push latency and memory with many open streams
    Streams {
        #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1000,5000")]
        agents: Vec<usize>,
        #[arg(long, value_name = "N", default_value_t = 200)]
        sends_per_second: u32,
        #[arg(long, value_name = "S", default_value_t = 20)]
        seconds: u64,
    },
    /// Mixed load for minutes, memory and files
    Soak {
        #[arg(long, value_name = "S", default_value_t = 300)]
        seconds: u64,
        #[arg(long, value_name = "S", default_value_t = 10)]
        sample_seconds: u64,
    },
    /// From the call of the binary to ready, memory when idle, size
    Start {
        #[arg(long, value_name = "N", default_value_t = 10)]
        starts: usize,
    },
    /// What one tenant notices of another's attacks, operation by operation
    Fairness {
        /// Length of the quiet and of each attack
        #[arg(long, value_name = "S", default_value_t = 8)]
        seconds: u64,
        /// The share of stored rows and connections; anything below 1 is a rough run and reaches no goal
        #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
        scale: f64,
        /// Only attacks whose names begin so, such as search,flood
        #[arg(long, value_name = "NAME", value_delimiter = ',')]
        only: Vec<String>,
    },
    /// Memory and another tenant's reads under thousands of networks, the largest rows and slow readers
    Hostile {
        /// Length of the quiet and of each attack
        #[arg(long, value_name = "S", default_value_t = 15)]
        seconds: u64,
        /// The share of stored rows and connections; anything below 1 is a rough run and reaches no goal
        #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
        scale: f64,
    },
    /// Durable sends, whole lives and push of one hub, beside the disk's own rate of syncs
    Hub {
        /// Connections that call at the same time
        #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,16,64")]
        connections: Vec<usize>,
        /// Length of each of the three measurements
        #[arg(long, value_name = "S", default_value_t = 5)]
        seconds: u64,
        /// A running hub instead of a new one; the run deletes the network it makes there
        #[arg(long, value_name = "URL", requires = "token")]
        hub: Option<String>,
        /// A user token of that hub
        #[arg(long, value_name = "TOKEN", env = "BATON_TOKEN", hide_env_values = true)]
        token: Option<String>,
    },
    /// What evidence costs: a hub with and one without, in turns
    Evidence {
        #[arg(long, value_name = "N", default_value_t = 64)]
        connections: usize,
        #[arg(long, value_name = "N", default_value_t = 3)]
        turns: usize,
        /// Length of each of a turn's two measurements
        #[arg(long, value_name = "S", default_value_t = 3)]
        seconds: u64,
    },
    /// From a send to the start of a worker's command
    Work {
        /// Tasks to send, one after the other
        #[arg(long, value_name = "N", default_value_t = 200)]
        tasks: usize,
    },
    /// Blocking A2A sends: the hub beside a reference server, in turns
    A2a {
        #[arg(long, value_name = "N", default_value_t = 32)]
        connections: usize,
        /// Claims of the hub's agent at the same time: twice the connections, so that no sender waits for the agent
        #[arg(long, value_name = "N", default_value_t = 64)]
        claimers: usize,
        #[arg(long, value_name = "N", default_value_t = 3)]
        turns: usize,
        #[arg(long, value_name = "S", default_value_t = 5)]
        seconds: u64,
        /// Starts the reference server: `--database FILE` is added, and it must print "listening on URL"
        #[arg(last = true, required = true, value_name = "COMMAND")]
        reference: Vec<OsString>,
    },
    /// Hubs on PostgreSQL beside pgmq, a hub on SQLite and three synchronous servers
    Postgres {
        #[arg(long, value_name = "N", default_value_t = 3)]
        turns: usize,
        /// Length of a turn
        #[arg(long, value_name = "S", default_value_t = 10)]
        seconds: u64,
        /// How long a snapshot is held open
        #[arg(long, value_name = "S", default_value_t = 180)]
        held_seconds: u64,
        /// Starts three servers under Patroni
        #[arg(long, value_name = "FILE", default_value = "scripts/patroni.sh")]
        patroni: PathBuf,
    },
    /// The page, from what the parts have left
    Page {
        /// The commit the hub was built from [default: the checkout's]
        #[arg(long, value_name = "COMMIT")]
        commit: Option<String>,
        #[arg(long, value_name = "FILE", default_value = "proof/notes.md")]
        notes: PathBuf,
        #[arg(long, value_name = "FILE", default_value = "docs/benchmarks.md")]
        page: PathBuf,
    },
}

impl Proof {
    pub(crate) fn run(&self) -> ExitCode {
        match self.try_run() {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                // With stdout gone there is nobody left to tell.
                let _ = say(&format!("baton-proof: {failure}"));
                ExitCode::FAILURE
            }
        }
    }

    fn try_run(&self) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Failure::of("the generator"))?;
        for folder in [&self.places.scratch, &self.places.figures] {
            fs::create_dir_all(folder).map_err(Failure::file(folder.display()))?;
        }
        runtime.block_on(async {
            // Returning drops the servers, and with them their processes and folders.
            tokio::select! {
                measured = self.measure() => measured,
                ended = ended() => ended,
            }
        })
    }

    async fn measure(&self) -> Result<(), Failure> {
        let Places { baton, nats, postgres, figures, .. } = &self.places;
        let (baton, scratch) = (absolute(baton)?, absolute(&self.places.scratch)?);
        let (nats, postgres) = (absolute(nats)?, absolute(postgres)?);
        let leave = Leave { busy: left::busy().await?, folder: figures };
        match &self.part {
            Part::Lives { clients, turns, seconds } => {
                let (clients, length) = (clients.clone(), Duration::from_secs(*seconds));
                let plan = lives::Plan { baton, nats, postgres, scratch, clients, turns: *turns, length };
                leave.keep("lives", lives::measure(&plan)).await
            }
            Part::Growth { few, many, turns, millis } => {
                let length = Duration::from_millis(*millis);
                let plan = growth::Plan { baton, scratch, few: *few, many: *many, turns: *turns, length };
                leave.keep("growth", growth::measure(&plan)).await
            }
            Part::Streams { agents, sends_per_second, seconds } => {
                let (agents, length) = (agents.clone(), Duration::from_secs(*seconds));
                let plan =
                    streams::Plan { baton, scratch, agents, sends_per_second: *sends_per_second, length };
                leave.keep("streams", streams::measure(&plan)).await
            }
            Part::Soak { seconds, sample_seconds } => {
                let (length, sample_every) =
                    (Duration::from_secs(*seconds), Duration::from_secs(*sample_seconds));
                let plan = soak::Plan { baton, scratch, length, sample_every };
                leave.keep("soak", soak::measure(&plan)).await
            }
            Part::Start { starts } => {
                let plan = start::Plan { baton, scratch, starts: *starts };
                leave.keep("start", start::measure(&plan)).await
            }
            Part::Fairness { seconds, scale, only } => {
                let (length, only) = (Duration::from_secs(*seconds), only.clone());
                let plan = fairness::Plan { baton, scratch, length, scale: *scale, only };
                leave.keep("fairness", fairness::measure(&plan)).await
            }
            Part::Hostile { seconds, scale } => {
                let plan =
                    hostile::Plan { baton, scratch, length: Duration::from_secs(*seconds), scale: *scale };
                leave.keep("hostile", hostile::measure(&plan)).await
            }
            Part::Hub { connections, seconds, hub, token } => {
                let running = hub.clone().zip(token.clone());
                let (connections, length) = (connections.clone(), Duration::from_secs(*seconds));
                let plan = load::Plan { baton, scratch, running, connections, length };
                leave.keep("hub", load::measure(&plan)).await
            }
            Part::Evidence { connections, turns, seconds } => {
                let (connections, turns) = (*connections, *turns);
                let length = Duration::from_secs(*seconds);
                let plan = evidence::Plan { baton, scratch, connections, turns, length };
                leave.keep("evidence", evidence::measure(&plan)).await
            }
            Part::Work { tasks } => {
                let plan = work::Plan { baton, scratch, tasks: *tasks };
                leave.keep("work", work::measure(&plan)).await
            }
            Part::A2a { connections, claimers, turns, seconds, reference } => {
                let (connections, claimers, turns) = (*connections, *claimers, *turns);
                let (reference, length) = (reference.clone(), Duration::from_secs(*seconds));
                let plan = a2a::Plan { baton, scratch, reference, connections, claimers, turns, length };
                leave.keep("a2a", a2a::measure(&plan)).await
            }
            Part::Postgres { turns, seconds, held_seconds, patroni } => {
                let (turns, patroni) = (*turns, absolute(patroni)?);
                let (length, held) = (Duration::from_secs(*seconds), Duration::from_secs(*held_seconds));
                let plan = crate::postgres::Plan { baton, postgres, patroni, scratch, turns, length, held };
                leave.keep("postgres", crate::postgres::measure(&plan)).await
            }
            Part::Page { commit, notes, page } => {
                let (figures, notes, page) = (figures.clone(), notes.clone(), page.clone());
                let commit = commit.clone();
                page::write(&page::Plan { figures, baton, commit, nats, postgres, notes, page })
            }
        }
    }
}

/// Where a part leaves its figures, and what the machine did before it.
struct Leave<'a> {
    busy: f64,
    folder: &'a Path,
}

impl Leave<'_> {
    async fn keep<T: Serialize>(
        self,
        part: &str,
        measured: impl Future<Output = Result<T, Failure>>,
    ) -> Result<(), Failure> {
        Left { busy: self.busy, figures: Box::pin(measured).await? }.write(self.folder, part)
    }
}

/// Servers change their working folder.
fn absolute(folder: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(folder).map_err(Failure::file(folder.display()))
}

/// Until somebody asks this program to end.
async fn ended() -> Result<(), Failure> {
    let failed = Failure::of("the signals");
    let mut interrupt = signal(SignalKind::interrupt()).map_err(&failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(&failed)?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Err(Failure::Ended)
}
