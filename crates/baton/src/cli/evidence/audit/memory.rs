//! What this machine remembers of a log: the last checkpoint that agreed, its key, and the hash of every event under
//! it, so that a difference can be named. Per hub and network, in `~/.baton/checkpoints`, its owner's alone. Files are
//! written whole; the checkpoint comes last, so a stop anywhere leaves a memory that holds together.

use baton_core::{NetworkId, limits};
use baton_evidence::digest::Digest;
use baton_evidence::log::{Frontier, Hash};
use baton_evidence::note::{Checkpoint, VerifierKey};
use baton_evidence::whole_file::WholeFile;
use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::cli::failure::Failure;
use crate::client::HubAddress;
use crate::data_folder::DataFolder;

/// Hex digits of the hub's address in a file's name.
const HUB_DIGITS: usize = 16; // not a limit: the form of a name

/// Where a log's memory lies; held by one audit at a time.
#[derive(Debug)]
pub(super) struct Memory {
    folder: PathBuf,
    stem: String,
    hub: String,
    network: String,
    _lock: File,
}

/// A checkpoint that was seen, with what is needed to open it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Contents {
    hub: String,
    network_id: String,
    key: String,
    /// The signed note, text for text.
    checkpoint: String,
}

/// The checkpoint this machine saw last.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) key: VerifierKey,
    pub(super) checkpoint: Checkpoint,
}

