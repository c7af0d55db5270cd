//! What goes with each move, exactly, and the conditions a status alone does not show.

use baton_core::{
    ArtifactId, ClockWatch, Command, Context, Delivered, Delivery, DeliveryContent, DueChange, Effects,
    Ending, Event, Facts, InboxChange, Kind, Lease, LeaseId, LeaseUpdate, MessageId, MessageText, NewTask,
    Notice, ParentTask, Percent, Presence, Principal, Progress, ProgressUpdate, QuestionTerms, Reason,
    Refusal, ReplyText, ResultText, RetryBackoffSeconds, RowChange, RunTerms, RunTimeoutSeconds, Status,
    TaskMessage, TaskSnapshot, Transition, TtlSeconds, decide,
};

use super::fixtures::*;

fn by(actor: Principal, task: &TaskSnapshot, command: &Command) -> Result<Transition, Refusal> {
    decide(Some(task), command, &context(actor))
}

fn reply(text: &str, lease_id: Option<LeaseId>) -> Command {
    Command::Reply { ending: Ending::Replied, text: ReplyText::parse("text", text).unwrap(), lease_id }
}

fn cancel(reason: &str) -> Command {
    Command::Cancel { reason: Some(Reason::parse("reason", reason).unwrap()) }
}

/// Nothing but this in the row.
fn row(row: RowChange) -> Effects {
    Effects { row, ..Effects::default() }
}

/// A row changes, and somebody receives a reply and a notice of it.
fn replied(row: RowChange, to: Principal, status: Status, text: &str) -> Effects {
    let content = DeliveryContent::Reply(text.to_owned());
    Effects {
        delivery: Some(Delivery { message_id: message_id(), to: to.clone(), content }),
        notices: vec![(to, Notice::NewReply { message_id: message_id(), status })],
        ..self::row(row)
    }
}

/// A row changes, and somebody receives a message and a notice of it.
fn said(row: RowChange, to: Principal, text: &str) -> Effects {
    let message = match to == node("ada") {
        true => TaskMessage::Question(question(text)),
        false => TaskMessage::Answer(text.to_owned()),
    };
    let content = DeliveryContent::Message(message);
    Effects {
        delivery: Some(Delivery { message_id: message_id(), to: to.clone(), content }),
        notices: vec![(to, Notice::NewMessage { message_id: message_id() })],
        ..self::row(row)
    }
}

/// What an end leaves in the row of a task that was held under a lease, or not.
fn ended(result: Option<&str>, lease: Option<LeaseUpdate>) -> RowChange {
    RowChange {
        result: result.map(str::to_owned),
        completed_at: Some(NOW),
        lease,
        inbox: Some(InboxChange::AckEvery),
        ..RowChange::default()
    }
}

const fn delivered_again() -> Option<Delivered> {
    Some(Delivered { at: NOW, expires_at: NOW.plus_seconds(3_600) })
}

#[test]
fn a_send_makes_a_task_its_delivery_and_a_notice() {
    let send = send_task();
    let sent = decide(None, &Command::Send(send.clone()), &context(node("ada"))).unwrap();
    assert_eq!((sent.task_id, sent.from, sent.to), (task_id(2), None, Status::Delivered));
    assert_eq!((sent.actor, sent.event), (node("ada"), Some(Event::Sent)));
    let created = NewTask {
        id: task_id(2),
        network_id: network(),
        from: node("ada"),
        to: alias("bob"),
        kind: Kind::parse("delegation").unwrap(),
        attempt: 1,
        max_attempts: 3,
        runs: RunTerms::default(),
        ttl: TtlSeconds::default(),
        delivered_at: NOW,
        expires_at: NOW.plus_seconds(3_600),
        parent_task_id: None,
        retry_of: None,
        context_id: None,
    };
    let expected = Effects {
        created: Some(Box::new(created)),
        row: RowChange { delivery: Some(MessageId::from(&task_id(2))), ..RowChange::default() },
        delivery: None,
        notices: vec![(node("bob"), Notice::NewTask)],
    };
    assert_eq!(sent.effects, expected);
}

#[test]
fn a_send_to_nobody_is_refused() {
    let mut context = context(node("ada"));
    context.facts.recipient_exists = false;
    assert_eq!(decide(None, &Command::Send(send_task()), &context), Err(Refusal::AliasNotFound));
}

#[test]
fn a_parent_of_another_network_and_one_that_does_not_exist_are_refused_alike() {
    let mut send = send_task();
    send.parent_task_id = Some(parent().id);
    let with_parent = |parent: Option<ParentTask>| {
        let mut context = context(node("ada"));
        context.facts = Facts { parent, ..context.facts };
        decide(None, &Command::Send(send.clone()), &context).map(|sent| sent.to)
    };
    assert_eq!(with_parent(Some(parent())), Ok(Status::Delivered));
    let foreign = ParentTask { network_id: other_network(), ..parent() };
    assert_eq!(with_parent(Some(foreign)), Err(Refusal::CrossNetworkParent));
    assert_eq!(with_parent(None), Err(Refusal::CrossNetworkParent));
}

