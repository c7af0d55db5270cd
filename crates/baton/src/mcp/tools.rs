//! Every tool on one screen: its name, its use case, and what a model is told of it.

use super::tool::{Tool, tool};
use crate::service::evidence::page;
use crate::service::{
    ack_inbox, agents, ask_sender, broadcast, cancel_task, claim_task, extend_lease, follow_up,
    get_completions, get_inbox, get_task, list_tasks, reassign_task, report_completion, report_progress,
    report_status, retry_task, send_ack, send_message, send_reply, send_task, statuses, task_tree,
};

/// All tools, in the order they are listed.
#[rustfmt::skip]
pub(super) fn all() -> Vec<Tool> {
    vec![
        tool!("report_status", report_status::run(Args), "Report what you are doing. working with a task id starts that task. Node tokens only."),
        tool!("report_completion", report_completion::run(Args), "Report a task as done with its result; the sender gets it as the reply."),
        tool!("get_inbox", get_inbox::run(Args), "Open deliveries (tasks, messages, replies, broadcasts), most urgent first, then oldest."),
        tool!("ack_inbox", ack_inbox::run(Args), "Acknowledge a delivery, so that the inbox no longer shows it."),
        tool!("send_task", traced send_task::run(Args), "Send a task to an agent. queued:true means it is offline and finds the task later. wait_seconds waits for its result."),
        tool!("send_message", send_message::run(Args), "Send a message that asks for nothing."),
        tool!("send_reply", send_reply::run(Args), "End a task you were given with a result (in_reply_to = task_id), or reply to somebody. Final."),
        tool!("send_ack", send_ack::run(Args), "Say that you have seen a task you were given."),
        tool!("ask_sender", ask_sender::run(Args), "Ask the sender of a task you work on; it waits for the answer and comes back to you with it. Your lease ends, unless keep_lease is true: then extend it and look for the answer with get_task (wait_seconds), in messages."),
        tool!("answer_task", follow_up::run(Args), "Answer the question of an agent about a task you sent, or tell it something on the way."),
        tool!("cancel_task", cancel_task::run(Args), "Call off a task that has not ended; its agent gets a notice. Final. cascade calls off all that is open below it too."),
        tool!("retry_task", retry_task::run(Args), "Send a failed, cancelled or expired task again, as a new task."),
        tool!("reassign_task", reassign_task::run(Args), "Give a task that has not ended to another agent."),
        tool!("get_task", sharing get_task::run_as_tool(Args), "One task: status, result, times, messages. wait_seconds waits for news."),
        tool!("get_task_tree", task_tree::run(Args), "The tree of a task: its ancestors, root first, the task, and all it led to, with status and times."),
        tool!("list_tasks", list_tasks::run(Args), "Tasks you may see, newest first."),
        tool!("get_all_status", statuses::all(AllArgs), "Which agents there are and what they are doing."),
        tool!("get_session_status", statuses::one(OneArgs), "What one agent is doing, what waits for it and what it last completed."),
        tool!("list_agents", agents::run(Args), "Agents that are there or were within a day: what each works on, how many deliveries wait for it, how it did in the last day."),
        tool!("get_completions", get_completions::run(Args), "Reported completions, newest first."),
        tool!("broadcast", broadcast::run(Args), "Send a message to every agent that is there."),
        tool!("claim_task", claim_task::run(Args), "Take your next task under a lease, waiting for one if asked. task:null means there was none. Extend the lease while you work."),
        tool!("extend_lease", extend_lease::run(Args), "Keep a claimed task. lease_lost means: stop, it ended or went to another worker."),
        tool!("report_progress", report_progress::run(Args), "Report how far a claimed task is: percent, message, output since the last report. Does not extend the lease."),
        tool!("get_evidence", page::run(Args), "What the hub recorded of one task: hashed events of who did what when, without texts. Visible, not judged."),
    ]
}
