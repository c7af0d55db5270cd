//! Requests and answers as lines of text, with what differs between two runs (ids, tokens, times, hashes, ports)
//! replaced by a name and a number, so that equal things stay equal.

use regex::{Captures, Regex};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use crate::it::http::{Client, Response};

/// Headers that are part of the contract; the rest is HTTP's own or differs from call to call.
const HEADERS: [&str; 8] = [
    "content-type",
    "cache-control",
    "www-authenticate",
    "retry-after",
    "a2a-version",
    "etag",
    "content-disposition",
    "accept-ranges",
];

/// What was asked and answered so far.
#[derive(Default)]
pub(crate) struct Record {
    lines: String,
}

impl Record {
    /// Notes one exchange.
    pub(crate) fn note(&mut self, request: &str, body: Option<&str>, answer: &Response) {
        let _ = writeln!(self.lines, "> {request}");
        if let Some(body) = body {
            let _ = writeln!(self.lines, "> {body}");
        }
        let _ = writeln!(self.lines, "< {}", answer.status);
        for name in HEADERS {
            if let Some(value) = answer.header(name) {
                let _ = writeln!(self.lines, "< {name}: {value}");
            }
        }
        let text = std::str::from_utf8(&answer.body).unwrap_or("(bytes)");
        let _ = writeln!(self.lines, "{}\n", text.trim_end());
    }

    /// Sends a request and notes it with its answer.
    pub(crate) fn send(
        &mut self,
        client: &Client,
        request: (&str, &str),
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Response {
        let body = body.map(Value::to_string);
        self.send_text(client, request, headers, body.as_deref())
    }

    /// The same with any text as its body.
    pub(crate) fn send_text(
        &mut self,
        client: &Client,
        (method, path): (&str, &str),
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Response {
        let answer = client.send_text(method, path, headers, body);
        self.note(&format!("{method} {path}"), body, &answer);
        answer
    }

    /// Holds the record against the one in the repository.
    pub(crate) fn hold(self, name: &str) {
        let now = normal(&self.lines);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/corpus").join(name);
        if std::env::var_os("BATON_BLESS").is_some() {
            return std::fs::write(path, now).unwrap();
        }
        let before = std::fs::read_to_string(&path).unwrap();
        let changed = before.lines().zip(now.lines()).enumerate().find(|(_, (a, b))| a != b);
        if let Some((line, (before, now))) = changed {
            panic!("{name}:{}\nbefore {before}\nnow    {now}\nBATON_BLESS=1 records it again", line + 1);
        }
        assert_eq!(before.lines().count(), now.lines().count(), "{name} is longer or shorter than before");
    }
}

/// Names for what differs between two runs.
const KINDS: [(&str, &str); 6] = [
    ("time", r"\b20\d\d-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z?"),
    ("ms", r"\b1[789]\d{11}\b"),
    ("address", r"127\.0\.0\.1(:|%3A)\d{4,5}"),
    ("uuid", r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
    ("id", r"\b([a-z]{1,12}_)?[0-9a-f]{12,64}\b"),
    ("random", r"[A-Za-z0-9+/=_-]{22,}"),
];

/// Figures that depend on how fast the machine is.
const FIGURES: &str = r#"(\\?"(?:[a-z0-9_]*_ms|p50_seconds|uptime)\\?"):\d+(\.\d+)?"#;

/// When a token was last used is written a while after it was used: a slow run sees the time, a quick one does not.
const LAST_USED: &str = r#"("last_used_at"):(?:null|"<time>")"#;

fn normal(lines: &str) -> String {
    let mut text = Regex::new(FIGURES).unwrap().replace_all(lines, "$1:<figure>").into_owned();
    for (kind, pattern) in KINDS {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let replaced = Regex::new(pattern).unwrap().replace_all(&text, |found: &Captures<'_>| {
            let found = &found[0];
            if kind == "random" && !is_random(found) {
                return found.to_owned();
            }
            let next = seen.len() + 1;
            let number = *seen.entry(found.to_owned()).or_insert(next);
            // Two times may or may not fall into the same millisecond.
            if matches!(kind, "time" | "ms") { format!("<{kind}>") } else { format!("<{kind} {number}>") }
        });
        text = replaced.into_owned();
    }
    Regex::new(LAST_USED).unwrap().replace_all(&text, "$1:<null or time>").into_owned()
}

/// Whether a long word is made of random characters: names and paths are short, or have no digits beside both
/// cases of letters.
fn is_random(word: &str) -> bool {
    let has = |test: fn(&char) -> bool| word.chars().any(|c| test(&c));
    let is_mixed = has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase);
    is_mixed && (has(char::is_ascii_digit) || word.len() >= 40)
}
