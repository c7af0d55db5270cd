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
pub mod limits {
    /// Compressed bytes of a bundle.
    pub const PACKED_BYTES: u64 = 100 << 20;
    /// Decompressed bytes of a bundle.
    pub const UNPACKED_BYTES: u64 = 1 << 30;
    /// Bytes of `manifest.json`.
    pub const MANIFEST_BYTES: u64 = 10 << 20;
    /// Bytes of `events.ndjson`.
    pub const EVENTS_BYTES: u64 = 500 << 20;
    /// Events in a bundle.
    pub const EVENTS: u64 = 100_000;
    /// Bytes of a line, its line feed not counted.
    pub const LINE_BYTES: usize = 1 << 20;
    /// Bytes of a member's name.
    pub const NAME_BYTES: usize = 256;
}

const MANIFEST: &str = "manifest.json";
const EVENTS: &str = "events.ndjson";
