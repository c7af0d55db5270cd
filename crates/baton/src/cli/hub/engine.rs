//! Which database a hub keeps its rows in, and opening it: SQLite in the data folder, or a PostgreSQL server that several
//! hubs share.

use baton_store::{
    Backup, Bell, HubFacts, Peers, PostgresOptions, PostgresStore, SqliteOptions, SqliteStore, Store,
};
use clap::Args;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Trouble;
use crate::data_folder::DataFolder;
use crate::hub::Clock;

/// Which database a command means.
#[derive(Debug, Args)]
pub(super) struct StoreOption {
    /// Keep tasks, accounts and evidence in this PostgreSQL database instead of SQLite in the data folder, such as
    /// postgres://user@host/database; several hubs can share it
    #[arg(long, env = "BATON_STORE", hide_env_values = true, value_name = "URL")]
    store: Option<String>,
}

impl StoreOption {
    /// Read here and not by the parser of options, which repeats what it cannot read: the URL may hold a password.
    pub(super) fn find(&self) -> Result<StorePlace, Trouble> {
        match self.store.as_deref().filter(|given| !given.is_empty()) {
            None => Ok(StorePlace::Folder),
            Some(url) if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                Ok(StorePlace::Postgres(PostgresUrl(url.to_owned())))
            }
            Some(_) => Err(Trouble::StoreUrl),
        }
    }
}

/// Where the rows are.
#[derive(Debug, Clone)]
pub(super) enum StorePlace {
    /// SQLite in the data folder.
    Folder,
    /// A PostgreSQL database.
    Postgres(PostgresUrl),
}

/// The URL of a PostgreSQL database. It may hold a password, so it is never shown.
#[derive(Clone)]
pub(super) struct PostgresUrl(String);

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PostgresUrl(…)")
    }
}

/// An open store, what makes its backups, and the clock its hub goes by.
pub(super) struct Engine {
    pub(super) store: Arc<dyn Store>,
    pub(super) backup: Arc<dyn Backup>,
    pub(super) peers: Option<Arc<dyn Peers>>,
    pub(super) clock: Clock,
}

impl StorePlace {
    /// Opens the database for a hub that listens at `address`, and creates or migrates it if need be, which may take a while.
    /// Blocks.
    pub(super) fn open(
        &self,
        folder: &DataFolder,
        address: &str,
        check_every: Option<Duration>,
        bell: Bell,
    ) -> Result<Engine, Trouble> {
        match self {
            Self::Folder => {
                let clock = Clock::start();
                let options = SqliteOptions { check_every, ..SqliteOptions::default() };
                let store = Arc::new(open_sqlite(folder, options, clock.clone(), bell)?);
                Ok(Engine { store: store.clone(), backup: store, peers: None, clock })
            }
            Self::Postgres(PostgresUrl(url)) => {
                let hub = HubFacts { address: address.to_owned(), version: env!("CARGO_PKG_VERSION").into() };
                let options = PostgresOptions { hub, ..PostgresOptions::default() };
                let opened = PostgresStore::open(url, options, bell);
                let store = Arc::new(opened.map_err(|error| self.trouble(folder, error))?);
                let clock = Clock::of_engine(store.clock());
                Ok(Engine { peers: Some(store.peers()), store: store.clone(), backup: store, clock })
            }
        }
    }

    /// The message for the operator if the database cannot be used.
    pub(super) fn trouble(&self, folder: &DataFolder, error: baton_store::Error) -> Trouble {
        match self {
            Self::Folder => Trouble::Database { database: folder.database(), error },
            Self::Postgres(_) => Trouble::Postgres(error),
        }
    }
}

/// The SQLite database in a folder. The caller holds the folder's lock.
pub(super) fn open_sqlite(
    folder: &DataFolder,
    options: SqliteOptions,
    clock: Clock,
    bell: Bell,
) -> Result<SqliteStore, Trouble> {
    let database = folder.database();
    let store = SqliteStore::open(&database, options, Arc::new(clock), bell);
    store.map_err(|error| Trouble::Database { database, error })
}
