//! A file that appears whole or not at all: written under a temporary name beside its place, synced, renamed.
//! If we stop before the rename, the old file (or none) is still there and the temporary one is removed.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file being written.
#[derive(Debug)]
pub struct WholeFile {
    temporary: NamedTempFile,
    path: PathBuf,
}

impl WholeFile {
    /// Begins a file that will stand at `path`. Only a regular file may be replaced; where `path` is a link to
    /// one, that file is, and the link stays: a rename would take the link's own place (think of `/dev/stdout`).
    pub fn create(path: &Path) -> io::Result<Self> {
        // As any file the user makes: the umask decides.
        Self::create_with_mode(path, 0o666)
    }

    /// The same for a file that only its owner may read, from its first byte on.
    pub fn create_private(path: &Path) -> io::Result<Self> {
        Self::create_with_mode(path, 0o600)
    }

    fn create_with_mode(path: &Path, mode: u32) -> io::Result<Self> {
        let path = match path.metadata() {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if found.is_file() => path.canonicalize()?,
            Ok(_) => return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
            Err(_) => path.to_owned(),
        };
        let temporary = builder(mode).tempfile_in(folder(&path))?;
        Ok(Self { temporary, path })
    }

    /// What was written so far, from its beginning, to be read.
    pub fn reopen(&self) -> io::Result<File> {
        self.temporary.reopen()
    }

    /// Syncs the bytes, gives the file its name and syncs the name.
    pub fn commit(self) -> io::Result<()> {
        self.temporary.as_file().sync_all()?;
        self.temporary.persist(&self.path)?;
        File::open(folder(&self.path))?.sync_all()
    }

    /// The same, but never in the place of another file: one that came meanwhile stays.
    pub fn commit_new(self) -> io::Result<()> {
        self.temporary.as_file().sync_all()?;
        self.temporary.persist_noclobber(&self.path)?;
        File::open(folder(&self.path))?.sync_all()
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.temporary.flush()
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn builder(mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".baton-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = mode;
    builder
}
