//! The victim: a tenant that does its work at a modest, steady pace while others attack, and times every call. Its
//! connections are closed loops with a pause before each call, so that it never loads the hub much itself. Some write and
//! some read, so that reads are timed also while writes wait.

use serde::{Deserialize, Serialize};
use serde_json::json;
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::account::Account;
use crate::failure::Failure;
use crate::histogram::Histogram;
use crate::lives::{RESULT, TASK};
use crate::request::{self, Address, request};
use crate::server::hub::Hub;
use crate::tenant::Agent;
use crate::wire::{Answer, Route, Wire};

const PAUSE: Duration = Duration::from_millis(10);
/// A call that takes longer has failed; this long is counted.
const CALL_MAX: Duration = Duration::from_secs(30);
/// Of an answer: enough for a claim's.
const KEPT_BYTES: usize = 64 * 1024;

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Operation {
    Send,
    Claim,
    Get,
    List,
}

impl Operation {
    const ALL: [Self; 4] = [Self::Send, Self::Claim, Self::Get, Self::List];

    const fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Claim => "claim",
            Self::Get => "get",
            Self::List => "list",
        }
    }
}

/// What a connection of the victim does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Work {
    /// Sends, claims and replies.
    Tasks,
    /// Gets and lists.
    Reads,
}

impl Work {
    /// From one call of an operation to the next, as long as none is slow.
    const fn round(self) -> Duration {
        PAUSE.saturating_mul(match self {
            Self::Tasks => 3,
            Self::Reads => 2,
        })
    }
}

/// A tenant with a sender and a worker for each connection.
pub(crate) struct Victim {
    pairs: Vec<Pair>,
}

#[derive(Clone)]
struct Pair {
    work: Work,
    sender: Agent,
    worker: Agent,
    task_id: String,
}

/// The time of one operation over a while.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) operation: String,
    pub(crate) samples: u64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
}

/// What the victim measured during an attack, or while it was alone.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct VictimFigures {
    pub(crate) times: Vec<Times>,
    /// Calls that did not succeed.
    pub(crate) failures: u64,
    pub(crate) first_failure: Option<String>,
}

impl Victim {
    /// Registers, with a connection for each of these.
    pub(crate) async fn set_up(hub: &Hub, works: &[Work]) -> Result<Self, Failure> {
        let account = Account::register(&hub.address, "victim").await?;
        let network_id = &account.network_id;
        let mut pairs = Vec::new();
        for (number, &work) in works.iter().enumerate() {
            let sender = account.mint(network_id, &format!("sender-{number}")).await?;
            let worker = account.mint(network_id, &format!("worker-{number}")).await?;
            let task_id = account.send(&sender, &worker, TASK).await?;
            pairs.push(Pair { work, sender, worker, task_id });
        }
        Ok(Self { pairs })
    }

    /// Works until it is stopped.
    pub(crate) fn begin(&self, hub: &Hub) -> Result<Working, Failure> {
        let (stop, stopped) = watch::channel(false);
        let mut connections = JoinSet::new();
        for pair in &self.pairs {
            let client = Client::new(&hub.address, pair.clone(), stopped.clone())?;
            connections.spawn(client.run());
        }
        Ok(Working { stop, connections })
    }
}

/// A victim at work.
pub(crate) struct Working {
    stop: watch::Sender<bool>,
    connections: JoinSet<Seen>,
}

impl Working {
    /// Waits for the calls in progress and adds everything up.
    pub(crate) async fn finish(mut self) -> Result<VictimFigures, Failure> {
        // All connections may have ended already.
        let _ = self.stop.send(true);
        let mut whole = Seen::default();
        while let Some(seen) = self.connections.join_next().await {
            whole.merge(seen.map_err(Failure::of("the victim"))?);
        }
        Ok(whole.victim_figures())
    }
}

/// What one connection saw.
#[derive(Default)]
struct Seen {
    latencies: [Histogram; 4],
    failures: u64,
    first_failure: Option<String>,
}

impl Seen {
    fn merge(&mut self, other: Self) {
        for (whole, part) in self.latencies.iter_mut().zip(&other.latencies) {
            whole.merge(part);
        }
        self.failures += other.failures;
        self.first_failure = self.first_failure.take().or(other.first_failure);
    }

    /// A call that takes longer than a round holds up those after it, which a closed loop then never makes. They are counted
    /// as well, each as long as it would have waited: otherwise a stop of seconds would be one sample among hundreds.
    fn record(&mut self, operation: Operation, took: Duration, round: Duration) {
        let latencies = &mut self.latencies[operation as usize];
        latencies.record(took);
        let mut held_up = took.saturating_sub(round);
        while held_up > round {
            latencies.record(held_up);
            held_up = held_up.saturating_sub(round);
        }
    }

    fn fail(&mut self, call: &str, reason: &str) {
        self.failures += 1;
        self.first_failure.get_or_insert_with(|| format!("{call}: {reason}"));
    }

