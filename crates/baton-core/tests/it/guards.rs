//! Bounds of texts and times, presence, and the login guard.

use baton_core::{
    InputTtlSeconds, LeaseSeconds, Presence, QuestionOptions, Reason, Refusal, TaskText, TtlSeconds,
    WaitSeconds, limits, login_lock_seconds,
};

use super::fixtures::NOW;

#[test]
fn short_texts_are_counted_in_characters_and_long_ones_in_bytes() {
    for (text, is_reason) in
        [("龍".repeat(1_000), true), ("龍".repeat(1_001), false), ("a".repeat(1_001), false)]
    {
        assert_eq!(Reason::parse("reason", &text).is_ok(), is_reason);
    }
    const MOST: usize = limits::TEXT_MAX_BYTES;
    for (text, is_task) in
        [("龍".repeat(MOST / 3), true), ("a".repeat(MOST), true), ("é".repeat(MOST / 2) + "a", false)]
    {
        assert_eq!(TaskText::parse("task", &text).is_ok(), is_task);
    }
    assert!(Reason::parse("reason", "").is_ok());
}

#[test]
fn a_refused_text_names_its_field_and_its_bound() {
    let refusal = TaskText::parse("task", "").unwrap_err();
    assert_eq!(refusal.code(), "invalid input");
    assert_eq!(refusal.message(), "task must not be empty");
    let refusal = TaskText::parse("task", &"x".repeat(limits::TEXT_MAX_BYTES + 1)).unwrap_err();
    assert_eq!(refusal.message(), "task must be at most 1048576 bytes of UTF-8");
    let refusal = Reason::parse("reason", &"x".repeat(1_001)).unwrap_err();
    assert_eq!(refusal.message(), "reason must be at most 1000 characters");
}

#[test]
fn seconds_keep_their_bounds_and_defaults() {
    for (seconds, is_ok) in
        [(-1, false), (0, false), (1, true), (2_592_000, true), (2_592_001, false), (1 << 40, false)]
    {
        assert_eq!(TtlSeconds::parse("ttl_seconds", seconds).is_ok(), is_ok, "ttl {seconds}");
        let input_ttl = InputTtlSeconds::parse("input_ttl_seconds", seconds);
        assert_eq!(input_ttl.is_ok(), is_ok, "input ttl {seconds}");
    }
    for (seconds, is_ok) in [(4, false), (5, true), (3_600, true), (3_601, false)] {
        assert_eq!(LeaseSeconds::parse("lease_seconds", seconds).is_ok(), is_ok, "lease {seconds}");
    }
    for (seconds, is_ok) in [(-1, false), (0, true), (50, true), (51, false)] {
        assert_eq!(WaitSeconds::parse("wait_seconds", seconds).is_ok(), is_ok, "wait {seconds}");
    }
    assert_eq!(TtlSeconds::default().get(), 3_600);
    assert_eq!(InputTtlSeconds::default().get(), 604_800);
    assert_eq!(LeaseSeconds::default().get(), 60);
    assert_eq!(WaitSeconds::default().get(), 0);
    let refusal: Refusal = LeaseSeconds::parse("lease_seconds", 4).unwrap_err();
    assert_eq!(refusal.message(), "lease_seconds must be 5 to 3600 seconds");
}

#[test]
fn options_are_few_short_plain_and_different() {
    let parse = |options: &[&str]| {
        QuestionOptions::parse(options.iter().map(|option| (*option).to_owned()).collect())
    };
    let (ten, eleven): (Vec<_>, Vec<_>) =
        ((0..10).map(|n| n.to_string()).collect(), (0..11).map(|n| n.to_string()).collect());
    let long = "龍".repeat(80);
    for options in [vec![], vec!["yes", "no"], ten.iter().map(|text| &**text).collect(), vec![&*long]] {
        assert!(parse(&options).is_ok(), "{options:?}");
    }
    let longer = "龍".repeat(81);
    for options in [
        eleven.iter().map(|text| &**text).collect(),
        vec![&*longer],
        vec![""],
        vec![" a"],
        vec!["a "],
        vec!["a\nb"],
        vec!["a\u{1b}b"],
        vec!["a", "b", "a"],
    ] {
        assert_eq!(parse(&options).unwrap_err().code(), "invalid input", "{options:?}");
    }
}

#[test]
fn an_agent_is_offline_after_a_minute_without_any_sign_of_life() {
    let called = Presence { last_call_at: Some(NOW), ..Presence::NONE };
    assert!(!called.is_offline(NOW.plus_millis(59_999)));
    assert!(called.is_offline(NOW.plus_seconds(60)));
    assert!(!Presence { is_connected: true, ..called }.is_offline(NOW.plus_seconds(60)));
    assert!(!Presence { holds_lease: true, ..called }.is_offline(NOW.plus_seconds(60)));
    assert!(Presence::NONE.is_offline(NOW));
}

#[test]
fn the_fifth_failed_login_locks_for_thirty_seconds_doubling_to_fifteen_minutes() {
    let locks: Vec<u32> = (3..12).map(login_lock_seconds).collect();
    assert_eq!(locks, [0, 0, 30, 60, 120, 240, 480, 900, 900]);
    assert_eq!(login_lock_seconds(u32::MAX), 900);
}
