//! What the hubs of a run keep their rows in: SQLite on a disk of its own, a PostgreSQL server behind a proxy, or three of
//! them under Patroni.

use std::path::Path;
use std::time::Duration;

use super::patroni::{Patroni, Replication};
use super::proxy::Proxy;
use super::server::Server;
use crate::it::small_disk::{NO_DISK, SmallDisk};

const DISK_BYTES: u64 = 4 << 30;

/// Which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Sqlite,
    Postgres,
    Patroni(Replication),
}

impl Place {
    pub(super) fn hubs(self) -> usize {
        match self {
            Self::Sqlite => 1,
            Self::Postgres | Self::Patroni(_) => 2,
        }
    }

    /// How long after its caller has given up a call may still take place: it may wait for a server that comes back.
    pub(super) fn late_max(self) -> Duration {
        match self {
            Self::Sqlite => Duration::from_secs(5),
            Self::Postgres | Self::Patroni(_) => Duration::from_secs(60),
        }
    }
}

/// A database that runs.
pub(super) enum Database {
    Sqlite(Option<SmallDisk>),
    Postgres { server: Server, proxy: Proxy },
    Patroni(Patroni),
}

impl Database {
    pub(super) fn start(place: Place, seed: u64) -> Self {
        match place {
            Place::Sqlite => {
                let disk = SmallDisk::mount(DISK_BYTES);
                if disk.is_none() {
                    println!("left out: a full disk; {NO_DISK}");
                }
                Self::Sqlite(disk)
            }
            Place::Postgres => {
                let server = Server::start(seed);
                let proxy = Proxy::start(server.address());
                Self::Postgres { server, proxy }
            }
            Place::Patroni(replication) => Self::Patroni(Patroni::start(replication)),
        }
    }

    /// Where hubs find it; none for SQLite.
    pub(super) fn url(&self) -> Option<String> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres { proxy, .. } => Some(format!("postgres://postgres@{}/baton", proxy.address())),
            Self::Patroni(cluster) => Some(cluster.url()),
        }
    }

    /// The disk of its own that SQLite is on.
    pub(super) fn disk(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(disk) => disk.as_ref().map(SmallDisk::path),
            Self::Postgres { .. } | Self::Patroni(_) => None,
        }
    }
}
