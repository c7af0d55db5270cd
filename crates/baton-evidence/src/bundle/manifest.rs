//! `manifest.json`: what a bundle says about itself.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::EVENTS;
use crate::digest::Digest;
use crate::event;

/// The version of the format that is written and read.
pub(super) const SCHEMA_VERSION: u64 = 1; // not a limit: a version

/// The manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The format's version.
    pub schema_version: u64,
    /// Equal to the run root.
    pub bundle_id: String,
    /// Who packed the bundle.
    pub producer: Producer,
    /// The run all events belong to.
    pub run_id: String,
    /// How many events there are.
    pub event_count: u64,
    /// The run root.
    pub run_root: String,
    /// How hashes were made.
    pub algorithms: Algorithms,
    /// The other members, by name.
    pub files: BTreeMap<String, FileEntry>,
}

/// Who packed a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Producer {
    /// A program.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The commit it was built from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<String>,
}

/// How hashes were made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Algorithms {
    canon: String,
    hash: String,
    root: String,
}

/// A member of the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name in the archive.
    pub path: String,
    /// With or without `sha256:`.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
}

impl Manifest {
    /// The manifest of a finished events file.
    pub(super) fn new(
        run_id: String,
        event_count: u64,
        run_root: &Digest,
        file: &Digest,
        bytes: u64,
    ) -> Self {
        let producer = Producer {
            name: event::PRODUCER.into(),
            version: event::PRODUCER_VERSION.into(),
            git: (event::PRODUCER_GIT != "unknown").then(|| event::PRODUCER_GIT.into()),
        };
        let algorithms = Algorithms {
            canon: "jcs-rfc8785".into(),
            hash: "sha256".into(),
            root: "sha256(concat(content_hash + \"\\n\"))".into(),
        };
        let entry = FileEntry { path: EVENTS.into(), sha256: file.to_string(), bytes };
        Self {
            schema_version: SCHEMA_VERSION,
            bundle_id: run_root.to_string(),
            producer,
            run_id,
            event_count,
            run_root: run_root.to_string(),
            algorithms,
            files: BTreeMap::from([(EVENTS.into(), entry)]),
        }
    }
}

impl FileEntry {
    /// Whether the recorded hash, written either way, is this one.
    pub(super) fn has_hash(&self, digest: &Digest) -> bool {
        let tagged = digest.tagged();
        self.sha256 == tagged.as_str() || self.sha256 == tagged.as_str()["sha256:".len()..]
    }
}
