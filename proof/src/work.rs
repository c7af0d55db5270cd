//! How soon a worker's command starts: from the moment a send is written to the moment the command runs, on an idle hub
//! with one idle worker. The command is a shell that writes a byte into a pipe, so its own start is part of the figure.

use rustix::fs::{CWD, FileType, Mode};
use rustix::process::Signal;
use serde::Serialize;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

use crate::failure::Failure;
use crate::figures::say;
use crate::histogram::Histogram;
use crate::lives::hub_client::Client;
use crate::request::Address;
use crate::server::hub::Home;
use crate::server::{Process, command};
use crate::stream::Stream;
use crate::tenant::{Agent, Tenant};
use crate::trouble::Trouble;

const WORKER: &str = "the worker";
/// A command that takes longer to start is lost.
const START_MAX: Duration = Duration::from_secs(10);
/// Runs before the measurement begins, until everything is warm.
const UNCOUNTED: usize = 5;

/// How many tasks, one after the other.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) baton: PathBuf,
    pub(crate) scratch: PathBuf,
    pub(crate) tasks: usize,
}

/// Everything measured.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    tasks: usize,
    p50_ms: f64,
    p99_ms: f64,
}

pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    let folder = tempfile::tempdir_in(&plan.scratch).map_err(Failure::file(plan.scratch.display()))?;
    let home = Home::new(&folder.path().join("hub"))?;
    let hub = home.start(&plan.baton)?;
    let mut tenant = Tenant::make(&hub.address, home.log_in(&hub).await?).await?;
    let (sender, agent) = (tenant.mint("sender".into()).await?, tenant.mint("agent".into()).await?);
    let pipe = folder.path().join("started");
    let mut started = starts(&pipe)?;
    let worker = work(&plan.baton, &hub.address, &agent, &pipe)?;
    let mut replies = Stream::open(&hub.address, &sender).await?;
    let mut client = Client::open(&hub.address, &sender, &agent).await?;
    let mut latencies = Histogram::default();
    let late = || Trouble::NoStart { seconds: START_MAX.as_secs() };
    for number in 0..UNCOUNTED + plan.tasks {
        let begun = Instant::now();
        client.send().await?;
        let start = timeout(START_MAX, started.recv()).await.ok().flatten().ok_or_else(late)?;
        if number >= UNCOUNTED {
            latencies.record(start - begun);
        }
        // The next task finds an idle worker.
        timeout(START_MAX, replies.wait_for("new_reply")).await.map_err(|_| late())??;
    }
    drop(worker);
    let (p50_ms, p99_ms) = (latencies.percentile_ms(50), latencies.percentile_ms(99));
    say(&format!("{:<18}{:>8}{:>10}{:>10}", "", "tasks", "p50 ms", "p99 ms"))?;
    say(&format!("{:<18}{:>8}{p50_ms:>10.2}{p99_ms:>10.2}", "send to start", plan.tasks))?;
    Ok(Measured { tasks: plan.tasks, p50_ms, p99_ms })
}

/// A worker whose command reports that it runs.
fn work(baton: &Path, hub: &Address, agent: &Agent, pipe: &Path) -> Result<Process, Failure> {
    let mut worker = command(baton.as_os_str(), Signal::TERM, &[]);
    worker.args(["work", "--alias", &agent.alias, "--", "sh", "-c", "echo > \"$STARTED\""]);
    worker.env("BATON_HUB", format!("http://{}", hub.authority)).env("BATON_TOKEN", &agent.token);
    // Nothing of the user's own is read or written.
    worker.env("HOME", pipe.parent().unwrap_or(pipe)).env("STARTED", pipe);
    worker.env_remove("BATON_PROFILE").env_remove("BATON_NETWORK").env_remove("BATON_CA");
    worker.stdout(Stdio::null()).stderr(Stdio::null());
    Process::start(WORKER, &mut worker, Signal::TERM)
}

/// The moments at which something was written into a new pipe.
fn starts(pipe: &Path) -> Result<UnboundedReceiver<Instant>, Failure> {
    let failed = Failure::file(pipe.display());
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
