//! Whatever is asked of a task, in any order: what always holds.
//! A row that applies transitions the way a store would stands in for the store.

use baton_core::{
    ArtifactId, ClockJumps, Command, Context, Ending, InboxChange, LeaseUpdate, MessageText, Presence,
    Principal, Reason, ReplyText, ResultText, Status, TaskSnapshot, Transition, UnixMillis, decide,
};
use proptest::prelude::*;

use super::fixtures::*;

/// Section 6, as pairs of status; written here once more so that the code cannot agree with itself alone.
#[rustfmt::skip]
const LEGAL: [(Status, &[Status]); 4] = {
    use Status::*;
    [
        (Delivered,    &[Acked, Running, Replied, Failed, Cancelled, Expired, Delivered]),
        (Acked,        &[Running, Replied, Failed, Cancelled, Expired, Delivered]),
        // An artifact that is shared before the end leaves the task running.
        (Running,      &[Running, Delivered, WaitingInput, Replied, Failed, Cancelled, Expired]),
        (WaitingInput, &[Delivered, Running, Cancelled, Expired, WaitingInput]),
    ]
};

/// A stored task: what the rules see, and the columns they only write.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    task: TaskSnapshot,
    completed_at: Option<UnixMillis>,
    result: Option<String>,
    has_hidden_delivery: bool,
}

impl Row {
    fn new() -> Self {
        let task = TaskSnapshot { expires_at: NOW.plus_seconds(3_600), ..task(Status::Delivered) };
        Self { task, completed_at: None, result: None, has_hidden_delivery: false }
    }

    fn apply(&mut self, transition: &Transition) {
        assert!(transition.effects.created.is_none(), "a transition of this task made another");
        let (task, change) = (&mut self.task, transition.effects.row.clone());
        task.status = transition.to;
        task.to = change.assignee.unwrap_or(task.to.clone());
        task.attempt = change.attempt.unwrap_or(task.attempt);
        let expires_at = change.delivered.map(|delivered| delivered.expires_at).or(change.expires_at);
        task.expires_at = expires_at.unwrap_or(task.expires_at);
        self.result = change.result.or(self.result.take());
        self.completed_at = change.completed_at.or(self.completed_at);
        match change.lease {
            Some(LeaseUpdate::Grant { lease, .. } | LeaseUpdate::Extend { lease, .. }) => {
                task.lease = Some(lease);
            }
            Some(LeaseUpdate::End) => task.lease = None,
            None => {}
        }
        match change.inbox {
            Some(InboxChange::Ack) => task.is_in_inbox = false,
            Some(InboxChange::AckEvery) => (task.is_in_inbox, self.has_hidden_delivery) = (false, false),
            Some(InboxChange::AckOthers) => {}
            Some(InboxChange::Hide) => (task.is_in_inbox, self.has_hidden_delivery) = (false, true),
            Some(InboxChange::Show) => (task.is_in_inbox, self.has_hidden_delivery) = (true, false),
            None => {}
        }
        task.is_in_inbox |= change.delivery.is_some();
    }
}

/// One thing that happens: time passes, then somebody asks something.
#[derive(Clone, Debug)]
struct Happening {
    seconds: u32,
    command: Command,
    is_silent: bool,
}

fn happening() -> impl Strategy<Value = Happening> {
    (prop_oneof![0_u32..5, 0_u32..120, 0_u32..90_000], command(), any::<bool>())
        .prop_map(|(seconds, command, is_silent)| Happening { seconds, command, is_silent })
}

