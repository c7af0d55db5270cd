//! Tests of the binary, as it is run.

#![allow(clippy::unwrap_used)]

mod it {
    mod http;
    mod hub;
}
