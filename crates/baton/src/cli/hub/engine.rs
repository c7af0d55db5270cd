//! Which database a hub keeps its rows in, and opening it: SQLite in the data folder, or a PostgreSQL server that several
//! hubs share.

use baton_store::{
    Backup, Bell, ConnectionSettings, PostgresOptions, PostgresStore, SqliteOptions, SqliteStore, Store,
};
use clap::Args;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::Trouble;
use crate::data_folder::DataFolder;
use crate::hub::Clock;

/// Which database a command means.
#[derive(Args)]
pub(super) struct StoreOption {
    /// Keep tasks, accounts and evidence in this PostgreSQL database instead of SQLite in the data folder: a URL such as
    /// postgres://user@host/database, or key=value pairs as libpq reads them; several hubs can share it
    #[arg(long, env = "BATON_STORE", hide_env_values = true, value_name = "URL")]
    store: Option<String>,
    /// Read the password for PostgreSQL from this file, again for each connection
    #[arg(long, env = "BATON_STORE_PASSWORD_FILE", value_name = "FILE")]
    store_password_file: Option<PathBuf>,
}

impl StoreOption {
    /// Read here and not by the parser of options, which repeats what it cannot read: the URL may contain a password.
    pub(super) fn find(&self) -> Result<StorePlace, Trouble> {
        let Some(text) = self.store.as_deref().filter(|given| !given.is_empty()) else {
            return Ok(StorePlace::Folder);
        };
        let settings = ConnectionSettings::from_environment(text, self.store_password_file.as_deref())
            .map_err(Trouble::Store)?;
        let is_argument = std::env::args().any(|argument| {
            argument == text || argument.strip_prefix("--store=").is_some_and(|value| value == text)
        });
        match is_argument && settings.has_password_in_string() {
            true => Err(Trouble::PasswordOnCommandLine),
            false => Ok(StorePlace::Postgres(Box::new(settings))),
        }
    }
}

/// The connection string may contain a password.
impl fmt::Debug for StoreOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreOption").field("store", &self.store.as_ref().map(|_| "…")).finish_non_exhaustive()
    }
}

/// Where the rows are.
#[derive(Debug, Clone)]
pub(super) enum StorePlace {
    /// SQLite in the data folder.
    Folder,
    /// A PostgreSQL database.
    Postgres(Box<ConnectionSettings>),
}

/// An open store, what makes its backups, and the clock its hub goes by.
pub(super) struct Engine {
    pub(super) store: Arc<dyn Store>,
    pub(super) backup: Arc<dyn Backup>,
    pub(super) clock: Clock,
}

impl StorePlace {
    /// Opens the database, and creates or migrates it if need be, which may take a while. Blocks.
    pub(super) fn open(
        &self,
        folder: &DataFolder,
        check_every: Option<Duration>,
        bell: Bell,
    ) -> Result<Engine, Trouble> {
        match self {
            Self::Folder => {
                let clock = Clock::start();
                let options = SqliteOptions { check_every, ..SqliteOptions::default() };
                let store = Arc::new(open_sqlite(folder, options, clock.clone(), bell)?);
                Ok(Engine { store: store.clone(), backup: store, clock })
            }
            Self::Postgres(settings) => {
                let opened = PostgresStore::open(settings, PostgresOptions::default(), bell);
                let store = Arc::new(opened.map_err(|error| self.trouble(folder, error))?);
                let clock = Clock::of_engine(store.clock());
                Ok(Engine { store: store.clone(), backup: store, clock })
            }
        }
    }

    /// What the operator is told if the database cannot be used.
    pub(super) fn trouble(&self, folder: &DataFolder, error: baton_store::Error) -> Trouble {
        match self {
            Self::Folder => Trouble::Database { database: folder.database(), error },
            Self::Postgres(settings) => Trouble::Postgres { database: settings.to_string(), error },
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
