//! Artifacts: their bytes, their transfers and how long they stay.

/// Largest artifact.
pub const ARTIFACT_MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// Bytes of artifacts that a network has unless its hub or a system admin says otherwise.
pub const ARTIFACT_BYTES_PER_NETWORK: i64 = 10 * 1024 * 1024 * 1024;
/// The most bytes of artifacts a network can be allowed (ours): a pebibyte.
pub const ARTIFACT_BYTES_MAX: i64 = 1 << 50;
/// How long an artifact stays that nothing refers to, and the bytes of an upload that did not come to its end.
pub const ARTIFACT_UNREFERENCED_KEPT_SECONDS: u32 = 86_400;
/// Artifacts and objects that one round of the sweep removes (ours).
pub const ARTIFACTS_SWEPT_COUNT: usize = 200;
/// Largest piece of an upload held in memory before it is written into a folder (ours).
pub const ARTIFACT_PIECE_MAX_BYTES: usize = 1024 * 1024;
/// The same for S3, which takes no smaller piece but the last.
pub const ARTIFACT_PART_BYTES: usize = 5 * 1024 * 1024;
/// Largest piece of a download held in memory (ours).
pub const ARTIFACT_READ_BYTES: usize = 128 * 1024;
/// Longest a bucket may say nothing while a request to it runs, and longest a failed request is repeated (ours).
pub const BUCKET_SILENT_MAX_SECONDS: u32 = 30;
/// Uploads at once (ours).
pub const UPLOADS_AT_ONCE: usize = 16;
/// Of these, reserved for accounts that have none (ours).
pub const UPLOADS_KEPT_COUNT: usize = 4;
/// Uploads of one account at once (ours).
pub const UPLOADS_PER_ACCOUNT_AT_ONCE: usize = 8;
/// Uploads of one token at once (ours).
pub const UPLOADS_PER_TOKEN_AT_ONCE: usize = 4;
/// Downloads at once (ours).
pub const DOWNLOADS_AT_ONCE: usize = 256;
/// Of these, reserved for accounts that have none (ours).
pub const DOWNLOADS_KEPT_COUNT: usize = 64;
/// Downloads of one account at once (ours).
pub const DOWNLOADS_PER_ACCOUNT_AT_ONCE: usize = 64;
/// Downloads of one token at once (ours).
pub const DOWNLOADS_PER_TOKEN_AT_ONCE: usize = 32;
/// Uploads, and downloads, that wait for their turn (ours).
pub const TRANSFERS_WAITING_MAX_COUNT: usize = 1_024;
/// The same of one account (ours).
pub const TRANSFERS_WAITING_PER_ACCOUNT_MAX_COUNT: usize = 128;
/// Longest an upload or a download waits for its turn (ours).
pub const TRANSFER_WAIT_MAX_SECONDS: u32 = 30;
/// Longest an upload may stand still (ours).
pub const UPLOAD_IDLE_MAX_SECONDS: u32 = 30;
/// The slowest an upload may be on average, once it has had its grace (ours).
pub const UPLOAD_MIN_BYTES_PER_SECOND: u64 = 16 * 1024;
/// How long an upload may be slower than that (ours).
pub const UPLOAD_GRACE_SECONDS: u64 = 60;
/// References to one artifact that are examined, newest first, to find one of a task that an agent may see (ours).
pub const ARTIFACT_REFS_EXAMINED_COUNT: usize = 10_000;
/// Default page of artifacts (ours).
pub const ARTIFACT_PAGE_DEFAULT: usize = 100;
