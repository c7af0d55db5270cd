//! Every number that readers and writers of evidence hold to. They stand here and not in `baton-core` because this crate
//! is used alone; those of the format are part of it (docs), so changing one changes what others accept.

/// Every number a reader of bundles holds to.
pub mod bundle {
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

/// Every number a side file is held to.
pub mod side_file {
    /// Bytes of the file.
    pub const FILE_BYTES: u64 = 4 << 30;
    /// Bytes of a raw packet.
    pub const PACKET_BYTES: usize = 1 << 20;
    /// Hashes in an inclusion proof: a tree of 2^64 leaves has no more.
    pub const PROOF_HASHES: usize = 64;
    /// Bytes of an entry as it stands in the file: a packet in base64, a proof, and room for white space.
    pub const ENTRY_BYTES: usize = PACKET_BYTES / 3 * 4 + (16 << 10);
    /// Bytes of the checkpoint's note or of the key as they stand in the file, escapes and all.
    pub const TEXT_BYTES: usize = 2 * super::NOTE_BYTES;
}

/// Bytes of a note, cosignatures included.
pub const NOTE_BYTES: usize = 64 << 10;
/// Characters in a key's text; every real one is far shorter.
pub(crate) const KEY_TEXT_BYTES: usize = 1024;
/// How many reporters a report names.
pub const REPORTERS_NAMED: usize = 20;
/// Characters of a reporter's name that a report keeps.
pub const REPORTER_CHARACTERS: usize = 200;
/// Tiles kept at once; with inner nodes one takes at most 16 KiB, so all take 1 MiB.
pub(crate) const KEPT_TILES: usize = 64;
/// Bytes of a file that are read or copied at once.
pub(crate) const BUFFER_BYTES: usize = 256 << 10;
/// Deflate holds back at most its window and a block of symbols before it writes; far less than this.
pub(crate) const HELD_BACK_MAX_BYTES: u64 = 1 << 20;
/// What a bundle has beside its events: the manifest, both headers, the end of the archive and the gzip member's own bytes.
pub(crate) const BUNDLE_OTHER_MAX_BYTES: u64 = 64 << 10;
