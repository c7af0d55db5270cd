// Every bound of this library. Where the hub's own tools have the same bound, the value is theirs.

/** Longest wait for an answer, in seconds, beside what the call itself asks the hub to wait. */
export const ANSWER_SECONDS = 30;
/** Longest answer that is read. */
export const ANSWER_MAX_BYTES = 64 << 20;
/** Longest wait that one call asks of the hub. */
export const CALL_WAIT_MAX_SECONDS = 60;
/** How long `call` waits for a result by default. */
export const CALL_SECONDS = 600;
/** How long one claim of a worker waits: short enough that a connection that died silently is noticed. */
export const CLAIM_WAIT_SECONDS = 20;
/** A claim that is answered empty within this time was not waited for: the hub is stopping. */
export const CLAIM_NOT_WAITED_MILLIS = 1_000;
/** First and longest wait before another try. */
export const BACKOFF_FIRST_MILLIS = 100;
export const BACKOFF_MAX_MILLIS = 5_000;
/** Tries of a call in all, and the time they may take together. */
export const RETRY_TRIES = 8;
export const RETRY_TOTAL_SECONDS = 30;
/** A stream that sends nothing for this long, not even a comment, is taken for broken. */
export const STREAM_SILENT_MAX_MILLIS = 50_000;
/** Longest frame of a stream, in characters. */
export const STREAM_FRAME_MAX_CHARS = 1 << 20;
/** Tries of a download that bring nothing more of its bytes. */
export const DOWNLOAD_TRIES_IN_VAIN = 20;
/** A transfer waits this long for its turn at the hub, and is given this rate at least. */
export const TRANSFER_WAIT_SECONDS = 60;
export const UPLOAD_MIN_BYTES_PER_SECOND = 16 * 1024;
/** Longest text of a task or a reply, in bytes of UTF-8. */
export const TEXT_MAX_BYTES = 1 << 20;
/** Largest artifact. */
export const ARTIFACT_MAX_BYTES = 1 << 30;
/** Largest artifact that is read into memory as a whole. */
export const ARTIFACT_IN_MEMORY_MAX_BYTES = 256 << 20;
/** Lease of a worker, in seconds. */
export const LEASE_DEFAULT_SECONDS = 60;
export const LEASE_MIN_SECONDS = 5;
export const LEASE_MAX_SECONDS = 3_600;
/** Most tasks that one worker runs at once. */
export const CONCURRENCY_MAX = 256;
/** How long a handler may take to end after its task was cancelled, before its slot takes another task. */
export const GRACE_SECONDS = 5;
/** Longest text of a failure that comes from a thrown error, in characters. */
export const FAILURE_MAX_CHARS = 2_000;
/** A notice may overtake the answer to the claim it is about; so many are remembered. */
export const NOTICES_REMEMBERED = 256;
/** How often a worker reports that it runs, and after a failed report. */
export const WORKER_SEEN_MILLIS = 30_000;
export const WORKER_SEEN_RETRY_MILLIS = 2_000;
/** How long a worker that stops waits for its last calls. */
export const LAST_CALLS_MILLIS = 2_000;
