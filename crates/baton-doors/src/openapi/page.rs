//! docs/api.md: the description as a page for people. Written and compared by a test.

use serde_json::Value;
use std::fmt::Write;

const METHODS: [&str; 4] = ["get", "post", "put", "delete"];
/// Said once, at the top: they stand at nearly every route.
const COMMON: [&str; 9] = ["400", "401", "403", "408", "413", "415", "429", "500", "503"];

const HEAD: &str = "\
# API routes

*Reference*, generated from the code: `BATON_BLESS=1 cargo nextest run -p baton-hub-doors openapi` writes it. Every hub returns the same as OpenAPI 3.1, with all
schemas, at `GET /openapi.json`. [The wire protocol](reference/wire.md) explains the calls; see also [accounts](accounts.md), [evidence](evidence.md), [A2A](a2a.md) and
[errors](errors.md).

Send a token as `Authorization: Bearer …`. A body is JSON, sent as `application/json`; a missing body counts as `{}`.
A `?` marks a field that may be left out. Besides the responses listed, a call may return 400 (an argument breaks its rule), 401
(no token, or an unknown one), 403 (your role or token does not allow it), 408, 413 and 415 (the body came too
slowly, is too large or has another type), 429 (too many calls), 500 and 503 (the hub failed, is stopping or is busy).
";

/// The page.
pub(super) fn page(api: &Value) -> String {
    let mut page = String::from(HEAD);
    for tag in list(&api["tags"]) {
        let _ = write!(page, "\n## {}: {}\n", word(&tag["name"]), lower(word(&tag["description"])));
        for (path, method, operation) in operations(api) {
            if operation["tags"][0] == tag["name"] {
                route(&mut page, api, path, method, operation);
            }
        }
    }
    page
}

fn operations(api: &Value) -> impl Iterator<Item = (&str, &'static str, &Value)> {
    let paths = api["paths"].as_object().into_iter().flatten();
    paths.flat_map(|(path, item)| {
        METHODS.into_iter().filter_map(move |method| Some((path.as_str(), method, item.get(method)?)))
    })
}

fn route(page: &mut String, api: &Value, path: &str, method: &str, operation: &Value) {
    let _ = write!(page, "\n### {} {path}\n\n", method.to_uppercase());
    let summary = word(&operation["summary"]);
    let _ = writeln!(page, "{summary}. **Who may:** {}", lower(word(&operation["description"])));
    let mut lines = Vec::new();
    for parameter in list(&operation["parameters"]).iter().filter(|parameter| parameter["in"] != "path") {
        lines.push(parameter_line(api, parameter));
    }
    for (form, content) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
        lines.push(format!("body, `{form}`: {}", shape(api, &content["schema"])));
    }
    for (status, answer) in operation["responses"].as_object().into_iter().flatten() {
        if !COMMON.contains(&status.as_str()) || is_special(status, answer) {
            lines.push(answer_line(api, status, answer));
        }
    }
    if !lines.is_empty() {
        page.push('\n');
    }
    for line in lines {
        let _ = writeln!(page, "- {line}");
    }
}

/// Whether an answer of a common status is not the common one here.
fn is_special(status: &str, answer: &Value) -> bool {
    status == "401" && word(&answer["description"]).contains("password")
}

fn parameter_line(api: &Value, parameter: &Value) -> String {
    let mark = if parameter["required"] == true { "" } else { "?" };
    let place = if parameter["in"] == "header" { "header" } else { "query" };
    let said = parameter["description"].as_str().map(|said| format!(": {}", said.trim_end_matches('.')));
    let schema = shape(api, &parameter["schema"]);
    format!("{place} `{}{mark}` {schema}{}", word(&parameter["name"]), said.unwrap_or_default())
}

fn answer_line(api: &Value, status: &str, answer: &Value) -> String {
    let said = word(&answer["description"]).trim_end_matches('.');
    let contents = answer["content"].as_object().into_iter().flatten();
    let shapes: Vec<_> = contents
        .filter(|(form, _)| *form != "application/a2a+json")
        .map(|(form, content)| match (form.as_str(), shape(api, &content["schema"])) {
            ("application/json", shape) => shape,
            (form, _) => format!("`{form}`"),
        })
        .filter(|shape| shape != "Error")
        .collect();
    let shapes = if shapes.is_empty() { String::new() } else { format!(" — {}", shapes.join(" or ")) };
    format!("**{status}** {said}{shapes}")
}

/// A schema in a line: the fields of an object, the words of an enum, else its type.
fn shape(api: &Value, schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        let named = &api["components"]["schemas"][name];
        return match named["type"] == "object" && named["properties"].is_object() && name != "Error" {
            true => fields(named),
            false => name.to_owned(),
        };
    }
    if let Some(words) = schema["enum"].as_array() {
        return words
            .iter()
            .map(|word| format!("`{}`", word.as_str().unwrap_or_default()))
            .collect::<Vec<_>>()
            .join(" · ");
    }
    for key in ["oneOf", "anyOf", "allOf"] {
        if let Some(parts) = schema[key].as_array() {
            let parts = parts.iter().filter(|part| part["type"] != "null");
            return parts.map(|part| shape(api, part)).collect::<Vec<_>>().join(" or ");
        }
    }
    match &schema["type"] {
        Value::String(name) if schema["properties"].is_object() && name == "object" => fields(schema),
        Value::String(name) => bounded(name, schema),
        Value::Array(names) => bounded(names[0].as_str().unwrap_or_default(), schema),
        _ => "any JSON".into(),
    }
}

fn bounded(name: &str, schema: &Value) -> String {
    match (&schema["minimum"], &schema["maximum"]) {
        (Value::Number(min), Value::Number(max)) => format!("{name} {min}–{max}"),
        _ => name.to_owned(),
    }
}

fn fields(schema: &Value) -> String {
    let required = list(&schema["required"]);
    let properties = schema["properties"].as_object().into_iter().flatten();
    let names: Vec<_> = properties
        .map(|(name, _)| if required.iter().any(|r| r == name) { name.clone() } else { format!("{name}?") })
        .collect();
    format!("`{{{}}}`", names.join(", "))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A sentence's first letter as it stands inside one.
fn lower(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
