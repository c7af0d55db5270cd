//! The command-line tools: their client of a hub, `baton work`, `baton mcp` and the demo.

use std::time::Duration;

/// Longest a tool waits for a connection (ours).
pub const CLIENT_CONNECT_SECONDS: u32 = 5;
/// Longest a tool waits for an answer, beside what the call itself asks the hub to wait (ours).
pub const CLIENT_ANSWER_SECONDS: u32 = 30;
/// A stream that says nothing for this long, not even a comment, is taken for broken (ours).
pub const STREAM_SILENT_MAX_SECONDS: u32 = 50;
/// Longest line of a stream that is read (ours).
pub const STREAM_LINE_MAX_BYTES: usize = 1024 * 1024;
/// First wait before trying again (ours).
pub const BACKOFF_FIRST_MILLIS: u32 = 100;
/// Longest wait before trying again (ours).
pub const BACKOFF_MAX_MILLIS: u32 = 5_000;
/// Largest file of profiles (ours).
pub const PROFILES_MAX_BYTES: u64 = 1 << 20;
/// How long a completion waits for the hub: whoever presses TAB waits with it (ours).
pub const COMPLETION_ANSWER_MAX: Duration = Duration::from_secs(1);
/// Most values that a completion offers (ours).
pub const COMPLETION_CANDIDATES_MAX_COUNT: usize = 100;
/// Longest description that a completion has beside a value (ours).
pub const COMPLETION_ABOUT_MAX_CHARS: usize = 60;
/// Tokens of one name that `baton token revoke` lists (ours).
pub const NAMESAKE_TOKENS_SHOWN_COUNT: usize = 10;
/// Largest configuration file (ours).
pub const CONFIG_FILE_MAX_BYTES: u64 = 1 << 20;
/// Longest line that is read as a password (ours).
pub const PASSWORD_LINE_MAX_BYTES: u64 = 4096;
/// How long the commands of the demo may take to end (ours).
pub const DEMO_GRACE: Duration = Duration::from_secs(1);
/// Longest step of the demo, long enough for a slow machine (ours).
pub const DEMO_STEP_MAX: Duration = Duration::from_secs(15);
/// How often the demo looks at its hub (ours).
pub const DEMO_LOOK_EVERY: Duration = Duration::from_millis(25);
/// How often the demo looks whether a cancelled command has ended (ours).
pub const DEMO_END_LOOK_EVERY: Duration = Duration::from_millis(1);
/// Longest file of what an audit remembers: a note has at most 64 KiB, and JSON may double it (ours).
pub const AUDIT_FILE_MAX_BYTES: u64 = 256 << 10;
/// Longest file that is read as a key (ours).
pub const KEY_FILE_MAX_BYTES: u64 = 64 * 1024;
/// How often a tool that follows a log asks for more of it (ours).
pub const EVIDENCE_LOOK_EVERY: Duration = Duration::from_secs(1);
/// Longest text that is looked for in a log; it is digested whole (ours).
pub const MATCHED_TEXT_MAX_BYTES: u64 = 8 * 1024 * 1024;
/// Differences that `baton hub check` lists one by one (ours).
pub const CHECK_FINDINGS_SHOWN_COUNT: usize = 100;
/// Logs that `baton hub check` looks up at once (ours).
pub const CHECK_LOGS_PAGE_COUNT: usize = 500;
/// Artifacts whose files `baton hub check` looks at between two reads of the database.
pub const ARTIFACTS_CHECKED_COUNT: usize = 500;
/// Parts of tasks' events that `baton hub check` keeps at hand: it reads those of a task once for all of its events.
pub const PARTS_CHECKED_COUNT: usize = 100_000;
/// Longest wait of `baton hub health`: longer than the hub itself waits for its database (ours).
pub const HEALTH_ANSWER_MAX: Duration = Duration::from_secs(5);
/// Smaller files are read without a progress bar: they are done before it could be read (ours).
pub const PROGRESS_BAR_MIN_BYTES: u64 = 8 << 20;
/// Default wait of `baton inbox wait`, and the wait that a client's hook passes (ours).
pub const INBOX_WAIT_DEFAULT_SECONDS: u32 = 3_600;
/// How long a client's hook that looks into the inbox once may take (ours).
pub const INBOX_LOOK_MAX_SECONDS: u32 = 30;
/// Longest `baton inbox wait` waits (ours).
pub const INBOX_WAIT_MAX_SECONDS: u32 = 86_400;
/// After the first news `baton inbox wait` gathers what else comes (ours).
pub const INBOX_WAIT_GATHERED_FOR: Duration = Duration::from_millis(300);
/// How often `baton inbox wait` checks that its parent process is still alive (ours).
pub const INBOX_WAIT_PARENT_CHECKED_EVERY: Duration = Duration::from_secs(5);
/// Sessions of one inbox whose news are remembered (ours).
pub const INBOX_WAIT_SESSIONS_MAX_COUNT: usize = 16;
/// Largest input of a hook (ours).
pub const HOOK_INPUT_MAX_BYTES: u64 = 1 << 20;
/// Calls of `baton mcp` at once; the rest waits on standard input (ours).
pub const MCP_CALLS_AT_ONCE: usize = 64;
/// Answers that may wait for a slow reader (ours).
pub const MCP_ANSWERS_WAITING_MAX_COUNT: usize = 64;
/// When the client has closed its input, calls in progress get this long (ours).
pub const MCP_LAST_ANSWERS_MAX: Duration = Duration::from_secs(5);
/// A message of `baton mcp` that never left is sent again until then: a hub that restarts is back within this time (ours).
pub const MCP_UNSENT_MAX: Duration = Duration::from_secs(5);
/// From the first try of a message to the end of its answer: the longest a tool of the hub waits, and some (ours).
pub const MCP_ANSWER_MAX: Duration = Duration::from_secs(90);
/// Longest answer that a tool reads, more than any answer of a hub has (ours).
pub const CLIENT_ANSWER_MAX_BYTES: usize = 64 << 20;
/// Rows of history that are shown, the newest (ours).
pub const HISTORY_SHOWN_COUNT: usize = 10_000;
/// How soon `baton logs` shows changes that no stream reports (a task that was claimed) (ours).
pub const LOGS_LOOK_EVERY: Duration = Duration::from_secs(1);
/// Shortest time between two of its looks (ours).
pub const LOGS_PAUSE: Duration = Duration::from_millis(200);
/// A task that takes longer than this has its progress reported on stderr (ours).
pub const SEND_REPORTED_AFTER_SECONDS: u32 = 2;
/// Child tasks that are shown with a task (ours).
pub const CHILDREN_SHOWN_COUNT: usize = 20;
/// Pages of tasks that are searched for an abbreviated id (ours).
pub const ID_SEARCH_PAGES_COUNT: usize = 5;
/// Shortest abbreviated id (ours).
pub const ID_PREFIX_MIN_CHARS: usize = 4;
/// Pause between two calls to a hub that is away, or does not know how to wait (ours).
pub const HUB_AWAY_RETRY_AFTER: Duration = Duration::from_secs(1);
/// A hub that is away longer than this is given up (ours).
pub const HUB_AWAY_MAX: Duration = Duration::from_secs(120);
/// Shortest time between two drawings of `baton watch` (ours).
pub const WATCH_PAUSE_MIN: Duration = Duration::from_millis(250);
/// Longest time between two drawings of `baton watch` (ours).
pub const WATCH_PAUSE_MAX: Duration = Duration::from_secs(2);
/// A worker that is stopped while it asks for its token waits this long for the answer (ours).
pub const WORK_OPENING_MAX: Duration = Duration::from_secs(1);
/// How long one claim of `baton work` waits (ours). Short enough that a connection that died silently is noticed.
pub const WORK_CLAIM_WAIT_SECONDS: u32 = 20;
/// A claim that is answered empty within this time was not waited for: the hub is stopping (ours).
pub const CLAIM_NOT_WAITED: Duration = Duration::from_secs(1);
/// How long a worker that stops waits for its last report to be taken (ours).
pub const WORK_LAST_REPORT_MAX: Duration = Duration::from_secs(2);
/// Tries of a download that receive nothing more of its file from a hub that is there (ours).
pub const DOWNLOAD_TRIES_IN_VAIN: u32 = 20;
/// How often a process group that was asked to stop is checked; the system has no event for the end of a group (ours).
pub const GROUP_LOOK_EVERY: Duration = Duration::from_millis(10);
/// Bytes of a command's output read at once (ours).
pub const OUTPUT_CHUNK_BYTES: usize = 64 * 1024;
/// After a command and its group have gone, its pipes may be held by a process that left the group (ours). What is in
/// them is read, but nobody waits for more.
pub const OUTPUT_REST_MAX: Duration = Duration::from_millis(500);
/// After a failed report that a worker still runs, wait before the next (ours).
pub const WORKER_SEEN_RETRY_AFTER: Duration = Duration::from_secs(2);
/// Folders of killed workers that one start removes (ours).
pub const RUN_FOLDERS_REMOVED_COUNT: usize = 1_000;
/// A notice may overtake the answer to the claim it is about; so many are remembered (ours).
pub const NOTICES_REMEMBERED_COUNT: usize = 256;
/// The busy state is reported, if it has changed, no more often than this (ours).
pub const BUSY_REPORTED_EVERY: Duration = Duration::from_secs(1);
/// How often a tool tries a call in all (ours).
pub const CALL_TRIES: u32 = 3;
/// Longest a tool waits for an export beside the usual wait: it waits for its turn, and its events are read before it
/// begins (ours).
pub const CLIENT_EXPORT_WAIT_MAX: Duration = Duration::from_secs(90);
/// Frames of a stream that wait for the caller before it is read no further (ours).
pub const CLIENT_FRAMES_WAITING_COUNT: usize = 64;
/// Most tasks that one `baton work` runs at once (ours).
pub const WORK_CONCURRENCY_MAX_COUNT: u16 = 256;
/// Time between TERM and KILL for a command that has to end, unless `baton work` gets another (ours).
pub const WORK_GRACE_DEFAULT_SECONDS: u64 = 5;
/// Longest such time (ours).
pub const WORK_GRACE_MAX_SECONDS: u64 = 3_600;
/// The most MiB that a command may print, also the default of `baton work` (ours).
pub const WORK_OUTPUT_MAX_MIB: u64 = 1_024;
/// Deliveries that `baton inbox` shows by default (ours).
pub const INBOX_SHOWN_DEFAULT: u16 = 20;
/// Largest packet that `baton adapt` accepts by default (ours).
pub const ADAPTED_PACKET_MAX_BYTES: u64 = 16 << 20;
/// Deepest packet that `baton adapt` accepts by default (ours).
pub const ADAPTED_JSON_DEPTH_MAX: usize = 127;
/// Tasks that one `baton wait` waits for (ours).
pub const WAITED_TASKS_MAX_COUNT: usize = 100;
