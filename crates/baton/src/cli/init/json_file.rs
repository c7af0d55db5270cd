//! A client's JSON file: values are put in their places, and everything else keeps its order and its very text.

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

/// The members of an object, as they stand in the file.
#[derive(Debug, Default)]
struct Members(Vec<(String, Box<RawValue>)>);

/// The file's text with the value at this path.
pub(super) fn with_value(before: &str, path: &[&str], value: &Value) -> Result<String, String> {
    let depth = path.len();
    let place = |_: Option<&str>| printed(value, depth);
    edited(before, path, 0, &place).map(|text| text + "\n")
}

/// The file's text with the value in the list at this path: once, instead of those that it replaces.
pub(super) fn with_item(
    before: &str,
    path: &[&str],
    value: &Value,
    is_replaced: impl Fn(&Value) -> bool,
) -> Result<String, String> {
    let depth = path.len();
    let place = |before: Option<&str>| {
        let not_a_list = |error| format!("{}: not a list ({error})", path.join("."));
        let items = before.map_or_else(|| Ok(Vec::new()), serde_json::from_str::<Vec<Box<RawValue>>>);
        let mut items = items.map_err(not_a_list)?;
        let is_ours = |item: &RawValue| {
            serde_json::from_str::<Value>(item.get()).is_ok_and(|item| item == *value || is_replaced(&item))
        };
        let found = items.iter().position(|item| is_ours(item));
        let ours = RawValue::from_string(printed(value, depth + 1)?).map_err(|error| error.to_string())?;
        items.retain(|item| !is_ours(item));
        items.insert(found.unwrap_or(items.len()).min(items.len()), ours);
        let (inner, outer) = ("  ".repeat(depth + 1), "  ".repeat(depth));
        let lines: Vec<String> = items.iter().map(|item| format!("{inner}{}", item.get())).collect();
        Ok(format!("[\n{}\n{outer}]", lines.join(",\n")))
    };
    edited(before, path, 0, &place).map(|text| text + "\n")
}

type Place<'a> = &'a dyn Fn(Option<&str>) -> Result<String, String>;

fn edited(before: &str, path: &[&str], depth: usize, place: Place<'_>) -> Result<String, String> {
    let mut members = Members::read(before)?;
    let [name, rest @ ..] = path else { return Err("it has no place for this".to_owned()) };
    let old = members.get(name);
    let new = match rest {
        [] => place(old)?,
        rest => edited(old.unwrap_or_default(), rest, depth + 1, place)
            .map_err(|what| format!("{name}: {what}"))?,
    };
    members.put(name, &new)?;
    Ok(members.text(depth))
}

fn printed(value: &Value, depth: usize) -> Result<String, String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| error.to_string())?;
    Ok(indented(&text, depth))
}

impl Members {
    fn read(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        serde_json::from_str(text).map_err(|error| format!("not a JSON object ({error})"))
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

    const ENTRY: [&str; 2] = ["mcpServers", "baton"];

    #[test]
    fn everything_else_keeps_its_order_and_its_text() {
        let before =
            r#"{"zebra": 1.50, "mcpServers": {"other": {"b":1,   "a":2}, "baton": {"old": true}}, "a": [ ]}"#;
        let after = with_value(before, &ENTRY, &json!({"command": "baton"})).unwrap();
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
        let again = with_value(&after, &ENTRY, &json!({"command": "baton"})).unwrap();
        assert_eq!(again, after, "once more changes nothing");
    }

    #[test]
    fn an_empty_file_is_begun_and_a_broken_one_left_alone() {
        let begun = with_value(" ", &ENTRY, &json!({"a": 1})).unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&begun).unwrap(),
            json!({"mcpServers": {"baton": {"a": 1}}})
        );
        for broken in ["[]", "{", "{\"mcpServers\": 1}", "// a comment\n{}"] {
            assert!(with_value(broken, &ENTRY, &json!({})).is_err(), "{broken}");
        }
    }

    #[test]
    fn an_item_is_in_its_list_once_and_the_others_stay() {
        let before = r#"{"permissions": {"allow": ["Bash(ls)", "old"], "deny": ["x"]}}"#;
        let path = ["permissions", "allow"];
        let after = with_item(before, &path, &json!("new"), |item| item == "old").unwrap();
        let read: Value = serde_json::from_str(&after).unwrap();
        assert_eq!(read, json!({"permissions": {"allow": ["Bash(ls)", "new"], "deny": ["x"]}}));
        assert_eq!(
            with_item(&after, &path, &json!("new"), |_| false).unwrap(),
            after,
            "once more changes nothing"
        );
        let begun = with_item("", &path, &json!("new"), |_| false).unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&begun).unwrap(),
            json!({"permissions": {"allow": ["new"]}})
        );
        assert!(with_item(r#"{"permissions": {"allow": 1}}"#, &path, &json!("new"), |_| false).is_err());
    }
}
