//! The bundle: one gzip member around a tar of `manifest.json` and `events.ndjson`. Written by
//! [`BundleWriter`], checked offline by [`verify`], in memory that does not grow with the bundle.
//!
//! The rules are those of the published `assay` CLI, 6.21. The writer is held to more than the reader asks.

mod archive;
mod manifest;
mod meter;
mod refusal;
mod spool;
mod verifier;
mod writer;

pub use manifest::{Manifest, Producer};
pub use refusal::{Class, Code, Place, Refusal};
pub use verifier::{Checked, VerifyError, verify, verify_each};
pub use writer::{BundleWriter, Packed, WriteError};

/// Every number a reader of bundles holds to.
pub use crate::limits::bundle as limits;

const MANIFEST: &str = "manifest.json";
const EVENTS: &str = "events.ndjson";
