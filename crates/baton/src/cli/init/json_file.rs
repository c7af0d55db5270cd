//! A JSON file of MCP servers: the one entry is put in its place, and everything else keeps its order and its very
//! text.

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

const SERVERS: &str = "mcpServers";
const NAME: &str = "baton";

/// The members of an object, as they stand in the file.
#[derive(Debug, Default)]
struct Members(Vec<(String, Box<RawValue>)>);

/// The file's text with the entry in it.
pub(super) fn merged(before: &str, entry: &Value) -> Result<String, String> {
    let mut file = Members::read(before)?;
    let mut servers = match file.get(SERVERS) {
        Some(servers) => Members::read(servers).map_err(|what| format!("{SERVERS}: {what}"))?,
        None => Members::default(),
    };
    let entry = serde_json::to_string_pretty(entry).map_err(|error| error.to_string())?;
    servers.put(NAME, &indented(&entry, 2))?;
    file.put(SERVERS, &servers.text(1))?;
    Ok(file.text(0) + "\n")
}

impl Members {
    fn read(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        serde_json::from_str(text).map_err(|error| format!("it is no JSON object ({error})"))
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value.get())
    }

    fn put(&mut self, name: &str, value: &str) -> Result<(), String> {
        let value = RawValue::from_string(value.to_owned()).map_err(|error| error.to_string())?;
        match self.0.iter_mut().find(|(other, _)| other == name) {
            Some((_, place)) => *place = value,
            None => self.0.push((name.to_owned(), value)),
        }
        Ok(())
    }

    /// One member a line; their values as they came.
    fn text(&self, depth: usize) -> String {
        let (inner, outer) = ("  ".repeat(depth + 1), "  ".repeat(depth));
        let members = self
            .0
            .iter()
            .map(|(name, value)| format!("{inner}{}: {}", Value::from(name.as_str()), value.get()));
        format!("{{\n{}\n{outer}}}", members.collect::<Vec<_>>().join(",\n"))
    }
}

fn indented(text: &str, depth: usize) -> String {
    text.replace('\n', &format!("\n{}", "  ".repeat(depth)))
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn everything_else_keeps_its_order_and_its_text() {
        let before =
            r#"{"zebra": 1.50, "mcpServers": {"other": {"b":1,   "a":2}, "baton": {"old": true}}, "a": [ ]}"#;
        let after = merged(before, &json!({"command": "baton"})).unwrap();
        let expected = r#"{
  "zebra": 1.50,
  "mcpServers": {
    "other": {"b":1,   "a":2},
    "baton": {
      "command": "baton"
    }
  },
  "a": [ ]
}
"#;
        assert_eq!(after, expected);
        assert_eq!(merged(&after, &json!({"command": "baton"})).unwrap(), after, "once more changes nothing");
    }

    #[test]
    fn an_empty_file_is_begun_and_a_broken_one_left_alone() {
        let begun: Value = serde_json::from_str(&merged(" ", &json!({"a": 1})).unwrap()).unwrap();
        assert_eq!(begun, json!({"mcpServers": {"baton": {"a": 1}}}));
        for broken in ["[]", "{", "{\"mcpServers\": 1}", "// a comment\n{}"] {
            assert!(merged(broken, &json!({})).is_err(), "{broken}");
        }
    }
}
