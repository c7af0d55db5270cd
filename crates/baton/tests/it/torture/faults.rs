//! What goes wrong, one thing after another, as the seed draws it. Only here is the hub killed, started and starved.

use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

use super::stage::{ALIASES, Grounds, PROCESS, Stage};
use crate::it::evidence_cli::workbench::Workbench;
use crate::it::hub::baton;
use crate::it::random::Random;
use crate::it::small_disk::{allow_growth, refuse_growth, size_of};
use crate::it::work::worker::Worker;

/// Leaves a line for each run of a command: there are no more than leases were given.
const SCRIPT: &str = r#"read -r line; echo "$BATON_TASK_ID" >> "$WHERE/runs"; echo "did $line""#;

pub(super) struct Faults<'a> {
    grounds: &'a mut Grounds,
    stage: &'a Stage,
    random: Random,
    /// A `baton work` for each network.
    processes: Vec<Worker>,
    workbenches: Vec<Workbench>,
    can_backup: bool,
}

impl<'a> Faults<'a> {
    pub(super) fn begin(grounds: &'a mut Grounds, stage: &'a Stage) -> Self {
        let processes = (0..stage.networks.len()).map(|number| process(stage, number)).collect();
        let workbenches =
            stage.networks.iter().map(|network| Workbench::of(&grounds.hub, &network.tenant)).collect();
        let help = baton().args(["hub", "--help"]).output().unwrap();
        let can_backup = String::from_utf8_lossy(&help.stdout).contains("backup");
        Self { grounds, stage, random: Random::nth(stage.seed, 0), processes, workbenches, can_backup }
    }

    pub(super) fn until(mut self, deadline: Instant) {
        while Instant::now() < deadline {
            self.wait(200, 2_000);
            self.watch_memory();
            self.one();
            if let Some(status) = self.grounds.hub.ended() {
                let log = self.grounds.hub.log();
                let last: Vec<&str> = log.lines().rev().take(3).collect();
                self.stage
                    .ledger
                    .finding(format!("the hub ended by itself, {status}, after saying {last:?}"));
                self.grounds.hub.restart();
            }
        }
        for worker in &mut self.processes {
            worker.kill9();
            collect(self.stage, worker);
        }
    }

    fn one(&mut self) {
        match self.random.below(100) {
            0..30 => self.kill(),
            30..35 => self.stop(),
            35..50 => self.kill_worker(),
            50..65 => self.jump(),
            65..75 => self.fill_disk(),
            75..85 => self.refuse_writes(),
            85..88 => self.start_read_only(),
            88..92 => self.check(),
            92..96 => self.backup(),
            _ => self.audit(),
        }
    }

    /// Lets the others go on for a while that the seed draws.
    fn wait(&mut self, from_millis: u64, to_millis: u64) {
        thread::sleep(Duration::from_millis(from_millis + self.random.below(to_millis - from_millis)));
    }

    fn count(&self, kind: &'static str) {
        self.stage.ledger.fault(kind);
    }

    fn kill(&mut self) {
        self.count("kill -9 of the hub");
        self.grounds.hub.kill9();
        if self.random.percent(50) {
            self.wait(1, 600);
        }
        self.grounds.hub.restart();
    }

    fn stop(&mut self) {
        self.count("stop and start of the hub");
        self.grounds.hub.restart();
    }

    fn kill_worker(&mut self) {
        let number = self.random.below(self.processes.len() as u64) as usize;
        self.count("kill -9 of a worker");
        self.processes[number].kill9();
        collect(self.stage, &self.processes[number]);
        self.processes[number] = process(self.stage, number);
    }

    /// Some minutes forward or back, and sometimes right again.
    fn jump(&mut self) {
        let Some(clock) = &self.grounds.clock else { return };
        let offset = if self.random.percent(25) { 0 } else { self.random.below(1_200) as i64 - 600 };
        clock.set(offset);
        self.count("a jump of the clock");
    }

