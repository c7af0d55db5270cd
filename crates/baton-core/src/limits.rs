//! Every number of the hub, each with its unit in its name.
//! The wire contract gives most of them; those it leaves open are marked "ours".
//! What is counted in characters is counted in Unicode scalar values.

// Names.

/// Longest alias.
pub const ALIAS_MAX_CHARS: usize = 200;
/// Shortest username.
pub const USERNAME_MIN_CHARS: usize = 2;
/// Longest username.
pub const USERNAME_MAX_CHARS: usize = 50;
/// Shortest password.
pub const PASSWORD_MIN_CHARS: usize = 8;
/// Longest task kind.
pub const KIND_MAX_CHARS: usize = 64;
/// Longest resume id of a session.
pub const RESUME_ID_MAX_CHARS: usize = 200;
/// Longest network name (ours).
pub const NETWORK_NAME_MAX_CHARS: usize = 200;
/// Longest description, display name, email or session field such as `hostname` (ours).
pub const LABEL_MAX_CHARS: usize = 1_000;
/// Longest idempotency key (ours).
pub const IDEMPOTENCY_KEY_MAX_CHARS: usize = 200;

// Invitations.

/// Pending invitations of one user; further ones are refused until the user answers some (ours).
pub const INVITATIONS_PER_USER_MAX_COUNT: usize = 100;
/// Pending invitations of one network (ours).
pub const INVITATIONS_PER_NETWORK_MAX_COUNT: usize = 500;

// Texts.

/// Longest task text, message, question, answer, broadcast, reply or result, as UTF-8.
pub const TEXT_MAX_BYTES: usize = 1024 * 1024;
/// Longest context sent along with a task, as UTF-8.
pub const CONTEXT_MAX_BYTES: usize = 64 * 1024;
/// A list shows so much of a text, and says if there is more (ours).
pub const LISTED_TEXT_MAX_CHARS: usize = 10_000;
/// A list shows so much of a result, and says if there is more (ours).
pub const LISTED_RESULT_MAX_CHARS: usize = 50_000;
/// Longest text of what a session reports to be working on.
pub const SESSION_TASK_MAX_CHARS: usize = 10_000;
/// Longest reason of a cancel.
pub const REASON_MAX_CHARS: usize = 1_000;
/// How much of a reported output is kept; more is cut, never refused.
pub const OUTPUT_KEPT_CHARS: usize = 4_000;
/// Longest message of a progress report.
pub const PROGRESS_MESSAGE_MAX_CHARS: usize = 1_000;
/// Most output of one progress report, in bytes of UTF-8.
pub const PROGRESS_OUTPUT_MAX_BYTES: usize = 64 * 1_024;
/// How much of a task's output is kept, in bytes of UTF-8: the last of it.
pub const TASK_OUTPUT_KEPT_BYTES: usize = 64 * 1_024;
/// Most artifacts of one completion.
pub const ARTIFACTS_MAX_COUNT: usize = 50;
/// Most artifacts that one task, message or reply refers to.
pub const ARTIFACT_REFS_MAX_COUNT: usize = 100;
/// Most references to artifacts of one task: its own, its messages' and its reply's (ours).
pub const TASK_ARTIFACTS_MAX_COUNT: usize = 1_000;
/// How long the first frame of a streamed A2A send waits for the task's end: an agent that answers at once with a bare
/// message answers the stream with that message alone (ours).
pub const A2A_STREAM_HELD_MILLIS: u64 = 500;
/// Largest file that an A2A answer holds in place; of a larger one it says where it is (ours).
pub const FILE_IN_PLACE_MAX_BYTES: u64 = 1024 * 1024;
/// Most bytes of files that one task has in place in an A2A answer (ours).
pub const FILES_IN_PLACE_MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Most bytes that stand in the references of one task: texts, links and data shared before the end, and metadata (ours).
pub const TASK_PARTS_MAX_BYTES: usize = 16 * 1024 * 1024;
/// Longest id an agent gives an artifact (ours).
pub const ARTIFACT_ID_MAX_CHARS: usize = 200;
/// Longest name of an artifact, as UTF-8.
pub const ARTIFACT_NAME_MAX_BYTES: usize = 255;
/// Longest media type of an artifact.
pub const MEDIA_TYPE_MAX_BYTES: usize = 255;
/// Longest description of an artifact, as UTF-8 (ours).
pub const ARTIFACT_DESCRIPTION_MAX_BYTES: usize = 1_000;
/// Most skills of one agent (ours).
pub const SKILLS_MAX_COUNT: usize = 50;
/// Longest id of a skill (ours).
pub const SKILL_ID_MAX_CHARS: usize = 64;
/// Most tags of one skill (ours).
pub const SKILL_TAGS_MAX_COUNT: usize = 20;
/// Most options of one question.
pub const OPTIONS_MAX_COUNT: usize = 10;
/// Longest option of a question.
pub const OPTION_MAX_CHARS: usize = 80;
/// Most messages said on one task between its text and its result (ours).
pub const TASK_MESSAGES_MAX_COUNT: usize = 1_000;
/// Most bytes of all messages said on one task, with their parts and what comes with them (ours).
pub const TASK_MESSAGES_MAX_BYTES: usize = 16 * 1024 * 1024;
/// Messages that `GET /api/tasks/:id` shows: the newest (ours).
pub const TASK_MESSAGES_SHOWN_COUNT: usize = 100;
/// Of the newest messages of a task, so many bytes come with a claim, at least one message; `GET /api/tasks/:id` has more (ours).
pub const CLAIM_MESSAGES_MAX_BYTES: usize = 64 * 1024;
/// Tasks that are claimed together end at so many bytes; one always fits (ours).
pub const CLAIM_ANSWER_MAX_BYTES: usize = 1024 * 1024;
/// Largest parts of a message, as JSON text (ours): a text of the longest kind fits, also with many characters escaped.
pub const PARTS_MAX_BYTES: usize = 2 * TEXT_MAX_BYTES;
/// Most parts of a message (ours).
pub const PARTS_MAX_COUNT: usize = 100;
/// Largest `meta` of a task, as JSON text (ours).
pub const META_MAX_BYTES: usize = 16 * 1024;
/// Highest score a session or a completion reports.
pub const SCORE_MAX: u32 = 10;
/// Highest progress a session or a task has.
pub const PROGRESS_MAX_PERCENT: u32 = 100;
/// Progress under a lease is written once in this time; a report that comes sooner waits for its turn.
pub const PROGRESS_EVERY_MILLIS: u64 = 1_000;
/// Longest a progress report waits for its turn; one that would wait longer is refused.
pub const PROGRESS_WAIT_MAX_MILLIS: u64 = 5_000;
/// Most leases whose progress is held to its turns at once.
pub const PROGRESS_TURNS_MAX_COUNT: usize = 16_384;

