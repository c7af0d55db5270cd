//! Tests of the binary, as it is run.

// A test says what it saw; what it cannot read is a failure.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod it {
    mod gate;
    mod http;
    mod hub;
    mod hub_start;
    mod limits;
    mod tls;
}
