//! How long answers and pages of lists are, and what the dashboard asks.

// Answers and inputs.

/// A page of any list ends early once its rows have this many bytes of JSON, and its cursor continues (ours).
pub const ANSWER_MAX_BYTES: usize = 8 * 1024 * 1024;
/// The same for a tool, whose answer is sent as text and as an object (ours).
pub const TOOL_ANSWER_MAX_BYTES: usize = ANSWER_MAX_BYTES / 4;
/// Deepest nesting of arrays and objects in JSON that is accepted (ours).
pub const JSON_DEPTH_MAX: usize = 64;
/// Rows examined for one page of a list that no index matches exactly; the page then ends early (ours).
pub const LIST_EXAMINED_COUNT: usize = 20_000;

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
/// Largest page of every list the contract gives no number for (ours).
pub const OTHER_PAGE_MAX: usize = 500;
/// Tasks shown as recent by `GET /api/stats`.
pub const RECENT_TASKS_COUNT: usize = 5;
/// How far back messages go when `since` is absent.
pub const MESSAGES_SINCE_DEFAULT_SECONDS: u32 = 3_600;
/// How far back completions go when `since` is absent.
pub const COMPLETIONS_SINCE_DEFAULT_SECONDS: u32 = 86_400;
/// Default page of the audit log (ours).
pub const AUDIT_PAGE_DEFAULT: usize = 100;

// What the dashboard asks.

/// Rows of tasks examined for one page of a search; the page then ends early (ours).
pub const SEARCH_EXAMINED_COUNT: usize = 12_000;
/// Bytes of texts examined for one page of a search (ours).
pub const SEARCH_EXAMINED_BYTES: usize = 32 * 1024 * 1024;
/// How far the clock may have been set back between two tasks that are found by their time anyway (ours).
pub const CLOCK_SLACK_MILLIS: i64 = 600_000;
/// Characters of a task's text in the short form of its row (ours).
pub const ROW_CONTENT_MAX_CHARS: usize = 200;
/// Longest text that is searched for (ours).
pub const SEARCH_TEXT_MAX_CHARS: usize = 200;
/// Hours that the overview's plot covers at most (ours).
pub const OVERVIEW_MAX_HOURS: usize = 168;
/// Steps of the overview's plot at most (ours).
pub const OVERVIEW_STEPS_MAX_COUNT: usize = 96;
/// How long the counts of a minute are kept (ours).
pub const MINUTES_KEPT_SECONDS: u32 = 8 * 86_400;
/// Tasks of each status examined for what needs attention (ours).
pub const ATTENTION_EXAMINED_COUNT: usize = 500;
/// Tasks shown of each group (ours).
pub const ATTENTION_SHOWN_COUNT: usize = 10;
/// Characters of a task's text that are its title (ours).
pub const TITLE_MAX_CHARS: usize = 120;
/// A delivered task that nobody starts for this long is stuck (ours).
pub const DELIVERED_STUCK_AFTER_SECONDS: u32 = 300;
/// An acknowledged task that nobody starts for this long is stuck (ours).
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