#[test]
fn a_delegation_from_a_user_is_refused_as_invalid_input() {
    let mut send = send_task();
    send.kind = Some(Kind::parse("delegation").unwrap());
    let refusal = decide(None, &Command::Send(send), &context(user("uma"))).unwrap_err();
    assert_eq!(refusal.code(), "invalid input");
}

#[test]
fn an_ack_takes_the_delivery_out_of_the_inbox() {
    let acked = by(node("bob"), &task(Status::Delivered), &Command::Ack).unwrap();
    let expected = RowChange { inbox: Some(InboxChange::Ack), ..RowChange::default() };
    assert_eq!((acked.to, acked.effects), (Status::Acked, row(expected)));
}

#[test]
fn an_ack_after_work_began_takes_the_delivery_and_leaves_the_status() {
    let working = TaskSnapshot { is_in_inbox: true, ..task(Status::Running) };
    let acked = by(node("bob"), &working, &Command::Ack).unwrap();
    assert!(!acked.is_move());
    let expected = RowChange { inbox: Some(InboxChange::Ack), ..RowChange::default() };
    assert_eq!((acked.event, acked.effects), (None, row(expected)));
}

#[test]
fn a_reported_start_leaves_the_delivery_to_be_acked() {
    let started = by(node("bob"), &task(Status::Delivered), &Command::Start).unwrap();
    assert_eq!(started.effects, row(RowChange { started_at: Some(NOW), ..RowChange::default() }));
}

#[test]
fn a_claim_grants_a_lease_and_hides_the_delivery() {
    let claim = Command::Claim { lease_id: lease_id(2), lease_seconds: lease_seconds(30) };
    let claimed = by(node("bob"), &task(Status::Delivered), &claim).unwrap();
    let lease = Lease { id: lease_id(2), deadline: MONOTONIC.plus_seconds(30) };
    let expected = RowChange {
        started_at: Some(NOW),
        lease: Some(LeaseUpdate::Grant { lease, expires_at: NOW.plus_seconds(30) }),
        inbox: Some(InboxChange::Hide),
        progress: Some(ProgressUpdate::Clear),
        ..RowChange::default()
    };
    assert_eq!(claimed.effects, row(expected));
    assert_eq!(claimed.event, Some(Event::Claimed { attempt: 1 }));
}

#[test]
fn progress_is_reported_under_the_lease_and_is_no_transition() {
    let progress = Progress { percent: Some(Percent::parse("percent", 40).unwrap()), message: None };
    let report =
        |lease, progress: &Progress| Command::ReportProgress { lease_id: lease, progress: progress.clone() };
    let reported = by(node("bob"), &leased(running_lease()), &report(lease_id(1), &progress)).unwrap();
    assert_eq!((reported.is_move(), &reported.event), (false, &None));
    let expected =
        RowChange { progress: Some(ProgressUpdate::Report(progress.clone())), ..RowChange::default() };
    assert_eq!(reported.effects, row(expected));
    let nothing =
        by(node("bob"), &leased(running_lease()), &report(lease_id(1), &Progress::default())).unwrap();
    assert_eq!(nothing.effects, Effects::default());
    for (held, named) in [(running_lease(), 2), (lapsed_lease(), 1)] {
        let refused = by(node("bob"), &leased(held), &report(lease_id(named), &progress));
        assert_eq!(refused, Err(Refusal::LeaseLost));
    }
    assert_eq!([0, 100].map(|percent| Percent::parse("percent", percent).unwrap().get()), [0, 100]);
    assert!([-1, 101, 256].iter().all(|percent| Percent::parse("percent", *percent).is_err()));
}

#[test]
fn an_extension_writes_no_event_and_never_shortens_the_lease() {
    let extend = |seconds| {
        let command = Command::Extend { lease_id: lease_id(1), lease_seconds: lease_seconds(seconds) };
        let extended = by(node("bob"), &leased(running_lease()), &command).unwrap();
        assert_eq!((extended.is_move(), extended.event), (false, None));
        extended.effects
    };
    let until = |seconds| {
        let lease = Lease { id: lease_id(1), deadline: MONOTONIC.plus_seconds(seconds) };
        let lease = Some(LeaseUpdate::Extend { lease, expires_at: NOW.plus_seconds(seconds) });
        row(RowChange { lease, ..RowChange::default() })
    };
    assert_eq!(extend(300), until(300));
    assert_eq!(extend(5), until(60), "the fixture's lease has a minute left");
}