// Time to live, leases, waits.

/// Shortest time to live of a task.
pub const TTL_MIN_SECONDS: u32 = 1;
/// Longest time to live of a task.
pub const TTL_MAX_SECONDS: u32 = 30 * 86_400;
/// Time to live of a task that names none.
pub const TTL_DEFAULT_SECONDS: u32 = 3_600;
/// Shortest time a question may wait for its answer.
pub const INPUT_TTL_MIN_SECONDS: u32 = 1;
/// Longest time a question may wait for its answer.
pub const INPUT_TTL_MAX_SECONDS: u32 = 30 * 86_400;
/// How long a question waits that names no time.
pub const INPUT_TTL_DEFAULT_SECONDS: u32 = 7 * 86_400;
/// Shortest lease.
pub const LEASE_MIN_SECONDS: u32 = 5;
/// Longest lease.
pub const LEASE_MAX_SECONDS: u32 = 3_600;
/// Lease of a claim that names none.
pub const LEASE_DEFAULT_SECONDS: u32 = 60;
/// Longest wait of a claim for work.
pub const WAIT_MAX_SECONDS: u32 = 50;
/// Longest a send or a look at a task waits for it to go on.
pub const CALL_WAIT_MAX_SECONDS: u32 = 60;
/// Tasks that one claim takes.
pub const CLAIM_MAX_COUNT: usize = 32;
/// Tasks that one call sends.
pub const SEND_MAX_COUNT: usize = 100;
/// Deliveries of one task before a lapse makes it fail.
pub const MAX_ATTEMPTS: u32 = 3;
/// Most deliveries that a sender may allow a task.
pub const MAX_ATTEMPTS_MAX: u32 = 10;
/// Longest pause before a task whose lease lapsed is delivered again.
pub const RETRY_BACKOFF_MAX_SECONDS: u32 = 3_600;
/// Shortest and longest time that a sender gives one run of a task.
pub const RUN_TIMEOUT_MIN_SECONDS: u32 = 1;
/// See above.
pub const RUN_TIMEOUT_MAX_SECONDS: u32 = 86_400;
/// Most times that `baton work` runs a failed command again within one task.
pub const WORK_RETRIES_MAX: u32 = 100;
/// Without a stream, a wait, a lease or a call for this long an agent is offline and its alias free to take.
pub const OFFLINE_AFTER_SECONDS: u32 = 60;
/// An overdue task in work without a lease expires only when its agent has been silent for this long.
pub const WORK_ABANDONED_AFTER_SECONDS: u32 = 600;
/// Longest a blocking A2A send waits for its task.
pub const A2A_SEND_WAIT_MAX_SECONDS: u32 = 600;

