//! What goes wrong, one thing after another, as the seed draws it. Only here are hubs killed, started and starved.

mod disk;
mod failover;
mod server;

use std::thread;
use std::time::{Duration, Instant};

use super::database::Database;
use super::stage::{ALIASES, Grounds, PROCESS, Stage};
use crate::it::evidence_cli::workbench::Workbench;
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::random::Random;
use crate::it::work::worker::Worker;

/// Leaves a line for each run of a command: there are no more than leases were given.
const SCRIPT: &str = r#"read -r line; echo "$BATON_TASK_ID" >> "$WHERE/runs"; echo "did $line""#;

/// Tasks that were sent before a single fault is tried.
const LOAD: usize = 50;

/// A run that takes at least so long has to try every kind of fault.
const LONG: Duration = Duration::from_secs(600);

/// How often it is drawn, and what it does.
type Fault = (u64, fn(&mut Faults<'_>));

pub(super) struct Faults<'a> {
    grounds: &'a mut Grounds,
    stage: &'a Stage,
    random: Random,
    /// Those that were not tried yet, in the order in which they come.
    untried: Vec<Fault>,
    table: &'static [Fault],
    /// A `baton work` for each network.
    processes: Vec<Worker>,
    workbenches: Vec<Workbench>,
}

impl<'a> Faults<'a> {
    pub(super) fn begin(grounds: &'a mut Grounds, stage: &'a Stage) -> Self {
        let processes = (0..stage.networks.len()).map(|number| process(stage, number)).collect();
        let workbenches =
            stage.networks.iter().map(|network| Workbench::of(&grounds.hubs[0], &network.tenant)).collect();
        let table = match &grounds.database {
            Database::Sqlite(_) => disk::ON_A_DISK,
            Database::Postgres { .. } => server::AT_A_SERVER,
            Database::Patroni(_) => failover::IN_A_CLUSTER,
        };
        let mut random = Random::nth(stage.seed, 0);
        let mut untried = table.to_vec();
        for n in (1..untried.len()).rev() {
            untried.swap(n, random.below(n as u64 + 1) as usize);
        }
        Self { grounds, stage, random, untried, table, processes, workbenches }
    }

    /// One fault after another, each kind once before any comes again. A run of this length has to come to all of them.
    pub(super) fn until(mut self, run: Duration) {
        let deadline = Instant::now() + run;
        while Instant::now() < deadline {
            self.wait(200, 2_000);
            self.watch_memory();
            let fault = self.draw();
            fault(&mut self);
            self.watch_ends();
        }
        for worker in &mut self.processes {
            worker.kill9();
            collect(self.stage, worker);
        }
        if run >= LONG {
            if !self.untried.is_empty() {
                self.stage.ledger.finding(format!("{} kinds of fault were not tried", self.untried.len()));
            }
            if self.grounds.clocks.is_empty() {
                self.stage.ledger.finding("no clock jumped: libfaketime is not installed".into());
            }
        }
    }

    fn draw(&mut self) -> fn(&mut Faults<'_>) {
        if let Some((_, fault)) = self.untried.pop() {
            return fault;
        }
        let mut drawn = self.random.below(self.table.iter().map(|(weight, _)| weight).sum());
        for (weight, fault) in self.table {
            match drawn.checked_sub(*weight) {
                Some(left) => drawn = left,
                None => return *fault,
            }
        }
        unreachable!("the weights add up")
    }

    /// Until enough was sent that a fault meets some of it.
    pub(super) fn wait_for_load(&mut self) {
        while self.stage.ledger.acknowledged() < LOAD {
            self.wait(100, 200);
        }
    }

    /// A hub that ended by itself is found, and started again.
    fn watch_ends(&mut self) {
        for hub in &mut self.grounds.hubs {
            if let Some(status) = hub.ended() {
                let log = hub.log();
                let last: Vec<&str> = log.lines().rev().take(3).collect();
                self.stage
                    .ledger
                    .finding(format!("the hub ended by itself, {status}, after saying {last:?}"));
                hub.restart();
            }
        }
    }

    /// Lets the others continue for a while that the seed draws.
    fn wait(&mut self, from_millis: u64, to_millis: u64) {
        thread::sleep(Duration::from_millis(from_millis + self.random.below(to_millis - from_millis)));
    }

    fn count(&self, kind: &'static str) {
        self.stage.ledger.fault(kind);
    }

    /// Any of the hubs.
    fn hub(&mut self) -> &mut Hub {
        let number = self.random.below(self.grounds.hubs.len() as u64) as usize;
        &mut self.grounds.hubs[number]
    }

    fn kill(&mut self) {
        self.count("kill -9 of a hub");
        let number = self.random.below(self.grounds.hubs.len() as u64) as usize;
        self.grounds.hubs[number].kill9();
        if self.random.percent(50) {
            self.wait(1, 600);
        }
        self.grounds.hubs[number].restart();
    }

    fn stop(&mut self) {
        self.count("stop and start of a hub");
        self.hub().restart();
    }

    fn kill_worker(&mut self) {
        let number = self.random.below(self.processes.len() as u64) as usize;
        self.count("kill -9 of a worker");
        self.processes[number].kill9();
        collect(self.stage, &self.processes[number]);
        self.processes[number] = process(self.stage, number);
    }

    /// The clock of a hub goes up to so many seconds forward or back, and sometimes right again.
    fn jump(&mut self, most_seconds: u64) {
        if self.grounds.clocks.is_empty() {
            return;
        }
        let most = most_seconds as i64;
        let offset =
            if self.random.percent(25) { 0 } else { self.random.below(2 * most_seconds) as i64 - most };
        self.random.pick(&self.grounds.clocks).set(offset);
        self.count("a jump of a hub's clock");
    }

    fn watch_memory(&self) {
        let most = self.grounds.hubs.iter().map(Hub::own_memory_kib).max().unwrap_or_default();
        let mut book = self.stage.ledger.book();
        book.anonymous_kib = book.anonymous_kib.max(most);
    }
}

fn process(stage: &Stage, number: usize) -> Worker {
    let place = ALIASES.iter().position(|alias| *alias == PROCESS).unwrap();
    let agent = &stage.networks[number].agents[place];
    let at = stage.hubs()[number % stage.hubs().len()];
    let agent = Client { address: at, token: agent.token.clone() };
    Worker::start(&agent, PROCESS, &["--lease", "5", "--grace", "1", "--concurrency", "2"], SCRIPT)
}

/// Keeps what a killed worker's commands left.
fn collect(stage: &Stage, worker: &Worker) {
    let runs = std::fs::read_to_string(worker.home.path().join("runs")).unwrap_or_default();
    let mut book = stage.ledger.book();
    runs.lines().for_each(|task_id| *book.runs.entry(task_id.to_owned()).or_default() += 1);
}
