//! A backup: one file that holds a hub's database, its signing key and the bytes of its artifacts. A gzipped tar of
//! `manifest.json`, `hub.db`, `evidence.key` and `artifacts/…`, in this order; the manifest names the SHA-256 of the first, the
//! database that of each artifact. Any tar reads it, and `baton hub restore`.

mod artifacts;
mod manifest;
mod pack;
mod unpack;

pub(crate) use artifacts::artifacts_of;
pub(crate) use manifest::Manifest;
pub(crate) use pack::{Contents, pack};
pub(crate) use unpack::{Unfit, look_over, unpack};

const MANIFEST: &str = "manifest.json";
const DATABASE: &str = "hub.db";
const EVIDENCE_KEY: &str = "evidence.key";