// A2A.

/// Default page of A2A's `ListTasks`.
pub const A2A_LIST_DEFAULT: usize = 50;
/// Largest page of A2A's `ListTasks`.
pub const A2A_LIST_MAX: usize = 100;
/// Events of a network looked at for one page of `ListTasks`; the page then ends early (ours).
pub const A2A_LIST_EXAMINED_COUNT: usize = 20_000;
/// As far as `totalSize` of `ListTasks` counts (ours).
pub const A2A_LIST_COUNTED_MAX: usize = 100_000;
/// Messages of a task's history that are shown when no `historyLength` is named (ours).
pub const A2A_HISTORY_DEFAULT_COUNT: usize = 100;
/// Calls of one token that wait at once for a task to go on or to end: A2A, REST and MCP (ours).
pub const WAITS_PER_TOKEN_MAX_COUNT: usize = 1_000;

// Trees of tasks.

/// Most tasks of a tree in one answer.
pub const TREE_TASKS_MAX_COUNT: usize = 1_000;
/// Levels of a tree that an answer goes up from the task, and down from it.
pub const TREE_DEPTH_MAX_COUNT: usize = 32;
/// Rows of tasks examined for one tree, whether they are shown or not (ours).
pub const TREE_EXAMINED_COUNT: usize = 10_000;
/// Most open descendants that are cancelled together with a task.
pub const CASCADE_MAX_COUNT: usize = 1_000;

// What is kept, and for how long.

/// How long deliveries that are no tasks stay.
pub const DELIVERY_KEPT_SECONDS: u32 = 7 * 86_400;
/// How many open deliveries that are no tasks stay per recipient.
pub const DELIVERY_KEPT_COUNT: usize = 1_000;
/// How long an idempotency key is remembered.
pub const IDEMPOTENCY_KEPT_SECONDS: u32 = 86_400;
/// The shortest time ended tasks can be kept: keys and pushes that name them are done with by then (ours).
pub const KEEP_TASKS_MIN_SECONDS: u32 = 86_400;
/// The longest time ended tasks can be kept, short of for ever (ours).
pub const KEEP_TASKS_MAX_SECONDS: u32 = 3_650 * 86_400;
/// Longest check of the database for damage before the hub starts; the rest is checked in the background (ours).
pub const CHECK_AT_START_MAX_MILLIS: u32 = 2_000;
/// Longest check of one table in the background; it keeps the write-ahead log from being folded meanwhile (ours).
pub const CHECK_TABLE_MAX_SECONDS: u32 = 5;
/// Rows of a larger table that the background check reads at once (ours).
pub const CHECK_STEP_ROWS_MAX_COUNT: usize = 2_000;
/// Longest time between two background checks (ours).
pub const CHECK_EVERY_MAX_SECONDS: u32 = 365 * 86_400;
/// A wall clock that moves against elapsed time by more than this at once has jumped (ours).
pub const CLOCK_JUMP_MIN_MILLIS: i64 = 60_000;
/// Clock jumps that are remembered one by one; the oldest beyond that are merged into one (ours).
pub const CLOCK_JUMPS_MAX_COUNT: usize = 8;
/// Ended tasks looked up and removed at once (ours).
pub const LEAVING_TASKS_MAX_COUNT: usize = 200;
/// Longest one write may go on removing tasks; callers' writes wait for it (ours).
pub const LEAVING_WRITE_MAX_MILLIS: u32 = 3;
/// Longest tasks are removed before others have their turn (ours).
pub const LEAVING_ROUND_MAX_SECONDS: u32 = 20;
/// How often it is noted how far a feed has come, where tasks leave; its frames go by these notes (ours).
pub const FEED_MARKED_EVERY_SECONDS: u32 = 3_600;
/// How many numbered events of a network a stream can resume over (ours).
pub const FEED_KEPT_COUNT: usize = 100_000;

