//! The rules, tested from outside: what other crates can see is what is tested.

// A fixture that does not parse is a failing test, not an error to handle.
#![allow(clippy::unwrap_used)]

mod it {
    mod access_table;
    mod aliases;
    mod clock_jumps;
    mod delegation;
    mod effects;
    mod fixtures;
    mod guards;
    mod ids;
    mod limits;
    mod limits_page;
    mod names;
    mod networks;
    mod properties;
    mod refusals;
    mod state_table;
}