#[test]
fn what_is_shared_before_the_end_leaves_a_row_of_history_and_changes_nothing_else() {
    let share = |lease| Command::ShareArtifact {
        lease_id: lease_id(lease),
        artifact_id: ArtifactId::parse("artifact_id", "plan").unwrap(),
    };
    let shared = by(node("bob"), &leased(running_lease()), &share(1)).unwrap();
    assert_eq!((shared.is_move(), &shared.effects), (false, &Effects::default()));
    assert_eq!(shared.event, Some(Event::ArtifactShared { artifact_id: "plan".to_owned() }));
    assert_eq!(by(node("bob"), &leased(running_lease()), &share(9)), Err(Refusal::LeaseLost));
    assert_eq!(by(node("bob"), &leased(lapsed_lease()), &share(1)), Err(Refusal::LeaseLost));
    let waiting = waiting_under(running_lease());
    assert_eq!(by(node("bob"), &waiting, &share(1)), Err(Refusal::TaskIsWaitingInput));
}

#[test]
fn a_lease_is_lost_the_moment_its_deadline_passes() {
    let late = leased(lapsed_lease());
    let extend = Command::Extend { lease_id: lease_id(1), lease_seconds: lease_seconds(60) };
    assert_eq!(by(node("bob"), &late, &extend), Err(Refusal::LeaseLost));
    assert_eq!(by(node("bob"), &late, &reply("done", Some(lease_id(1)))), Err(Refusal::LeaseLost));
}

#[test]
fn a_stale_lease_id_is_lost_and_naming_none_is_no_fault() {
    let working = leased(running_lease());
    assert_eq!(by(node("bob"), &working, &reply("done", Some(lease_id(9)))), Err(Refusal::LeaseLost));
    let ask = ask("which?", Some(lease_id(9)));
    assert_eq!(by(node("bob"), &working, &ask), Err(Refusal::LeaseLost));
    let result = ResultText::parse("result", "x").unwrap();
    let complete = Command::Complete { result, lease_id: Some(lease_id(9)) };
    assert_eq!(by(node("bob"), &working, &complete), Err(Refusal::LeaseLost));
    assert!(by(node("bob"), &working, &reply("done", None)).is_ok());
    assert!(by(node("bob"), &working, &reply("done", Some(lease_id(1)))).is_ok());
}

#[test]
fn a_lapse_delivers_the_task_again_with_its_whole_time() {
    let lapse = Command::LapseLease { lease_id: lease_id(1) };
    let lapsed = by(Principal::Hub, &leased(lapsed_lease()), &lapse).unwrap();
    let expected = RowChange {
        attempt: Some(2),
        delivered: delivered_again(),
        lease: Some(LeaseUpdate::End),
        inbox: Some(InboxChange::Show),
        ..RowChange::default()
    };
    let expected = Effects { notices: vec![(node("bob"), Notice::NewTask)], ..row(expected) };
    assert_eq!((lapsed.to, lapsed.actor), (Status::Delivered, Principal::Hub));
    assert_eq!(lapsed.effects, expected);
}

#[test]
fn a_lease_with_time_left_does_not_lapse() {
    let lapse = Command::LapseLease { lease_id: lease_id(1) };
    assert_eq!(by(Principal::Hub, &leased(running_lease()), &lapse), Err(Refusal::LeaseStillRuns));
}

#[test]
fn the_last_lapse_fails_the_task_and_tells_the_sender_why() {
    let last = TaskSnapshot { attempt: 3, ..leased(lapsed_lease()) };
    let failed = by(Principal::Hub, &last, &Command::LapseLease { lease_id: lease_id(1) }).unwrap();
    let text = "lease expired after 3 attempts";
    let expected = replied(ended(Some(text), Some(LeaseUpdate::End)), node("ada"), Status::Failed, text);
    assert_eq!((failed.to, failed.effects), (Status::Failed, expected));
}

#[test]
fn a_reply_sets_the_result_closes_every_delivery_and_reaches_the_sender() {
    let answered = by(node("bob"), &leased(running_lease()), &reply("done", Some(lease_id(1)))).unwrap();
    let row = ended(Some("done"), Some(LeaseUpdate::End));
    assert_eq!(answered.effects, replied(row, node("ada"), Status::Replied, "done"));
    assert_eq!(answered.event, Some(Event::Replied { ending: Ending::Replied }));
}

#[test]
fn a_rejection_fails_the_task_and_marks_its_row() {
    let text = ReplyText::parse("text", "not my job").unwrap();
    let command = Command::Reply { ending: Ending::Rejected, text, lease_id: None };
    let rejected = by(node("bob"), &task(Status::Delivered), &command).unwrap();
    let row = RowChange { is_rejected: true, ..ended(Some("not my job"), None) };
    assert_eq!(
        (rejected.to, rejected.event),
        (Status::Failed, Some(Event::Replied { ending: Ending::Rejected }))
    );
    assert_eq!(rejected.effects, replied(row, node("ada"), Status::Failed, "not my job"));
}