// Artifacts.

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
/// Artifacts whose files `baton hub check` looks at between two reads of the database.
pub const ARTIFACTS_CHECKED_COUNT: usize = 500;
/// Parts of tasks' events that `baton hub check` keeps at hand: it reads those of a task once for all of its events.
pub const PARTS_CHECKED_COUNT: usize = 100_000;
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

// Answers and inputs.

/// A page of any list ends early once its rows have this many bytes of JSON, and its cursor goes on (ours).
pub const ANSWER_MAX_BYTES: usize = 8 * 1024 * 1024;
/// The same for a tool, whose answer is sent as text and as an object (ours).
pub const TOOL_ANSWER_MAX_BYTES: usize = ANSWER_MAX_BYTES / 4;
/// Deepest nesting of arrays and objects in JSON that is accepted (ours).
pub const JSON_DEPTH_MAX: usize = 64;
/// Rows examined for one page of a list that no index matches exactly; the page then ends early (ours).
pub const LIST_EXAMINED_COUNT: usize = 20_000;

// Quotas: what an account or a network may have unless a system admin sets another number for it (all ours).

/// Networks an account owns.
pub const NETWORKS_PER_USER_COUNT: i64 = 50;
/// Networks an account belongs to, its own among them.
pub const MEMBERSHIPS_PER_USER_COUNT: i64 = 1_000;
/// Tokens of an account that are not revoked.
pub const TOKENS_PER_USER_COUNT: i64 = 1_000;
/// Members of a network.
pub const MEMBERS_PER_NETWORK_COUNT: i64 = 1_000;
/// Invites of a network.
pub const INVITES_PER_NETWORK_COUNT: i64 = 1_000;
/// Sessions of a network.
pub const SESSIONS_PER_NETWORK_COUNT: i64 = 10_000;
/// Workers of a network.
pub const WORKERS_PER_NETWORK_COUNT: i64 = 10_000;
/// Tasks of a network that have not ended.
pub const OPEN_TASKS_PER_NETWORK_COUNT: i64 = 100_000;
/// Open deliveries of one recipient.
pub const INBOX_PER_RECIPIENT_COUNT: i64 = 20_000;
/// Claims of a network that wait for a task.
pub const WAITING_CLAIMS_PER_NETWORK_COUNT: i64 = 10_000;
/// Calls that wait for a task of a network to go on or to end.
pub const WAITING_CALLS_PER_NETWORK_COUNT: i64 = 10_000;
/// Open event streams of a network.
pub const STREAMS_PER_NETWORK_COUNT: i64 = 10_000;
/// Push receivers of a network that are still to be called.
pub const PUSH_CONFIGS_PER_NETWORK_COUNT: i64 = 10_000;
/// Remote agents of a network.
pub const REMOTES_PER_NETWORK_COUNT: i64 = 100;
/// Tasks in the chain of parents of a new task.
pub const DELEGATION_DEPTH_COUNT: i64 = 16;
/// The longest chain of parents a network can be allowed.
pub const DELEGATION_DEPTH_MAX_COUNT: i64 = 32;
/// The highest number a quota can be set to, but for `artifact_bytes`.
pub const QUOTA_MAX_COUNT: i64 = 1_000_000_000;

// Pages: what a list answers when no limit is named, and at most.

/// Default and largest page of sessions; large sessions end a page by its bytes before that (ours).
pub const SESSION_PAGE_MAX: usize = 10_000;

