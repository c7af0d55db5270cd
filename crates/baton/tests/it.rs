//! Tests of the binary, as it is run.

#![allow(clippy::unwrap_used)]

mod it {
    mod gate;
    mod http;
    mod hub;
    mod hub_start;
    mod limits;
    mod tls;
}