#[test]
fn a_completion_report_reaches_the_sender_like_a_reply() {
    let result = ResultText::parse("result", &"r".repeat(50_000)).unwrap();
    let completed =
        by(node("bob"), &task(Status::Acked), &Command::Complete { result: result.clone(), lease_id: None })
            .unwrap();
    assert_eq!(completed.to, Status::Replied);
    let row = ended(Some(result.as_str()), None);
    assert_eq!(completed.effects, replied(row, node("ada"), Status::Replied, result.as_str()));
}

#[test]
fn a_cancel_keeps_the_reason_clears_the_inbox_and_tells_worker_and_sender() {
    let cancelled = by(user("uma"), &leased(running_lease()), &cancel("not needed")).unwrap();
    let notice = Notice::TaskCancelled { reason: "not needed".to_owned() };
    let expected = Effects {
        notices: vec![(node("bob"), notice.clone()), (node("ada"), notice)],
        ..row(ended(Some("not needed"), Some(LeaseUpdate::End)))
    };
    assert_eq!((cancelled.to, cancelled.effects), (Status::Cancelled, expected));
}

#[test]
fn a_sender_who_cancels_is_not_told_and_no_reason_names_who_did_it() {
    for command in [Command::Cancel { reason: None }, cancel("")] {
        let cancelled = by(node("ada"), &task(Status::Delivered), &command).unwrap();
        let reason = "cancelled by ada".to_owned();
        assert_eq!(cancelled.effects.row.result, Some(reason.clone()));
        assert_eq!(cancelled.effects.notices, [(node("bob"), Notice::TaskCancelled { reason })]);
    }
}

#[test]
fn a_task_that_is_cancelled_with_its_parent_says_so_and_keeps_the_reason_as_its_result() {
    let child = TaskSnapshot { parent: Some(parent()), ..leased(running_lease()) };
    let reason = Some(Reason::parse("reason", "not needed").unwrap());
    let alone = by(user("uma"), &child, &Command::Cancel { reason: reason.clone() }).unwrap();
    let with_parent = by(user("uma"), &child, &Command::CancelWithParent { reason }).unwrap();
    assert_eq!(with_parent.event.as_ref().unwrap().to_string(), "cancelled with its parent");
    assert_eq!(with_parent.effects.row.result.as_deref(), Some("not needed"));
    // Everything else is as if it were cancelled by itself: the lease, the inbox and who gets notices.
    assert_eq!((with_parent.to, with_parent.effects), (alone.to, alone.effects));
    let by_ada = by(node("ada"), &task(Status::Acked), &Command::CancelWithParent { reason: None }).unwrap();
    assert_eq!(by_ada.effects.row.result.as_deref(), Some("cancelled by ada"));
}

#[test]
fn a_task_is_not_expired_before_its_time() {
    for status in [Status::Delivered, Status::Acked, Status::Running, Status::WaitingInput] {
        let early = TaskSnapshot { expires_at: NOW.plus_millis(1), ..task(status) };
        assert_eq!(by(Principal::Hub, &early, &Command::Expire), Err(Refusal::TaskNotOverdue), "{status}");
    }
}

#[test]
fn a_clock_that_was_put_ahead_does_not_expire_a_task_before_its_time_has_elapsed() {
    let expire = |elapsed_seconds: i64, jump_seconds: i64| {
        // Sent at NOW with an hour to live; the clock jumped at once, and then this much time passed.
        let mut watch = ClockWatch::new(NOW, MONOTONIC);
        let jumped = NOW.plus_millis(jump_seconds * 1_000);
        watch.observe(jumped, MONOTONIC);
        let sent = TaskSnapshot { expires_at: NOW.plus_seconds(3_600), ..task(Status::Delivered) };
        assert_eq!(sent.ttl.get(), 3_600);
        let now = jumped.plus_millis(elapsed_seconds * 1_000);
        let clock_jumps = watch.jumps().clone();
        let context = Context { now, clock_jumps, ..context(Principal::Hub) };
        decide(Some(&sent), &Command::Expire, &context).map(|expired| expired.to)
    };
    let not_yet = Err(Refusal::TaskNotOverdue);
    for (elapsed, jump, expected) in [
        (3_599, 0, not_yet.clone()),
        (3_600, 0, Ok(Status::Expired)),
        (0, 86_400, not_yet.clone()),
        (3_599, 86_400, not_yet.clone()),
        (3_600, 86_400, Ok(Status::Expired)),
        // A correction of up to a minute is followed.
        (3_540, 60, Ok(Status::Expired)),
        (3_540, 61, not_yet),
        // Put back it waits for the clock.
        (3_600, -86_400, Err(Refusal::TaskNotOverdue)),
    ] {
        assert_eq!(expire(elapsed, jump), expected, "{elapsed} s after a jump of {jump} s");
    }
}

