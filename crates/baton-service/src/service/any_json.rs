//! How an argument that takes any JSON is described to models: clients refuse or rewrite a schema that names no type.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Any JSON value but null; only its schema is used.
pub(super) struct AnyJson;

impl JsonSchema for AnyJson {
    fn schema_name() -> Cow<'static, str> {
        "AnyJson".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // A list of types in one place is not understood everywhere.
        json_schema!({
            "anyOf": [
                { "type": "object" }, { "type": "string" }, { "type": "number" }, { "type": "boolean" },
                { "type": "array", "items": {} },
            ],
        })
    }
}
