//! Arguments in and answers out, as MCP words them: what breaks the schema is -32602 and names its field (the wire contract;
//! the newest revision of MCP would have a tool's error there), a refusal is an answer with `ok:false` and `isError`, so that
//! the model reads what to do better; and every answer is given twice, as text and as an object.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::tool::Outcome;
use crate::rest::ErrorBody;
use crate::service::Error;

/// Reads a call's arguments.
pub(super) fn arguments<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Error> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(Error::of_schema)
}

fn broken_argument(field: &str, rule: &str) -> ErrorData {
    ErrorData::invalid_params(format!("{field}: {rule}"), Some(json!({ "field": field, "rule": rule })))
}

/// What a use case's answer or error is on this door.
pub(super) fn of<T: Serialize>(outcome: Result<T, Error>) -> Outcome {
    match outcome {
        Ok(answer) => outcome_of(&answer),
        Err(Error::Argument { field, rule }) => Err(broken_argument(&field, &rule)),
        Err(error) => {
            note(&error);
            outcome_of(&ErrorBody::of(&error))
        }
    }
}

/// Logs what the caller cannot do anything about.
pub(super) fn note(error: &Error) {
    use baton_store::Error::{Busy, Closed, Conflict};
    if let Error::Store(error) = error
        && !matches!(error, Busy | Conflict | Closed)
    {
        tracing::error!(%error, "an MCP call failed in the store");
    }
}

fn outcome_of<T: Serialize>(answer: &T) -> Outcome {
    // The text is printed from the type itself, so that its fields keep their order.
    let both = serde_json::to_string(answer).and_then(|text| Ok((text, serde_json::to_value(answer)?)));
    let (text, object) = both.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let is_error = object.get("ok") == Some(&Value::Bool(false));
    let mut result = CallToolResult::structured(object);
    result.content = vec![ContentBlock::text(text)];
    result.is_error = Some(is_error);
    Ok(result)
}
