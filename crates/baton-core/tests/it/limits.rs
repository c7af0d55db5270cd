//! Every number that bounds something stands in `limits`, so that changing one is a change of one file: the sources of
//! all crates are read for numbers elsewhere.

use baton_core::limits::*;
use std::fs;
use std::path::{Path, PathBuf};

/// The types a limit has. No limit is a `u8` or a fraction.
const TYPES: [&str; 8] = ["usize", "u16", "u32", "u64", "i32", "i64", "Duration", "[Duration"];
/// Says in the line of a constant why it may stand outside.
const MARK: &str = "// not a limit: ";

/// The files that may hold limits or anything else: tests.
fn is_left_out(path: &Path) -> bool {
    let part = |name: &str| path.components().any(|part| part.as_os_str() == name);
    let name = path.file_name().unwrap().to_str().unwrap();
    let is_test = part("tests") || name == "tests.rs" || name.starts_with("fixture") || part("fixture");
    is_test || name == "limits.rs" || part("limits")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") && !is_left_out(&path) {
            found.push(path);
        }
    }
}

fn has_number(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = text.as_bytes();
    (0..bytes.len()).any(|at| bytes[at].is_ascii_digit() && (at == 0 || !is_word(bytes[at - 1])))
}

/// Whether an attribute (of clap, schemars or utoipa) bounds an argument by a number of its own.
fn bounds_an_argument(line: &str) -> bool {
    let names = ["default_value_t = ", "max = ", "maximum = ", "max_length = ", "max_items = ", "..="];
    let is_long = |rest: &str| rest.chars().take_while(|c| c.is_ascii_digit() || *c == '_').count() > 1;
    line.trim_start().starts_with("#[") && names.iter().any(|name| line.split(name).skip(1).any(is_long))
}

/// Whether a line of code sets a number of its own that bounds something.
fn sets_a_limit(line: &str) -> bool {
    let inline = ["Duration::from_secs(", "Duration::from_millis("].iter().any(|call| {
        line.split(call).nth(1).is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    });
    let constant = line.split_once("const ").and_then(|(_, rest)| rest.split_once(": "));
    let is_limit = constant.and_then(|(_, rest)| rest.split_once(" = ")).is_some_and(|(kind, value)| {
        let is_typed =
            TYPES.iter().any(|name| kind == *name || (name.starts_with('[') && kind.starts_with(name)));
        is_typed && has_number(value) && !value.contains("limits::")
    });
    (inline || is_limit || bounds_an_argument(line)) && !line.contains(MARK)
}

#[test]
fn no_limit_stands_outside_the_limits() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for entry in fs::read_dir(&crates).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut files);
    }
    assert!(files.len() > 500, "only {} files were found", files.len());
    let mut outside = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let lines = code.lines().enumerate().filter(|(_, line)| sets_a_limit(line));
        outside.extend(lines.map(|(at, line)| format!("{}:{}: {}", file.display(), at + 1, line.trim())));
    }
    assert!(
        outside.is_empty(),
        "move these to baton_core::limits, or end the line with `{MARK}reason`:\n{}",
        outside.join("\n")
    );
}

#[test]
fn a_number_of_its_own_is_told_from_one_that_follows_from_a_limit() {
    for line in [
        "const PAGE: usize = 100;",
        "pub(super) const EVERY: Duration = Duration::from_secs(5);",
        "const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(2)];",
        "    sleep(Duration::from_millis(10)).await;",
        "    #[schemars(range(min = 1, max = 200))]",
        "    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]",
    ] {
        assert!(sets_a_limit(line), "{line}");
    }
    for line in [
        "const KEEP: Duration = Duration::from_secs(limits::REMOTE_LEASE_SECONDS as u64 / 3);",
        "const COUNT: u64 = ENTRY_BUNDLE_COUNT as u64;",
        "const PLACE: &[u8] = b\"{task}\";",
        "const HASH: usize = 32; // not a limit: the format of a hash",
    ] {
        assert!(!sets_a_limit(line), "{line}");
    }
}

/// `8 MiB`, in the largest unit that is whole.
fn bytes(bytes: usize) -> String {
    match bytes {
        _ if bytes.is_multiple_of(1 << 30) => format!("{} GiB", bytes >> 30),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ => format!("{} KiB", bytes >> 10),
    }
}

