//! docs/reference/mcp.md: every tool with its arguments, made from what clients list. Written by the test with `BATON_BLESS`.

use serde_json::{Map, Value};
use std::fmt::Write;

use super::super::tools;
use crate::fixture::hold_page;

const HEAD: &str = "\
# MCP tools

*Reference*, generated from the code: `BATON_BLESS=1 cargo nextest run -p baton-hub-doors mcp::tests::page` writes it. To connect a client, read [Connect Claude Code and Codex](../guides/mcp.md).

## The endpoint

`POST /mcp`, Streamable HTTP without a session: `tools/call` works without `initialize`, in every protocol revision that the official Rust SDK knows. `Accept` lists `application/json` and
`text/event-stream`; the response to a call is one SSE frame whose `data:` line is the JSON-RPC response. Clients that only speak stdio run `baton mcp`.

Authenticate with `Authorization: Bearer TOKEN`: a user token, a node token, or the access token (`oat_…`) that an OAuth client was given. Without a token that counts here the response is 401 with
`WWW-Authenticate: Bearer realm=\"baton\", resource_metadata=\"{public-url}/.well-known/oauth-protected-resource/mcp\"`, and `error=\"invalid_token\"` in it if a token came. From there a client finds by itself
where to register and ask for access: [Connect a hosted MCP client](../guides/oauth.md) has the endpoints. An access token counts at `/mcp` and nowhere else.

