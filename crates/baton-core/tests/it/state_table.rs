//! Every (state × command × role) pair, as one table.
//!
//! Left of the bar, who may give the command: `y` yes, `.` permission_denied, `-` permission_denied for what the
//! task is to them, which takes a task, `?` as if there were no task, `X` as if there were no network, `N`
//! network_token_required. Right of it, what the task does: the status it reaches, or the refusal.
//! Whoever may not give a command is refused in every state alike, before the task's state is looked at.

use baton_core::access::authorize;
use baton_core::{
    Action, ArtifactId, Caller, Command, Ending, MessageText, NetworkRole, Principal, Progress, Refusal,
    ReplyText, ResultText, Status, SystemRole, TaskSnapshot, TokenScope, Transition, decide,
};

use super::fixtures::*;

const CALLERS: &str = "own adm mem vie out sys snd asg oth coo hub";
const STATES: &str =
    "none delivered acked running leased waiting_input waiting_leased replied failed cancelled expired";

/// `terminal`, `reply_terminal` and `not_retryable` stand for the refusals that name the status.
#[rustfmt::skip]
const TABLE: &str = "
#             own adm mem vie out sys snd asg oth coo hub | none      delivered       acked           running         leased          waiting_input   waiting_leased  replied        failed         cancelled      expired
send           y   y   y   .   X   .   y   y   y   y   y  | delivered exists          exists          exists          exists          exists          exists          exists         exists         exists         exists
ack            y   y   y   .   ?   y   -   y   -   -   y  | no_task   acked           not_open        not_open        not_open        not_open        not_open        not_open       not_open       not_open       not_open
start          N   N   N   N   N   N   -   y   -   -   y  | no_task   running         running         is_running      is_running      is_waiting      is_waiting      terminal       terminal       terminal       terminal
claim          N   N   N   N   N   N   -   y   -   -   y  | no_task   running         running         is_running      is_running      is_waiting      is_waiting      terminal       terminal       terminal       terminal
extend         N   N   N   N   N   N   -   y   -   -   y  | lost      lost            lost            lost            running         lost            waiting_input   lost           lost           lost           lost
share          N   N   N   N   N   N   -   y   -   -   y  | lost      lost            lost            lost            running         lost            is_waiting      lost           lost           lost           lost
progress       N   N   N   N   N   N   -   y   -   -   y  | no_task   lost            lost            lost            running         lost            waiting_input   lost           lost           lost           lost
reply          y   y   y   .   ?   y   -   y   -   -   y  | no_reply  replied         replied         replied         replied         is_waiting      is_waiting      reply_terminal reply_terminal reply_terminal reply_terminal
reply_failed   y   y   y   .   ?   y   -   y   -   -   y  | no_reply  failed          failed          failed          failed          is_waiting      is_waiting      reply_terminal reply_terminal reply_terminal reply_terminal
reply_reject   y   y   y   .   ?   y   -   y   -   -   y  | no_reply  failed          failed          failed          failed          is_waiting      is_waiting      reply_terminal reply_terminal reply_terminal reply_terminal
reply_cancel   y   y   y   .   ?   y   -   y   -   -   y  | no_reply  cancelled       cancelled       cancelled       cancelled       is_waiting      is_waiting      reply_terminal reply_terminal reply_terminal reply_terminal
reply_leased   y   y   y   .   ?   y   -   y   -   -   y  | no_reply  lost            lost            lost            replied         lost            is_waiting      reply_terminal reply_terminal reply_terminal reply_terminal
complete       N   N   N   N   N   N   -   y   -   -   y  | no_task   replied         replied         replied         replied         is_waiting      is_waiting      reply_terminal reply_terminal reply_terminal reply_terminal
cancel         y   y   y   .   ?   y   y   y   -   y   y  | no_task   cancelled       cancelled       cancelled       cancelled       cancelled       cancelled       terminal       terminal       terminal       terminal
cancel_parent  y   y   y   .   ?   y   y   y   -   y   y  | no_task   cancelled       cancelled       cancelled       cancelled       cancelled       cancelled       terminal       terminal       terminal       terminal
retry          y   y   y   .   ?   y   y   y   -   y   y  | no_task   not_retryable   not_retryable   not_retryable   not_retryable   not_retryable   not_retryable   not_retryable  delivered      delivered      delivered
reassign       y   y   y   .   ?   y   y   y   -   y   y  | no_task   delivered       delivered       delivered       delivered       is_waiting      is_waiting      terminal       terminal       terminal       terminal
ask_sender     N   N   N   N   N   N   -   y   -   -   y  | no_task   not_running     not_running     waiting_input   waiting_input   is_waiting      is_waiting      terminal       terminal       terminal       terminal
ask_keeping    N   N   N   N   N   N   -   y   -   -   y  | no_task   not_running     not_running     lost            waiting_input   is_waiting      is_waiting      terminal       terminal       terminal       terminal
answer         -   -   -   .   ?   .   y   -   -   -   y  | no_task   not_waiting     not_waiting     not_waiting     not_waiting     delivered       running         terminal       terminal       terminal       terminal
follow_up      -   -   -   .   ?   .   y   -   -   -   y  | no_task   delivered       acked           running         running         delivered       running         terminal       terminal       terminal       terminal
lapse_lease    .   .   .   .   .   .   .   .   .   .   y  | lost      lost            lost            lost            delivered       lost            waiting_input   lost           lost           lost           lost
expire         .   .   .   .   .   .   .   .   .   .   y  | no_task   expired         expired         expired         not_overdue     expired         expired         terminal       terminal       terminal       terminal
come_due       .   .   .   .   .   .   .   .   .   .   y  | no_task   not_overdue     not_overdue     not_overdue     not_overdue     not_overdue     not_overdue     not_overdue    not_overdue    not_overdue    not_overdue
";

