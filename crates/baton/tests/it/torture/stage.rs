//! Where a run takes place: hubs on a database and with clocks that faults can be given to, and the networks at them.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

use super::call::Caller;
use super::clock::Clock;
use super::database::{Database, Place};
use super::ledger::Ledger;
use crate::it::http::Client;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::Tenant;

pub(super) const NETWORKS: usize = 3;
/// Whose inboxes are worked on by threads, each by several at once; and the one that `baton work` serves.
pub(super) const ALIASES: [&str; 3] = ["w0", "w1", "proc"];
pub(super) const PROCESS: &str = "proc";

/// The hubs and what is under them: only the faults touch it. The database outlives the hubs.
pub(super) struct Grounds {
    pub(super) hubs: Vec<Hub>,
    /// The clock of each hub.
    pub(super) clocks: Vec<Clock>,
    pub(super) database: Database,
    _folders: Vec<TempDir>,
}

/// What everybody has.
pub(super) struct Stage {
    pub(super) seed: u64,
    pub(super) networks: Vec<Network>,
    pub(super) ledger: Ledger,
    /// How long after its caller has given up a call may still take place.
    pub(super) late_max: Duration,
    hubs: Vec<SocketAddr>,
    calls: AtomicUsize,
    is_over: AtomicBool,
}

pub(super) struct Network {
    pub(super) number: usize,
    pub(super) tenant: Tenant,
    pub(super) sender: Client,
    /// One a name of `ALIASES`.
    pub(super) agents: Vec<Client>,
}

impl Stage {
    pub(super) fn set(seed: u64, place: Place) -> (Grounds, Self) {
        let database = Database::start(place, seed);
        let mut grounds = Grounds { hubs: Vec::new(), clocks: Vec::new(), database, _folders: Vec::new() };
        for number in 0..place.hubs() {
            grounds.add_hub(seed, number);
        }
        if grounds.clocks.is_empty() {
            println!("left out: clock jumps; libfaketime is not installed (Debian: faketime)");
        }
        let networks = (0..NETWORKS).map(|number| Network::of(&grounds.hubs[0], number)).collect();
        let stage = Self {
            seed,
            networks,
            ledger: Ledger::of(NETWORKS),
            late_max: place.late_max(),
            hubs: grounds.hubs.iter().map(Hub::address).collect(),
            calls: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        };
        (grounds, stage)
    }

    /// A call to the hub whose turn it is.
    pub(super) fn caller<'a>(&self, client: &'a Client, hangs_up: bool) -> Caller<'a> {
        Caller { client, at: self.any_hub(), hangs_up }
    }

    /// Each hub in turn.
    pub(super) fn any_hub(&self) -> SocketAddr {
        self.hubs[self.calls.fetch_add(1, Ordering::Relaxed) % self.hubs.len()]
    }

    pub(super) fn hubs(&self) -> &[SocketAddr] {
        &self.hubs
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl Grounds {
    fn add_hub(&mut self, seed: u64, number: usize) {
        let clock = Clock::find();
        let mut environment = clock.as_ref().map(Clock::environment).unwrap_or_default();
        environment.extend(self.database.url().map(|url| ("BATON_STORE".to_owned(), url)));
        let environment: Vec<(&str, &str)> =
            environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let folder = tempfile::tempdir().unwrap();
        if let Some(first) = self.hubs.first() {
            share_key(&first.data_dir(), &folder.path().join("data"));
        }
        let options = ["--username", ADMIN, "--password", PASSWORD];
        let disk = self.database.disk().unwrap_or(folder.path());
        let port = free_port(seed.wrapping_add(number as u64 * 97));
        let mut hub = Hub::start_on_disk(Some(disk), port, &options, &environment);
        // What a hub on PostgreSQL leaves in its folder is not the database; the verdict looks at that.
        hub.was_damaged = self.database.url().is_some();
        self.hubs.push(hub);
        self.clocks.extend(clock);
        self._folders.push(folder);
    }
}

/// Hubs on one database sign with the same key.
fn share_key(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    std::fs::copy(from.join("evidence.key"), to.join("evidence.key")).unwrap();
}

impl Network {
    fn of(hub: &Hub, number: usize) -> Self {
        let tenant = Tenant::register(hub, &format!("owner-{number}"));
        let sender = tenant.agent("sender");
        let agents = ALIASES.iter().map(|alias| tenant.agent(alias)).collect();
        Self { number, tenant, sender, agents }
    }

    /// What every text sent here begins with.
    pub(super) fn mark(&self) -> String {
        format!("n{}:", self.number)
    }
}

/// A port below those that the system gives to clients: one that asks while no hub listens could be given the hub's own.
pub(super) fn free_port(seed: u64) -> u16 {
    let from = u64::from(std::process::id()) ^ seed;
    let ports = (0..10_000).map(|n| 20_000 + u16::try_from((from + n) % 10_000).unwrap());
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    ports.into_iter().find(is_free).expect("a free port")
}