/// Default page of `GET /api/tasks`.
pub const TASK_PAGE_DEFAULT: usize = 50;
/// Largest page of `GET /api/tasks`.
pub const TASK_PAGE_MAX: usize = 200;
/// Default page of the `list_tasks` tool.
pub const TASK_LIST_DEFAULT: usize = 20;
/// Largest page of the `list_tasks` tool.
pub const TASK_LIST_MAX: usize = 100;
/// Default page of task events.
pub const EVENT_PAGE_DEFAULT: usize = 50;
/// Largest page of task events.
pub const EVENT_PAGE_MAX: usize = 500;
/// Default page of messages.
pub const MESSAGE_PAGE_DEFAULT: usize = 100;
/// Largest page of messages.
pub const MESSAGE_PAGE_MAX: usize = 500;
/// Default page of an inbox.
pub const INBOX_PAGE_DEFAULT: usize = 10;
/// Largest page of an inbox.
pub const INBOX_PAGE_MAX: usize = 100;
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
/// Largest page of every list the contract gives no number for (ours).
pub const OTHER_PAGE_MAX: usize = 500;
/// Tasks shown as recent by `GET /api/stats`.
pub const RECENT_TASKS_COUNT: usize = 5;
/// How far back messages go when `since` is absent.
pub const MESSAGES_SINCE_DEFAULT_SECONDS: u32 = 3_600;
/// How far back completions go when `since` is absent.
pub const COMPLETIONS_SINCE_DEFAULT_SECONDS: u32 = 86_400;

/// Sessions that one write of a broadcast looks at; a larger network takes several writes (ours).
pub const BROADCAST_STEP_COUNT: usize = 8;

// What the dashboard asks.

/// Rows of tasks looked at for one page of a search; the page then ends early (ours).
pub const SEARCH_EXAMINED_COUNT: usize = 12_000;
/// Bytes of texts looked at for one page of a search (ours).
pub const SEARCH_EXAMINED_BYTES: usize = 32 * 1024 * 1024;
/// How far the clock may have been set back between two tasks that are found by their time all the same (ours).
pub const CLOCK_SLACK_MILLIS: i64 = 600_000;
/// Characters of a task's text in the short form of its row (ours).
pub const ROW_CONTENT_MAX_CHARS: usize = 200;
/// Longest text that is searched for (ours).
pub const SEARCH_TEXT_MAX_CHARS: usize = 200;
/// Minutes of the plot (ours).
pub const OVERVIEW_MINUTES: usize = 60;
/// How long the counts of a minute are kept (ours).
pub const MINUTES_KEPT_SECONDS: u32 = 8 * 86_400;
/// Tasks of each status looked at for what needs attention (ours).
pub const ATTENTION_EXAMINED_COUNT: usize = 500;
/// Tasks shown of each group (ours).
pub const ATTENTION_SHOWN_COUNT: usize = 10;
/// Characters of a task's text that are its title (ours).
pub const TITLE_MAX_CHARS: usize = 120;
/// A delivered task that nobody takes up for this long is stuck (ours).
pub const DELIVERED_STUCK_AFTER_SECONDS: u32 = 300;
/// An acknowledged task that nobody begins for this long is stuck (ours).
pub const ACKED_STUCK_AFTER_SECONDS: u32 = 1_800;
/// An open task whose time is over within this is expiring (ours).
pub const EXPIRING_WITHIN_SECONDS: u32 = 300;
/// A task that failed or expired within this is shown (ours).
pub const FAILED_SHOWN_SECONDS: u32 = 3_600;
/// Edges of one network that are counted by themselves in one hour; the tasks of further ones are counted together. Hours
/// that are counted already keep the number they were counted with, so a migration has to change it (ours).
pub const EDGES_PER_HOUR_MAX_COUNT: usize = 1_000;
/// How long the counts of an hour's edges are kept (ours).
pub const EDGES_KEPT_SECONDS: u32 = 31 * 86_400;
/// Edges shown of a work graph (ours).
pub const GRAPH_EDGES_MAX_COUNT: usize = 500;
/// How far back a work graph goes when `since` is absent (ours).
pub const GRAPH_SINCE_DEFAULT_SECONDS: u32 = 86_400;

// Agents and their workers.

