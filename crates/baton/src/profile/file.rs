//! The file of profiles. It is read whole, changed under a lock and written whole: if we stop anywhere, the old file
//! or the new one is there. Its mode is 600, its folder's 700; a file that others may read is not used.

use baton_core::limits;
use baton_evidence::whole_file::WholeFile;
use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;

use super::{Profile, ProfileError, ProfileName};
use crate::data_folder::DataFolder;

/// Where profiles are kept.
#[derive(Debug, Clone)]
pub(crate) struct ProfileFile {
    folder: DataFolder,
}

/// Everything in the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Contents {
    #[serde(default)]
    profile: BTreeMap<ProfileName, Profile>,
}

impl ProfileFile {
    /// `~/.baton/config.toml`.
    pub(crate) fn home() -> Result<Self, ProfileError> {
        DataFolder::home().map(|folder| Self { folder }).ok_or(ProfileError::NoHome)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("config.toml")
    }

    /// The profile of this name, if there is one.
    pub(crate) fn read(&self, name: &ProfileName) -> Result<Option<Profile>, ProfileError> {
        Ok(self.contents()?.profile.remove(name))
    }

    /// The names of all profiles.
    pub(crate) fn names(&self) -> Result<Vec<ProfileName>, ProfileError> {
        Ok(self.contents()?.profile.into_keys().collect())
    }

    /// Puts a profile in the place of the one of this name.
    pub(crate) fn put(&self, name: &ProfileName, profile: Profile) -> Result<(), ProfileError> {
        self.change(|profiles| {
            profiles.insert(name.clone(), profile);
        })
    }

    /// Changes the profile of this name, if there is one.
    pub(crate) fn update(
        &self,
        name: &ProfileName,
        change: impl FnOnce(&mut Profile),
    ) -> Result<bool, ProfileError> {
        let mut is_there = false;
        self.change(|profiles| {
            if let Some(profile) = profiles.get_mut(name) {
                change(profile);
                is_there = true;
            }
        })?;
        Ok(is_there)
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<ProfileName, Profile>)) -> Result<(), ProfileError> {
        let file = self.path();
        let failed = |error| ProfileError::Write { file: file.clone(), error };
        self.folder.create().map_err(failed)?;
        // Two logins at once both find their place; the lock ends with its file.
        let _lock = self.lock().map_err(failed)?;
        let mut contents = self.contents()?;
        change(&mut contents.profile);
        let text = toml::to_string(&contents).map_err(|error| failed(io::Error::other(error)))?;
        let write = || {
            let mut whole = WholeFile::create_private(&file)?;
            whole.write_all(text.as_bytes())?;
            whole.commit()
        };
        write().map_err(failed)
    }

    fn lock(&self) -> io::Result<File> {
        let path = self.folder.path().join("config.lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
        rustix::fs::flock(&lock, FlockOperation::LockExclusive)?;
        Ok(lock)
    }

    fn contents(&self) -> Result<Contents, ProfileError> {
        let path = self.path();
        let failed = |error| ProfileError::Read { file: path.clone(), error };
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Contents::default()),
            Err(error) => return Err(failed(error)),
        };
        let found = file.metadata().map_err(failed)?;
        if found.permissions().mode() & 0o077 != 0 {
            return Err(ProfileError::Open(path));
        }
        if found.len() > limits::PROFILES_MAX_BYTES {
            return Err(ProfileError::TooLarge(path));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        toml::from_str(&text)
            .map_err(|error| ProfileError::Unreadable { file: path, cause: error.message().into() })
    }
}
