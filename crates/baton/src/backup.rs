//! A backup: one file that holds a hub's database and signing key. A gzipped tar of `manifest.json`, `hub.db` and
//! `evidence.key`, in this order; the manifest names the SHA-256 of each. Any tar reads it, and `baton hub restore`.

mod manifest;
mod pack;
mod unpack;

pub(crate) use manifest::Manifest;
pub(crate) use pack::pack;
pub(crate) use unpack::{Unfit, look_over, unpack};

const MANIFEST: &str = "manifest.json";
const DATABASE: &str = "hub.db";
const EVIDENCE_KEY: &str = "evidence.key";