#[test]
fn every_state_command_and_role_pair_is_decided_as_the_table_says() {
    let mut rows = TABLE.trim().lines();
    let head = rows.next().unwrap().trim_start_matches('#').replace('|', " ");
    assert!(
        head.split_whitespace().eq(CALLERS.split(' ').chain(STATES.split(' '))),
        "the head names the columns"
    );
    let has_column = |status: &Status| STATES.split(' ').any(|state| state == status.as_str());
    assert!(Status::ALL.iter().all(has_column), "every status has its column");
    let mut pairs = 0;
    for row in rows {
        let (left, outcomes) = row.split_once('|').unwrap();
        let mut left = left.split_whitespace();
        let command = left.next().unwrap();
        for (caller, mark) in CALLERS.split(' ').zip(left) {
            for (state, outcome) in STATES.split(' ').zip(outcomes.split_whitespace()) {
                let task = task_in(state, command);
                let got = give(caller, task.as_ref(), &command_named(command));
                let expected = expected(mark, outcome, command, task.as_ref());
                assert_eq!(got.map(|moved| moved.to), expected, "{caller} gives {command} in state {state}");
                pairs += 1;
            }
        }
    }
    assert_eq!(pairs, 24 * 11 * 11, "no row or column is missing");
}

/// What a door does: first may this caller, then does this task.
fn give(caller: &str, task: Option<&TaskSnapshot>, command: &Command) -> Result<Transition, Refusal> {
    let Some((caller, role)) = caller_named(caller) else {
        return decide(task, command, &context(Principal::Hub));
    };
    let action = match command {
        Command::Send(_) => Some(Action::Send),
        _ => command
            .task_action()
            .map(|action| Action::Task { action, parties: task.map(TaskSnapshot::parties) }),
    };
    if let Some(action) = action {
        authorize(&caller, &network(), role, action)?;
    }
    decide(task, command, &context(caller.principal().unwrap()))
}

/// The caller and its role, or that of its owner; none is the hub itself.
fn caller_named(name: &str) -> Option<(Caller, Option<NetworkRole>)> {
    let user = |role| (user_caller("uma", SystemRole::User), role);
    let node = |name, scope| (node_caller(Some(name), scope), Some(NetworkRole::Member));
    Some(match name {
        "own" => user(Some(NetworkRole::Owner)),
        "adm" => user(Some(NetworkRole::Admin)),
        "mem" => user(Some(NetworkRole::Member)),
        "vie" => user(Some(NetworkRole::Viewer)),
        "out" => user(None),
        "sys" => (user_caller("uma", SystemRole::Admin), None),
        "snd" => node("ada", TokenScope::Node),
        "asg" => node("bob", TokenScope::Node),
        "oth" => node("eve", TokenScope::Node),
        "coo" => node("eve", TokenScope::Coordinator),
        "hub" => return None,
        _ => panic!("no caller {name}"),
    })
}

