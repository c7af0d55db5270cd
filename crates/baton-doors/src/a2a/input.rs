//! What clients write, made what the protocol's types read (ProtoJSON): snake_case names count as camelCase ones, `null`
//! and an empty string as absent. What is the client's own, in `metadata`, `data` and `params`, is left as it is.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::error::{A2aError, Kind};
use crate::json_depth;
use crate::service::Error;

/// The client's own: nothing in there is a name of the protocol.
const OPAQUE: [&str; 3] = ["metadata", "data", "params"];
/// A part's contents: an empty one is there anyway.
const CONTENTS: [&str; 3] = ["text", "raw", "url"];

/// The JSON of a request's body.
pub(super) fn parse(body: &[u8]) -> Result<Value, A2aError> {
    if json_depth::is_exceeded(body) {
        return Err(A2aError::new(Kind::ParseError, json_depth::message()));
    }
    let parsed = std::str::from_utf8(body).ok().and_then(|body| serde_json::from_str(body).ok());
    parsed.ok_or_else(|| A2aError::new(Kind::ParseError, "the body is not JSON"))
}

/// A request's object with the protocol's own names in it.
pub(super) fn tidy(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(tidy_members(members)),
        Value::Array(values) => values.into_iter().map(tidy).collect(),
        other => other,
    }
}

fn tidy_members(members: Map<String, Value>) -> Map<String, Value> {
    let mut tidied = Map::new();
    for (name, value) in members {
        let camel = camel_case(&name);
        let is_absent = value.is_null() || (value == "" && !CONTENTS.contains(&&*camel));
        // Of two spellings of one name the protocol's own counts.
        if is_absent || (camel != name && tidied.contains_key(&camel)) {
            continue;
        }
        let value = if OPAQUE.contains(&&*camel) { value } else { tidy(value) };
        tidied.insert(camel, value);
    }
    tidied
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

/// A tidy request as its type; whatever the type does not know is passed over.
pub(super) fn read<T: DeserializeOwned>(value: Value) -> Result<T, A2aError> {
    serde_path_to_error::deserialize(value).map_err(|error| Error::of_schema(error).into())
}

/// A query string as a request's object. Numbers and booleans are read as such where the protocol has them.
pub(super) fn of_query(pairs: Vec<(String, String)>) -> Value {
    let members = pairs.into_iter().map(|(name, text)| {
        let value = match &*camel_case(&name) {
            "pageSize" | "historyLength" => text.parse::<i64>().map_or(Value::String(text), Value::from),
            "includeArtifacts" => text.parse::<bool>().map_or(Value::String(text), Value::from),
            _ => Value::String(text),
        };
        (name, value)
    });
    tidy(Value::Object(members.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_made_camel_case_but_never_inside_what_is_the_clients_own() {
        let given = json!({"message_id": "m", "parts": [{"media_type": "a", "data": {"a_b": ""}}],
            "metadata": {"my_key": null, "": ""}, "task_push_notification_config": {"task_id": "t"}});
        let tidied = json!({"messageId": "m", "parts": [{"mediaType": "a", "data": {"a_b": ""}}],
            "metadata": {"my_key": null, "": ""}, "taskPushNotificationConfig": {"taskId": "t"}});
        assert_eq!(tidy(given), tidied);
    }

    #[test]
    fn null_and_empty_are_absent_but_an_empty_text_is_a_text() {
        let given = json!({"taskId": "", "contextId": null, "parts": [{"text": "", "filename": ""}]});
        assert_eq!(tidy(given), json!({"parts": [{"text": ""}]}));
    }

    #[test]
    fn of_two_spellings_the_protocols_own_counts_in_either_order() {
        assert_eq!(tidy(json!({"task_id": "a", "taskId": "b"})), json!({"taskId": "b"}));
        let reversed: Value = serde_json::from_str(r#"{"taskId":"b","task_id":"a"}"#).unwrap();
        assert_eq!(tidy(reversed), json!({"taskId": "b"}));
    }
}
