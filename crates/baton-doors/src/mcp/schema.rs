//! A tool's schema, made from the type of its arguments and freed of what a model has no use for: every word
//! of it is read by every client at every start.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Said elsewhere, or meaningless to who fills in the arguments.
const NOISE: [&str; 4] = ["$schema", "title", "format", "default"];

/// The schema of `T`, without noise.
pub(super) fn of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    slim(&mut schema);
    let mut schema = match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    // The tool has a description; the type's own is for its readers.
    schema.remove("description");
    schema.entry("type").or_insert_with(|| "object".into());
    schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    schema
}

/// Arguments between the first of `outer` and the rest of it.
pub(super) fn around(mut outer: Map<String, Value>, inner: Map<String, Value>) -> Map<String, Value> {
    let mut properties = Map::new();
    let (mut ours, mut theirs) = (entries(&mut outer), inner);
    let theirs_properties = entries(&mut theirs);
    properties.extend(ours.by_ref().take(1));
    properties.extend(theirs_properties);
    properties.extend(ours);
    let required = [outer.remove("required"), theirs.remove("required")];
    let required: Vec<Value> = required.into_iter().flatten().filter_map(into_array).flatten().collect();
    outer.insert("properties".into(), Value::Object(properties));
    outer.insert("required".into(), Value::Array(required));
    outer
}

fn entries(schema: &mut Map<String, Value>) -> impl Iterator<Item = (String, Value)> + use<> {
    let properties = match schema.remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    };
    properties.into_iter()
}

fn into_array(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(items) => Some(items),
        _ => None,
    }
}

fn slim(value: &mut Value) {
    let Value::Object(schema) = value else { return };
    let keep_default = schema.get("default").is_some_and(|default| !default.is_null());
    schema.retain(|key, _| !NOISE.contains(&key.as_str()) || (key == "default" && keep_default));
    forget_null(schema);
    for (key, part) in schema.iter_mut() {
        match (key.as_str(), part) {
            // Names of arguments, not words of the schema.
            ("properties", Value::Object(properties)) => properties.values_mut().for_each(slim),
            ("anyOf" | "oneOf" | "allOf", Value::Array(parts)) => parts.iter_mut().for_each(slim),
            ("items" | "additionalProperties", part) => slim(part),
            _ => {}
        }
    }
}

/// An optional argument may be left out; that it may also be null is not worth a word.
fn forget_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    let Some(Value::Array(parts)) = schema.get_mut("anyOf") else { return };
    parts.retain(|part| part.get("type").is_none_or(|name| name != "null"));
    if let [Value::Object(only)] = parts.as_slice() {
        let only = only.clone();
        schema.remove("anyOf");
        for (key, part) in only {
            schema.entry(key).or_insert(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not for models.
    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Args {
        /// Whom.
        alias: String,
        #[schemars(range(min = 1, max = 9))]
        limit: Option<u32>,
        title: Option<Word>,
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[allow(dead_code)]
    enum Word {
        Yes,
        No,
    }

    #[test]
    fn a_schema_says_types_rules_and_descriptions_and_no_more() {
        let expected = serde_json::json!({
            "type": "object",
            "properties": {
                "alias": { "type": "string", "description": "Whom." },
                "limit": { "type": "integer", "minimum": 1, "maximum": 9 },
                "title": { "type": "string", "enum": ["yes", "no"] },
            },
            "required": ["alias"],
        });
        assert_eq!(Value::Object(of::<Args>()), expected);
    }
}
