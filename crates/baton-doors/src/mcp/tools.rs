//! Every tool on one screen: its name, its use case, and what a model reads about it. Commands to
//! one task describe themselves, in their use cases.

use baton_service::task_commands;

use super::tool::{Tool, of_command, tool};
use crate::service::evidence::page;
use crate::service::{
    agents, broadcast, claim_task, extend_lease, get_completions, get_task, inbox, list_tasks,
    report_completion, report_status, send_message, send_reply, send_task, statuses, task_tree,
    wait_for_task,
};

/// All tools, in the order they are listed.
#[rustfmt::skip]
pub(super) fn all() -> Vec<Tool> {
    let mut all = vec![
        tool!("report_status", "Report status", Sets, report_status::run(Args), "Report your status. Status working with a task id starts that task. Needs a node token.").small(),
        tool!("report_completion", "Report a completion", Adds, report_completion::run(Args), "Report a task as done, with its result. The sender receives the result as the reply.").small(),
        tool!("get_inbox", "Read the inbox", Reads, inbox::read(ReadArgs), "List open deliveries (tasks, messages, replies, broadcasts), highest priority first, then oldest."),
        tool!("ack_inbox", "Acknowledge a delivery", Sets, inbox::ack(AckArgs), "Acknowledge a delivery and remove it from the inbox.").small(),
        tool!("send_task", "Send a task", Adds, traced send_task::run(Args), "Send a task to an agent. queued:true means the agent is offline and receives the task later. wait_seconds waits for the result."),
        tool!("send_message", "Send a message", Adds, send_message::run(Args), "Send a message that needs no reply.").small(),
        tool!("send_reply", "Reply to a task", Adds, send_reply::run(Args), "End a task assigned to you with a result (in_reply_to = task_id), or reply to a message. Ending a task is final.").small(),
    ];
    all.extend(task_commands!(course: of_command).into_iter().flatten());
    all.extend([
        tool!("get_task", "Get a task", Reads, sharing get_task::run_as_tool(Args), "Get one task: status, result, times, messages. wait_seconds waits until it changes."),
        tool!("wait_for_task", "Wait for tasks", Reads, sharing wait_for_task::run(Args), "Wait until one or all of several tasks have ended or need input. done:false means the wait timed out; call again."),
        tool!("get_task_tree", "Show a task's tree", Reads, task_tree::run(Args), "Get the tree of a task: its ancestors (root first), the task, and all its descendants, with status and times."),
        tool!("list_tasks", "List tasks", Reads, list_tasks::run(Args), "List the tasks you can see, newest first."),
        tool!("get_all_status", "List sessions", Reads, statuses::all(AllArgs), "List the agents and what each is doing."),
        tool!("get_session_status", "Get an agent", Reads, statuses::one(OneArgs), "Get what one agent is doing, how much is in its inbox, and what it completed last."),
        tool!("list_agents", "List agents", Reads, agents::run(Args), "List agents that are online or were within the last day: current work, inbox size, and results of the last day."),
        tool!("get_completions", "List completions", Reads, get_completions::run(Args), "List reported completions, newest first."),
        tool!("broadcast", "Broadcast a message", Adds, broadcast::run(Args), "Send a message to every agent that is online.").small(),
        tool!("claim_task", "Claim the next task", Adds, claim_task::run(Args), "Claim your next task under a lease; can wait for one. task:null means there was none. Extend the lease while you work.").small(),
        tool!("extend_lease", "Extend a lease", Adds, extend_lease::run(Args), "Keep a claimed task. lease_lost means stop: the task ended or went to another worker.").small(),
    ]);
    all.extend(task_commands!(lease: of_command).into_iter().flatten());
    all.push(tool!("get_evidence", "Read evidence", Reads, page::run(Args), "Get what the hub recorded about one task: hashed events of who did what and when, without texts. Recorded, not judged."));
    all
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Whether it says of which type it is, or of which types it may be.
    fn is_typed(schema: &Value) -> bool {
        let parts = schema["anyOf"].as_array().is_some_and(|parts| parts.iter().all(is_typed));
        schema["type"].is_string() || parts
    }

    /// Whether every argument has a type and a description, at every depth.
    fn check_arguments(tool: &str, schema: &Value) {
        for (name, argument) in schema["properties"].as_object().into_iter().flatten() {
            assert!(is_typed(argument), "{tool} {name}: {argument}");
            assert!(argument["description"].as_str().is_some_and(|said| !said.is_empty()), "{tool} {name}");
            assert!(argument["type"] != "array" || is_typed(&argument["items"]), "{tool} {name}: {argument}");
            check_arguments(tool, argument);
            check_arguments(tool, &argument["items"]);
        }
    }

    #[test]
    fn every_tool_has_a_title_hints_schemas_and_typed_described_arguments() {
        for tool in all() {
            let (name, title) = (tool.listed.name.to_string(), tool.listed.title.clone());
            assert!(title.is_some_and(|title| !title.is_empty()), "{name}");
            let hints = tool.listed.annotations.clone().unwrap();
            assert!(hints.read_only_hint.is_some() && hints.idempotent_hint.is_some(), "{name}");
            assert!(!(hints.read_only_hint == Some(true) && hints.destructive_hint == Some(true)), "{name}");
            assert_eq!(hints.open_world_hint, Some(false), "{name}");
            let looks = name.starts_with("get_") || name.starts_with("list_") || name == "wait_for_task";
            assert_eq!(hints.read_only_hint, Some(looks), "{name}");
            let takes_away = ["cancel_task", "reassign_task"].contains(&name.as_str());
            assert_eq!(hints.destructive_hint, Some(takes_away), "{name}");
            check_arguments(&name, &tool.listed.schema_as_json_value());
            let answer = Value::Object(tool.listed.output_schema.as_deref().unwrap().clone());
            assert_eq!(answer["type"], "object", "{name}");
            let validator = jsonschema::validator_for(&answer).unwrap();
            assert!(validator.is_valid(&json!({ "ok": false, "error": "permission_denied" })), "{name}");
            assert!(
                !validator.is_valid(&json!({ "ok": true, "unheard_of": 1 })) || name == "ack_inbox",
                "{name}"
            );
        }
    }

    #[test]
    fn an_agent_need_not_repeat_what_its_token_says() {
        let required = |wanted: &str| {
            let tool = all().into_iter().find(|tool| tool.listed.name == wanted).unwrap();
            tool.listed.schema_as_json_value()["required"].clone()
        };
        assert_eq!(required("report_status"), json!(["status"]));
        assert_eq!(required("report_completion"), json!(["task", "result"]));
        assert_eq!(required("ack_inbox"), json!(["message_id"]));
        for tool in ["get_inbox", "get_session_status"] {
            assert_eq!(required(tool), Value::Null, "{tool}");
        }
    }

    #[test]
    fn the_tools_that_answer_much_are_these() {
        let large = all().into_iter().filter(|tool| tool.cost.is_some());
        let large: Vec<_> = large.map(|tool| tool.listed.name).collect();
        assert_eq!(
            large,
            [
                "get_inbox",
                "get_task_tree",
                "list_tasks",
                "get_all_status",
                "get_session_status",
                "list_agents",
                "get_completions",
                "get_evidence"
            ]
        );
    }
}
