//! Which database a command means: SQLite in the data folder, or a PostgreSQL server that several hubs share.

use baton_store::ConnectionSettings;
use clap::Args;
use std::fmt;
use std::path::PathBuf;

use super::Trouble;
use crate::data_folder::DataFolder;

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
        f.debug_struct("StoreOption")
            .field("store", &self.store.as_ref().map(|_| "…"))
            .finish_non_exhaustive()
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

impl StorePlace {
    /// The message for the operator if the database cannot be used.
    pub(super) fn trouble(&self, folder: &DataFolder, error: baton_store::Error) -> Trouble {
        match self {
            Self::Folder => Trouble::Database { database: folder.database(), error },
            Self::Postgres(settings) => Trouble::Postgres { database: settings.to_string(), error },
        }
    }
}
