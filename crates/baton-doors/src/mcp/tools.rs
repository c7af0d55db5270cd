//! Every tool on one screen: its name, its use case, and what a model reads about it. Commands to
//! one task describe themselves, in their use cases.

use baton_service::task_commands;

use super::tool::{Tool, of_command, tool};
use crate::service::evidence::page;
use crate::service::{
    agents, broadcast, claim_task, extend_lease, get_completions, get_task, inbox, list_tasks,
    report_completion, report_status, send_message, send_reply, send_task, statuses, task_tree,
};

/// All tools, in the order they are listed.
#[rustfmt::skip]
pub(super) fn all() -> Vec<Tool> {
    let mut all = vec![
        tool!("report_status", report_status::run(Args), "Report what you are doing. working with a task id starts that task. Node tokens only.").small(),
        tool!("report_completion", report_completion::run(Args), "Report a task as done with its result; the sender gets it as the reply.").small(),
        tool!("get_inbox", inbox::read(ReadArgs), "Open deliveries (tasks, messages, replies, broadcasts), most urgent first, then oldest."),
        tool!("ack_inbox", inbox::ack(AckArgs), "Acknowledge a delivery, so that the inbox no longer shows it.").small(),
        tool!("send_task", traced send_task::run(Args), "Send a task to an agent. queued:true means it is offline and finds the task later. wait_seconds waits for its result."),
        tool!("send_message", send_message::run(Args), "Send a message that asks for nothing.").small(),
        tool!("send_reply", send_reply::run(Args), "End a task you were given with a result (in_reply_to = task_id), or reply to somebody. Final.").small(),
    ];
    all.extend(task_commands!(course: of_command).into_iter().flatten());
    all.extend([
        tool!("get_task", sharing get_task::run_as_tool(Args), "One task: status, result, times, messages. wait_seconds waits for news."),
        tool!("get_task_tree", task_tree::run(Args), "The tree of a task: its ancestors, root first, the task, and all it led to, with status and times."),
        tool!("list_tasks", list_tasks::run(Args), "Tasks you may see, newest first."),
        tool!("get_all_status", statuses::all(AllArgs), "Which agents there are and what they are doing."),
        tool!("get_session_status", statuses::one(OneArgs), "What one agent is doing, what waits for it and what it last completed."),
        tool!("list_agents", agents::run(Args), "Agents that are there or were within a day: what each works on, how many deliveries wait for it, how it did in the last day."),
        tool!("get_completions", get_completions::run(Args), "Reported completions, newest first."),
        tool!("broadcast", broadcast::run(Args), "Send a message to every agent that is there.").small(),
        tool!("claim_task", claim_task::run(Args), "Take your next task under a lease, waiting for one if asked. task:null means there was none. Extend the lease while you work.").small(),
        tool!("extend_lease", extend_lease::run(Args), "Keep a claimed task. lease_lost means: stop, it ended or went to another worker.").small(),
    ]);
    all.extend(task_commands!(lease: of_command).into_iter().flatten());
    all.push(tool!("get_evidence", page::run(Args), "What the hub recorded of one task: hashed events of who did what when, without texts. Visible, not judged."));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

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