impl Memory {
    /// The memory of this network on this hub.
    pub(super) fn open(hub: &HubAddress, network: &str) -> Result<Self, Failure> {
        // The id may be the hub's word, and it names files here.
        if NetworkId::parse(network).is_none() {
            return Err(Failure::usage(
                "the hub answered with a network id that is not one; nothing was saved",
            ));
        }
        let home = DataFolder::home()
            .ok_or_else(|| Failure::usage("there is no home folder to remember checkpoints in; set HOME"))?;
        let folder = home.path().join("checkpoints");
        let hub = hub.to_string();
        let stem = format!("{network}-{}", &Digest::of(hub.as_bytes()).hex()[..HUB_DIGITS]);
        let lock = folder.join(format!("{stem}.lock"));
        let failed = |error| Failure::Write { name: lock.display().to_string(), error };
        home.create().map_err(failed)?;
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&lock);
        let file = file.map_err(failed)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { folder, stem, hub, network: network.to_owned(), _lock: file }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(Failure::usage("another audit of this log is running")),
            Err(error) => Err(failed(error.into())),
        }
    }

    /// The file of the last checkpoint that agreed.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.stem))
    }

    fn leaves_path(&self) -> PathBuf {
        self.folder.join(format!("{}.leaves", self.stem))
    }

    /// The checkpoint seen last. A file that is there and cannot be used is error, never a reason to restart.
    pub(super) fn seen(&self) -> Result<Option<Seen>, Failure> {
        let path = self.path();
        let Some(text) = read_private(&path)? else { return Ok(None) };
        let damaged = |what: &str| {
            let file = path.display();
            Failure::usage(format!(
                "{file} is not a checkpoint that this machine saved ({what}); find out why before you move it away"
            ))
        };
        let contents: Contents = serde_json::from_str(&text).map_err(|error| damaged(&error.to_string()))?;
        if contents.hub != self.hub || contents.network_id != self.network {
            return Err(damaged("it is of another log"));
        }
        let key = VerifierKey::parse(&contents.key).map_err(|error| damaged(&error.to_string()))?;
        let checkpoint =
            Checkpoint::open(&contents.checkpoint, &key).map_err(|error| damaged(&error.to_string()))?;
        Ok(Some(Seen { key, checkpoint }))
    }

    /// The hashes of the events under a checkpoint, if they were kept and are those.
    pub(super) fn leaves(&self, seen: &Seen) -> Result<Option<Leaves>, Failure> {
        let mut frontier = Frontier::default();
        let Some(mut leaves) = self.open_leaves(seen)? else { return Ok(None) };
        while let Some(leaf) = leaves.next()? {
            frontier.push(leaf);
        }
        let is_whole = (frontier.size(), frontier.root()) == (seen.checkpoint.size, seen.checkpoint.root);
        if is_whole { self.open_leaves(seen) } else { Ok(None) }
    }

    fn open_leaves(&self, seen: &Seen) -> Result<Option<Leaves>, Failure> {
        let path = self.leaves_path();
        match File::open(&path) {
            Ok(file) => {
                let file = BufReader::new(file);
                Ok(Some(Leaves { name: path.display().to_string(), file, left: seen.checkpoint.size }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Failure::Read { name: path.display().to_string(), error }),
        }
    }

    /// Begins the hashes of a new checkpoint.
    pub(super) fn new_leaves(&self) -> Result<NewLeaves, Failure> {
        let name = self.leaves_path();
        let file = WholeFile::create_private(&name);
        let name = name.display().to_string();
        match file {
            Ok(file) => Ok(NewLeaves { name, file: BufWriter::new(file) }),
            Err(error) => Err(Failure::Write { name, error }),
        }
    }

    /// Remembers a checkpoint that agreed with all before it, and the hashes under it.
    pub(super) fn remember(&self, key: &VerifierKey, note: &str, leaves: NewLeaves) -> Result<(), Failure> {
        // Killed after this, the hashes are more than the old checkpoint needs, and those it needs are the same.
        leaves.commit()?;
        self.write(&self.path(), key, note)
    }

    /// Keeps a checkpoint that does not agree, beside the one it contradicts: together they are the proof. The first
    /// stays.
    pub(super) fn keep_conflict(&self, key: &VerifierKey, note: &str) -> Result<PathBuf, Failure> {
        let path = self.folder.join(format!("{}.conflict.json", self.stem));
        if !path.exists() {
            self.write(&path, key, note)?;
        }
        Ok(path)
    }

    fn write(&self, path: &Path, key: &VerifierKey, note: &str) -> Result<(), Failure> {
        let contents = Contents {
            hub: self.hub.clone(),
            network_id: self.network.clone(),
            key: key.to_string(),
            checkpoint: note.to_owned(),
        };
        let write = || {
            let mut file = WholeFile::create_private(path)?;
            serde_json::to_writer_pretty(&mut file, &contents)?;
            file.write_all(b"\n")?;
            file.commit()
        };
        write().map_err(|error| Failure::Write { name: path.display().to_string(), error })
    }
}

/// Remembered hashes, in order.
#[derive(Debug)]
pub(super) struct Leaves {
    name: String,
    file: BufReader<File>,
    left: u64,
}

impl Leaves {
    /// The next hash; none after the last, or where the file ends too early.
    pub(super) fn next(&mut self) -> Result<Option<Hash>, Failure> {
        if self.left == 0 {
            return Ok(None);
        }
        let mut hash = [0; 32];
        match self.file.read_exact(&mut hash) {
            Ok(()) => {
                self.left -= 1;
                Ok(Some(Hash(hash)))
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.left = 0;
                Ok(None)
            }
            Err(error) => Err(Failure::Read { name: self.name.clone(), error }),
        }
    }
}

/// Hashes to be remembered; gone unless they are.
#[derive(Debug)]
pub(super) struct NewLeaves {
    name: String,
    file: BufWriter<WholeFile>,
}

impl NewLeaves {
    pub(super) fn push(&mut self, leaf: &Hash) -> Result<(), Failure> {
        self.file.write_all(&leaf.0).map_err(|error| Failure::Write { name: self.name.clone(), error })
    }

    fn commit(self) -> Result<(), Failure> {
        let Self { name, file } = self;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error);
        file.and_then(WholeFile::commit).map_err(|error| Failure::Write { name, error })
    }
}

/// A file that only its owner may read or change; none if it is not there.
fn read_private(path: &Path) -> Result<Option<String>, Failure> {
    let failed = |error| Failure::Read { name: path.display().to_string(), error };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if file.metadata().map_err(failed)?.permissions().mode() & 0o077 != 0 {
        let file = path.display();
        return Err(Failure::usage(format!("other users can read or change {file}; run `chmod 600 {file}`")));
    }
    let mut text = String::new();
    file.take(limits::AUDIT_FILE_MAX_BYTES).read_to_string(&mut text).map_err(failed)?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_networks_id_names_no_file() {
        let hub: HubAddress = "http://127.0.0.1:9".parse().unwrap();
        for name in ["../../x", "/etc/x", "net_0123456789ab/..", "", "net_"] {
            assert!(matches!(Memory::open(&hub, name), Err(Failure::Usage(_))), "{name:?}");
        }
    }
}
