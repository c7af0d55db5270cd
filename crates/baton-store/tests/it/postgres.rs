//! The engine on PostgreSQL, where it differs from the other: several hubs on one database, and connections that are cut.

mod copies;
mod cuts;
mod full_disk;
mod hubs;
mod locks;
mod own_server;
mod refused;
mod replica;
mod schema_objects;
#[allow(dead_code)] // shared with the tests of the binary, which use the rest of it
mod server;
mod standby;
mod starting;
mod tls;

pub(crate) use server::{database_of, empty_database, forget, named_in, run_on, settings};

use baton_store::{PostgresOptions, PostgresStore, Store};
use std::sync::Arc;
use tempfile::TempDir;

/// A hub's store, as its calls share it.
pub type Hub = Arc<dyn Store>;

/// The folder that stands for a database, which is dropped with it.
pub struct Database(TempDir);

impl Drop for Database {
    fn drop(&mut self) {
        forget(self.0.path());
    }
}

/// Two hubs on one database.
pub fn hubs() -> (Database, [Hub; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let address = database_of(folder.path());
    let open = || -> Hub {
        Arc::new(
            PostgresStore::open(&settings(&address), PostgresOptions::default(), Arc::new(|_| {})).unwrap(),
        )
    };
    (Database(folder), [open(), open()])
}