/// Workers of one agent that are kept: those seen last (ours).
pub const WORKERS_PER_ALIAS_MAX_COUNT: usize = 256;
/// Longest id of a worker (ours).
pub const WORKER_ID_MAX_CHARS: usize = 64;
/// Largest skills of a worker, as JSON text (ours).
pub const WORKER_SKILLS_MAX_BYTES: usize = 64 * 1024;
/// Most tasks at the same time that a worker can name (ours).
pub const WORKER_CONCURRENCY_MAX_COUNT: i64 = 100_000;
/// How often a worker reports that it still runs (ours).
pub const WORKER_SEEN_EVERY_SECONDS: u32 = 30;
/// A worker that was not seen for this long counts as gone: three of those times (ours).
pub const WORKER_SILENT_AFTER_SECONDS: u32 = 90;
/// A worker that was not seen for this long is removed (ours).
pub const WORKER_KEPT_SECONDS: u32 = 3_600;
/// Default page of agents (ours).
pub const AGENT_PAGE_DEFAULT: usize = 100;
/// Largest page of agents (ours).
pub const AGENT_PAGE_MAX: usize = 200;
/// Aliases looked at for one page of agents; the page then ends early (ours).
pub const AGENT_EXAMINED_COUNT: usize = 20_000;
/// Tasks shown that an agent works on (ours).
pub const AGENT_TASKS_SHOWN_COUNT: usize = 10;
/// Running tasks of a network that are looked at for what its agents work on, the newest (ours).
pub const AGENT_TASKS_EXAMINED_COUNT: usize = 2_000;
/// Workers shown of an agent: those seen last (ours).
pub const AGENT_WORKERS_SHOWN_COUNT: usize = 20;
/// How long an agent is shown after it was seen, and how far back its figures go (ours).
pub const AGENT_SHOWN_SECONDS: u32 = 86_400;

// Sockets.

/// Largest JSON body (ours). The longest text fits with every character escaped: six bytes for one.
pub const JSON_BODY_MAX_BYTES: usize = 8 * TEXT_MAX_BYTES;
/// Largest JSON body of a call without a token (ours).
pub const PUBLIC_BODY_MAX_BYTES: usize = 16 * 1024;
/// Largest request head (ours).
pub const HEADERS_MAX_BYTES: usize = 16 * 1024;
/// Longest a request may take to arrive (ours).
pub const REQUEST_READ_MAX_SECONDS: u32 = 30;
/// Longest a TLS handshake may take (ours).
pub const TLS_HANDSHAKE_MAX_SECONDS: u32 = 10;
/// Most open connections, if the system gives the hub that many files (ours).
pub const CONNECTIONS_MAX_COUNT: usize = 50_000;
/// Longest a stopping hub waits for requests in flight (ours).
pub const DRAIN_MAX_SECONDS: u32 = 10;
/// A comment keeps a quiet stream open; the contract allows 15 to 30 seconds.
pub const STREAM_COMMENT_SECONDS: u32 = 20;
/// A revoked token's open streams end within this time.
pub const REVOKED_STREAM_ENDS_SECONDS: u32 = 15;
/// Most open streams of one token (ours).
pub const STREAMS_PER_TOKEN_MAX_COUNT: usize = 64;
/// Writes that may wait for the writer (ours).
pub const WRITES_WAITING_MAX_COUNT: usize = 16_384;
/// Writes of one account that may wait; further ones get `busy` (ours).
pub const WRITES_WAITING_PER_SHARE_MAX_COUNT: usize = 4_096;
/// A batch accepts no more writes once it has run for this long (ours).
pub const WRITE_BATCH_MAX_MICROS: u64 = 3_000;
/// Writes in one commit (ours).
pub const WRITE_BATCH_MAX_COUNT: usize = 256;
/// Texts of open tasks that the writer keeps in memory, together (ours).
pub const WRITER_TASKS_KNOWN_MAX_BYTES: usize = 32 << 20;
/// Rows of networks, recipients, members, sessions and tokens that the writer takes into memory before it begins anew (ours).
pub const WRITER_ROWS_KNOWN_COUNT: usize = 200_000;
/// Tasks at the head of an inbox that the writer keeps in memory (ours).
pub const INBOX_LINE_KNOWN_COUNT: usize = 64;
/// Places and event ids that are reserved at once (ours).
pub const NUMBERS_RESERVED_COUNT: i64 = 1_024;
/// Frames of one recipient that are followed from the newest back; further ones are found along the whole feed (ours).
pub const FEED_CHAIN_MAX_COUNT: usize = 1_000;
/// How often a write that conflicts with other transactions is run before its caller gets `busy` (ours).
pub const WRITE_CONFLICT_TRIES: u32 = 8;
/// Reads that may wait in one lane (ours).
pub const READS_WAITING_MAX_COUNT: usize = 16_384;
/// Quick reads of one account that may wait (ours).
pub const QUICK_READS_WAITING_PER_SHARE_MAX_COUNT: usize = 4_096;
/// Slow reads of one account that may wait (ours).
pub const SLOW_READS_WAITING_PER_SHARE_MAX_COUNT: usize = 256;
/// A quick read that takes longer is restarted in the slow lane (ours).
pub const QUICK_READ_MAX_MILLIS: u64 = 20;
/// A slow read that takes longer is stopped: `read_took_too_long` (ours).
pub const SLOW_READ_MAX_MILLIS: u64 = 10_000;

