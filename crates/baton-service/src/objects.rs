//! Where the bytes of artifacts lie: objects in a folder or a bucket, each written once, read any number of times and
//! deleted. Which artifact has which object is the store's to know; nothing here decides what is served.

mod bucket;
mod reading;
mod writing;

pub use bucket::Bucket;
pub use reading::ObjectStream;
pub use writing::ObjectWriter;

use baton_core::{NetworkId, hex, limits};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Arc;

use crate::random::id_bytes;

/// The objects of a hub.
#[derive(Debug, Clone)]
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    /// The same, if it is a folder.
    folder: Option<Arc<LocalFileSystem>>,
    /// What stands before every object's name.
    prefix: Key,
    /// How much is written at once.
    piece_bytes: usize,
}

/// The place of objects did not do what it was asked; the text is for the log.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no such object")]
    Missing,
    #[error("artifacts: {0}")]
    Unavailable(String),
}

impl From<object_store::Error> for Error {
    fn from(error: object_store::Error) -> Self {
        match error {
            object_store::Error::NotFound { .. } => Self::Missing,
            error => Self::Unavailable(error.to_string()),
        }
    }
}

impl From<Error> for crate::error::Error {
    fn from(error: Error) -> Self {
        Self::Store(baton_store::Error::Unavailable(error.to_string()))
    }
}

impl Objects {
    /// Objects in a folder, which is made for its owner only if it is not there. What is written is on the disk, with the
    /// folders above it, before it is answered.
    pub fn in_folder(folder: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        if let Some(above) = folder.parent() {
            std::fs::File::open(above)?.sync_all()?;
        }
        let files = LocalFileSystem::new_with_prefix(folder).map_err(io::Error::other)?;
        let files = Arc::new(files.with_fsync(true));
        Ok(Self {
            store: files.clone(),
            folder: Some(files),
            prefix: Key::default(),
            piece_bytes: limits::ARTIFACT_PIECE_MAX_BYTES,
        })
    }

    /// A name for a new object of a network: never that of another, whatever its bytes are.
    pub fn new_name(network: &NetworkId) -> String {
        format!("{network}/{}", hex::encode(&id_bytes::<16>()))
    }

    /// Begins an object. It is there once it is complete, and not before.
    pub async fn begin(&self, name: &str) -> Result<ObjectWriter, Error> {
        let upload = self.store.put_multipart(&self.key(name)).await?;
        Ok(ObjectWriter::new(upload, self.piece_bytes))
    }

    /// How many bytes an object has; none if it is not there.
    pub async fn size(&self, name: &str) -> Result<Option<u64>, Error> {
        match self.store.head(&self.key(name)).await.map_err(Error::from) {
            Ok(meta) => Ok(Some(meta.size)),
            Err(Error::Missing) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deletes an object, and what a hub that was killed while it wrote it has left of it.
    pub async fn delete(&self, name: &str) -> Result<(), Error> {
        let key = self.key(name);
        match self.store.delete(&key).await.map_err(Error::from) {
            Ok(()) | Err(Error::Missing) => {}
            Err(error) => return Err(error),
        }
        let Some(folder) = &self.folder else { return Ok(()) };
        // A file that is being written has its final name with `#1` behind it: no other upload has that name.
        let mut unfinished = folder.path_to_filesystem(&key)?.into_os_string();
        unfinished.push("#1");
        let removed = tokio::task::spawn_blocking(move || std::fs::remove_file(unfinished)).await;
        match removed.map_err(io::Error::other).flatten() {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::Unavailable(error.to_string())),
        }
    }

    fn key(&self, name: &str) -> Key {
        Key::from_iter(self.prefix.parts().chain(Key::from(name).parts()))
    }
}