| | |
|---|---|
| result of a tool | a JSON object, as text in `content[0].text` and as `structuredContent` |
| error | `{\"ok\":false,\"error\":\"CODE\",\"message\":…}` with `isError: true`; the codes are those of [Errors](../errors.md) |
| JSON-RPC errors | -32700 not JSON, -32600 not a request, -32601 unknown method, -32602 an argument breaks its rule (the message names the field), or an unknown tool or prompt, -32002 unknown resource (-32602 from revision 2026-07-28 on), -32603 an error inside the hub |
| `alias`, `resume_id` left out | the token's alias, or the user's name; the session keeps its `resume_id` |
| waiting | `send_task`, `get_task`, `wait_for_task` and `claim_task` wait if asked to, and so does `send_reply` with `claim_next`. A caller that gives a `progressToken` receives `notifications/progress` meanwhile: what is reported of the task, and after 15 s of silence that the call still waits. Each value is greater than the one before |
| one task at a time | `claim_task` gives one task: a tool has one shape of answer, and a model works on one task. A program that takes several calls `POST /api/claim` with `max` |
| size | a page of a list ends after 2 MiB; pass `cursor` for the next |
| resources | `baton://inbox`, `baton://agents` and `baton://task/{id}`, as JSON; `?network_id=` selects one of several networks |
| `subscriptions/listen` | from revision 2026-07-28 on, for at most 64 of these resources: `notifications/resources/updated`, at most five a second. It counts as one of the token's streams |
| prompts | `delegate` (`task`, `agent?`) and `triage-inbox` |
| extensions | `io.modelcontextprotocol/tasks`: [handles to tasks](#handles-to-tasks), from revision 2026-07-28 on |

## Handles to tasks

The tasks extension (SEP-2663). To a client that declares it with the request (`_meta`, `io.modelcontextprotocol/clientCapabilities`), `send_task` responds with `resultType: \"task\"` and a handle,
unless `wait_seconds` was enough to see the end. The handle (`taskId`) is the task's id: any task that you can see has one, and it outlives a restart of client and hub.

| method | |
|---|---|
| `tasks/get` | how the task stands, see below |
| `tasks/update` | answers the question of the task's agent: `inputResponses` has its key and `{\"action\":\"accept\",\"content\":{\"answer\":…}}`. `decline` and `cancel` leave the question open; an answer to a question that is no longer open changes nothing |
| `tasks/cancel` | cancels the task; one that has ended stays as it is |

| status of the task | status of the handle | with it |
|---|---|---|
| `delivered`, `acked`, `running` | `working` | `statusMessage`: the progress that was reported last |
| `waiting_input` | `input_required` | `inputRequests`: one form (`elicitation/create`) with the field `answer`, an `enum` if the question has options. Empty if the client shows no forms, or if the agent asks its sender to authenticate; `statusMessage` has the question then too |
| `replied` | `completed` | `result`: what `send_task` returns if it waits for the end, `isError: false` |
| `failed` by its agent | `completed` | the same, `isError: true` |
| `failed` by the hub, `expired` | `failed` | `error` -32000; `data.status` is the status of the task |
| `cancelled` | `cancelled` | |

`pollIntervalMs` is 1000. `ttlMs` is `null`; on a hub that removes old tasks it is, for a task that has ended, the time from its creation until it may be removed. A task that does not exist or that you cannot see is
-32602, so is an answer that the question does not take; a client that does not declare the extension gets -32021. `notifications/tasks` are not sent: subscribe to `baton://task/{id}`.

The fields of rows are described in [the wire protocol](wire.md#reading). `?` marks an argument that may be left out.
";

fn page() -> String {
    let mut page = String::from(HEAD);
    for tool in tools::all() {
        let listed = &tool.listed;
        let _ =
            write!(page, "\n## {}\n\n{} ", listed.name, listed.description.as_deref().unwrap_or_default());
        let hints = listed.annotations.as_ref();
        let is = |hint: Option<bool>| hint == Some(true);
        let effect = match hints {
            Some(hints) if is(hints.read_only_hint) => "*Read-only.*",
            Some(hints) if is(hints.destructive_hint) => "*Destructive: clients may ask for confirmation.*",
            _ => "*Writes.*",
        };
        let _ = writeln!(page, "{effect}");
        let schema = listed.schema_as_json_value();
        let rows = arguments(&schema);
        if !rows.is_empty() {
            let _ = write!(page, "\n| argument | type | |\n|---|---|---|\n{rows}");
        }
        let result = listed.output_schema.as_deref().map(fields).unwrap_or_default();
        let _ = write!(page, "\nReturns {result}.\n");
    }
    page
}

fn arguments(schema: &Value) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut rows = String::new();
    for (name, argument) in schema["properties"].as_object().into_iter().flatten() {
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        let text = argument["description"].as_str().unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        let _ = writeln!(rows, "| `{name}{mark}` | {} | {} |", kind(argument), text.trim_end_matches('.'));
    }
    rows
}

/// The type of an argument, with its bounds.
fn kind(schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        let words = words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`"));
        return words.collect::<Vec<_>>().join(", ");
    }
    if let Some(parts) = schema["anyOf"].as_array() {
        let parts = parts.iter().filter(|part| part["type"] != "null").map(kind);
        return parts.collect::<Vec<_>>().join(" or ");
    }
    let name = schema["type"].as_str().unwrap_or("any JSON");
    let bounds = |least: &str, most: &str| match (&schema[least], &schema[most]) {
        (Value::Number(least), Value::Number(most)) => format!(" {least}–{most}"),
        (_, Value::Number(most)) => format!(" ≤ {most}"),
        _ => String::new(),
    };
    match name {
        "array" => format!("array of {}{}", kind(&schema["items"]), bounds("minItems", "maxItems")),
        "string" => format!("string{}", bounds("minLength", "maxLength")),
        _ => format!("{name}{}", bounds("minimum", "maximum")),
    }
}

/// The names of a result's fields, but for those of an error.
fn fields(schema: &Map<String, Value>) -> String {
    let names = |schema: &Map<String, Value>| -> Vec<String> {
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        properties.map(|(name, _)| name.clone()).collect()
    };
    let mut found = names(schema);
    for key in ["anyOf", "oneOf"] {
        for part in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
            found.extend(part.as_object().map(names).unwrap_or_default());
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|name| {
        name != "error" && name != "message" && name != "details" && seen.insert(name.clone())
    });
    let found: Vec<_> = found
        .into_iter()
        .filter(|name| !["retry_after_ms", "task_status"].contains(&name.as_str()))
        .collect();
    if found.is_empty() { "`ok`".into() } else { format!("`{{{}}}`", found.join(", ")) }
}

#[test]
fn the_page_of_tools_is_what_clients_list() {
    hold_page("reference/mcp.md", &page());
}
