//! Tests of the adapter, over its public face.

#![allow(clippy::unwrap_used)]

mod it {
    mod attachments;
    mod export;
    mod exporter;
    mod fixtures;
    mod format_page;
    mod freeze;
    mod order;
    mod packets;
    mod properties;
    mod reading;
    mod rerun;
    mod schema;
    mod shape;
    mod typed;
    mod vectors;
}
