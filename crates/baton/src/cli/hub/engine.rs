//! Opening the database of a hub: SQLite in the data folder, or a PostgreSQL server that several hubs share.

use baton_store::{
    Backup, Bell, HubFacts, Peers, PostgresOptions, PostgresStore, SqliteOptions, SqliteStore, Store,
};
use std::sync::Arc;
use std::time::Duration;

use super::Trouble;
use super::store_option::StorePlace;
use crate::data_folder::DataFolder;
use crate::hub::Clock;

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
            Self::Postgres(settings) => {
                let hub = HubFacts { address: address.to_owned(), version: env!("CARGO_PKG_VERSION").into() };
                let options = PostgresOptions { hub, ..PostgresOptions::default() };
                let opened = PostgresStore::open(settings, options, bell);
                let store = Arc::new(opened.map_err(|error| self.trouble(folder, error))?);
                let clock = Clock::of_engine(store.clock());
                Ok(Engine { peers: Some(store.peers()), store: store.clone(), backup: store, clock })
            }
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