    fn victim_figures(self) -> VictimFigures {
        let times = Operation::ALL.iter().zip(&self.latencies).filter(|(_, latencies)| latencies.count() > 0);
        let times = times.map(|(operation, latencies)| Times {
            operation: operation.name().to_owned(),
            samples: latencies.count(),
            p50_ms: latencies.percentile_ms(50),
            p99_ms: latencies.percentile_ms(99),
        });
        VictimFigures { times: times.collect(), failures: self.failures, first_failure: self.first_failure }
    }
}

#[derive(Deserialize)]
struct Claimed {
    task: Option<ClaimedTask>,
    lease_id: Option<String>,
}

#[derive(Deserialize)]
struct ClaimedTask {
    task_id: String,
}

/// One connection of the victim.
struct Client {
    address: Address,
    wire: Wire,
    pair: Pair,
    stopped: watch::Receiver<bool>,
    send: Vec<u8>,
    claim: Vec<u8>,
    list: Vec<u8>,
    /// For the calls whose path is known only during the run.
    next: Vec<u8>,
    seen: Seen,
}

impl Client {
    fn new(address: &Address, pair: Pair, stopped: watch::Receiver<bool>) -> Result<Self, Failure> {
        let task = json!({"alias": pair.worker.alias, "task": TASK});
        let (sender, worker) = (Some(pair.sender.token.as_str()), Some(pair.worker.token.as_str()));
        Ok(Self {
            wire: Wire::new(Route::new(address, Ipv4Addr::LOCALHOST)?),
            send: request(address, "POST", "/api/task", sender, &task),
            claim: request(address, "POST", "/api/claim", worker, &json!({})),
            list: request(address, "GET", "/api/tasks", sender, &json!({})),
            next: Vec::new(),
            address: address.clone(),
            pair,
            stopped,
            seen: Seen::default(),
        })
    }

    async fn run(mut self) -> Seen {
        // A call that failed is counted, and the next round begins.
        while !*self.stopped.borrow() {
            match self.pair.work {
                Work::Tasks => self.live().await,
                Work::Reads => self.look().await,
            };
        }
        self.seen
    }

    /// A task from its send to its reply.
    async fn live(&mut self) -> Option<()> {
        let (send, claim) = (self.send.clone(), self.claim.clone());
        self.call(Some(Operation::Send), &send).await?;
        let claimed = self.call(Some(Operation::Claim), &claim).await?;
        let Ok(Claimed { task: Some(task), lease_id }) = serde_json::from_slice(&claimed.body) else {
            self.seen.fail("claim", "no task");
            return None;
        };
        let path = format!("/api/tasks/{}/reply", task.task_id);
        let body = json!({"text": RESULT, "lease_id": lease_id});
        request::write(&mut self.next, &self.address, "POST", &path, Some(&self.pair.worker.token), &body);
        let reply = std::mem::take(&mut self.next);
        let replied = self.call(None, &reply).await;
        self.next = reply;
        replied.map(|_| ())
    }

    /// The first task of this connection, and the first page of all.
    async fn look(&mut self) -> Option<()> {
        let path = format!("/api/tasks/{}", self.pair.task_id);
        request::write(
            &mut self.next,
            &self.address,
            "GET",
            &path,
            Some(&self.pair.sender.token),
            &json!({}),
        );
        let get = std::mem::take(&mut self.next);
        let got = self.call(Some(Operation::Get), &get).await;
        self.next = get;
        let list = self.list.clone();
        let listed = self.call(Some(Operation::List), &list).await;
        got.and(listed).map(|_| ())
    }

    /// Pauses, calls, and notes how long it took; a call that is not timed only how it ended.
    async fn call(&mut self, timed: Option<Operation>, bytes: &[u8]) -> Option<Answer> {
        tokio::time::sleep(PAUSE).await;
        if *self.stopped.borrow() {
            return None;
        }
        let name = timed.map_or("reply", Operation::name);
        let begun = Instant::now();
        let answer = tokio::time::timeout(CALL_MAX, self.wire.call(bytes, KEPT_BYTES)).await;
        let (took, is_late) = (begun.elapsed(), answer.is_err());
        let answer = match answer {
            Ok(Ok(answer)) if answer.is_success() => Some(answer),
            Ok(Ok(answer)) => {
                let body = String::from_utf8_lossy(&answer.body).chars().take(300).collect::<String>();
                self.seen.fail(name, &format!("{} {body}", answer.status));
                None
            }
            Ok(Err(error)) => {
                self.seen.fail(name, &error.to_string());
                None
            }
            Err(_) => {
                self.seen.fail(name, &format!("no answer within {} s", CALL_MAX.as_secs()));
                None
            }
        };
        if let Some(operation) = timed
            && (answer.is_some() || is_late)
        {
            self.seen.record(operation, took, self.pair.work.round());
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_counts_for_every_call_it_held_up() {
        let mut seen = Seen::default();
        let round = Work::Tasks.round();
        for _ in 0..300 {
            seen.record(Operation::Send, Duration::from_millis(1), round);
        }
        seen.record(Operation::Send, Duration::from_secs(3), round);
        let times = &seen.victim_figures().times[0];
        assert_eq!(times.samples, 300 + 3_000 / 30 - 1);
        assert!(times.p50_ms < 2.0 && times.p99_ms > 2_500.0, "{times:?}");
    }
}
