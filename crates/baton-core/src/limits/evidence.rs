//! The log of a network: how it is sealed, bundled, paged and exported.

/// Default page of evidence (ours).
pub const EVIDENCE_PAGE_DEFAULT: usize = 100;
/// Largest page of evidence.
pub const EVIDENCE_PAGE_MAX: usize = 1_000;
/// A page of evidence ends early once it has this many bytes (ours).
pub const EVIDENCE_PAGE_MAX_BYTES: usize = 8 * 1024 * 1024;
/// Entries of a log that are stored together, as an entry bundle of C2SP tlog-tiles.
pub const ENTRY_BUNDLE_COUNT: usize = 256;
/// Longest event, and longest packet, in an entry bundle; a longer one keeps a row of its own (ours). So an entry bundle
/// inflates to 4 MiB of events and 4 MiB of packets at most.
pub const ENTRY_BUNDLED_MAX_BYTES: usize = 16 * 1024;
/// Entries of one log that are read to be moved into entry bundles, at most (ours). Each bundle is a write of its own.
pub const BUNDLING_STEP_MAX_COUNT: usize = 2_048;
/// Such a step ends early once its entries have this many bytes (ours). With its last bundle it has 12 MiB at most.
pub const BUNDLING_STEP_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Longest entries are moved into entry bundles before others have their turn (ours).
pub const BUNDLING_ROUND_MAX_SECONDS: u32 = 20;
/// Events of one log that are hashed and signed before the next log has its turn (ours).
pub const SEAL_STEP_MAX_COUNT: usize = 1_024;
/// Such a step ends early once its events have this many bytes (ours).
pub const SEAL_STEP_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Largest side file of an export; a bundle ends before it needs a larger one (ours). Readers accept 4 GiB.
pub const SIDE_FILE_MAX_BYTES: usize = 512 * 1024 * 1024;
/// Exports of evidence prepared at once; others wait their turn (ours).
pub const EXPORTS_AT_ONCE: usize = 4;
/// Of these, reserved for accounts that have none being prepared (ours).
pub const EXPORTS_KEPT_COUNT: usize = 1;
/// Exports of one account prepared at once, of whichever networks (ours).
pub const EXPORTS_PER_ACCOUNT_AT_ONCE: usize = 2;
/// Exports that wait their turn or are being sent (ours).
pub const EXPORTS_OPEN_MAX_COUNT: usize = 64;
/// Of these, reserved for accounts that have none (ours).
pub const EXPORTS_OPEN_KEPT_COUNT: usize = 16;
/// Exports of one account that wait their turn or are being sent (ours).
pub const EXPORTS_OPEN_PER_ACCOUNT_MAX_COUNT: usize = 12;
/// Longest an export waits for its turn (ours).
pub const EXPORT_WAIT_MAX_SECONDS: u32 = 60;
/// Bytes of events read at a time for a side file; each open one holds about three times as much (ours).
pub const SIDE_FILE_PAGE_BYTES: usize = 512 * 1024;
/// Most packets handed in at once (ours).
pub const REPORTED_PACKETS_MAX_COUNT: usize = 1_000;
/// Largest packet that can be handed in (ours).
pub const REPORTED_PACKET_MAX_BYTES: usize = 256 * 1024;
/// When an export that waited for its turn without success may be tried again (ours).
pub const EXPORT_RETRY_AFTER_MILLIS: u64 = 5_000;
/// A round that made this many bundles of a log has worked on a backlog, and logs how far it is (ours).
pub const BUNDLING_BACKLOG_COUNT: usize = 20;
/// The `nice` value of packing entry bundles, as that of slow reads (ours).
pub const BUNDLING_NICENESS: i32 = 10;
/// Events of less than this fit into one bundle, however badly they compress (ours).
pub const EXPORT_SURELY_FITS_BYTES: usize = 90 << 20;
/// Bytes of an export read at once (ours).
pub const EXPORT_PIECE_BYTES: usize = 64 << 10;
/// Logs looked up at once after a start (ours).
pub const SEAL_LOGS_PAGE_COUNT: usize = 500;