// Shares of memory: bytes of requests and answers that are read, built or sent.

/// Bodies up to this size reserve no memory; also the largest piece of a body that is sent at once (ours).
pub const SMALL_BODY_MAX_BYTES: usize = 64 * 1024;
/// Bytes in flight in all (ours).
pub const IN_FLIGHT_MAX_BYTES: usize = 128 * 1024 * 1024;
/// Of these, reserved for accounts that have none in flight (ours).
pub const IN_FLIGHT_KEPT_BYTES: usize = 32 * 1024 * 1024;
/// Bytes in flight of all tokens of one account, in whichever network (ours).
pub const IN_FLIGHT_PER_ACCOUNT_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Bytes in flight of one token (ours).
pub const IN_FLIGHT_PER_TOKEN_MAX_BYTES: usize = 32 * 1024 * 1024;
/// Longest a request waits for its share (ours).
pub const IN_FLIGHT_WAIT_MAX_SECONDS: u32 = 10;
/// Requests in flight of one token, those that wait included (ours).
pub const REQUESTS_PER_TOKEN_MAX_COUNT: usize = 2_048;
/// The slowest a client may read an answer that is waiting to be sent (ours).
pub const SEND_MIN_BYTES_PER_SECOND: u32 = 64 * 1024;
/// How far a client may fall behind that before its connection is closed (ours).
pub const SEND_GRACE_SECONDS: u32 = 10;
/// One client address may have all connections divided by this, unless the operator sets a number (ours).
pub const CONNECTIONS_PER_ADDRESS_DIVISOR: usize = 4;

// Guards.

/// Sustained calls a second per token.
pub const RATE_PER_SECOND: u32 = 200;
/// Calls a token may make at once after a rest.
pub const RATE_BURST_COUNT: u32 = 1_000;
/// Tokens whose rate is remembered at a time (ours).
pub const RATE_TOKENS_MAX_COUNT: usize = 100_000;
/// How long an agent counts as connected for other hubs after its own hub last wrote so; renewed in half that time (ours).
pub const CONNECTED_HOLDS_SECONDS: u32 = 60;
/// Tokens whose connections are written at once, at most; the others come with the next round (ours).
pub const CONNECTED_WRITTEN_MAX_COUNT: usize = 1_000;
/// Client addresses, usernames and tokens whose failed logins and joins are remembered, of each kind (ours).
pub const ATTEMPTS_KEPT_MAX_COUNT: usize = 10_000;
/// Failed logins a minute per client address.
pub const LOGIN_FAILURES_PER_MINUTE: u32 = 10;
/// Failures of one username from one address before it is locked.
pub const LOGIN_FAILURES_BEFORE_LOCK: u32 = 5;
/// The first lock.
pub const LOGIN_LOCK_FIRST_SECONDS: u32 = 30;
/// The longest lock, reached by doubling.
pub const LOGIN_LOCK_MAX_SECONDS: u32 = 900;
/// Password hashes computed at once.
pub const PASSWORD_HASHES_AT_ONCE: usize = 2;
/// Calls that wait for the hash of one account's password from one address (ours).
pub const PASSWORD_WAITS_PER_ACCOUNT_MAX_COUNT: usize = 4;
/// Calls that wait for a password hash from one address (ours).
pub const PASSWORD_WAITS_PER_ADDRESS_MAX_COUNT: usize = 64;
/// Calls that wait for a password hash (ours).
pub const PASSWORD_WAITS_MAX_COUNT: usize = 1_024;
/// A browser's session ends when it was not used for this long (ours).
pub const BROWSER_IDLE_MAX_SECONDS: u32 = 7 * 86_400;
/// And after this long in any case (ours).
pub const BROWSER_SESSION_MAX_SECONDS: u32 = 30 * 86_400;
/// A system admin's reads of one thing in a network of others are written down once in this time (ours).
pub const AUDITED_READ_KEPT_SECONDS: u32 = 900;
/// So many such reads are remembered; the oldest is forgotten and written down again (ours).
pub const AUDITED_READS_MAX_COUNT: usize = 10_000;
/// So many names of tokens that acted are remembered; the others are computed again (ours).
pub const ACTOR_TOKENS_KEPT_COUNT: usize = 4_096;
/// Joins a minute per token (ours).
pub const JOINS_PER_MINUTE: u32 = 10;
/// Longest life of an invite (ours).
pub const INVITE_MAX_DAYS: u32 = 365;
/// Most uses of an invite (ours).
pub const INVITE_MAX_USES: u32 = 1_000;