#[test]
fn work_in_progress_expires_only_after_ten_minutes_of_silence() {
    let seen = |seconds_ago: i64| {
        let last_call_at = Some(NOW.plus_millis(-1_000 * seconds_ago));
        Context { facts: facts(Presence { last_call_at, ..Presence::NONE }), ..context(Principal::Hub) }
    };
    let expire = |status, seconds_ago| {
        decide(Some(&task(status)), &Command::Expire, &seen(seconds_ago)).map(|expired| expired.to)
    };
    for status in [Status::Acked, Status::Running] {
        assert_eq!(expire(status, 599), Err(Refusal::TaskNotOverdue));
        assert_eq!(expire(status, 600), Ok(Status::Expired));
    }
    assert_eq!(expire(Status::Delivered, 0), Ok(Status::Expired), "nobody had begun");
    let mut streaming = seen(600);
    streaming.facts.assignee.is_connected = true;
    assert_eq!(
        decide(Some(&task(Status::Running)), &Command::Expire, &streaming),
        Err(Refusal::TaskNotOverdue)
    );
}

#[test]
fn an_expiry_tells_the_sender_and_sets_no_result() {
    let expired = by(Principal::Hub, &task(Status::Delivered), &Command::Expire).unwrap();
    let text = "the task expired before it was answered";
    assert_eq!(expired.effects, replied(ended(None, None), node("ada"), Status::Expired, text));
}

#[test]
fn the_end_of_a_child_is_told_to_both_ends_of_its_parent() {
    let child = TaskSnapshot { parent: Some(parent()), ..task(Status::Running) };
    let ends = [
        (by(node("bob"), &child, &reply("done", None)), Status::Replied),
        (by(node("ada"), &child, &cancel("no")), Status::Cancelled),
        (by(Principal::Hub, &child, &Command::Expire), Status::Expired),
    ];
    for (ended, status) in ends {
        let notice =
            Notice::ChildReply { parent_task_id: parent().id, child_task_id: child.id.clone(), status };
        let told = [(user("paula"), notice.clone()), (node("ada"), notice)];
        assert!(ended.unwrap().effects.notices.ends_with(&told), "{status}");
    }
}

#[test]
fn a_parent_one_sent_to_oneself_is_told_once() {
    let own = ParentTask { from: node("ada"), ..parent() };
    let child = TaskSnapshot { parent: Some(own), ..task(Status::Running) };
    let replied = by(node("bob"), &child, &reply("done", None)).unwrap();
    let notices = &replied.effects.notices;
    let told = notices.iter().filter(|(_, notice)| matches!(notice, Notice::ChildReply { .. }));
    assert_eq!(told.count(), 1);
}

#[test]
fn a_retry_makes_a_new_task_with_the_same_sender_and_time_and_touches_nothing_old() {
    let old = TaskSnapshot { attempt: 3, parent: Some(parent()), ..task(Status::Failed) };
    let retried = by(user("uma"), &old, &Command::Retry { new_task_id: task_id(2) }).unwrap();
    assert_eq!((retried.task_id, retried.from, retried.actor), (task_id(2), None, user("uma")));
    assert_eq!(retried.event, Some(Event::Retried { retry_of: old.id.clone() }));
    let new = retried.effects.created.unwrap();
    assert_eq!((&new.id, &new.from, &new.to), (&task_id(2), &old.from, &old.to));
    assert_eq!((new.ttl, new.attempt, &new.kind), (old.ttl, 1, &old.kind));
    assert_eq!((&new.retry_of, &new.parent_task_id), (&Some(old.id.clone()), &Some(parent().id)));
    assert_eq!(retried.effects.row.delivery, Some(MessageId::from(&task_id(2))));
    assert_eq!(
        (retried.effects.delivery, retried.effects.notices),
        (None, vec![(node("bob"), Notice::NewTask)])
    );
}

#[test]
fn a_second_retry_names_the_first_ones_task() {
    let old = TaskSnapshot { retried_to: Some(task_id(5)), ..task(Status::Cancelled) };
    let got = by(node("ada"), &old, &Command::Retry { new_task_id: task_id(2) });
    assert_eq!(got, Err(Refusal::AlreadyRetried { retried_to: task_id(5) }));
}

#[test]
fn a_retry_or_reassign_to_nobody_is_refused() {
    let mut context = context(node("ada"));
    context.facts.recipient_exists = false;
    let retry = Command::Retry { new_task_id: task_id(2) };
    assert_eq!(decide(Some(&task(Status::Failed)), &retry, &context), Err(Refusal::AliasNotFound));
    let reassign = Command::Reassign { new_alias: alias("carl") };
    assert_eq!(decide(Some(&task(Status::Acked)), &reassign, &context), Err(Refusal::AliasNotFound));
}

