//! Streams: many agents, each with an open event stream, and a modest number of sends a second. From the moment a
//! send is written to the moment its frame arrives, and what the hub's memory is.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::connection::Connection;
use crate::failure::Failure;
use crate::figures::say;
use crate::histogram::Histogram;
use crate::lives::TASK;
use crate::memory::Memory;
use crate::request::{Address, request};
use crate::server::hub::{Home, Hub};
use crate::stream::Stream;
use crate::tenant::{Agent, Tenant};
use crate::trouble::Trouble;

/// Streams being opened at the same time.
const OPENING_AT_ONCE: usize = 64;
/// Connections that send, in turn.
const SENDERS: usize = 8;
/// A frame that takes longer is lost.
const FRAME_MAX: Duration = Duration::from_secs(10);

/// How many, and how long.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) baton: PathBuf,
    pub(crate) scratch: PathBuf,
    pub(crate) agents: Vec<usize>,
    pub(crate) sends_per_second: u32,
    pub(crate) length: Duration,
}

/// Everything measured.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) sends_per_second: u32,
    pub(crate) seconds: f64,
    pub(crate) rows: Vec<Row>,
}

/// One number of streams.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) agents: usize,
    pub(crate) frames: u64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) idle: Memory,
    pub(crate) connected: Memory,
    pub(crate) loaded: Memory,
}

pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    allow_files()?;
    let mut rows = Vec::new();
    for &agents in &plan.agents {
        let row = listen(plan, agents).await?;
        say(&format!(
            "{agents} streams: push p50 {:.2} ms, p99 {:.2} ms of {} frames; resident {:.0} MiB, peak {:.0} MiB",
            row.p50_ms, row.p99_ms, row.frames, row.loaded.resident_mib, row.loaded.peak_mib
        ))?;
        rows.push(row);
    }
    Ok(Measured { sends_per_second: plan.sends_per_second, seconds: plan.length.as_secs_f64(), rows })
}

/// A stream is a file here and another in the hub, which takes our limit over.
fn allow_files() -> Result<(), Failure> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
        .map_err(Failure::of("the limit of open files"))
}

async fn listen(plan: &Plan, agents: usize) -> Result<Row, Failure> {
    let scratch = &plan.scratch;
    let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
    let home = Home::new(folder.path())?;
    let hub = home.start(&plan.baton)?;
    let idle = hub.memory()?;
    let mut tenant = Tenant::make(&hub.address, home.log_in(&hub).await?).await?;
    let sender = tenant.mint("sender".into()).await?;
    let listeners = tenant.agents("listener", agents).await?;
    let (heard, mut frames) = mpsc::channel(agents);
    let open = open_all(&hub.address, &listeners, &heard).await?;
    drop(heard);
    let connected = hub.memory()?;
    let latencies = push(plan, &hub, &sender, &listeners, &mut frames).await?;
    let loaded = hub.memory()?;
    drop(open);
    Ok(Row {
        agents,
        frames: latencies.count(),
        p50_ms: latencies.percentile_ms(50),
        p99_ms: latencies.percentile_ms(99),
        idle,
        connected,
        loaded,
    })
}

/// A frame that came: whose, and when.
type Frame = Result<(usize, Instant), Trouble>;

/// Opens every agent's stream, and has each listen until the set is dropped.
async fn open_all(
    address: &Address,
    listeners: &[Agent],
    heard: &mpsc::Sender<Frame>,
) -> Result<JoinSet<()>, Failure> {
    let mut listening = JoinSet::new();
    let next = Arc::new(AtomicUsize::new(0));
    let agents: Arc<[Agent]> = listeners.into();
    let mut opening = JoinSet::new();
    for _ in 0..OPENING_AT_ONCE {
        let (address, agents, next) = (address.clone(), Arc::clone(&agents), Arc::clone(&next));
        opening.spawn(async move {
            let mut streams = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(agent) = agents.get(number) else { return Ok::<_, Trouble>(streams) };
                streams.push((number, Stream::open(&address, agent).await?));
            }
        });
    }
    while let Some(opened) = opening.join_next().await {
        for (number, stream) in opened.map_err(Failure::of("the generator"))?? {
            listening.spawn(hear(number, stream, heard.clone()));
        }
    }
    Ok(listening)
}

async fn hear(number: usize, mut stream: Stream, heard: mpsc::Sender<Frame>) {
    loop {
        let frame = stream.wait_for("new_task").await.map(|()| (number, Instant::now()));
        let is_over = frame.is_err();
        if heard.send(frame).await.is_err() || is_over {
            return;
        }
    }
}

/// Sends to one agent after the other at a steady pace, and takes the time to each frame.
async fn push(
    plan: &Plan,
    hub: &Hub,
    sender: &Agent,
    listeners: &[Agent],
    frames: &mut mpsc::Receiver<Frame>,
) -> Result<Histogram, Failure> {
    let mut sending = JoinSet::new();
    let (sent, mut begun) = mpsc::unbounded_channel();
    for number in 0..SENDERS {
        let connection = Connection::open(&hub.address).await?;
        let tasks = (number..listeners.len()).step_by(SENDERS).map(|agent| {
            let body = json!({"alias": listeners[agent].alias, "task": TASK});
            (agent, request(&hub.address, "POST", "/api/task", Some(&sender.token), &body))
        });
        let pace = Duration::from_secs(1) * SENDERS as u32 / plan.sends_per_second;
        sending.spawn(send(connection, tasks.collect(), pace, plan.length, sent.clone()));
    }
    drop(sent);
    let mut latencies = Histogram::default();
    let mut sent_at = vec![None; listeners.len()];
    let mut awaited = 0_u64;
    let mut is_sending = true;
    while is_sending || awaited > 0 {
        tokio::select! {
            // What was sent is known before its frame can come: it is recorded before the bytes are written.
            biased;
            send = begun.recv(), if is_sending => match send {
                Some((agent, at)) => { sent_at[agent] = Some(at); awaited += 1; }
                None => is_sending = false,
            },
            frame = timeout(FRAME_MAX, frames.recv()) => {
                let lost = || Trouble::NoFrame { seconds: FRAME_MAX.as_secs() };
                let (agent, at) = frame.map_err(|_| lost())?.ok_or_else(lost)??;
                let sent_at: Option<Instant> = sent_at[agent].take();
                let sent_at = sent_at.ok_or_else(|| Failure::of("a stream")("a frame that nobody sent"))?;
                latencies.record(at - sent_at);
                awaited -= 1;
            }
        }
    }
    while let Some(ended) = sending.join_next().await {
        ended.map_err(Failure::of("the generator"))??;
    }
    Ok(latencies)
}

/// One sender: a task to each of its agents in turn, one every `pace`.
async fn send(
    mut connection: Connection,
    tasks: Vec<(usize, Vec<u8>)>,
    pace: Duration,
    length: Duration,
    sent: mpsc::UnboundedSender<(usize, Instant)>,
) -> Result<(), Trouble> {
    let mut pulse = interval(pace);
    pulse.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let started = Instant::now();
    for (agent, bytes) in tasks.iter().cycle() {
        pulse.tick().await;
        if started.elapsed() >= length {
            break;
        }
        if sent.send((*agent, Instant::now())).is_err() {
            break;
        }
        connection.call("a send", bytes).await?;
    }
    Ok(())
}
