//! The bytes of artifacts in a backup: after the files that the manifest names comes one member for each artifact of the
//! database, `artifacts/OBJECT`. How many bytes it has and their SHA-256 stand in the database's row.

use baton_core::{hex, limits};
use baton_store::rows::ArtifactState;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use super::Unfit;
use super::pack::header;

/// The folder of a data folder, and of a backup, that has them.
const FOLDER: &str = "artifacts";

/// Every artifact of a database, by its object.
pub(crate) type Artifacts = BTreeMap<String, ArtifactState>;

/// The artifacts of a copy of a database, which may be of an earlier schema.
pub(crate) fn artifacts_of(database: &Path) -> Result<Artifacts, baton_store::Error> {
    let all = baton_store::artifacts_of_copy(database)?;
    Ok(all.into_iter().map(|artifact| (artifact.object.clone(), artifact)).collect())
}

/// Appends the bytes of every artifact that a folder has. Whether it has all is for whoever checks the folder to say.
pub(super) fn append(
    archive: &mut tar::Builder<impl Write>,
    folder: &Path,
    artifacts: &Artifacts,
) -> io::Result<u64> {
    let mut count = 0;
    for (object, artifact) in artifacts {
        let path = folder.join(object);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        if file.metadata()?.len() != artifact.size {
            return Err(io::Error::other(format!(
                "{} does not have {} bytes",
                path.display(),
                artifact.size
            )));
        }
        archive.append_data(
            &mut header(artifact.size),
            format!("{FOLDER}/{object}"),
            file.take(artifact.size),
        )?;
        count += 1;
    }
    Ok(count)
}

/// Writes the artifacts that follow in a backup below a folder, each compared with its row; or only compares them.
pub(super) fn read<R: Read>(
    entries: tar::Entries<'_, R>,
    artifacts: &Artifacts,
    into: Option<&Path>,
) -> Result<(), Unfit> {
    let mut folders = BTreeSet::new();
    for entry in entries {
        let entry = entry.map_err(|error| Unfit::Damaged(error.to_string()))?;
        let path = entry.path().map_err(|error| Unfit::Damaged(error.to_string()))?;
        let object = path.strip_prefix(FOLDER).ok().and_then(Path::to_str).map(str::to_owned);
        let shown = path.display().to_string();
        let object = object.ok_or_else(|| Unfit::NotABackup(format!("it holds {shown}")))?;
        drop(path);
        let artifact = artifacts.get(&object).ok_or_else(|| Unfit::Differs(shown.clone()))?;
        let mut out: Box<dyn Write> = match into {
            Some(into) => {
                let folder = into.join(FOLDER);
                folders.extend(object.split_once('/').map(|(network, _)| folder.join(network)));
                folders.insert(folder.clone());
                Box::new(create(&folder, &object)?)
            }
            None => Box::new(io::sink()),
        };
        let (bytes, sha256) = copy(entry, &mut out)?;
        if bytes != artifact.size || sha256 != artifact.sha256 {
            return Err(Unfit::Differs(shown));
        }
    }
    folders.iter().try_for_each(|folder| {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| Unfit::Write { name: folder.display().to_string(), error })
    })
}

/// A new file for an object, whose name is that of a network and an id.
fn create(folder: &Path, object: &str) -> Result<SyncedFile, Unfit> {
    let path = folder.join(object);
    let failed = |error| Unfit::Write { name: path.display().to_string(), error };
    let is_plain =
        object.split('/').count() == 2 && object.split('/').all(|part| !part.is_empty() && part != "..");
    let above = path.parent().filter(|_| is_plain).ok_or_else(|| Unfit::Differs(object.to_owned()))?;
    DirBuilder::new().recursive(true).mode(0o700).create(above).map_err(failed)?;
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).map_err(failed)?;
    Ok(SyncedFile(file))
}

/// A file that is on the disk once it is flushed.
struct SyncedFile(File);

impl Write for SyncedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.sync_all()
    }
}

fn copy(mut entry: impl Read, out: &mut dyn Write) -> Result<(u64, String), Unfit> {
    let (mut hasher, mut bytes, mut chunk) = (Sha256::new(), 0, vec![0; limits::BACKUP_CHUNK_BYTES]);
    loop {
        let read = entry.read(&mut chunk).map_err(|error| Unfit::Damaged(error.to_string()))?;
        let written = match read {
            0 => out.flush(),
            read => out.write_all(&chunk[..read]),
        };
        written.map_err(|error| Unfit::Write { name: "an artifact".into(), error })?;
        if read == 0 {
            return Ok((bytes, hex::encode(&hasher.finalize())));
        }
        hasher.update(&chunk[..read]);
        bytes += read as u64;
    }
}
