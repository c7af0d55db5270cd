//! Several hubs on one PostgreSQL database, as they are run: any of them answers any call.

mod basics;
mod operating;
mod races;
mod shared_state;

use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

use super::http::Client;
use super::hub::{ADMIN, Hub, PASSWORD};
use super::postgres;

const PATIENCE: Duration = Duration::from_secs(30);

/// Hubs that share a database. They have their evidence key from the first of them.
pub(crate) struct Cluster {
    // Before the database: they end first.
    pub(crate) hubs: Vec<Hub>,
    database: Database,
}

/// The folder that stands for a database, which is dropped with it.
struct Database(TempDir);

impl Drop for Database {
    fn drop(&mut self) {
        postgres::forget(self.0.path());
    }
}

impl Cluster {
    /// So many hubs on a new database.
    pub(crate) fn start(count: usize) -> Self {
        Self::start_with(count, &[])
    }

    /// The same with these options for each.
    pub(crate) fn start_with(count: usize, options: &[&str]) -> Self {
        let database = Database(tempfile::tempdir().unwrap());
        let mut cluster = Self { hubs: Vec::new(), database };
        for _ in 0..count {
            cluster.add(options);
        }
        cluster
    }

    /// One more hub.
    pub(crate) fn add(&mut self, options: &[&str]) -> &mut Hub {
        let all: Vec<_> =
            ["--username", ADMIN, "--password", PASSWORD].iter().chain(options).copied().collect();
        let first = self.hubs.first().map(Hub::data_dir);
        let prepare = |folder: &Path| {
            if let Some(first) = &first {
                share(first, folder);
            }
        };
        let url = self.url();
        let mut hub = Hub::start_prepared(prepare, &all, &[("BATON_STORE", &url)]);
        // What it leaves in its folder is not the database.
        hub.was_damaged = true;
        self.hubs.push(hub);
        self.hubs.last_mut().unwrap()
    }

    /// The URL of the database.
    pub(crate) fn url(&self) -> String {
        postgres::url_of(self.database.0.path())
    }

    /// Runs a statement on the database, behind the hubs' backs.
    fn run(&self, sql: &str) {
        postgres::run_on(&postgres::database_of(self.database.0.path()), sql);
    }

    /// The same caller at the hub of this number.
    pub(crate) fn at(&self, hub: usize, caller: &Client) -> Client {
        Client { address: self.hubs[hub].address(), token: caller.token.clone() }
    }
}

/// Waits until a condition holds.
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Gives a hub's folder the key and the artifacts of another's.
fn share(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    std::fs::copy(from.join("evidence.key"), to.join("evidence.key")).unwrap();
    std::os::unix::fs::symlink(from.join("artifacts"), to.join("artifacts")).unwrap();
}