fn command() -> impl Strategy<Value = Command> {
    let lease = || (0_u8..3).prop_map(lease_id);
    let seconds = || (5_i64..=3_600).prop_map(lease_seconds);
    let maybe_lease = || prop::option::of(lease());
    let message = || Just(MessageText::parse("message", "x").unwrap());
    let ending = prop::sample::select(Ending::ALL);
    let reason = prop::option::of(Just(Reason::parse("reason", "no").unwrap()));
    prop_oneof![
        1 => Just(Command::Send(send_task())),
        1 => Just(Command::Ack),
        1 => Just(Command::Start),
        6 => (lease(), seconds()).prop_map(|(lease_id, lease_seconds)| Command::Claim { lease_id, lease_seconds }),
        3 => (lease(), seconds()).prop_map(|(lease_id, lease_seconds)| Command::Extend { lease_id, lease_seconds }),
        2 => lease().prop_map(|lease_id| Command::ShareArtifact {
            lease_id,
            artifact_id: ArtifactId::parse("artifact_id", "plan").unwrap(),
        }),
        1 => (ending, maybe_lease()).prop_map(|(ending, lease_id)| {
            Command::Reply { ending, text: ReplyText::parse("text", "x").unwrap(), lease_id }
        }),
        1 => maybe_lease().prop_map(|lease_id| {
            Command::Complete { result: ResultText::parse("result", "x").unwrap(), lease_id }
        }),
        1 => (reason, any::<bool>()).prop_map(|(reason, with_parent)| match with_parent {
            true => Command::CancelWithParent { reason },
            false => Command::Cancel { reason },
        }),
        1 => Just(Command::Retry { new_task_id: task_id(2) }),
        2 => prop::sample::select(vec!["bob", "carl"])
            .prop_map(|name| Command::Reassign { new_alias: alias(name) }),
        2 => maybe_lease().prop_map(|lease_id| ask("x", lease_id)),
        4 => lease().prop_map(|lease_id| ask_keeping("x", lease_id)),
        3 => message().prop_map(|text| Command::Answer { text }),
        3 => message().prop_map(|text| Command::FollowUp { text }),
        9 => lease().prop_map(|lease_id| Command::LapseLease { lease_id }),
        1 => Just(Command::Expire),
    ]
}

fn circumstances(happening: &Happening, elapsed_seconds: u32) -> Context {
    let now = NOW.plus_seconds(elapsed_seconds);
    let assignee = if happening.is_silent {
        Presence::NONE
    } else {
        Presence { last_call_at: Some(now), ..Presence::NONE }
    };
    Context {
        actor: if happening.command.is_hubs_own() { Principal::Hub } else { node("ada") },
        now,
        clock_jumps: ClockJumps::default(),
        monotonic: MONOTONIC.plus_seconds(elapsed_seconds),
        new_message_id: message_id(),
        new_delivery_id: message_id(),
        facts: facts(assignee),
    }
}

fn check_row(row: &Row) -> Result<(), TestCaseError> {
    let task = &row.task;
    prop_assert_eq!(row.completed_at.is_some(), task.status.is_terminal(), "completed_at iff terminal");
    let is_worked_on = matches!(task.status, Status::Running | Status::WaitingInput);
    prop_assert!(task.lease.is_none() || is_worked_on, "a lease only while running or waiting for input");
    prop_assert!(!(task.lease.is_some() && task.is_in_inbox), "nobody else finds a task under a lease");
    prop_assert!((1..=task.max_attempts).contains(&task.attempt), "attempt within max_attempts");
    prop_assert!(task.is_in_inbox || task.status != Status::Delivered, "a delivered task is in an inbox");
    let has_open_delivery = task.is_in_inbox || row.has_hidden_delivery;
    prop_assert!(!(task.status.is_terminal() && has_open_delivery), "an end acks every delivery");
    let has_result = row.result.is_some();
    prop_assert_eq!(
        has_result,
        task.status.is_terminal() && task.status != Status::Expired,
        "an end has a result"
    );
    Ok(())
}

fn check_move(before: Status, transition: &Transition) -> Result<(), TestCaseError> {
    prop_assert_eq!(transition.from, Some(before));
    prop_assert!(!before.is_terminal(), "nothing leaves {}", before);
    if transition.event.is_some() {
        let is_legal = LEGAL.iter().any(|(from, to)| *from == before && to.contains(&transition.to));
        prop_assert!(is_legal, "{} to {} is not in section 6", before, transition.to);
    } else {
        prop_assert!(!transition.is_move(), "every change of status writes an event");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_commands_keeps_the_invariants(happenings in prop::collection::vec(happening(), 1..40)) {
        let mut row = Row::new();
        let mut elapsed_seconds = 0;
        for happening in &happenings {
            elapsed_seconds += happening.seconds;
            let before = row.clone();
            match decide(Some(&row.task), &happening.command, &circumstances(happening, elapsed_seconds)) {
                Ok(retried) if retried.from.is_none() => {
                    prop_assert!(before.task.status.is_retryable());
                    prop_assert_eq!(retried.task_id, task_id(2), "a retry moves another task");
                }
                Ok(transition) => {
                    check_move(before.task.status, &transition)?;
                    row.apply(&transition);
                }
                Err(_) => {}
            }
            check_row(&row)?;
        }
    }

    #[test]
    fn the_same_arguments_always_give_the_same_decision(happening in happening(), status in prop::sample::select(Status::ALL)) {
        let (task, context) = (task(status), circumstances(&happening, happening.seconds));
        let first = decide(Some(&task), &happening.command, &context);
        prop_assert_eq!(decide(Some(&task), &happening.command, &context), first);
    }
}
