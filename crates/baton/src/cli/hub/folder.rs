//! Which data folder a command means, and taking it over.

use clap::Args;
use std::path::PathBuf;

use super::Trouble;
use crate::data_folder::{DataFolder, Lock, LockError};

#[derive(Debug, Args)]
pub(super) struct Folder {
    /// Where the hub keeps everything [default: ~/.baton]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Read settings from this TOML file [default: ~/.baton/baton.toml, or else /etc/baton/baton.toml]
    // Read before anything else, by `cli/settings.rs`.
    #[arg(long, value_name = "FILE", env = "BATON_CONFIG")]
    config: Option<PathBuf>,
}

impl Folder {
    pub(super) fn find(&self) -> Result<DataFolder, Trouble> {
        match &self.data_dir {
            Some(path) => Ok(DataFolder::new(path.clone())),
            None => DataFolder::home().ok_or(Trouble::NoHome),
        }
    }
}

/// Asks for a folder in which a hub has lived.
pub(super) fn must_hold_a_hub(folder: &DataFolder) -> Result<(), Trouble> {
    if folder.database().exists() {
        return Ok(());
    }
    let error = std::io::Error::other("there is no hub in it");
    Err(Trouble::Folder { folder: folder.path().into(), error })
}

/// Makes the folder this process's own. A folder that is restored only in part is nobody's.
pub(super) fn take(folder: &DataFolder) -> Result<Lock, Trouble> {
    let lock = take_to_restore(folder)?;
    if folder.restoring().exists() {
        return Err(Trouble::Unrestored { folder: folder.path().into() });
    }
    Ok(lock)
}

/// The same for a restore.
pub(super) fn take_to_restore(folder: &DataFolder) -> Result<Lock, Trouble> {
    let lock = folder.create().map_err(LockError::from).and_then(|()| folder.lock());
    lock.map_err(|error| not_locked(folder, error))
}

/// Why a folder is not this process's own.
pub(super) fn not_locked(folder: &DataFolder, error: LockError) -> Trouble {
    let folder = folder.path().into();
    match error {
        LockError::Held(holder) => Trouble::Held { folder, holder },
        LockError::DatabaseHeld => Trouble::DatabaseHeld { folder },
        LockError::Io(error) => Trouble::Folder { folder, error },
    }
}
