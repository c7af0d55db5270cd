//! `baton bench hub`: loads a running hub, or one it starts for the purpose, and measures it.

use clap::Args;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use super::hub_process::{HubProcess, USERNAME};
use super::report::{Figures, Report};
use super::request::Address;
use super::tally::Tally;
use super::tenant::Tenant;
use super::trouble::Trouble;
use super::{disk, life, push, send};
use crate::cli::failure::{Failure, REFUSED};

/// How long the disk alone is measured, before and after the load.
const DISK_LENGTH: Duration = Duration::from_secs(1);

/// Measures durable sends, whole lives (send, claim, reply) and push latency over HTTP.
///
/// Without --hub it starts a hub of its own in a temporary folder. On a running hub it makes a network for the
/// run and deletes it afterwards. Exits with 1 if any call was refused, 2 if the run could not be made.
#[derive(Debug, Args)]
pub(crate) struct BenchHub {
    /// Connections that call at the same time
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    connections: u16,
    /// Length of each of the three measurements
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// The table goes to stderr, and stdout is one line of JSON
    #[arg(long)]
    json: bool,
    /// Measure this running hub
    #[arg(long, value_name = "URL", requires = "token")]
    hub: Option<String>,
    /// A user token of that hub
    #[arg(long, value_name = "TOKEN", env = "BATON_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Where the disk is measured, and where the hub this starts keeps its folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    data_dir: PathBuf,
}

/// The three measurements.
struct Measured {
    send: Tally,
    life: Tally,
    push: Tally,
}

impl BenchHub {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Trouble::during("starting the generator"))?;
        let before = self.disk_rate()?;
        let started = match &self.hub {
            Some(_) => None,
            None => Some(HubProcess::start(&self.data_dir, Stdio::inherit(), &[])?),
        };
        let idle_mib = started.as_ref().and_then(HubProcess::resident_mib);
        let measured = runtime.block_on(self.measure(started.as_ref()))?;
        let loaded_mib = started.as_ref().and_then(HubProcess::resident_mib);
        drop(started);
        let after = self.disk_rate()?;
        let report = Report {
            send: Figures::of(&measured.send),
            life: Figures::of(&measured.life),
            push: Figures::of(&measured.push),
            fdatasync_per_second: f64::midpoint(before, after).round(),
            connections: self.connections.into(),
            resident_mib: idle_mib.zip(loaded_mib),
            fdatasync_spread: (before, after),
        };
        self.tell(&report, measured)
    }

    async fn measure(&self, started: Option<&HubProcess>) -> Result<Measured, Trouble> {
        let url = started.map(|hub| hub.url.as_str()).or(self.hub.as_deref()).unwrap_or_default();
        let address = Address::of_url(url)?;
        let user_token = match (started, &self.token) {
            (Some(hub), _) => Tenant::log_in(&address, USERNAME, &hub.password).await?,
            (None, token) => token.clone().unwrap_or_default(),
        };
        let mut tenant = Tenant::make(&address, user_token).await?;
        let measured = self.measure_all(&address, &mut tenant).await;
        let deleted = tenant.delete().await;
        measured.and_then(|measured| deleted.map(|()| measured))
    }

    async fn measure_all(&self, address: &Address, tenant: &mut Tenant) -> Result<Measured, Trouble> {
        let connections = usize::from(self.connections);
        let length = Duration::from_secs(self.seconds);
        Ok(Measured {
            send: send::measure(address, tenant, connections, length).await?,
            life: life::measure(address, tenant, connections, length).await?,
            push: push::measure(address, tenant, connections, length).await?,
        })
    }

    fn disk_rate(&self) -> Result<f64, Failure> {
        let folder: &Path = &self.data_dir;
        disk::fdatasyncs_per_second(folder, DISK_LENGTH)
            .map_err(|error| Failure::Write { name: folder.display().to_string(), error })
    }

    fn tell(&self, report: &Report, measured: Measured) -> Result<ExitCode, Failure> {
        let mut code = ExitCode::SUCCESS;
        for (name, tally) in [("send", measured.send), ("life", measured.life), ("push", measured.push)] {
            if let Some(first) = tally.first_error {
                code = ExitCode::from(REFUSED);
                let line = format!("baton: {name}: {} errors, the first: {first}\n", tally.errors);
                io::stderr().write_all(line.as_bytes()).map_err(Failure::stdout)?;
            }
        }
        if self.json {
            io::stderr().write_all(report.to_string().as_bytes()).map_err(Failure::stdout)?;
            let mut line = serde_json::to_vec(report).map_err(|error| Failure::stdout(error.into()))?;
            line.push(b'\n');
            io::stdout().write_all(&line).map_err(Failure::stdout)?;
        } else {
            io::stdout().write_all(report.to_string().as_bytes()).map_err(Failure::stdout)?;
        }
        Ok(code)
    }
}
