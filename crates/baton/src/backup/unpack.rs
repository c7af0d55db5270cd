//! Taking a backup apart. Nothing of it counts before every file is on the disk with the hash the manifest names.

use baton_core::limits;
use baton_evidence::digest::Digest;
use flate2::read::GzDecoder;
use sha2::{Digest as _, Sha256};
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::artifacts::{self, Artifacts};
use super::manifest::{self, Member};
use super::{DATABASE, EVIDENCE_KEY, MANIFEST, Manifest};

/// Why a file is not restored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unfit {
    #[error("it is no backup of a hub: {0}")]
    NotABackup(String),
    #[error("it is damaged: {0}")]
    Damaged(String),
    #[error("it is damaged: {0} is not the file that was backed up")]
    Differs(String),
    #[error(
        "it was made by a newer baton ({version}, schema {schema}); this one knows up to schema {known}: restore it with that baton"
    )]
    Newer { version: String, schema: u32, known: u32 },
    #[error("cannot write {name}: {error}")]
    Write { name: String, error: io::Error },
}

/// Writes a backup's files into a folder, its owner's alone, and syncs them.
pub(crate) fn unpack(file: impl Read, into: &Path, known_schema: u32) -> Result<Manifest, Unfit> {
    let unpacked = |entry: tar::Entry<'_, _>, member: &Member| unpack_member(entry, member, into);
    read(file, known_schema, unpacked, |entries| {
        let all = artifacts::artifacts_of(&into.join(DATABASE));
        let all = all.map_err(|error| Unfit::Damaged(error.cause()))?;
        artifacts::read(entries, &all, Some(into))
    })
}

/// Reads a backup and compares its hashes, those of these artifacts too; keeps nothing.
pub(crate) fn look_over(file: impl Read, all: &Artifacts) -> Result<Manifest, Unfit> {
    let compared = |entry: tar::Entry<'_, _>, member: &Member| copy_member(entry, member, &mut io::sink());
    read(file, u32::MAX, compared, |entries| artifacts::read(entries, all, None))
}

fn read<R: Read>(
    file: R,
    known_schema: u32,
    mut take: impl FnMut(tar::Entry<'_, GzDecoder<R>>, &Member) -> Result<(), Unfit>,
    take_artifacts: impl FnOnce(tar::Entries<'_, GzDecoder<R>>) -> Result<(), Unfit>,
) -> Result<Manifest, Unfit> {
    let mut archive = tar::Archive::new(GzDecoder::new(file));
    let no_backup = |error: io::Error| Unfit::NotABackup(error.to_string());
    let mut entries = archive.entries().map_err(no_backup)?;
    let first = entries.next().ok_or_else(|| Unfit::NotABackup("it is empty".into()))?.map_err(no_backup)?;
    let manifest = read_manifest(first)?;
    if manifest.schema > known_schema {
        let Manifest { version, schema, .. } = manifest;
        return Err(Unfit::Newer { version, schema, known: known_schema });
    }
    for member in &manifest.files {
        let entry = entries.next().ok_or_else(|| Unfit::Damaged(format!("{} is missing", member.name)))?;
        take(entry.map_err(|error| damaged(&error))?, member)?;
    }
    take_artifacts(entries)?;
    Ok(manifest)
}

fn read_manifest<R: Read>(entry: tar::Entry<'_, R>) -> Result<Manifest, Unfit> {
    let is_manifest = entry.path().is_ok_and(|path| *path == *Path::new(MANIFEST));
    if !is_manifest {
        return Err(Unfit::NotABackup(format!("it does not begin with {MANIFEST}")));
    }
    let mut text = Vec::new();
    entry.take(limits::BACKUP_MANIFEST_MAX_BYTES).read_to_end(&mut text).map_err(|error| damaged(&error))?;
    let manifest: Manifest =
        serde_json::from_slice(&text).map_err(|error| Unfit::NotABackup(format!("{MANIFEST}: {error}")))?;
    if manifest.format != manifest::FORMAT {
        return Err(Unfit::NotABackup(format!("its format is {:?}", manifest.format)));
    }
    let names: Vec<&str> = manifest.files.iter().map(|member| &*member.name).collect();
    match &*names {
        [DATABASE] | [DATABASE, EVIDENCE_KEY] => Ok(manifest),
        _ => Err(Unfit::NotABackup(format!("it names the files {names:?}"))),
    }
}

fn unpack_member<R: Read>(entry: tar::Entry<'_, R>, member: &Member, into: &Path) -> Result<(), Unfit> {
    let path = into.join(&member.name);
    let failed = |error| Unfit::Write { name: path.display().to_string(), error };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).map_err(failed)?;
    copy_member(entry, member, &mut file)?;
    file.sync_all().map_err(failed)
}

/// Copies a file of the backup if it is the one the manifest names.
fn copy_member<R: Read>(
    mut entry: tar::Entry<'_, R>,
    member: &Member,
    out: &mut impl Write,
) -> Result<(), Unfit> {
    let name = &member.name;
    if !entry.path().is_ok_and(|path| *path == *Path::new(name)) || entry.size() != member.bytes {
        return Err(Unfit::Differs(name.clone()));
    }
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; limits::BACKUP_CHUNK_BYTES];
    let mut bytes = 0;
    loop {
        let read = entry.read(&mut chunk).map_err(|error| damaged(&error))?;
        if read == 0 {
            break;
        }
        hasher.update(&chunk[..read]);
        out.write_all(&chunk[..read]).map_err(|error| Unfit::Write { name: name.clone(), error })?;
        bytes += read as u64;
    }
    if bytes != member.bytes || Digest::from(hasher).hex() != member.sha256 {
        return Err(Unfit::Differs(name.clone()));
    }
    Ok(())
}

fn damaged(error: &io::Error) -> Unfit {
    Unfit::Damaged(error.to_string())
}
