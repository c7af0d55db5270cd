//! What the hub calls outside: push receivers, remote agents, a trace collector.

use std::time::Duration;

// Traces.

/// Spans that wait to be exported; more are dropped (ours).
pub const SPANS_WAITING_MAX_COUNT: usize = 8_192;
/// Spans in one export (ours).
pub const SPANS_PER_EXPORT_COUNT: usize = 512;
/// Longest wait for the answer of a trace collector (ours).
pub const COLLECTOR_ANSWER_MAX: Duration = Duration::from_secs(5);
/// How long the first span of an export waits for others (ours).
pub const SPANS_GATHERED_FOR: Duration = Duration::from_millis(500);
/// Waits before an export of spans is sent again (ours).
pub const SPANS_RETRY_PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];
/// What the last spans may take when the hub stops (ours).
pub const SPANS_FLUSH_MAX: Duration = Duration::from_secs(2);

// What the hub calls outside: push receivers and remote agents.

/// Longest address that is called (ours).
pub const OUTBOUND_URL_MAX_BYTES: usize = 2_000;
/// Longest wait for a connection (ours).
pub const OUTBOUND_CONNECT_SECONDS: u32 = 5;
/// Names looked up at once; others wait, as long as for a connection (ours).
pub const OUTBOUND_LOOKUPS_AT_ONCE: usize = 16;
/// Names looked up at once for one network; those of no network share as much (ours).
pub const OUTBOUND_LOOKUPS_PER_NETWORK_AT_ONCE: usize = 4;
/// Longest wait for a whole answer (ours).
pub const OUTBOUND_ANSWER_SECONDS: u32 = 15;
/// Longest answer that is read (ours).
pub const OUTBOUND_ANSWER_MAX_BYTES: usize = 2 * 1024 * 1024;
/// How long a connection that is not used is kept open (ours).
pub const OUTBOUND_IDLE_KEPT: Duration = Duration::from_secs(30);
/// Connections to one host that are kept open unused (ours).
pub const OUTBOUND_IDLE_PER_HOST_COUNT: usize = 2;
/// Most receivers of pushes of one task (ours).
pub const PUSH_CONFIGS_PER_TASK_MAX_COUNT: usize = 10;
/// Longest id, token, scheme or credentials of a push receiver (ours).
pub const PUSH_FIELD_MAX_CHARS: usize = 2_000;
/// Pushes in progress at once (ours).
pub const PUSHES_AT_ONCE: usize = 256;
/// Pushes in progress at once for one network (ours).
pub const PUSHES_PER_NETWORK_AT_ONCE: usize = 32;
/// Pushes in progress at once to one host for one network; one while it fails (ours).
pub const PUSHES_PER_HOST_AT_ONCE: usize = 8;
/// Events that are sent to a push receiver before others have their turn (ours).
pub const PUSH_EVENTS_PER_TURN_COUNT: usize = 16;
/// First wait before a push is tried again (ours).
pub const PUSH_RETRY_FIRST_MILLIS: u32 = 500;
/// Longest wait before a push is tried again (ours).
pub const PUSH_RETRY_MAX_MILLIS: u32 = 300_000;
/// A receiver that has failed for this long is no longer waited for (ours).
pub const PUSH_GIVEN_UP_SECONDS: u32 = 86_400;
/// Tasks that are out at one remote agent at once; more wait in its inbox (ours).
pub const REMOTE_TASKS_AT_ONCE: usize = 16;
/// Longest id that a remote agent may give a task or a conversation (ours).
pub const REMOTE_ID_MAX_CHARS: usize = 1_000;
/// Lease of a task that is out at a remote agent (ours).
pub const REMOTE_LEASE_SECONDS: u32 = 60;
/// Tasks cancelled at once at one remote agent (ours).
pub const REMOTE_CANCELS_AT_ONCE: usize = 4;
/// Longest wait before a cancel that was not taken is passed on again (ours).
pub const REMOTE_CANCEL_RETRY_MAX_SECONDS: u32 = 300;
/// First wait between two looks at a task that is out (ours).
pub const REMOTE_POLL_FIRST_MILLIS: u32 = 250;
/// Longest wait between two looks at a task that is out (ours).
pub const REMOTE_POLL_MAX_MILLIS: u32 = 5_000;
/// Longest wait for what a remote agent answers to a message; it may work before it answers (ours).
pub const REMOTE_SEND_SECONDS: u32 = 600;
/// Waits before a task's text that may have arrived is sent again; after the last it is not (ours).
pub const REMOTE_RESEND_SECONDS: [u32; 2] = [2, 10];
/// A remote agent that cannot be reached for this long fails its task (ours).
pub const REMOTE_GIVEN_UP_SECONDS: u32 = 3_600;
/// Longest a task may be out (ours).
pub const REMOTE_TASK_MAX_SECONDS: u32 = 7 * 86_400;
/// How long an agent's card is taken for current (ours).
pub const REMOTE_CARD_KEPT_SECONDS: u32 = 300;
/// Signatures of a remote agent's card that are checked; a card with more is refused (ours).
pub const REMOTE_CARD_SIGNATURES_MAX_COUNT: usize = 4;
/// Largest key set that a remote agent's card is checked with (ours).
pub const REMOTE_KEY_SET_MAX_BYTES: usize = 64 * 1024;
/// Most keys in such a key set (ours).
pub const REMOTE_KEY_SET_MAX_COUNT: usize = 64;
/// How soon a retry of a push that is due is found, and an event whose notification was lost (ours).
pub const PUSH_LOOK_EVERY: Duration = Duration::from_millis(250);
/// Tasks read at once to find their pushes (ours).
pub const PUSH_TASKS_COUNT: usize = 200;
/// Receivers of one network read at a look (ours).
pub const PUSH_RECEIVERS_COUNT: usize = 100;
/// Networks examined at a look (ours).
pub const PUSH_NETWORKS_COUNT: usize = 50;
/// A change of the remote agents is found within this time, even if its notification was lost (ours).
pub const REMOTE_LOOK_EVERY: Duration = Duration::from_secs(10);
/// How soon a task that was cancelled while nobody worked on it is cancelled at its remote agent too (ours).
pub const REMOTE_CANCELS_EVERY: Duration = Duration::from_secs(2);
/// Pause before a remote agent whose claim was refused claims again (ours).
pub const REMOTE_REFUSED_PAUSE: Duration = Duration::from_secs(30);
/// How long one claim for a remote agent waits (ours).
pub const REMOTE_CLAIM_WAIT_SECONDS: i64 = 20;
/// First wait before a cancel that was not taken is passed on again (ours).
pub const REMOTE_CANCEL_RETRY_FIRST: Duration = Duration::from_secs(2);
