//! Tests of the adapter, over its public face.

#![allow(clippy::unwrap_used)]

mod it {
    mod attachments;
    mod fixtures;
    mod freeze;
    mod packets;
    mod properties;
    mod schema;
    mod vectors;
}