// Clients: the command-line tools.

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

/// Longest name of a request that is taken over from its caller (ours).
pub const REQUEST_ID_MAX_CHARS: usize = 64;

/// Spans that wait to be exported; more are dropped (ours).
pub const SPANS_WAITING_MAX_COUNT: usize = 8_192;
/// Spans in one export (ours).
pub const SPANS_PER_EXPORT_COUNT: usize = 512;

// What the hub calls outside: push receivers and agents of others.

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
/// Most receivers of pushes of one task (ours).
pub const PUSH_CONFIGS_PER_TASK_MAX_COUNT: usize = 10;
/// Longest id, token, scheme or credentials of a push receiver (ours).
pub const PUSH_FIELD_MAX_CHARS: usize = 2_000;
/// Pushes under way at once (ours).
pub const PUSHES_AT_ONCE: usize = 256;
/// Pushes under way at once for one network (ours).
pub const PUSHES_PER_NETWORK_AT_ONCE: usize = 32;
/// Pushes under way at once to one host for one network; one while it fails (ours).
pub const PUSHES_PER_HOST_AT_ONCE: usize = 8;
/// Events a receiver is told of before others have their turn (ours).
pub const PUSH_EVENTS_PER_TURN_COUNT: usize = 16;
/// First wait before a push is tried again (ours).
pub const PUSH_RETRY_FIRST_MILLIS: u32 = 500;
/// Longest wait before a push is tried again (ours).
pub const PUSH_RETRY_MAX_MILLIS: u32 = 300_000;
/// A receiver that has failed for this long is no longer waited for (ours).
pub const PUSH_GIVEN_UP_SECONDS: u32 = 86_400;
/// Tasks that are out at one agent of others at once; more wait in its inbox (ours).
pub const REMOTE_TASKS_AT_ONCE: usize = 16;
/// Longest id that an agent of others may give a task or a conversation (ours).
pub const REMOTE_ID_MAX_CHARS: usize = 1_000;
/// Lease of a task that is out at an agent of others (ours).
pub const REMOTE_LEASE_SECONDS: u32 = 60;
/// Tasks called off at once at one agent of others (ours).
pub const REMOTE_CANCELS_AT_ONCE: usize = 4;
/// Longest wait before a cancel that was not taken is passed on again (ours).
pub const REMOTE_CANCEL_RETRY_MAX_SECONDS: u32 = 300;
/// First wait between two looks at a task that is out (ours).
pub const REMOTE_POLL_FIRST_MILLIS: u32 = 250;
/// Longest wait between two looks at a task that is out (ours).
pub const REMOTE_POLL_MAX_MILLIS: u32 = 5_000;
/// Longest wait for what an agent of others answers to a message; it may work before it answers (ours).
pub const REMOTE_SEND_SECONDS: u32 = 600;
/// Waits before a task's text that may have arrived is sent again; after the last it is not (ours).
pub const REMOTE_RESEND_SECONDS: [u32; 2] = [2, 10];
/// An agent of others that cannot be reached for this long fails its task (ours).
pub const REMOTE_GIVEN_UP_SECONDS: u32 = 3_600;
/// Longest a task may be out (ours).
pub const REMOTE_TASK_MAX_SECONDS: u32 = 7 * 86_400;
/// How long an agent's card is taken for current (ours).
pub const REMOTE_CARD_KEPT_SECONDS: u32 = 300;
