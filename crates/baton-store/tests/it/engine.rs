//! The engines under test. Each opens a store of its own over a folder, and again over the same folder.

use baton_store::{Committed, Ring, SqliteOptions, SqliteStore, Store};
use std::path::Path;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// A store under test, with everything it rang for.
pub struct Engine {
    pub store: Arc<dyn Store>,
    pub rings: Arc<Mutex<Vec<Ring>>>,
    pub folder: TempDir,
}

impl Engine {
    pub fn new(open: Open) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (store, rings) = open(folder.path());
        Self { store, rings, folder }
    }

    /// Closes the store and opens it again over what it left.
    pub fn reopen(&mut self, open: Open) {
        self.store.close();
        (self.store, self.rings) = open(self.folder.path());
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.store.close();
    }
}

pub type Open = fn(&Path) -> (Arc<dyn Store>, Arc<Mutex<Vec<Ring>>>);

/// The embedded engine.
pub fn sqlite(folder: &Path) -> (Arc<dyn Store>, Arc<Mutex<Vec<Ring>>>) {
    let rings = Arc::new(Mutex::new(Vec::new()));
    let heard = rings.clone();
    let bell = Arc::new(move |committed: Committed| heard.lock().unwrap().extend(committed.rings));
    let store = SqliteStore::open(&folder.join("hub.db"), SqliteOptions::default(), bell).unwrap();
    (Arc::new(store), rings)
}

/// One test per engine of a case written over any of them.
macro_rules! engines {
    ($($(#[$doc:meta])* async fn $name:ident($engine:ident: &mut Engine, $open:ident: Open) $body:block)*) => {
        $(
            $(#[$doc])*
            mod $name {
                #[allow(unused_imports)]
                use super::*;

                async fn case($engine: &mut Engine, $open: Open) {
                    let _ = $open;
                    $body
                }

                #[tokio::test]
                async fn on_sqlite() {
                    let open = $crate::it::engine::sqlite as Open;
                    case(&mut Engine::new(open), open).await;
                }
            }
        )*
    };
}

pub(crate) use engines;
