//! Arguments: what fits a name, what fits a schema, and what fits nothing.

use serde_json::{Map, Value, json};

use crate::it::random::Random;

/// Ids there are, of all networks: whose they are is for the hub to mind.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) networks: Vec<String>,
    pub(super) tasks: Vec<String>,
    pub(super) users: Vec<String>,
    pub(super) tokens: Vec<String>,
    pub(super) invites: Vec<String>,
}

impl Known {
    /// Remembers a task; the newest, so that many are open.
    pub(super) fn remember_task(&mut self, task: &str) {
        if self.tasks.len() > 60 {
            self.tasks.remove(8);
        }
        self.tasks.push(task.to_owned());
    }
}

const ODD: [&str; 26] = [
    "",
    " ",
    ".",
    "..",
    "../../etc/passwd",
    "%2e%2e%2f",
    "\u{0}",
    "a\u{0}b",
    "\r\nx: y",
    "\u{3164}",
    "\u{202e}gnp.exe",
    "\u{feff}",
    "é😀𝔸",
    "e\u{301}",
    "ﬃ",
    "-1",
    "0",
    "1e309",
    "NaN",
    "null",
    "'; DROP TABLE tasks; --",
    "{{7*7}}",
    "<script>alert(1)</script>",
    "--help",
    "\u{ffff}",
    "2026-13-45T99:99:99Z",
];
const DEEP: usize = 300;

/// A source of arguments.
pub(super) struct Values<'a> {
    pub(super) random: &'a mut Random,
    pub(super) known: &'a Known,
}

