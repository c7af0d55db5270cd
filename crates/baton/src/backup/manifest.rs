//! What a backup says of itself.

use serde::{Deserialize, Serialize};

/// The only form there has been.
pub(super) const FORMAT: &str = "baton-backup/1";

/// The first file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(super) format: String,
    /// The program that made it.
    pub(crate) version: String,
    /// The schema of its database.
    pub(crate) schema: u32,
    /// When it was made, UTC.
    pub(crate) made_at: String,
    /// The files after the manifest, in their order.
    pub(super) files: Vec<Member>,
}

impl Manifest {
    /// What tells it from other backups.
    pub(crate) fn mark(&self) -> String {
        let files: Vec<&str> = self.files.iter().map(|file| &*file.sha256).collect();
        format!("{} {}", self.made_at, files.join(" "))
    }
}

/// One of its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) bytes: u64,
    /// In hex.
    pub(super) sha256: String,
}
