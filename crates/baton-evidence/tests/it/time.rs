//! Timestamps as they are taken and printed.

use baton_evidence::time::Time;
use proptest::prelude::*;

#[test]
fn accepted_forms_are_printed_in_utc_with_the_fewest_exact_digits() {
    for (text, printed) in [
        ("2026-03-04T05:06:07Z", "2026-03-04T05:06:07Z"),
        ("2026-03-04t05:06:07z", "2026-03-04T05:06:07Z"),
        ("2026-03-04 05:06:07.5+01:30", "2026-03-04T03:36:07.500Z"),
        ("2026-03-04T05:06:07.1234567Z", "2026-03-04T05:06:07.123456700Z"),
        ("2026-03-04T05:06:07.123456789999Z", "2026-03-04T05:06:07.123456789Z"),
        ("2026-03-04T05:06:07.000Z", "2026-03-04T05:06:07Z"),
        ("2026-03-04T05:06:60Z", "2026-03-04T05:06:60Z"),
        ("2026-03-04T05:06:60.25Z", "2026-03-04T05:06:60.250Z"),
        ("2026-03-04T05:06:07\u{2212}03:00", "2026-03-04T08:06:07Z"),
        ("2026-03-04T05:06:07-23:59", "2026-03-05T05:05:07Z"),
        ("9999-12-31T23:59:59-12:00", "+10000-01-01T11:59:59Z"),
        ("0000-01-01T00:00:00+01:00", "-0001-12-31T23:00:00Z"),
        ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"),
    ] {
        assert_eq!(Time::parse(text).unwrap().to_string(), printed, "{text}");
    }
}

#[test]
fn other_forms_are_no_time() {
    for text in [
        "",
        "yesterday",
        "2026-03-04",
        "2026-03-04T05:06:07",
        "2026-03-04T05:06Z",
        "2026-03-04  05:06:07Z",
        "2026-03-04T05:06:61Z",
        "2026-03-04T24:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "26-03-04T05:06:07Z",
        "12026-03-04T05:06:07Z",
        "+2026-03-04T05:06:07Z",
        "2026-03-04T05:06:07.Z",
        "2026-03-04T05:06:07+24:00",
        "2026-03-04T05:06:07+0130",
        "2026-03-04T05:06:07+01",
        "2026-03-04T05:06:07+01:60",
        " 2026-03-04T05:06:07Z",
        "2026-03-04T05:06:07Z ",
    ] {
        assert_eq!(Time::parse(text), None, "{text}");
    }
}

#[test]
fn the_time_of_a_packet_that_gives_none_is_the_contract_s() {
    assert_eq!(Time::UNKNOWN.to_string(), "2023-11-16T02:00:00Z");
}

/// Times of every sort, as chrono prints them: the oracle of what is printed by hand.
fn printed_by_chrono(seconds: i64, nanos: u32) -> Option<String> {
    let time = chrono::DateTime::from_timestamp(seconds, nanos)?;
    Some(time.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true))
}

proptest! {
    #[test]
    fn every_millisecond_is_printed_as_chrono_does(millis in prop_oneof![
        any::<i64>(), -70_000_000_000_000..300_000_000_000_000_i64, 0..4_000_000_000_000_i64
    ]) {
        let printed = printed_by_chrono(millis.div_euclid(1000), millis.rem_euclid(1000) as u32 * 1_000_000);
        let time = Time::from_unix_millis(millis);
        prop_assert_eq!(time.map(|time| time.to_string()), printed.clone());
        if let (Some(time), Some(printed)) = (time, printed) {
            prop_assert_eq!(time.is_rfc_3339(), Time::parse(&printed) == Some(time));
            prop_assert_eq!(serde_json::to_string(&time).unwrap(), format!("\"{printed}\""));
        }
    }

    #[test]
    fn every_nanosecond_and_leap_second_is_printed_as_chrono_does(
        seconds in -62_200_000_000..253_500_000_000_i64,
        nanos in prop_oneof![0..2_000_000_000_u32, (0..2_000_u32).prop_map(|millis| millis * 1_000_000)],
    ) {
        let Some(printed) = printed_by_chrono(seconds, nanos) else { return Ok(()) };
        if let Some(time) = Time::parse(&printed) {
            prop_assert_eq!(time.to_string(), printed);
        }
    }
}
