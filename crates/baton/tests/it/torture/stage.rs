//! Where a run takes place: a hub on a disk and with a clock that faults can be given to, and the networks at it.

use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};

use super::clock::Clock;
use super::ledger::Ledger;
use crate::it::http::Client;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::small_disk::{NO_DISK, SmallDisk};
use crate::it::tenant::Tenant;

pub(super) const NETWORKS: usize = 3;
/// Whose inboxes are worked on by threads, each by several at once; and the one that `baton work` serves.
pub(super) const ALIASES: [&str; 3] = ["w0", "w1", "proc"];
pub(super) const PROCESS: &str = "proc";
const DISK_BYTES: u64 = 4 << 30;

/// The hub and what is under it: only the faults touch it. The disk outlives the hub.
pub(super) struct Grounds {
    pub(super) hub: Hub,
    pub(super) clock: Option<Clock>,
    pub(super) disk: Option<SmallDisk>,
}

/// What everybody has.
pub(super) struct Stage {
    pub(super) seed: u64,
    pub(super) networks: Vec<Network>,
    pub(super) ledger: Ledger,
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
    pub(super) fn set(seed: u64) -> (Grounds, Self) {
        let disk = SmallDisk::mount(DISK_BYTES);
        if disk.is_none() {
            println!("left out: a full disk; {NO_DISK}");
        }
        let clock = Clock::find();
        if clock.is_none() {
            println!("left out: clock jumps; libfaketime is not installed (Debian: faketime)");
        }
        let environment = clock.as_ref().map(Clock::environment).unwrap_or_default();
        let environment: Vec<(&str, &str)> =
            environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let options = ["--username", ADMIN, "--password", PASSWORD];
        let hub =
            Hub::start_on_disk(disk.as_ref().map(SmallDisk::path), free_port(seed), &options, &environment);
        let networks = (0..NETWORKS).map(|number| Network::of(&hub, number)).collect();
        let stage = Self { seed, networks, ledger: Ledger::of(NETWORKS), is_over: AtomicBool::new(false) };
        (Grounds { hub, clock, disk }, stage)
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
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
fn free_port(seed: u64) -> u16 {
    let from = u64::from(std::process::id()) ^ seed;
    let ports = (0..10_000).map(|n| 20_000 + u16::try_from((from + n) % 10_000).unwrap());
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    ports.into_iter().find(is_free).expect("a free port")
}