    fn fill_disk(&mut self) {
        if self.grounds.disk.is_none() {
            return self.refuse_writes();
        }
        self.count("a full disk");
        self.disk().fill();
        self.wait(300, 2_500);
        let is_killed = self.random.percent(30);
        if is_killed {
            self.count("kill -9 of the hub on a full disk");
            self.grounds.hub.kill9();
        }
        self.disk().free();
        if is_killed {
            self.grounds.hub.restart();
        }
    }

    fn disk(&self) -> &crate::it::small_disk::SmallDisk {
        self.grounds.disk.as_ref().unwrap()
    }

    /// No file of the hub's grows, or takes any write at all.
    fn refuse_writes(&mut self) {
        self.count("a disk that refuses writes");
        let is_whole = self.random.percent(50);
        let bytes = if is_whole { 0 } else { size_of(&self.grounds.hub.data_dir().join("hub.db-wal")) };
        refuse_growth(self.grounds.hub.pid(), bytes);
        self.wait(200, 2_000);
        if self.grounds.hub.is_running() {
            allow_growth(self.grounds.hub.pid());
        }
    }

    fn start_read_only(&mut self) {
        if self.grounds.disk.is_none() {
            return;
        }
        self.count("a start on a read-only disk");
        self.grounds.hub.kill9();
        self.disk().make_read_only();
        let mut command = baton();
        command.args(["hub", "start", "--port", "0", "--data-dir"]).arg(self.grounds.hub.data_dir());
        let ended = command.output().unwrap();
        if ended.status.success() {
            self.stage.ledger.finding("a hub started on a read-only disk".into());
        }
        self.disk().make_writable();
        self.grounds.hub.restart();
    }

    /// Beside the running hub.
    fn check(&mut self) {
        self.count("hub check under load");
        let checked = self.grounds.hub.baton(&["hub", "check"]);
        if !checked.status.success() {
            let said = String::from_utf8_lossy(&checked.stdout);
            self.stage.ledger.finding(format!("hub check under load: {said}"));
        }
    }

    /// A copy of the running hub, put back somewhere else and checked there.
    fn backup(&mut self) {
        if !self.can_backup {
            return;
        }
        self.count("a backup under load, restored and checked");
        let folder = TempDir::new().unwrap();
        let (file, data) = (folder.path().join("backup.tar.gz"), folder.path().join("data"));
        let steps = [
            self.grounds.hub.baton(&["hub", "backup", "-o", file.to_str().unwrap()]),
            baton().args(["hub", "restore"]).arg(&file).arg("--data-dir").arg(&data).output().unwrap(),
            baton().args(["hub", "check", "--data-dir"]).arg(&data).output().unwrap(),
        ];
        for step in steps {
            if !step.status.success() {
                self.stage.ledger.finding(format!("a backup: {step:?}"));
            }
        }
    }

    /// As a reader who remembers the last checkpoint that agreed.
    fn audit(&mut self) {
        let number = self.random.below(self.workbenches.len() as u64) as usize;
        self.count("an audit of the evidence under load");
        let ran = self.workbenches[number].baton(["evidence", "audit"]);
        if ran.code != Some(0) {
            self.stage.ledger.finding(format!("an audit: {ran:?}"));
        }
    }

    fn watch_memory(&self) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.grounds.hub.pid())).unwrap();
        let anonymous = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kib = anonymous.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0);
        let mut book = self.stage.ledger.book();
        book.anonymous_kib = book.anonymous_kib.max(kib);
    }
}

fn process(stage: &Stage, number: usize) -> Worker {
    let place = ALIASES.iter().position(|alias| *alias == PROCESS).unwrap();
    let agent = &stage.networks[number].agents[place];
    Worker::start(agent, PROCESS, &["--lease", "5", "--grace", "1", "--concurrency", "2"], SCRIPT)
}

/// Keeps what a killed worker's commands left.
fn collect(stage: &Stage, worker: &Worker) {
    let runs = std::fs::read_to_string(worker.home.path().join("runs")).unwrap_or_default();
    let mut book = stage.ledger.book();
    runs.lines().for_each(|task_id| *book.runs.entry(task_id.to_owned()).or_default() += 1);
}