#[test]
fn a_reassign_voids_lease_and_deliveries_and_delivers_to_the_new_alias() {
    let working = TaskSnapshot { attempt: 2, ..leased(running_lease()) };
    let reassigned = by(node("ada"), &working, &Command::Reassign { new_alias: alias("carl") }).unwrap();
    let expected = RowChange {
        assignee: Some(alias("carl")),
        delivered: delivered_again(),
        lease: Some(LeaseUpdate::End),
        inbox: Some(InboxChange::AckEvery),
        delivery: Some(message_id()),
        ..RowChange::default()
    };
    let notices = vec![(node("bob"), Notice::TaskReassigned), (node("carl"), Notice::NewTask)];
    let expected = Effects { notices, ..row(expected) };
    assert_eq!(reassigned.effects, expected);
    assert_eq!(reassigned.event, Some(Event::Reassigned { from: alias("bob"), to: alias("carl") }));
}

#[test]
fn a_delegation_is_not_reassigned_to_its_own_sender() {
    let back = Command::Reassign { new_alias: alias("ada") };
    assert_eq!(by(user("uma"), &task(Status::Acked), &back).unwrap_err().code(), "invalid input");
}

#[test]
fn a_question_ends_the_lease_and_asks_the_sender() {
    let ask = ask("which branch?", Some(lease_id(1)));
    let asked = by(node("bob"), &leased(running_lease()), &ask).unwrap();
    let row = RowChange { lease: Some(LeaseUpdate::End), ..asked_row() };
    assert_eq!((asked.to, asked.effects), (Status::WaitingInput, said(row, node("ada"), "which branch?")));
}

/// What a question leaves in the row of a task whose lease it keeps.
fn asked_row() -> RowChange {
    RowChange {
        expires_at: Some(NOW.plus_seconds(604_800)),
        inbox: Some(InboxChange::Hide),
        ..RowChange::default()
    }
}

#[test]
fn a_question_may_keep_the_lease_it_is_asked_under() {
    let asked = by(node("bob"), &leased(running_lease()), &ask_keeping("which?", lease_id(1))).unwrap();
    assert_eq!((asked.to, asked.effects), (Status::WaitingInput, said(asked_row(), node("ada"), "which?")));
    for stale in [leased(lapsed_lease()), task(Status::Running)] {
        let refused = by(node("bob"), &stale, &ask_keeping("which?", lease_id(1)));
        assert_eq!(refused, Err(Refusal::LeaseLost));
    }
}

#[test]
fn an_answer_to_a_worker_that_waits_goes_on_under_its_lease() {
    let answered = by(node("ada"), &waiting_under(running_lease()), &answer("main")).unwrap();
    let row = RowChange {
        expires_at: Some(NOW.plus_seconds(3_600)),
        inbox: Some(InboxChange::AckOthers),
        ..RowChange::default()
    };
    assert_eq!((answered.to, answered.effects), (Status::Running, said(row, node("bob"), "main")));
}

#[test]
fn an_answer_after_the_lease_ran_out_delivers_the_task_again_and_ends_the_lease() {
    let answered = by(node("ada"), &waiting_under(lapsed_lease()), &answer("main")).unwrap();
    let row = &answered.effects.row;
    assert_eq!((answered.to, &row.lease), (Status::Delivered, &Some(LeaseUpdate::End)));
    assert_eq!((row.delivered, &row.delivery), (delivered_again(), &Some(delivery_id())));
}

#[test]
fn a_lease_that_lapses_while_the_task_waits_costs_no_attempt_and_the_question_stands() {
    let last = TaskSnapshot { attempt: 3, ..waiting_under(lapsed_lease()) };
    let lapsed = by(Principal::Hub, &last, &Command::LapseLease { lease_id: lease_id(1) }).unwrap();
    let row = RowChange { lease: Some(LeaseUpdate::End), ..RowChange::default() };
    assert_eq!(lapsed.event, Some(Event::LeaseLapsedWaiting));
    assert_eq!((lapsed.to, lapsed.effects), (Status::WaitingInput, self::row(row)));
}

#[test]
fn a_task_that_waits_expires_by_the_questions_time_and_ends_its_lease() {
    let asked = by(node("bob"), &leased(running_lease()), &ask_keeping("which?", lease_id(1))).unwrap();
    let row = asked.effects.row;
    let waiting = TaskSnapshot { expires_at: row.expires_at.unwrap(), ..waiting_under(running_lease()) };
    let at = |seconds: u32| Context { now: NOW.plus_seconds(seconds), ..context(Principal::Hub) };
    let expire = |seconds| decide(Some(&waiting), &Command::Expire, &at(seconds));
    assert_eq!(expire(604_799), Err(Refusal::TaskNotOverdue), "the time of the send does not count");
    let expired = expire(604_800).unwrap();
    assert_eq!((expired.to, expired.effects.row.lease), (Status::Expired, Some(LeaseUpdate::End)));
}

