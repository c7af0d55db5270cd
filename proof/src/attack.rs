//! Attackers: ordinary accounts that call as often as they can. They run on a thread of their own at the lowest
//! priority: on a real network they are another machine, and the time they take from the processors here must not be
//! counted as a delay of the hub. Their requests are built beforehand and their answers read, but not parsed.

use rustix::process::nice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use crate::failure::Failure;
use crate::request::Address;
use crate::wire::{Pace, Route, Wire};

/// Attackers do not share the victim's address.
const FROM: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const NICE: i32 = 19;
/// Between a call that was refused or broke off and the next: as fast as a hub can refuse, without spinning.
const PAUSE: Duration = Duration::from_millis(10);
/// Of the body of a refusal, to say what it was.
const KEPT_BYTES: usize = 300;
/// Answers by which a hub protects itself.
const PROTECTIVE: [u16; 3] = [408, 429, 503];

/// What some connections of an attacker do.
#[derive(Debug, Clone)]
pub(crate) struct Attack {
    pub(crate) connections: usize,
    /// Connections begin at different ones and go round.
    pub(crate) requests: Arc<[Vec<u8>]>,
    /// Where answers are read slowly.
    pub(crate) pace: Option<Pace>,
    /// One request and no more.
    pub(crate) is_single: bool,
}

impl Attack {
    /// Calls again and again.
    pub(crate) fn repeated(connections: usize, requests: Vec<Vec<u8>>) -> Self {
        Self { connections, requests: requests.into(), pace: None, is_single: false }
    }

    /// Reads each answer slowly.
    pub(crate) fn slow(connections: usize, requests: Vec<Vec<u8>>, pace: Pace) -> Self {
        Self { pace: Some(pace), ..Self::repeated(connections, requests) }
    }

    /// Calls once.
    pub(crate) fn single(request: Vec<u8>) -> Self {
        Self { is_single: true, ..Self::repeated(1, vec![request]) }
    }
}

/// What attackers got done.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// How many answers had which status.
    pub(crate) statuses: BTreeMap<u16, u64>,
    /// Calls whose connection was refused or ended before the answer did.
    pub(crate) broken: u64,
    /// Calls that were not answered when the attack ended.
    pub(crate) unanswered: u64,
    pub(crate) bytes: u64,
    /// The first answer that was neither a success nor a hub protecting itself.
    pub(crate) unexpected: Option<String>,
}

impl Outcome {
    pub(crate) fn successes(&self) -> u64 {
        self.statuses.range(200..300).map(|(_, times)| times).sum()
    }

    pub(crate) fn mib(&self) -> f64 {
        self.bytes as f64 / 1_048_576.0
    }

    /// An attack that only ever got errors, and not those of a hub protecting itself, is a mistake of the benchmark.
    pub(crate) fn check(&self, attack: &str) -> Result<(), Failure> {
        match &self.unexpected {
            Some(answer) if self.successes() == 0 => {
                Err(Failure::of("the attack")(format!("{attack}: every call failed: {answer}")))
            }
            _ => Ok(()),
        }
    }

    fn merge(&mut self, other: Self) {
        for (status, times) in other.statuses {
            *self.statuses.entry(status).or_default() += times;
        }
        self.broken += other.broken;
        self.unanswered += other.unanswered;
        self.bytes += other.bytes;
        self.unexpected = self.unexpected.take().or(other.unexpected);
    }
}

/// `4210 × 200, 12 × 503, 3 broken off, 256 unanswered; 812 MiB read`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<_> =
            self.statuses.iter().map(|(status, times)| format!("{times} × {status}")).collect();
        for (times, what) in [(self.broken, "broken off"), (self.unanswered, "unanswered")] {
            if times > 0 {
                parts.push(format!("{times} {what}"));
            }
        }
        if parts.is_empty() {
            return f.write_str("–");
        }
        write!(f, "{}; {:.1} MiB read", parts.join(", "), self.mib())
    }
}

/// Attackers at work.
pub(crate) struct Attackers {
    stop: watch::Sender<bool>,
    outcome: oneshot::Receiver<Result<Outcome, Failure>>,
}

impl Attackers {
    pub(crate) fn begin(address: &Address, attacks: Vec<Attack>) -> Result<Self, Failure> {
        let route = Route::new(address, FROM)?;
        let (stop, stopped) = watch::channel(false);
        let (tell, outcome) = oneshot::channel();
        thread::Builder::new()
            .name("attackers".to_owned())
            .spawn(move || {
                // The other end is gone only when the whole run has ended.
                let _ = tell.send(run(route, &attacks, &stopped));
            })
            .map_err(Failure::of("the attackers' thread"))?;
        Ok(Self { stop, outcome })
    }

    /// Waits until the attack ends by itself, which only a single one does.
    pub(crate) async fn wait(&mut self, most: Duration) {
        // Dropped by the thread when it is done, or asked to end by `finish` when it is not.
        let _ = tokio::time::timeout(most, self.stop.closed()).await;
    }

    /// Ends the attack, whatever is not answered.
    pub(crate) async fn finish(self) -> Result<Outcome, Failure> {
        // Nobody listens any more where it has ended by itself.
        let _ = self.stop.send(true);
        self.outcome.await.map_err(Failure::of("the attackers' thread"))?
    }
}

fn run(route: Route, attacks: &[Attack], stopped: &watch::Receiver<bool>) -> Result<Outcome, Failure> {
    nice(NICE).map_err(Failure::of("the attackers' thread"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Failure::of("the attackers' thread"))?;
    runtime.block_on(async {
        let mut running = JoinSet::new();
        for attack in attacks {
            let route = attack.pace.map_or(route, |pace| route.slowly(pace));
            for number in 0..attack.connections {
                running.spawn(repeat(Wire::new(route), attack.clone(), number, stopped.clone()));
            }
        }
        let mut whole = Outcome::default();
        while let Some(ended) = running.join_next().await {
            whole.merge(ended.map_err(Failure::of("the attackers' thread"))?);
        }
        Ok(whole)
    })
}

/// One connection.
async fn repeat(
    mut wire: Wire,
    attack: Attack,
    number: usize,
    mut stopped: watch::Receiver<bool>,
) -> Outcome {
    let mut outcome = Outcome::default();
    let rounds = if attack.is_single { 1 } else { usize::MAX };
    for request in attack.requests.iter().cycle().skip(number % attack.requests.len().max(1)).take(rounds) {
        if *stopped.borrow() {
            break;
        }
        let is_refused = tokio::select! {
            // Also when whoever would stop it is gone.
            _ = stopped.wait_for(|is_stopped| *is_stopped) => {
                outcome.unanswered += 1;
                return outcome;
            }
            answer = wire.call(request, KEPT_BYTES) => outcome.note(answer),
        };
        if is_refused {
            tokio::time::sleep(PAUSE).await;
        }
    }
    outcome
}

impl Outcome {
    /// Whether the call was refused or broke off.
    fn note(&mut self, answer: std::io::Result<crate::wire::Answer>) -> bool {
        let Ok(answer) = answer else {
            self.broken += 1;
            return true;
        };
        *self.statuses.entry(answer.status).or_default() += 1;
        self.bytes += answer.bytes;
        if !answer.is_success() && !PROTECTIVE.contains(&answer.status) && self.unexpected.is_none() {
            self.unexpected = Some(format!("{} {}", answer.status, String::from_utf8_lossy(&answer.body)));
        }
        !answer.is_success()
    }
}
