//! Where raw packets go. The host hands in a writer; two are here: one that only takes the digest, and a folder
//! in which a file is named by its content.

use baton_evidence::digest::Digest;
use baton_evidence::whole_file::WholeFile;
use serde::{Serialize, Serializer};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{AdapterError, ErrorKind};

/// A kept packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AttachmentRef<'a> {
    /// Its SHA-256, printed as bare lower-case hex.
    #[serde(serialize_with = "bare_hex")]
    pub sha256: Digest,
    /// Its size.
    pub size_bytes: u64,
    /// The media type that the transport gave.
    pub media_type: &'a str,
}

fn bare_hex<S: Serializer>(digest: &Digest, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&digest.hex())
}

impl<'a> AttachmentRef<'a> {
    /// The reference of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8], media_type: &'a str) -> Self {
        Self { sha256: Digest::of(bytes), size_bytes: bytes.len() as u64, media_type }
    }
}

/// Keeps raw packets.
pub trait AttachmentWriter {
    /// Keeps one packet; when this returns, it is kept.
    fn write<'m>(&mut self, bytes: &[u8], media_type: &'m str) -> Result<AttachmentRef<'m>, AdapterError>;
}

/// Keeps nothing but the reference.
#[derive(Debug, Clone, Copy, Default)]
pub struct DigestOnly;

impl AttachmentWriter for DigestOnly {
    fn write<'m>(&mut self, bytes: &[u8], media_type: &'m str) -> Result<AttachmentRef<'m>, AdapterError> {
        Ok(AttachmentRef::of(bytes, media_type))
    }
}

/// A folder of packets, each in a file named by its SHA-256. A file is whole or not there.
#[derive(Debug, Clone)]
pub struct AttachmentFolder {
    path: PathBuf,
}

impl AttachmentFolder {
    /// Opens a folder, making it if need be.
    pub fn open(path: &Path) -> Result<Self, AdapterError> {
        fs::create_dir_all(path).map_err(|error| {
            let message = format!("the attachment folder {} cannot be used: {error}", path.display());
            AdapterError::new(ErrorKind::Config, message)
        })?;
        Ok(Self { path: path.to_owned() })
    }

    fn keep(&self, bytes: &[u8], digest: &Digest) -> io::Result<()> {
        let place = self.path.join(digest.hex());
        // A file of this name and size was written whole by us; another size is debris, and is replaced.
        if fs::metadata(&place).is_ok_and(|found| found.is_file() && found.len() == bytes.len() as u64) {
            return Ok(());
        }
        let mut file = WholeFile::create(&place)?;
        file.write_all(bytes)?;
        file.commit()
    }
}

impl AttachmentWriter for AttachmentFolder {
    fn write<'m>(&mut self, bytes: &[u8], media_type: &'m str) -> Result<AttachmentRef<'m>, AdapterError> {
        let kept = AttachmentRef::of(bytes, media_type);
        self.keep(bytes, &kept.sha256).map_err(|error| {
            let message = format!("the packet cannot be kept in {}: {error}", self.path.display());
            AdapterError::new(ErrorKind::Infrastructure, message)
        })?;
        Ok(kept)
    }
}