/// `1 000`, or `1,000`.
fn grouped(number: usize, between: char) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(between);
        }
        text.push(digit);
    }
    text
}

fn days(seconds: u32) -> u32 {
    seconds / 86_400
}

/// Texts that cannot take a figure from its constant: pages, and the doc comments that are descriptions of arguments and
/// help of commands. A figure that changes has to be changed there too, and this names the places.
#[test]
fn the_texts_that_repeat_a_limit_have_its_figure() {
    let comma = |number| grouped(number, ',');
    let (service, tasks) = ("crates/baton-service/src/service", "crates/baton/src/cli/tasks");
    let rows: Vec<(String, String)> = [
        // Descriptions.
        ("claim_task.rs", format!("/// {LEASE_DEFAULT_SECONDS} by default")),
        ("inbox.rs", format!("/// {INBOX_PAGE_DEFAULT} by default")),
        ("list_tasks.rs", format!("/// {TASK_LIST_DEFAULT} by default")),
        ("list_tasks.rs", format!("/// {TASK_PAGE_DEFAULT} by default")),
        ("messages.rs", format!("/// {MESSAGE_PAGE_DEFAULT} by default")),
        ("page.rs", format!("/// {OTHER_PAGE_MAX} by default")),
        ("get_completions.rs", format!("/// {OTHER_PAGE_MAX} by default")),
        ("get_completions.rs", format!("/// {} hours ago by default", COMPLETIONS_SINCE_DEFAULT_SECONDS / 3600)),
        ("statuses.rs", format!("/// {SESSION_PAGE_MAX} by default")),
        ("agents.rs", format!("/// {AGENT_PAGE_DEFAULT} by default")),
        ("artifacts/list.rs", format!("/// {ARTIFACT_PAGE_DEFAULT} by default")),
        ("evidence/page.rs", format!("/// {EVIDENCE_PAGE_DEFAULT} by default")),
        ("accounts/audit_log.rs", format!("/// {AUDIT_PAGE_DEFAULT} by default; more than {OTHER_PAGE_MAX} are {OTHER_PAGE_MAX}")),
        ("send_task.rs", format!("starts it, {TTL_DEFAULT_SECONDS} by default")),
        ("send_task.rs", format!("/// 1-{KIND_MAX_CHARS} of a-z0-9._-")),
        ("send_task.rs", format!("for {} hours", IDEMPOTENCY_KEPT_SECONDS / 3600)),
        ("ask_sender.rs", format!("at most {OPTIONS_MAX_COUNT}, each at most {OPTION_MAX_CHARS} characters")),
        ("ask_sender.rs", format!("each of 1 to {OPTION_MAX_CHARS} characters")),
        (
            "ask_sender.rs",
            format!("{INPUT_TTL_DEFAULT_SECONDS}, which is {} days, by default", days(INPUT_TTL_DEFAULT_SECONDS)),
        ),
        ("report_status.rs", format!("/// {OUTPUT_KEPT_CHARS} characters are kept")),
        ("extend_lease.rs", format!("at most {OUTPUT_KEPT_CHARS} characters. It is not appended")),
        ("skills.rs", format!("/// 1-{SKILL_ID_MAX_CHARS} of A-Z")),
        ("agents/view.rs", format!("the newest first, at most {AGENT_TASKS_SHOWN_COUNT}")),
        (
            "agents/view.rs",
            format!("last {WORKER_SILENT_AFTER_SECONDS} seconds, at most {AGENT_WORKERS_SHOWN_COUNT}"),
        ),
        ("cancel_task.rs", format!("counted up to {}", comma(CASCADE_MAX_COUNT))),
        (
            "task_tree.rs",
            format!(
                "at most {} nodes are shown, {TREE_DEPTH_MAX_COUNT} levels up from the task and {TREE_DEPTH_MAX_COUNT} down",
                comma(TREE_TASKS_MAX_COUNT)
            ),
        ),
        ("work_graph.rs", format!("their hour had more than {}", comma(EDGES_PER_HOUR_MAX_COUNT))),
        ("artifacts/upload.rs", format!("1 to {ARTIFACT_NAME_MAX_BYTES} bytes without")),
    ]
    .map(|(file, text)| (format!("{service}/{file}"), text))
    .into_iter()
    .chain(
        // Help.
        [
            ("report.rs", format!("up to {}", bytes(ARTIFACT_MAX_BYTES as usize))),
            ("ask.rs", format!("up to {}", bytes(ARTIFACT_MAX_BYTES as usize))),
            ("ask.rs", format!("at most {OPTIONS_MAX_COUNT} times")),
            (
                "ask.rs",
                format!("[default: {INPUT_TTL_DEFAULT_SECONDS}, which is {} days]", days(INPUT_TTL_DEFAULT_SECONDS)),
            ),
            (
                "reply.rs",
                format!(
                    "up to {}; can be repeated, up to {ARTIFACT_REFS_MAX_COUNT} times",
                    bytes(ARTIFACT_MAX_BYTES as usize)
                ),
            ),
            (
                "send.rs",
                format!(
                    "up to {}; can be repeated, up to {ARTIFACT_REFS_MAX_COUNT} times",
                    bytes(ARTIFACT_MAX_BYTES as usize)
                ),
            ),
            ("send.rs", format!("[default: {TTL_DEFAULT_SECONDS}]")),
            ("send.rs", format!("[default: {MAX_ATTEMPTS}]")),
            ("send.rs", format!("Send up to {SEND_MAX_COUNT} tasks in one call")),
            ("follow.rs", format!("the last {}", bytes(TASK_OUTPUT_KEPT_BYTES))),
            ("../hub/start.rs", format!("[default: none on loopback, else {RATE_PER_SECOND}]")),
            ("../hub/start.rs", format!("default_value = \"{}\"", bytes(ARTIFACT_BYTES_PER_NETWORK as usize).replace(' ', ""))),
        ]
        .map(|(file, text)| (format!("{tasks}/{file}"), text)),
    )
    .chain(
        // Pages.
        [
            ("a2a.md", format!("at most {} minutes", A2A_SEND_WAIT_MAX_SECONDS / 60)),
            ("a2a.md", format!("({} at most)", bytes(TEXT_MAX_BYTES))),
            ("a2a.md", format!("as `parts`, at most {PARTS_MAX_COUNT}. Over {} of JSON", bytes(PARTS_MAX_BYTES))),
            ("a2a.md", format!("`metadata` ({})", bytes(META_MAX_BYTES))),
            (
                "a2a.md",
                format!("takes {} more, the agent's questions among them, and {}", comma(TASK_MESSAGES_MAX_COUNT), bytes(TASK_MESSAGES_MAX_BYTES)),
            ),
            (
                "a2a.md",
                format!(
                    "up to {}, and up to {} of files",
                    bytes(FILE_IN_PLACE_MAX_BYTES as usize),
                    bytes(FILES_IN_PLACE_MAX_BYTES as usize)
                ),
            ),
            ("a2a.md", format!("`pageSize` 1–{A2A_LIST_MAX}, {A2A_LIST_DEFAULT} by default")),
            ("a2a.md", format!("{} events are looked at", comma(A2A_LIST_EXAMINED_COUNT))),
            ("a2a.md", format!("counts the newest {} tasks", comma(A2A_LIST_COUNTED_MAX))),
            ("a2a.md", format!("a comment every {STREAM_COMMENT_SECONDS} seconds")),
            ("a2a.md", format!("within {REVOKED_STREAM_ENDS_SECONDS} seconds of its token's revocation")),
            ("a2a.md", format!("A token has {STREAMS_PER_TOKEN_MAX_COUNT} streams")),
            ("a2a-outbound.md", format!("{OUTBOUND_LOOKUPS_AT_ONCE} names are looked up at once")),
            ("a2a-outbound.md", format!("A connection may take {OUTBOUND_CONNECT_SECONDS} seconds, an answer {OUTBOUND_ANSWER_SECONDS}")),
            ("a2a-outbound.md", format!("{PUSHES_AT_ONCE} calls at once, those of one network {PUSHES_PER_NETWORK_AT_ONCE}, and of these one host {PUSHES_PER_HOST_AT_ONCE}")),
            ("a2a-outbound.md", format!("after {PUSH_EVENTS_PER_TURN_COUNT} events")),
            ("a2a-outbound.md", format!("Up to {REMOTE_TASKS_AT_ONCE} tasks are out at once")),
            ("accounts.md", format!("1–{INVITE_MAX_USES} uses, 1–{INVITE_MAX_DAYS} days")),
            ("accounts.md", format!("({OTHER_PAGE_MAX} by default,\nat most {OTHER_PAGE_MAX})")),
            ("accounts.md", format!("waiting {} s for its turn", PASSWORD_WAIT_MAX.as_secs())),
            ("accounts.md", format!("| {}, or `--artifact-quota` |", bytes(ARTIFACT_BYTES_PER_NETWORK as usize))),
            ("accounts.md", format!("| {DELEGATION_DEPTH_COUNT} | tasks in the chain of parents of a new task, at most {DELEGATION_DEPTH_MAX_COUNT}")),
            ("artifacts.md", format!("the body is the bytes, up to {}", bytes(ARTIFACT_MAX_BYTES as usize))),
            ("artifacts.md", format!("at most {ARTIFACT_REFS_MAX_COUNT}, goes with")),
            ("artifacts.md", format!("at most {} references in all", comma(TASK_ARTIFACTS_MAX_COUNT))),
            ("artifacts.md", format!("removed {} hours after", ARTIFACT_UNREFERENCED_KEPT_SECONDS / 3600)),
            ("artifacts.md", format!("takes {UPLOADS_AT_ONCE} uploads at once, {UPLOADS_PER_TOKEN_AT_ONCE} of one token, and {DOWNLOADS_AT_ONCE} downloads, {DOWNLOADS_PER_TOKEN_AT_ONCE} of one token")),
            ("cli.md", format!("sends up to {SEND_MAX_COUNT} tasks in one call")),
            ("cli.md", format!("a task that takes longer than {SEND_REPORTED_AFTER_SECONDS} s")),
            ("dashboard.md", format!("{} days without use and after {} in all", days(BROWSER_IDLE_MAX_SECONDS), days(BROWSER_SESSION_MAX_SECONDS))),
            ("evidence.md", format!("at most {}", bytes(REPORTED_PACKET_MAX_BYTES))),
            ("reference/wire.md", format!("at most {OPTIONS_MAX_COUNT} different texts of 1–{OPTION_MAX_CHARS} characters")),
            ("reference/wire.md", format!("1–{} ({} days), {} ({} days) by default", comma(INPUT_TTL_MAX_SECONDS as usize), days(INPUT_TTL_MAX_SECONDS), comma(INPUT_TTL_DEFAULT_SECONDS as usize), days(INPUT_TTL_DEFAULT_SECONDS))),
            ("reference/wire.md", format!("have {} of JSON ({} for a tool)", bytes(ANSWER_MAX_BYTES), bytes(TOOL_ANSWER_MAX_BYTES))),
            ("reference/wire.md", format!("At most {JSON_DEPTH_MAX} nested levels")),
            ("reference/wire.md", format!("a comment every {STREAM_COMMENT_SECONDS} s")),
            ("reference/wire.md", format!("any JSON up to {}", bytes(META_MAX_BYTES))),
            ("reference/wire.md", format!("at most {} messages and {}", comma(TASK_MESSAGES_MAX_COUNT), bytes(TASK_MESSAGES_MAX_BYTES))),
            ("reference/wire.md", format!("message? 1–{} characters, output? ≤ {}", comma(PROGRESS_MESSAGE_MAX_CHARS), bytes(PROGRESS_OUTPUT_MAX_BYTES))),
            ("reference/wire.md", format!("`max_attempts` (1–{MAX_ATTEMPTS_MAX}, {MAX_ATTEMPTS} by default), `retry_backoff_seconds` (0–{})", comma(RETRY_BACKOFF_MAX_SECONDS as usize))),
            ("reference/wire.md", format!("at most {} of the newest", bytes(CLAIM_MESSAGES_MAX_BYTES))),
            ("reference/wire.md", format!("1–{SEND_MAX_COUNT} bodies of `POST /api/task` without `wait_seconds`, {} in all", bytes(JSON_BODY_MAX_BYTES))),
            ("reference/wire.md", format!("`limit` (1–{AGENT_PAGE_MAX}, {AGENT_PAGE_DEFAULT} by default)")),
            ("reference/wire.md", format!("({EVIDENCE_PAGE_DEFAULT} by default, at most {}) or {}", comma(EVIDENCE_PAGE_MAX), bytes(EVIDENCE_PAGE_MAX_BYTES))),
            ("reference/wire.md", format!("{} each, {} and {} a call", bytes(REPORTED_PACKET_MAX_BYTES), comma(REPORTED_PACKETS_MAX_COUNT), bytes(JSON_BODY_MAX_BYTES))),
            ("reference/wire.md", format!("`Content-Type: application/json`, at most {}", bytes(JSON_BODY_MAX_BYTES))),
            ("operating.md", format!("limited to {RATE_PER_SECOND} a second per token, {} at once", comma(RATE_BURST_COUNT as usize))),
            ("reference/wire.md", format!("{RATE_PER_SECOND} calls a second for each token with a burst of {}", comma(RATE_BURST_COUNT as usize))),
            ("observe.md", format!("at least {METRICS_TOKEN_MIN_CHARS} characters")),
            ("observe.md", format!("writes {} of its own", bytes(WRITE_PROBE_BYTES as usize))),
            ("operating.md", format!("at most {LEAVING_TASKS_MAX_COUNT} tasks")),
            ("operating.md", format!("rounds are {} s apart", OLD_TASKS_EVERY.as_secs())),
            ("operating.md", format!("more than {} stays as it is", bytes(ENTRY_BUNDLED_MAX_BYTES))),
            ("operating.md", format!("begins {} seconds after it", CHECK_REST_AFTER.as_secs())),
            ("operating.md", format!("every {} seconds the progress", UPGRADE_REPORTED_EVERY.as_secs())),
            ("work.md", format!("up to {OPTIONS_MAX_COUNT} of {OPTION_MAX_CHARS} characters")),
            ("work.md", format!("keeps the last {}", bytes(TASK_OUTPUT_KEPT_BYTES))),
            ("work.md", format!("A reply has at most {} of UTF-8", bytes(TEXT_MAX_BYTES))),
            ("work.md", format!("growing waits up to {} s", BACKOFF_MAX_MILLIS / 1000)),
            ("security.md", format!("at least {PASSWORD_MIN_CHARS} characters")),
            ("security.md", format!("At most {PASSWORD_WAITS_PER_ACCOUNT_MAX_COUNT} calls of one account from one address wait, {PASSWORD_WAITS_PER_ADDRESS_MAX_COUNT} of one address, and {} in all", comma(PASSWORD_WAITS_MAX_COUNT))),
            ("security.md", format!("{OUTBOUND_CONNECT_SECONDS} s to connect, {OUTBOUND_ANSWER_SECONDS} s and {} an answer", bytes(OUTBOUND_ANSWER_MAX_BYTES))),
            ("security.md", format!("at most {} ({} without a token), a request head {}, and a request must arrive within {REQUEST_READ_MAX_SECONDS} s", bytes(JSON_BODY_MAX_BYTES), bytes(PUBLIC_BODY_MAX_BYTES), bytes(HEADERS_MAX_BYTES))),
            ("security.md", format!("The hub accepts {}\nconnections", comma(CONNECTIONS_MAX_COUNT))),
            ("security.md", format!("at most {STREAMS_PER_TOKEN_MAX_COUNT} streams and {} requests in flight", comma(REQUESTS_PER_TOKEN_MAX_COUNT))),
            ("security.md", format!("At most {} writes of one account wait", comma(WRITES_WAITING_PER_SHARE_MAX_COUNT))),
            ("security.md", format!("{} in all, {} for an account, {} for a token", bytes(IN_FLIGHT_MAX_BYTES), bytes(IN_FLIGHT_PER_ACCOUNT_MAX_BYTES), bytes(IN_FLIGHT_PER_TOKEN_MAX_BYTES))),
            ("security.md", format!("at {}/s or faster; the hub closes a connection that falls {SEND_GRACE_SECONDS} s behind", bytes(SEND_MIN_BYTES_PER_SECOND as usize))),
            ("guides/mcp.md", format!("`wait_seconds` (up to {CALL_WAIT_MAX_SECONDS})")),
            ("errors.md", format!("A head over {} is answered 431", bytes(HEADERS_MAX_BYTES))),
        ]
        .map(|(file, text)| (format!("docs/{file}"), text)),
    )
    .collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lacks =
        |(file, text): &(String, String)| !fs::read_to_string(root.join(file)).unwrap().contains(text);
    let wrong: Vec<_> =
        rows.into_iter().filter(lacks).map(|(file, text)| format!("{file}: {text}")).collect();
    assert!(wrong.is_empty(), "these texts do not say what the limits are:\n{}", wrong.join("\n"));
}
