//! `baton bench a2a`: blocking A2A sends to an agent that answers at once, through this hub and through another A2A
//! server, by the same load generator in one run. The two take turns; the machine's moods meet both.

mod claimer;
mod reference;
mod send;

use clap::Args;
use serde_json::json;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use self::claimer::Claimers;
use self::reference::Reference;
use super::hub_process::{HubProcess, USERNAME};
use super::report::Figures;
use super::request::Address;
use super::tally::Tally;
use super::tenant::Tenant;
use super::trouble::Trouble;
use crate::cli::failure::Failure;

/// What the hub should do for each call of the reference server.
const GOAL: f64 = 30.0;
/// Before the first turn, until everything is warm; not counted.
const WARM_UP: Duration = Duration::from_secs(1);

/// Measures blocking A2A sends over JSON-RPC: this hub beside a reference server.
///
/// The reference is started with `--database FILE` behind its words, and must print "listening on URL".
/// Exits with 1 if any call was refused, 2 if the run could not be made.
#[derive(Debug, Args)]
pub(crate) struct BenchA2a {
    /// Connections that call at the same time
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=1024))]
    connections: u16,
    /// Claims of the hub's agent at the same time: twice the connections, so that no sender waits for the agent
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=256))]
    claimers: u16,
    /// Length of each measurement
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Turns each server has
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    turns: u16,
    /// The table goes to stderr, and stdout is one line of JSON
    #[arg(long)]
    json: bool,
    /// Where both servers keep their folders
    #[arg(long, value_name = "DIR", default_value = ".")]
    data_dir: PathBuf,
    /// Starts the reference server
    #[arg(last = true, required = true, value_name = "COMMAND")]
    reference: Vec<OsString>,
}

/// A server under load: where it listens, and the call that every connection repeats.
struct Target {
    address: Address,
    request: Vec<u8>,
}

/// The measured turns of both.
struct Measured {
    hub: Vec<Figures>,
    reference: Vec<Figures>,
}

impl BenchA2a {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Trouble::during("starting the generator"))?;
        let reference = Reference::start(&self.reference, &self.data_dir)?;
        let hub = HubProcess::start(&self.data_dir, Stdio::inherit(), &[])?;
        let measured = runtime.block_on(self.measure(&hub, &reference))?;
        self.tell(median(measured.hub), median(measured.reference))
    }

    async fn measure(&self, hub: &HubProcess, reference: &Reference) -> Result<Measured, Trouble> {
        let address = Address::of_url(&hub.url)?;
        let user = Tenant::log_in(&address, USERNAME, &hub.password).await?;
        let mut tenant = Tenant::make(&address, user).await?;
        let (sender, agent) =
            (tenant.mint("bench-a2a-sender".into()).await?, tenant.mint("agent".into()).await?);
        let base = format!("/a2a/{}/{}/", tenant.network_id(), agent.alias);
        let mut claimers = Claimers::start(&address, &agent, self.claimers).await?;
        let hub = Target { request: send::request_to(&address, &base, Some(&sender.token)), address };
        let address = Address::of_url(&reference.url)?;
        let reference = Target { request: send::request_to(&address, "/", None), address };
        let turns = self.take_turns(&hub, &reference);
        let measured = tokio::select! {
            measured = turns => measured?,
            trouble = claimers.fail() => return Err(trouble),
        };
        drop(claimers);
        tenant.delete().await?;
        Ok(measured)
    }

    async fn take_turns(&self, hub: &Target, reference: &Target) -> Result<Measured, Trouble> {
        let connections = usize::from(self.connections);
        for target in [hub, reference] {
            figures(send::measure(target, connections, WARM_UP).await?)?;
        }
        let length = Duration::from_secs(self.seconds);
        let mut measured = Measured { hub: Vec::new(), reference: Vec::new() };
        for _ in 0..self.turns {
            measured.hub.push(figures(send::measure(hub, connections, length).await?)?);
            measured.reference.push(figures(send::measure(reference, connections, length).await?)?);
        }
        Ok(measured)
    }

    fn tell(&self, hub: Option<Figures>, reference: Option<Figures>) -> Result<ExitCode, Failure> {
        // At least one turn was taken, and each gave figures.
        let Some((hub, reference)) = hub.zip(reference) else { return Ok(ExitCode::SUCCESS) };
        let ratio = hub.per_second / reference.per_second.max(f64::MIN_POSITIVE);
        let mut table = format!(
            "blocking SendMessage over JSON-RPC, {} connections, {} turns of {} s each, medians\n{:<12}{:>12}{:>10}{:>10}\n",
            self.connections, self.turns, self.seconds, "", "per second", "p50 ms", "p99 ms"
        );
        for (name, figures) in [("hub", &hub), ("reference", &reference)] {
            let Figures { per_second, p50_ms, p99_ms } = figures;
            table.push_str(&format!("{name:<12}{per_second:>12.1}{p50_ms:>10.2}{p99_ms:>10.2}\n"));
        }
        table.push_str(&format!("{:<12}{ratio:>12.1}   the goal is {GOAL}\n", "ratio"));
        if !self.json {
            io::stdout().write_all(table.as_bytes()).map_err(Failure::stdout)?;
            return Ok(ExitCode::SUCCESS);
        }
        io::stderr().write_all(table.as_bytes()).map_err(Failure::stdout)?;
        let line =
            json!({"hub": hub, "reference": reference, "ratio": ratio, "connections": self.connections});
        io::stdout().write_all(format!("{line}\n").as_bytes()).map_err(Failure::stdout)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The figures of a turn in which nothing was refused.
fn figures(tally: Tally) -> Result<Figures, Trouble> {
    let figures = Figures::of(&tally);
    tally.first_error.map_or(Ok(figures), Err)
}

/// The turn in the middle.
fn median(mut turns: Vec<Figures>) -> Option<Figures> {
    turns.sort_by(|one, other| one.per_second.total_cmp(&other.per_second));
    let middle = turns.len() / 2;
    turns.into_iter().nth(middle)
}
