//! The statements a database runs, in order, for tests that compare what two answers cost. Debug builds only.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

/// By the path of the database.
static WATCHED: LazyLock<Mutex<HashMap<String, Vec<String>>>> = LazyLock::new(Mutex::default);

/// Records what one database runs, on all its connections, until it is dropped.
#[derive(Debug)]
pub struct Statements {
    path: String,
}

impl Statements {
    /// Begins to record.
    #[must_use]
    pub fn of(database: &Path) -> Self {
        let path = database.to_string_lossy().into_owned();
        lock(|watched| watched.insert(path.clone(), Vec::new()));
        Self { path }
    }

    /// What ran since it began, or since it was last asked.
    #[must_use]
    pub fn take(&self) -> Vec<String> {
        lock(|watched| watched.get_mut(&self.path).map(std::mem::take)).unwrap_or_default()
    }
}

impl Drop for Statements {
    fn drop(&mut self) {
        lock(|watched| watched.remove(&self.path));
    }
}

pub(super) fn record(database: Option<&str>, sql: &str) {
    let Some(path) = database else { return };
    lock(|watched| {
        if let Some(statements) = watched.get_mut(path) {
            statements.push(sql.to_owned());
        }
    });
}

fn lock<T>(work: impl FnOnce(&mut HashMap<String, Vec<String>>) -> T) -> T {
    work(&mut WATCHED.lock().unwrap_or_else(PoisonError::into_inner))
}
