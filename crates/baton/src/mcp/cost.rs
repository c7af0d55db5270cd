//! How much of the hub's memory a tool's answer may need: it is reserved before the tool runs. A tool that is not known to
//! have small answers is assumed to have large ones; one that waits holds no memory while it does, and reserves it itself.

use crate::in_flight::Cost;

/// Tools that answer a few fields, or one task.
const SMALL: &[&str] = &[
    "report_status",
    "report_completion",
    "ack_inbox",
    "send_message",
    "send_reply",
    "send_ack",
    "ask_sender",
    "answer_task",
    "cancel_task",
    "retry_task",
    "reassign_task",
    "broadcast",
    "claim_task",
    "extend_lease",
    "report_progress",
];

/// Tools that may wait, and reserve the memory for a task afterwards.
const OWN: &[&str] = &["send_task", "get_task"];

/// How much memory a call of this tool may need, if that is much.
pub(super) fn of(tool: &str) -> Option<Cost> {
    match tool {
        own if OWN.contains(&own) => None,
        small if SMALL.contains(&small) => None,
        _ => Some(Cost::ToolList),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_that_answer_much_are_these() {
        let tools = crate::mcp::tools::all();
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.listed.name).collect();
        let large: Vec<&str> = names.iter().copied().filter(|name| of(name).is_some()).collect();
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
        assert!(SMALL.iter().chain(OWN).all(|small| names.contains(small)), "a tool that is no more");
    }
}
