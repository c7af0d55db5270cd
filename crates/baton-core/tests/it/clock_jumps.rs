//! Jumps of the wall clock: what counts as one, and when something is due after it.

use baton_core::{ClockMove, ClockWatch, MonotonicMillis, UnixMillis, limits};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

fn at(millis: i64) -> UnixMillis {
    UnixMillis::new(millis)
}

/// A clock that was right for an hour, and then was moved by each of these, a minute of elapsed time apart.
fn moved(moves: &[i64]) -> (ClockWatch, UnixMillis) {
    let mut watch = ClockWatch::new(at(0), MonotonicMillis::new(0));
    let (mut wall, mut elapsed) = (HOUR, HOUR);
    assert_eq!(watch.observe(at(wall), MonotonicMillis::new(elapsed)), None);
    for by in moves {
        elapsed += MINUTE;
        wall += MINUTE + by;
        watch.observe(at(wall), MonotonicMillis::new(elapsed));
    }
    (watch, at(wall))
}

#[test]
fn only_more_than_a_minute_against_elapsed_time_is_a_jump() {
    let ahead = |millis| Some(ClockMove::Ahead { millis });
    let back = |millis| Some(ClockMove::Back { millis });
    let table = [
        (0, 0, None),
        (DAY, DAY, None),
        (DAY + MINUTE, DAY, None),
        (DAY - MINUTE, DAY, None),
        (MINUTE + 1, 0, ahead(MINUTE + 1)),
        (DAY, 0, ahead(DAY)),
        (DAY, HOUR, ahead(DAY - HOUR)),
        (-MINUTE, 0, None),
        (-MINUTE - 1, 0, back(MINUTE + 1)),
        (-DAY, HOUR, back(DAY + HOUR)),
    ];
    for (wall_by, elapsed_by, expected) in table {
        let mut watch = ClockWatch::new(at(DAY), MonotonicMillis::new(HOUR));
        let seen = watch.observe(at(DAY + wall_by), MonotonicMillis::new(HOUR + elapsed_by));
        assert_eq!(seen, expected, "wall {wall_by}, elapsed {elapsed_by}");
    }
}

#[test]
fn what_was_set_before_a_jump_is_due_by_elapsed_time_and_what_was_set_after_it_by_the_clock() {
    // (moves of the clock, when it was set, how far the clock is ahead for it)
    let table: [(&[i64], i64, i64); 12] = [
        (&[], 0, 0),
        (&[DAY], 0, DAY),
        (&[DAY], HOUR, DAY),
        (&[DAY], HOUR + MINUTE + DAY, 0),
        // Set back again, in part or wholly or by more.
        (&[DAY, -DAY], 0, 0),
        (&[DAY, -HOUR], 0, DAY - HOUR),
        (&[DAY, -2 * DAY], 0, 0),
        // Back alone holds nothing back.
        (&[-DAY], 0, 0),
        // Two jumps, and something between them.
        (&[DAY, HOUR], 0, DAY + HOUR),
        (&[DAY, HOUR], HOUR + MINUTE + DAY, HOUR),
        (&[DAY, HOUR], HOUR + 2 * MINUTE + DAY + HOUR, 0),
        (&[DAY, HOUR, -2 * HOUR], 0, DAY - HOUR),
    ];
    for (moves, set_at, ahead) in table {
        let (watch, now) = moved(moves);
        let felt = watch.jumps().now_since(at(set_at), now);
        assert_eq!(now.get() - felt.get(), ahead, "{moves:?}, set at {set_at}");
    }
}

#[test]
fn what_is_due_lies_in_a_range_and_what_is_held_back_in_none() {
    let (watch, now) = moved(&[DAY]);
    let jumps = watch.jumps();
    let is_looked_at =
        |due: i64| jumps.due_ranges(now).iter().any(|(after, to)| *after < at(due) && at(due) <= *to);
    let table = [
        (HOUR, true),               // was due before the jump
        (HOUR + MINUTE, true),      // is due by elapsed time
        (HOUR + MINUTE + 1, false), // has time left, though the clock is past it
        (DAY, false),
        (now.get() + 1, false), // ahead of the clock
    ];
    for (due, expected) in table {
        assert_eq!(is_looked_at(due), expected, "{due}");
    }
    // Later, something that was set after the jump is due.
    let later = now.plus_millis(10_000);
    assert!(jumps.due_ranges(later).contains(&(now, later)));
    let (steady, now) = moved(&[]);
    assert_eq!(steady.jumps().due_ranges(now), [(at(i64::MIN), now)]);
}

#[test]
fn jumps_without_end_are_counted_together_and_hold_nothing_back_for_less() {
    let many = vec![2 * HOUR; 3 * limits::CLOCK_JUMPS_MAX_COUNT];
    let (watch, now) = moved(&many);
    let total = 2 * HOUR * i64::try_from(many.len()).unwrap();
    assert_eq!(watch.jumps().now_without(now), now.plus_millis(-total));
    assert!(watch.jumps().due_ranges(now).len() <= limits::CLOCK_JUMPS_MAX_COUNT + 1);
}