#[test]
fn a_clock_that_was_put_ahead_does_not_expire_a_question() {
    let mut watch = ClockWatch::new(NOW, MONOTONIC);
    let jumped = NOW.plus_seconds(30 * 86_400);
    watch.observe(jumped, MONOTONIC);
    let waiting = TaskSnapshot { expires_at: NOW.plus_seconds(604_800), ..task(Status::WaitingInput) };
    let expire = |now| {
        let context = Context { now, clock_jumps: watch.jumps().clone(), ..context(Principal::Hub) };
        decide(Some(&waiting), &Command::Expire, &context).map(|expired| expired.to)
    };
    assert_eq!(expire(jumped.plus_seconds(604_799)), Err(Refusal::TaskNotOverdue));
    assert_eq!(expire(jumped.plus_seconds(604_800)), Ok(Status::Expired));
}

#[test]
fn an_answer_that_is_no_option_is_refused_with_the_options() {
    let asked = || {
        let question = QuestionTerms { options: options(&["main", "dev"]), ..QuestionTerms::default() };
        let facts = Facts { question, ..facts(Presence::NONE) };
        Context { facts, ..context(node("ada")) }
    };
    for waiting in [task(Status::WaitingInput), waiting_under(running_lease())] {
        for text in ["master", "Main", "main "] {
            let refusal = decide(Some(&waiting), &answer(text), &asked()).unwrap_err();
            assert_eq!(refusal, Refusal::NotAnOption { options: vec!["main".into(), "dev".into()] });
            assert_eq!(refusal.message(), "the answer must be exactly one of the options: \"main\", \"dev\"");
        }
        assert!(decide(Some(&waiting), &answer("dev"), &asked()).is_ok());
    }
}

fn answer(text: &str) -> Command {
    Command::Answer { text: MessageText::parse("message", text).unwrap() }
}

#[test]
fn an_answer_delivers_the_task_again_together_with_the_answer() {
    let answered = by(node("ada"), &task(Status::WaitingInput), &answer("main")).unwrap();
    let row = RowChange {
        delivered: delivered_again(),
        inbox: Some(InboxChange::AckEvery),
        delivery: Some(delivery_id()),
        ..RowChange::default()
    };
    let mut expected = said(row, node("bob"), "main");
    expected.notices.push((node("bob"), Notice::NewTask));
    assert_eq!(answered.effects.first_delivery(), Some(&delivery_id()), "the task's own");
    assert_eq!((answered.to, answered.effects), (Status::Delivered, expected));
}

#[test]
fn only_the_hub_lapses_and_expires() {
    for command in [Command::Expire, Command::LapseLease { lease_id: lease_id(1) }] {
        let got = by(node("bob"), &leased(lapsed_lease()), &command);
        assert_eq!(got, Err(Refusal::PermissionDenied));
    }
}

#[test]
fn the_detail_of_every_event_reads_as_a_plain_text() {
    let details = [
        (Event::Sent, "sent"),
        (Event::Claimed { attempt: 2 }, "claimed, attempt 2"),
        (Event::LeaseLapsed { attempt: 2 }, "lease lapsed, delivered again as attempt 2"),
        (Event::LeaseLapsedWaiting, "lease lapsed while waiting for input"),
        (Event::GivenUp { attempts: 3 }, "lease expired after 3 attempts"),
        (Event::ArtifactShared { artifact_id: "plan".to_owned() }, "artifact plan shared"),
        (Event::Replied { ending: Ending::Failed }, "reply: failed"),
        (Event::Replied { ending: Ending::Rejected }, "reply: rejected"),
        (Event::Cancelled { reason: "no".to_owned() }, "no"),
        (Event::Reassigned { from: alias("bob"), to: alias("carl") }, "reassigned from bob to carl"),
    ];
    for (event, detail) in details {
        assert_eq!(event.to_string(), detail);
    }
}

fn with_terms(task: TaskSnapshot, backoff: i64, timeout: Option<i64>) -> TaskSnapshot {
    let runs = RunTerms {
        retry_backoff: RetryBackoffSeconds::parse("retry_backoff_seconds", backoff).unwrap(),
        run_timeout: timeout.map(|timeout| RunTimeoutSeconds::parse("run_timeout_seconds", timeout).unwrap()),
    };
    TaskSnapshot { runs, ..task }
}

