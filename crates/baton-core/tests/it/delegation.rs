//! The loop guard, as tables: how long a chain of parents may be, and when a recipient stands in it already.

use baton_core::{ChainTask, Command, Refusal, SendTask, Status, decide};

use super::fixtures::*;

/// The chain of parents of a new task, root first: each task by its agent, in capitals if it has ended.
fn chain(agents: &[&str]) -> Vec<ChainTask> {
    let task = |(n, agent): (u8, &&str)| ChainTask {
        id: task_id(n),
        to: alias(&agent.to_lowercase()),
        is_open: agent.chars().all(char::is_lowercase),
    };
    (100..).zip(agents).map(task).collect()
}

/// Sends a task to `to` under the last task of a chain.
fn send(agents: &[&str], to: &str, allow_cycle: bool, max_chain: usize) -> Result<Status, Refusal> {
    let send = SendTask { to: alias(to), parent_task_id: Some(parent().id), allow_cycle, ..send_task() };
    let mut context = context(user("uma"));
    context.facts.parent = Some(parent());
    context.facts.chain = chain(agents).into_iter().rev().collect();
    context.facts.max_chain = max_chain;
    decide(None, &Command::Send(send), &context).map(|sent| sent.to)
}

#[test]
fn a_recipient_that_has_an_open_task_in_the_chain_of_parents_is_refused() {
    for (agents, to, is_refused) in [
        (&["a"][..], "b", false),
        (&["a"], "a", true),
        (&["a", "b", "c"], "d", false),
        (&["a", "b", "c"], "a", true),
        (&["a", "b", "c"], "b", true),
        (&["a", "b", "c"], "c", true),
        // A task that has ended waits for nobody; an open one above it still does.
        (&["A", "b", "c"], "a", false),
        (&["a", "B", "c"], "a", true),
        (&["A", "b", "a"], "a", true),
        (&["A", "B", "C"], "b", false),
        (&["ab"], "a", false),
    ] {
        let refused = Refusal::DelegationCycle { to: alias(to), chain: chain(agents) };
        let expected = if is_refused { Err(refused) } else { Ok(Status::Delivered) };
        assert_eq!(send(agents, to, false, 16), expected, "{agents:?} to {to}");
        assert_eq!(send(agents, to, true, 16), Ok(Status::Delivered), "{agents:?} to {to}, allowed");
    }
}

#[test]
fn a_chain_of_parents_is_as_long_as_allowed_and_no_longer() {
    let agents: Vec<String> =
        (0..40_u8).map(|n| format!("{}{}", char::from(b'a' + n % 26), "x".repeat(n.into()))).collect();
    let agents: Vec<&str> = agents.iter().map(String::as_str).collect();
    for (tasks, max, is_refused) in [
        (1, 16, false),
        (15, 16, false),
        (16, 16, false),
        (17, 16, true),
        (32, 32, false),
        (33, 32, true),
        (1, 0, true),
    ] {
        let expected =
            if is_refused { Err(Refusal::DelegationTooDeep { max }) } else { Ok(Status::Delivered) };
        for allow_cycle in [false, true] {
            assert_eq!(send(&agents[..tasks], "z", allow_cycle, max), expected, "{tasks} of {max}");
        }
    }
    // Whether a chain that is too long holds a cycle is not known: it was not read to its root.
    assert_eq!(send(&["a", "b"], "a", false, 1), Err(Refusal::DelegationTooDeep { max: 1 }));
}

#[test]
fn a_task_without_a_parent_is_never_too_deep_nor_a_cycle() {
    let mut context = context(user("uma"));
    context.facts.max_chain = 0;
    assert!(decide(None, &Command::Send(send_task()), &context).is_ok());
}

#[test]
fn a_cycle_is_told_with_its_chain_root_first() {
    let refusal = send(&["planner", "coder", "tester"], "planner", false, 16).unwrap_err();
    let (planner, coder, tester) = (task_id(100), task_id(101), task_id(102));
    assert_eq!(
        refusal.message(),
        format!(
            "planner has an open task in the chain of parents: planner ({planner}) > coder ({coder}) > tester ({tester}); \
             send it to another agent, or pass allow_cycle"
        )
    );
    assert_eq!(
        send(&["a", "b"], "c", false, 1).unwrap_err().message(),
        "the chain of parents has more than 1 tasks, this network's limit; send it without a parent, or ask a system \
         admin to raise delegation_depth"
    );
}
