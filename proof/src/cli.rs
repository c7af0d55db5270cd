//! The command line: one subcommand a part. Each prints a table and leaves its figures as JSON for the page.

use clap::{Args, Parser, Subcommand};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

use crate::failure::Failure;
use crate::figures::say;
use crate::lives;

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
    #[arg(long, value_name = "DIR", default_value = "/usr/lib/postgresql/15/bin", global = true)]
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
        let places = &self.places;
        match &self.part {
            Part::Lives { clients, turns, seconds } => {
                let plan = lives::Plan {
                    baton: places.baton.clone(),
                    nats: places.nats.clone(),
                    postgres: places.postgres.clone(),
                    scratch: absolute(&places.scratch)?,
                    clients: clients.clone(),
                    turns: *turns,
                    length: Duration::from_secs(*seconds),
                };
                self.leave("lives", &Box::pin(lives::measure(&plan)).await?)
            }
        }
    }

    fn leave(&self, part: &str, figures: &impl Serialize) -> Result<(), Failure> {
        let file = self.places.figures.join(format!("{part}.json"));
        let text = serde_json::to_string_pretty(figures).map_err(Failure::of("the figures"))?;
        fs::write(&file, text).map_err(Failure::file(file.display()))
    }
}

/// Servers change their working folder.
fn absolute(folder: &Path) -> Result<PathBuf, Failure> {
    folder.canonicalize().map_err(Failure::file(folder.display()))
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
