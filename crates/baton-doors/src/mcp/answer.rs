//! Arguments in and answers out, as MCP words them: what breaks the schema is -32602 and names its field, a refusal
//! is an answer like any other with `ok:false`, and every answer is said twice, as text and as an object.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::tool::Outcome;
use crate::rest::ErrorBody;
use crate::service::Error;

/// Reads a call's arguments.
pub(super) fn arguments<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, ErrorData> {
    let read = serde_path_to_error::deserialize(Value::Object(arguments));
    read.map_err(|error| match Error::of_schema(error) {
        Error::Argument { field, rule } => broken_argument(&field, &rule),
        error => ErrorData::internal_error(error.to_string(), None),
    })
}

fn broken_argument(field: &str, rule: &str) -> ErrorData {
    ErrorData::invalid_params(format!("{field}: {rule}"), Some(json!({ "field": field, "rule": rule })))
}

/// What a use case's answer or error is on this door.
pub(super) fn of<T: Serialize>(outcome: Result<T, Error>) -> Outcome {
    match outcome {
        Ok(answer) => said(&answer),
        Err(Error::Argument { field, rule }) => Err(broken_argument(&field, &rule)),
        Err(error) => {
            if let Error::Store(error) = &error
                && !matches!(
                    error,
                    baton_store::Error::Busy | baton_store::Error::Conflict | baton_store::Error::Closed
                )
            {
                tracing::error!(%error, "a tool failed in the store");
            }
            said(&ErrorBody::of(&error))
        }
    }
}

fn said<T: Serialize>(answer: &T) -> Outcome {
    // The text is printed from the type itself, so that its fields keep their order.
    let both = serde_json::to_string(answer).and_then(|text| Ok((text, serde_json::to_value(answer)?)));
    let (text, object) = both.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let mut result = CallToolResult::structured(object);
    result.content = vec![ContentBlock::text(text)];
    Ok(result)
}
