//! Faults of a hub on SQLite: its disk fills up, refuses writes or is read-only. And what is looked at beside it while it runs.

use tempfile::TempDir;

use super::{Fault, Faults};
use crate::it::hub::baton;
use crate::it::small_disk::{SmallDisk, allow_growth, refuse_growth, size_of};
use crate::it::torture::database::Database;

/// What goes wrong on a disk, and what is looked at meanwhile.
pub(super) const ON_A_DISK: &[Fault] = &[
    (30, |faults| faults.kill()),
    (5, |faults| faults.stop()),
    (15, |faults| faults.kill_worker()),
    (15, |faults| faults.jump(600)),
    (10, |faults| faults.fill_disk()),
    (10, |faults| faults.refuse_writes()),
    (3, |faults| faults.start_read_only()),
    (4, |faults| faults.check()),
    (4, |faults| faults.backup()),
    (4, |faults| faults.audit()),
];

impl Faults<'_> {
    fn fill_disk(&mut self) {
        if self.disk().is_none() {
            return self.refuse_writes();
        }
        self.count("a full disk");
        self.disk().unwrap().fill();
        self.wait(300, 2_500);
        let is_killed = self.random.percent(30);
        if is_killed {
            self.count("kill -9 of the hub on a full disk");
            self.grounds.hubs[0].kill9();
        }
        self.disk().unwrap().free();
        if is_killed {
            self.grounds.hubs[0].restart();
        }
    }

    fn disk(&self) -> Option<&SmallDisk> {
        match &self.grounds.database {
            Database::Sqlite(disk) => disk.as_ref(),
            Database::Postgres { .. } | Database::Patroni(_) => None,
        }
    }

    /// No file of the hub's grows, or takes any write at all.
    fn refuse_writes(&mut self) {
        self.count("a disk that refuses writes");
        let is_whole = self.random.percent(50);
        let bytes = if is_whole { 0 } else { size_of(&self.grounds.hubs[0].data_dir().join("hub.db-wal")) };
        refuse_growth(self.grounds.hubs[0].pid(), bytes);
        self.wait(200, 2_000);
        if self.grounds.hubs[0].is_running() {
            allow_growth(self.grounds.hubs[0].pid());
        }
    }

    fn start_read_only(&mut self) {
        if self.disk().is_none() {
            return;
        }
        self.count("a start on a read-only disk");
        self.grounds.hubs[0].kill9();
        self.disk().unwrap().make_read_only();
        let mut command = baton();
        command.args(["hub", "start", "--port", "0", "--data-dir"]).arg(self.grounds.hubs[0].data_dir());
        let ended = command.output().unwrap();
        if ended.status.success() {
            self.stage.ledger.finding("a hub started on a read-only disk".into());
        }
        self.disk().unwrap().make_writable();
        self.grounds.hubs[0].restart();
    }

    /// Beside the running hub.
    fn check(&mut self) {
        self.count("hub check under load");
        let checked = self.grounds.hubs[0].baton(&["hub", "check"]);
        if !checked.status.success() {
            let said = String::from_utf8_lossy(&checked.stdout);
            self.stage.ledger.finding(format!("hub check under load: {said}"));
        }
    }

    /// A copy of the running hub, put back somewhere else and checked there.
    fn backup(&mut self) {
        self.count("a backup under load, restored and checked");
        let folder = TempDir::new().unwrap();
        let (file, data) = (folder.path().join("backup.tar.gz"), folder.path().join("data"));
        let steps = [
            self.grounds.hubs[0].baton(&["hub", "backup", "-o", file.to_str().unwrap()]),
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
}
