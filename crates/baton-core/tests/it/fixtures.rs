//! One small world for all tests: a network, the task `ada` sent to `bob`, and everybody around it.

use baton_core::{
    Alias, Caller, ClockJumps, Command, Context, Facts, Kind, Lease, LeaseId, LeaseSeconds, MaxAttempts,
    MessageId, MessageText, MonotonicMillis, NetworkId, NodeCaller, ParentTask, Presence, Principal,
    Question, QuestionLease, QuestionOptions, QuestionTerms, RunTerms, SendTask, Status, SystemRole, TaskId,
    TaskSnapshot, TokenId, TokenScope, TtlSeconds, UnixMillis, UserCaller, UserId, Username,
};

/// The wall clock of every test that does not say otherwise; the fixture task has been overdue since.
pub(super) const NOW: UnixMillis = UnixMillis::new(1_700_000_000_000);
/// The monotonic clock beside it.
pub(super) const MONOTONIC: MonotonicMillis = MonotonicMillis::new(5_000_000);

pub(super) fn alias(name: &str) -> Alias {
    Alias::parse(name).unwrap()
}

pub(super) fn node(name: &str) -> Principal {
    Principal::Node(alias(name))
}

pub(super) fn user(name: &str) -> Principal {
    Principal::User(Username::parse(name).unwrap())
}

pub(super) fn network() -> NetworkId {
    NetworkId::from_random([1; 6])
}

pub(super) fn other_network() -> NetworkId {
    NetworkId::from_random([2; 6])
}

pub(super) fn task_id(n: u8) -> TaskId {
    TaskId::new(NOW, [n; 10])
}

pub(super) fn message_id() -> MessageId {
    MessageId::new(NOW, [99; 10])
}

pub(super) fn delivery_id() -> MessageId {
    MessageId::new(NOW, [98; 10])
}

pub(super) fn lease_id(n: u8) -> LeaseId {
    LeaseId::from_random([n; 16])
}

/// A lease that still runs for a minute.
pub(super) fn running_lease() -> Lease {
    Lease { id: lease_id(1), deadline: MONOTONIC.plus_seconds(60) }
}

/// A lease whose time is over but that nobody swept yet.
pub(super) fn lapsed_lease() -> Lease {
    Lease { id: lease_id(1), deadline: MONOTONIC }
}

pub(super) fn lease_seconds(seconds: i64) -> LeaseSeconds {
    LeaseSeconds::parse("lease_seconds", seconds).unwrap()
}

/// The task `ada` sent to `bob`, overdue by now.
pub(super) fn task(status: Status) -> TaskSnapshot {
    TaskSnapshot {
        id: task_id(1),
        network_id: network(),
        from: node("ada"),
        to: alias("bob"),
        kind: Kind::parse("delegation").unwrap(),
        status,
        attempt: 1,
        max_attempts: 3,
        runs: RunTerms::default(),
        due_at: None,
        lease: None,
        is_in_inbox: status == Status::Delivered,
        ttl: TtlSeconds::default(),
        expires_at: NOW,
        parent: None,
        retried_to: None,
        context_id: None,
    }
}

pub(super) fn leased(lease: Lease) -> TaskSnapshot {
    TaskSnapshot { lease: Some(lease), ..task(Status::Running) }
}

/// The same, waiting for an answer whose worker waits for it under this lease.
pub(super) fn waiting_under(lease: Lease) -> TaskSnapshot {
    TaskSnapshot { lease: Some(lease), ..task(Status::WaitingInput) }
}

/// A question that takes any answer and waits the usual time.
pub(super) fn question(text: &str) -> Question {
    let text = MessageText::parse("question", text).unwrap();
    Question { text, terms: QuestionTerms::default() }
}

/// A plain question, which ends the lease.
pub(super) fn ask(text: &str, lease_id: Option<LeaseId>) -> Command {
    let under = lease_id.map_or(QuestionLease::NoLease, QuestionLease::Ending);
    Command::AskSender { question: question(text), under }
}

/// A question whose worker waits for the answer under its lease.
pub(super) fn ask_keeping(text: &str, lease_id: LeaseId) -> Command {
    Command::AskSender { question: question(text), under: QuestionLease::Kept(lease_id) }
}

pub(super) fn options(options: &[&str]) -> QuestionOptions {
    QuestionOptions::parse(options.iter().map(|option| (*option).to_owned()).collect()).unwrap()
}

pub(super) fn parent() -> ParentTask {
    ParentTask { id: task_id(7), network_id: network(), from: user("paula"), to: alias("ada") }
}

/// What the store knows: everybody is there, nothing has a parent, and nothing was asked with options.
pub(super) fn facts(assignee: Presence) -> Facts {
    Facts {
        recipient_exists: true,
        parent: None,
        chain: Vec::new(),
        max_chain: 16,
        assignee,
        question: QuestionTerms::default(),
    }
}

pub(super) fn context(actor: Principal) -> Context {
    Context {
        actor,
        now: NOW,
        clock_jumps: ClockJumps::default(),
        monotonic: MONOTONIC,
        new_message_id: message_id(),
        new_delivery_id: delivery_id(),
        facts: facts(Presence::NONE),
    }
}

/// A new task to `bob`.
pub(super) fn send_task() -> SendTask {
    SendTask {
        task_id: task_id(2),
        network_id: network(),
        to: alias("bob"),
        kind: None,
        ttl: TtlSeconds::default(),
        parent_task_id: None,
        context_id: None,
        allow_cycle: false,
        max_attempts: MaxAttempts::default(),
        runs: RunTerms::default(),
    }
}

pub(super) fn user_caller(name: &str, system_role: SystemRole) -> Caller {
    let username = Username::parse(name).unwrap();
    let token_id = Some(TokenId::from_random([5; 6]));
    Caller::User(UserCaller { user_id: UserId::from_random([3; 6]), username, system_role, token_id })
}

pub(super) fn node_caller(name: Option<&str>, scope: TokenScope) -> Caller {
    Caller::Node(NodeCaller {
        token_id: TokenId::from_random([4; 6]),
        user_id: UserId::from_random([3; 6]),
        network_id: network(),
        alias: name.map(alias),
        scope,
    })
}
