//! `baton bench`: what the hub does a second, over HTTP, with durable answers.
//!
//! One file per thing measured (`send`, `life`, `push`, `disk`, `work`, `a2a`); around them the hub under test, the tenant made
//! for the run, the connections and the report.

mod a2a;
mod connection;
mod disk;
mod evidence;
mod histogram;
mod hub;
mod hub_process;
mod life;
mod push;
mod report;
mod request;
mod send;
mod stream;
mod tally;
mod tenant;
mod trouble;
mod work;

pub(crate) use hub_process::HubProcess;
pub(crate) use trouble::Trouble;

use clap::Subcommand;
use std::process::ExitCode;

use super::failure::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Load a hub over HTTP and measure it
    Hub(hub::BenchHub),
    /// Measure what evidence costs a hub
    Evidence(evidence::BenchEvidence),
    /// Measure blocking A2A sends beside a reference server
    A2a(a2a::BenchA2a),
    /// Measure how soon a worker's command starts
    Work(work::BenchWork),
}

impl Bench {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Hub(command) => command.run(),
            Self::Evidence(command) => command.run(),
            Self::A2a(command) => command.run(),
            Self::Work(command) => command.run(),
        }
    }
}
