//! Texts of tasks, their times, waits and trees, and the A2A door to them.

use std::time::Duration;

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
/// Most tags, examples, input modes or output modes of one skill (ours).
pub const SKILL_TAGS_MAX_COUNT: usize = 20;
/// Most options of one question.
pub const OPTIONS_MAX_COUNT: usize = 10;
/// Longest option of a question.
pub const OPTION_MAX_CHARS: usize = 80;
/// Maximum messages on one task between its text and its result (ours).
pub const TASK_MESSAGES_MAX_COUNT: usize = 1_000;
/// Maximum bytes of all messages on one task, with their parts and artifacts (ours).
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
/// Longest time that a send or a read of a task waits for it to change.
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
/// However a hand-over was missed, work is found within this time, and a claim that may no longer wait is refused
/// (ours).
pub const CLAIM_LOOK_EVERY: Duration = Duration::from_secs(5);

// A2A.

/// Default page of A2A's `ListTasks`.
pub const A2A_LIST_DEFAULT: usize = 50;
/// Largest page of A2A's `ListTasks`.
pub const A2A_LIST_MAX: usize = 100;
/// Events of a network examined for one page of `ListTasks`; the page then ends early (ours).
pub const A2A_LIST_EXAMINED_COUNT: usize = 20_000;
/// As far as `totalSize` of `ListTasks` counts (ours).
pub const A2A_LIST_COUNTED_MAX: usize = 100_000;
/// Messages of a task's history that are shown when no `historyLength` is named (ours).
pub const A2A_HISTORY_DEFAULT_COUNT: usize = 100;
/// Tasks that one call waits for (ours).
pub const CALL_WAIT_TASKS_MAX_COUNT: usize = 20;
/// Calls of one token that wait at once for a task to continue or to end: A2A, REST and MCP (ours).
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
/// Sessions that one write of a broadcast looks at; a larger network takes several writes (ours).
pub const BROADCAST_STEP_COUNT: usize = 8;
