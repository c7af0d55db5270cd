//! Putting a backup together from a finished copy of the database.

use baton_evidence::digest::Digest;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read, Seek, Write};

use super::manifest::{FORMAT, Member};
use super::{DATABASE, EVIDENCE_KEY, MANIFEST, Manifest};

/// Writes a backup of this database and key; it is read twice, once for its hash.
pub(crate) fn pack(
    out: impl Write,
    database: &mut File,
    evidence_key: Option<&[u8]>,
    schema: u32,
    made_at: String,
) -> io::Result<Manifest> {
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
    archive.into_inner()?.finish()?.flush()?;
    Ok(manifest)
}

/// A plain file, its owner's alone.
fn header(bytes: u64) -> tar::Header {
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