#[test]
fn a_run_has_its_time_from_its_beginning_and_none_once_it_is_over() {
    let claim = Command::Claim { lease_id: lease_id(2), lease_seconds: lease_seconds(30) };
    let waiting = with_terms(task(Status::Delivered), 0, Some(60));
    let due = |transition: baton_core::Transition| transition.effects.row.due;
    let whole = Some(DueChange::At(NOW.plus_seconds(60)));
    assert_eq!(due(by(node("bob"), &waiting, &claim).unwrap()), whole);
    assert_eq!(due(by(node("bob"), &waiting, &Command::Start).unwrap()), whole);
    let running = TaskSnapshot {
        due_at: Some(NOW.plus_seconds(5)),
        ..with_terms(leased(running_lease()), 0, Some(60))
    };
    let extend = Command::Extend { lease_id: lease_id(1), lease_seconds: lease_seconds(30) };
    assert_eq!(due(by(node("bob"), &running, &extend).unwrap()), None, "an extension gives it no more time");
    assert_eq!(due(by(node("bob"), &running, &ask("x", None)).unwrap()), Some(DueChange::Never));
    assert_eq!(due(by(node("bob"), &running, &reply("x", None)).unwrap()), Some(DueChange::Never));
    let answered = with_terms(waiting_under(running_lease()), 0, Some(60));
    assert_eq!(
        due(by(node("ada"), &answered, &answer("x")).unwrap()),
        whole,
        "after an answer it has its whole time"
    );
    assert_eq!(by(Principal::Hub, &running, &Command::ComeDue), Err(Refusal::TaskNotOverdue));
}

#[test]
fn a_run_past_its_time_fails_with_run_timeout_and_only_the_hub_says_so() {
    let late = TaskSnapshot { due_at: Some(NOW), ..with_terms(leased(running_lease()), 0, Some(60)) };
    let failed = by(Principal::Hub, &late, &Command::ComeDue).unwrap();
    let row = RowChange { due: Some(DueChange::Never), ..ended(Some("run_timeout"), Some(LeaseUpdate::End)) };
    assert_eq!(failed.event, Some(Event::RunTimedOut));
    assert_eq!(
        (failed.to, failed.effects),
        (Status::Failed, replied(row, node("ada"), Status::Failed, "run_timeout"))
    );
    assert_eq!(by(node("bob"), &late, &Command::ComeDue), Err(Refusal::PermissionDenied));
}

#[test]
fn a_lapse_with_a_pause_delivers_again_when_the_pause_is_over() {
    let running = with_terms(leased(lapsed_lease()), 30, None);
    let lapsed = by(Principal::Hub, &running, &Command::LapseLease { lease_id: lease_id(1) }).unwrap();
    let due_at = NOW.plus_seconds(30);
    assert_eq!((lapsed.to, lapsed.effects.row.due), (Status::Delivered, Some(DueChange::At(due_at))));
    assert_eq!(lapsed.effects.row.inbox, Some(InboxChange::Hide));
    assert!(lapsed.effects.notices.is_empty(), "nobody is to look yet");
    let pausing = TaskSnapshot {
        due_at: Some(due_at),
        is_in_inbox: false,
        ..with_terms(task(Status::Delivered), 30, None)
    };
    assert_eq!(by(Principal::Hub, &pausing, &Command::ComeDue), Err(Refusal::TaskNotOverdue));
    let over = TaskSnapshot { due_at: Some(NOW), ..pausing.clone() };
    let delivered = by(Principal::Hub, &over, &Command::ComeDue).unwrap();
    assert_eq!((delivered.is_move(), &delivered.event), (false, &None));
    assert_eq!(delivered.effects.row.inbox, Some(InboxChange::Show));
    assert_eq!(delivered.effects.row.due, Some(DueChange::Never));
    assert_eq!(delivered.effects.notices, [(node("bob"), Notice::NewTask)]);
    let reassign = Command::Reassign { new_alias: alias("carl") };
    let reassigned = by(node("ada"), &pausing, &reassign).unwrap();
    assert_eq!(reassigned.effects.row.due, Some(DueChange::Never), "another agent has it at once");
}

#[test]
fn a_clock_put_ahead_ends_no_run_before_its_time_has_elapsed() {
    let mut context = context(Principal::Hub);
    let due_at = NOW.plus_seconds(60);
    let running = TaskSnapshot { due_at: Some(due_at), ..with_terms(leased(running_lease()), 0, Some(60)) };
    let mut watch = ClockWatch::new(NOW, MONOTONIC);
    watch.observe(NOW.plus_seconds(3_601), MONOTONIC.plus_seconds(1));
    (context.now, context.clock_jumps) = (NOW.plus_seconds(3_601), watch.jumps().clone());
    assert_eq!(decide(Some(&running), &Command::ComeDue, &context), Err(Refusal::TaskNotOverdue));
    context.now = NOW.plus_seconds(3_660);
    assert_eq!(decide(Some(&running), &Command::ComeDue, &context).unwrap().to, Status::Failed);
}
