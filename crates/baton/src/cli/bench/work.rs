//! `baton bench work`: from the moment a send is written to the moment the worker's command runs, on an idle hub with
//! one idle worker. The command is a shell that writes a byte into a pipe, so its own start is part of the figure.

use clap::Args;
use rustix::fs::{CWD, FileType, Mode};
use serde_json::json;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

use super::connection::Connection;
use super::histogram::Histogram;
use super::hub_process::{HubProcess, USERNAME};
use super::request::Address;
use super::send::task_to;
use super::stream::Stream;
use super::tenant::{Agent, Tenant};
use super::trouble::Trouble;
use crate::cli::failure::Failure;

/// A command that takes longer to start is lost.
const START_MAX: Duration = Duration::from_secs(10);
/// Runs before the measurement begins, until everything is warm.
const UNCOUNTED: u32 = 5;

/// Measures the time from a send to the start of the worker's command, with a hub and a worker of its own.
#[derive(Debug, Args)]
pub(crate) struct BenchWork {
    /// Tasks to send, one after the other
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    tasks: u32,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
    /// Where the hub this starts keeps its folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    data_dir: PathBuf,
}

/// The worker; it ends with this.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl BenchWork {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Trouble::during("starting the generator"))?;
        let folder = tempfile::Builder::new().prefix("baton-bench-").tempdir_in(&self.data_dir);
        let folder = folder.map_err(Trouble::during("making a folder"))?;
        let hub = HubProcess::start(folder.path(), Stdio::null(), &[])?;
        let starts = runtime.block_on(self.measure(&hub, folder.path()))?;
        runtime.shutdown_background();
        let (p50, p99) = (starts.percentile_ms(50), starts.percentile_ms(99));
        let said = if self.json {
            json!({"start": {"tasks": self.tasks, "p50_ms": p50, "p99_ms": p99}}).to_string() + "\n"
        } else {
            format!("{:<18}{:>8}{:>10}{:>10}\n", "", "tasks", "p50 ms", "p99 ms")
                + &format!("{:<18}{:>8}{p50:>10.2}{p99:>10.2}\n", "send to start", self.tasks)
        };
        io::stdout().write_all(said.as_bytes()).map_err(Failure::stdout)?;
        Ok(ExitCode::SUCCESS)
    }

    async fn measure(&self, hub: &HubProcess, folder: &Path) -> Result<Histogram, Trouble> {
        let address = Address::of_url(&hub.url)?;
        let user_token = Tenant::log_in(&address, USERNAME, &hub.password).await?;
        let mut tenant = Tenant::make(&address, user_token).await?;
        let (sender, agent) = (tenant.mint("sender".into()).await?, tenant.mint("agent".into()).await?);
        let pipe = folder.join("started");
        let mut started = starts(&pipe)?;
        let _worker = work(hub, &agent, folder, &pipe)?;
        let mut replies = Stream::open(&address, &sender).await?;
        let mut connection = Connection::open(&address).await?;
        let request = task_to(&address, &sender, &agent.alias);
        let mut latencies = Histogram::default();
        for number in 0..UNCOUNTED + self.tasks {
            let begun = Instant::now();
            connection.call("a send", &request).await?;
            let start = timeout(START_MAX, started.recv()).await.ok().flatten();
            let start = start.ok_or(Trouble::NoStart { seconds: START_MAX.as_secs() })?;
            if number >= UNCOUNTED {
                latencies.record(start - begun);
            }
            // The next task finds an idle worker.
            let reply = timeout(START_MAX, replies.wait_for("new_reply")).await;
            reply.map_err(|_| Trouble::NoStart { seconds: START_MAX.as_secs() })??;
        }
        Ok(latencies)
    }
}

/// A worker whose command says that it runs.
fn work(hub: &HubProcess, agent: &Agent, folder: &Path, pipe: &Path) -> Result<Worker, Trouble> {
    let failed = Trouble::during("starting the worker");
    let mut command = Command::new(std::env::current_exe().map_err(&failed)?);
    command.args(["work", "--alias", &agent.alias, "--", "sh", "-c", "echo > \"$STARTED\""]);
    command.envs([("BATON_HUB", &hub.url), ("BATON_TOKEN", &agent.token)]);
    command.env("HOME", folder).env("STARTED", pipe).env_remove("BATON_PROFILE").env_remove("BATON_NETWORK");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(Worker).map_err(failed)
}

/// The moments at which something was written into a new pipe.
fn starts(pipe: &Path) -> Result<UnboundedReceiver<Instant>, Trouble> {
    let failed = Trouble::during("making a pipe");
    rustix::fs::mknodat(CWD, pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
        .map_err(|error| failed(error.into()))?;
    // Open for writing too, so that it does not end between two writers.
    let mut pipe = File::options().read(true).write(true).open(pipe).map_err(failed)?;
    let (tell, told) = unbounded_channel();
    // One byte a task, and a task waits for the last; the thread ends with the process.
    std::thread::spawn(
        move || {
            while pipe.read_exact(&mut [0]).is_ok() && tell.send(Instant::now()).is_ok() {}
        },
    );
    Ok(told)
}