fn task_in(state: &str, command: &str) -> Option<TaskSnapshot> {
    match state {
        "none" => None,
        "leased" if command == "lapse_lease" => Some(leased(lapsed_lease())),
        "leased" => Some(leased(running_lease())),
        "waiting_leased" if command == "lapse_lease" => Some(waiting_under(lapsed_lease())),
        "waiting_leased" => Some(waiting_under(running_lease())),
        status => Some(task(Status::parse(status).unwrap())),
    }
}

fn command_named(name: &str) -> Command {
    let reply =
        |ending, lease_id| Command::Reply { ending, text: ReplyText::parse("text", "x").unwrap(), lease_id };
    match name {
        "send" => Command::Send(send_task()),
        "ack" => Command::Ack,
        "start" => Command::Start,
        "claim" => Command::Claim { lease_id: lease_id(2), lease_seconds: lease_seconds(60) },
        "extend" => Command::Extend { lease_id: lease_id(1), lease_seconds: lease_seconds(60) },
        "share" => Command::ShareArtifact {
            lease_id: lease_id(1),
            artifact_id: ArtifactId::parse("artifact_id", "plan").unwrap(),
        },
        "progress" => Command::ReportProgress { lease_id: lease_id(1), progress: Progress::default() },
        "reply" => reply(Ending::Replied, None),
        "reply_failed" => reply(Ending::Failed, None),
        "reply_reject" => reply(Ending::Rejected, None),
        "reply_cancel" => reply(Ending::Cancelled, None),
        "reply_leased" => reply(Ending::Replied, Some(lease_id(1))),
        "complete" => Command::Complete { result: ResultText::parse("result", "x").unwrap(), lease_id: None },
        "cancel" => Command::Cancel { reason: None },
        "cancel_parent" => Command::CancelWithParent { reason: None },
        "retry" => Command::Retry { new_task_id: task_id(2) },
        "reassign" => Command::Reassign { new_alias: alias("carl") },
        "ask_sender" => ask("x", None),
        "ask_keeping" => ask_keeping("x", lease_id(1)),
        "follow_up" => Command::FollowUp { text: MessageText::parse("message", "x").unwrap() },
        "answer" => Command::Answer { text: MessageText::parse("message", "x").unwrap() },
        "lapse_lease" => Command::LapseLease { lease_id: lease_id(1) },
        "expire" => Command::Expire,
        "come_due" => Command::ComeDue,
        _ => panic!("no command {name}"),
    }
}

fn expected(
    mark: &str,
    outcome: &str,
    command: &str,
    task: Option<&TaskSnapshot>,
) -> Result<Status, Refusal> {
    let status = task.map_or(Status::Delivered, |task| task.status);
    Err(match (mark, outcome) {
        ("-", _) if task.is_none() => return expected("y", outcome, command, task),
        ("." | "-", _) => Refusal::PermissionDenied,
        ("?", _) if command.starts_with("reply") => Refusal::ReplyTaskNotFound,
        ("?", _) => Refusal::TaskNotFound,
        ("X", _) => Refusal::NetworkAccessDenied,
        ("N", _) => Refusal::NetworkTokenRequired,
        ("y", "exists") => Refusal::TaskExists,
        ("y", "no_task") => Refusal::TaskNotFound,
        ("y", "no_reply") => Refusal::ReplyTaskNotFound,
        ("y", "not_open") => Refusal::MessageNotOpen,
        ("y", "is_running") => Refusal::TaskIsRunning,
        ("y", "is_waiting") => Refusal::TaskIsWaitingInput,
        ("y", "not_running") => Refusal::TaskIsNotRunning { status },
        ("y", "not_waiting") => Refusal::TaskIsNotWaitingInput { status },
        ("y", "lost") => Refusal::LeaseLost,
        ("y", "not_overdue") => Refusal::TaskNotOverdue,
        ("y", "not_retryable") => Refusal::TaskNotRetryable { status },
        ("y", "terminal") => Refusal::TaskIsTerminal { status },
        ("y", "reply_terminal") => Refusal::ReplyTaskTerminal { status },
        ("y", reached) => return Ok(Status::parse(reached).unwrap_or_else(|| panic!("no outcome {reached}"))),
        _ => panic!("no mark {mark}"),
    })
}