impl Values<'_> {
    /// What fits a name, two times of three.
    fn named(&mut self, name: &str) -> String {
        if self.random.percent(30) {
            return self.odd_text(400);
        }
        let pool = match name {
            "network" | "network_id" => &self.known.networks,
            "user" | "user_id" => &self.known.users,
            "token" | "token_id" => &self.known.tokens,
            "invite" | "invite_id" => &self.known.invites,
            "id" | "task" | "task_id" | "task_ids" | "in_reply_to" | "message_id" | "parent_task_id"
            | "taskId" => &self.known.tasks,
            _ => return (*self.random.pick(fitting(name))).to_owned(),
        };
        self.random.pick(pool).clone()
    }

    fn odd_text(&mut self, length: usize) -> String {
        match self.random.below(8) {
            0 => "x".repeat(length),
            1 => "😀".repeat(length / 4),
            2 => format!("task_{}", self.random.below(1 << 40)),
            _ => (*self.random.pick(&ODD)).to_owned(),
        }
    }

    /// A path with its names filled in.
    pub(super) fn path(&mut self, template: &str) -> String {
        let mut path = String::new();
        for (number, part) in template.split(['{', '}']).enumerate() {
            match number.is_multiple_of(2) {
                true => path.push_str(part),
                false => path.push_str(&encoded(&self.named(part))),
            }
        }
        match self.random.below(60) {
            0 => path.replacen('/', "//", 1),
            1 => format!("{path}/"),
            2 => format!("{path}/../{}", self.random.below(9)),
            3 => path.to_uppercase(),
            _ => path,
        }
    }

    pub(super) fn query(&mut self, names: &[String]) -> String {
        let mut parts = Vec::new();
        for name in names {
            if self.random.percent(40) {
                let value = self.named(name);
                parts.push(format!("{name}={}", encoded(&value)));
            }
        }
        match self.random.below(40) {
            0 => parts.push("network_id=a&network_id=b".into()),
            1 => parts.push("%ff=%ff&&=".into()),
            _ => {}
        }
        if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) }
    }

    /// A header's value: without what would end it.
    pub(super) fn header(&mut self) -> String {
        let text = self.odd_text(200);
        text.chars().filter(|c| !c.is_control() && c.is_ascii()).collect()
    }

    /// The bytes of a body: mostly JSON of this schema.
    pub(super) fn body(&mut self, schema: &Value) -> Vec<u8> {
        match self.random.below(30) {
            0 => Vec::new(),
            1 => b"{\"\xff\":1}".to_vec(),
            2 => "[".repeat(100_000).into(),
            3 => format!("{}1{}", "[".repeat(DEEP), "]".repeat(DEEP)).into(),
            4 => vec![b'x'; 1_200_000],
            5 => self.odd_value(0).to_string().into(),
            6 => {
                let text = self.of_schema(schema, 0).to_string();
                text.as_bytes()[..text.len() / 2].to_vec()
            }
            _ => self.of_schema(schema, 0).to_string().into(),
        }
    }

    /// A value of a schema, or not.
    pub(super) fn of_schema(&mut self, schema: &Value, depth: usize) -> Value {
        if depth > 6 || self.random.percent(6) {
            return self.odd_value(depth);
        }
        let kind = match &schema["type"] {
            Value::String(kind) => kind.clone(),
            Value::Array(kinds) => kinds.iter().find_map(Value::as_str).unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        if let Some(choices) = schema["enum"].as_array().filter(|choices| !choices.is_empty()) {
            return self.random.pick(choices).clone();
        }
        for several in ["oneOf", "anyOf", "allOf"] {
            if let Some(choices) = schema[several].as_array().filter(|choices| !choices.is_empty()) {
                let choice = self.random.pick(choices).clone();
                return self.of_schema(&choice, depth + 1);
            }
        }
        match &*kind {
            "object" => self.object(schema, depth),
            "array" => {
                let count = if self.random.percent(4) { 300 } else { self.random.below(4) };
                (0..count).map(|_| self.of_schema(&schema["items"], depth + 1)).collect()
            }
            "integer" | "number" => self.number(),
            "boolean" => self.random.percent(50).into(),
            "string" => self.odd_text(3_000).into(),
            _ => self.odd_value(depth),
        }
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let mut object = Map::new();
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, property) in properties {
            let wanted = if required.contains(&json!(name)) { 96 } else { 40 };
            if !self.random.percent(wanted) {
                continue;
            }
            let is_text = property["type"] == "string" || property["type"] == json!(["string", "null"]);
            let value = match is_text && property.get("enum").is_none() {
                true => self.named(&name).into(),
                false => self.of_schema(&property, depth + 1),
            };
            object.insert(name, value);
        }
        if self.random.percent(5) {
            object.insert(self.odd_text(200), self.odd_value(depth + 1));
        }
        object.into()
    }

    fn number(&mut self) -> Value {
        let odd = [json!(-1), json!(i64::MAX), json!(u64::MAX), json!(1.5), json!(1e308), json!(0), json!(5)];
        match self.random.percent(50) {
            true => self.random.pick(&odd).clone(),
            false => json!(self.random.below(100)),
        }
    }

    fn odd_value(&mut self, depth: usize) -> Value {
        match self.random.below(9) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!([]),
            3 => json!({}),
            4 => self.number(),
            5 if depth < 3 => (0..DEEP).fold(json!(1), |inner, _| json!([inner])),
            6 if depth < 3 => (0..DEEP).fold(json!(1), |inner, _| json!({"a": inner})),
            7 => self.odd_text(300_000).into(),
            _ => self.odd_text(300).into(),
        }
    }
}

/// What a name usually has.
fn fitting(name: &str) -> &'static [&'static str] {
    match name {
        "alias" | "to" | "to_name" | "new_alias" | "from_name" | "agent" | "resume_id" | "node_name" => {
            &["helper", "bob", "nobody-there"]
        }
        "name" => &["helper", "bob", "a network", "member"],
        "status" => &["replied", "failed", "delivered", "working", "idle"],
        "role" => &["viewer", "member", "admin", "owner"],
        "limit" | "wait_seconds" | "lease_seconds" | "after" | "index" | "size" | "from" => {
            &["0", "1", "5", "500", "-1"]
        }
        "since" | "until" => &["2020-01-01 00:00:00", "2026-01-01T00:00:00Z", "2999-01-01T00:00:00+01:00"],
        "cursor" | "pageToken" => &["", "1", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
        "username" => &["viewer", "someone", "admin"],
        "password" | "old_password" | "new_password" => &["not the password"],
        "url" => &["http://127.0.0.1:1/x", "https://example.invalid/x", "ftp://x", "http://[::1]/"],
        "text" | "result" | "content" | "question" | "reason" | "message" => &["some words", "x"],
        "kind" => &["request", "delegation", "x"],
        "priority" => &["high", "normal", "low"],
        _ => &["x", "1", "helper", "some words"],
    }
}

/// Percent-encoded, but for some of it that a client may leave as it is.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
