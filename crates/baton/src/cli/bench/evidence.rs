//! `baton bench evidence`: what evidence costs a hub. Two hubs from this binary, one that writes evidence and one
//! that writes none, take turns under the same load; the machine's moods meet both.

use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use super::hub_process::{HubProcess, USERNAME};
use super::request::Address;
use super::tally::Tally;
use super::tenant::Tenant;
use super::trouble::Trouble;
use super::{life, send};
use crate::cli::failure::Failure;

/// Measures durable sends and whole lives with evidence and without, in turns.
///
/// Exits with 1 if any call was refused, 2 if the run could not be made.
#[derive(Debug, Args)]
pub(crate) struct BenchEvidence {
    /// Connections that call at the same time
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1024))]
    connections: u16,
    /// Length of each measurement
    #[arg(long, value_name = "S", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Turns each hub has
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    turns: u16,
    /// Where the hubs keep their folders
    #[arg(long, value_name = "DIR", default_value = ".")]
    data_dir: PathBuf,
}

/// What one hub did in one turn.
struct Turn {
    sends: f64,
    lives: f64,
}

impl BenchEvidence {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Trouble::during("starting the generator"))?;
        let with = HubProcess::start(&self.data_dir, Stdio::inherit(), &[])?;
        let without = HubProcess::start(&self.data_dir, Stdio::inherit(), &["--without-evidence"])?;
        let (mut recorded, mut bare) = (Vec::new(), Vec::new());
        for _ in 0..self.turns {
            recorded.push(runtime.block_on(self.turn(&with))?);
            bare.push(runtime.block_on(self.turn(&without))?);
        }
        let mut table = format!(
            "{} connections, {} turns of {} s each, medians\n{:<10}{:>14}{:>14}{:>10}\n",
            self.connections, self.turns, self.seconds, "", "with", "without", "ratio"
        );
        for (name, with, without) in [
            ("send", median(&recorded, |turn| turn.sends), median(&bare, |turn| turn.sends)),
            ("life", median(&recorded, |turn| turn.lives), median(&bare, |turn| turn.lives)),
        ] {
            table.push_str(&format!("{name:<10}{with:>14.0}{without:>14.0}{:>10.2}\n", with / without));
        }
        io::stdout().write_all(table.as_bytes()).map_err(Failure::stdout)?;
        Ok(ExitCode::SUCCESS)
    }

    async fn turn(&self, hub: &HubProcess) -> Result<Turn, Trouble> {
        let address = Address::of_url(&hub.url)?;
        let user = Tenant::log_in(&address, USERNAME, &hub.password).await?;
        let mut tenant = Tenant::make(&address, user).await?;
        let (connections, length) = (usize::from(self.connections), Duration::from_secs(self.seconds));
        let sends = send::measure(&address, &mut tenant, connections, length).await?;
        let lives = life::measure(&address, &mut tenant, connections, length).await?;
        tenant.delete().await?;
        Ok(Turn { sends: rate(sends)?, lives: rate(lives)? })
    }
}

fn rate(tally: Tally) -> Result<f64, Trouble> {
    if let Some(error) = tally.first_error {
        return Err(error);
    }
    Ok(tally.latencies.count() as f64 / tally.elapsed.as_secs_f64().max(f64::MIN_POSITIVE))
}

fn median(turns: &[Turn], of: impl Fn(&Turn) -> f64) -> f64 {
    let mut rates: Vec<f64> = turns.iter().map(of).collect();
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
