//! Putting a backup together from a finished copy of the database.

use baton_evidence::digest::Digest;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::artifacts::{self, Artifacts};
use super::manifest::{FORMAT, Member};
use super::{DATABASE, EVIDENCE_KEY, MANIFEST, Manifest};

/// What goes into a backup beside the database.
#[derive(Debug)]
pub(crate) struct Contents<'a> {
    pub(crate) evidence_key: Option<&'a [u8]>,
    /// The artifacts of the database, and the folder with their bytes.
    pub(crate) artifacts: &'a Artifacts,
    pub(crate) folder: &'a Path,
}

/// Writes a backup of this database and what belongs to it; the database is read twice, once for its hash. Gives how many
/// artifacts are in it, too.
pub(crate) fn pack(
    out: impl Write,
    database: &mut File,
    contents: &Contents<'_>,
    schema: u32,
    made_at: String,
) -> io::Result<(Manifest, u64)> {
    let Contents { evidence_key, artifacts, folder } = *contents;
    let (bytes, sha256) = measure(database)?;
    let mut files = vec![Member { name: DATABASE.into(), bytes, sha256: sha256.hex() }];
    if let Some(key) = evidence_key {
        let sha256 = Digest::of(key).hex();
        files.push(Member { name: EVIDENCE_KEY.into(), bytes: key.len() as u64, sha256 });
    }
    let version = env!("CARGO_PKG_VERSION").into();
    let manifest = Manifest { format: FORMAT.into(), version, schema, made_at, files };

    let mut archive = tar::Builder::new(GzEncoder::new(out, Compression::fast()));
    let text = serde_json::to_vec_pretty(&manifest)?;
    archive.append_data(&mut header(text.len() as u64), MANIFEST, &*text)?;
    database.rewind()?;
    archive.append_data(&mut header(bytes), DATABASE, database.take(bytes))?;
    if let Some(key) = evidence_key {
        archive.append_data(&mut header(key.len() as u64), EVIDENCE_KEY, key)?;
    }
    let packed = artifacts::append(&mut archive, folder, artifacts)?;
    archive.into_inner()?.finish()?.flush()?;
    Ok((manifest, packed))
}

/// A plain file, its owner's alone.
pub(super) fn header(bytes: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o600);
    header
}

/// How long a file is, and its hash.
fn measure(file: &mut File) -> io::Result<(u64, Digest)> {
    file.rewind()?;
    let mut hasher = Sha256::new();
    let bytes = io::copy(file, &mut hasher)?;
    Ok((bytes, hasher.into()))
}
