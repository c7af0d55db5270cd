//! Tests of the binary, as it is run.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod it {
    mod bench;
    mod crash;
    mod edges;
    mod history;
    mod http;
    mod hub;
    mod isolation;
    mod races;
    mod seed;
    mod tenant;
    mod tool;
}
