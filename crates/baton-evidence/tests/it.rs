//! Tests of the evidence crate, over its public face.

#![allow(clippy::unwrap_used)]

mod it {
    mod accepted;
    mod canonical;
    mod content_hash;
    mod damage;
    mod event_line;
    mod forge;
    mod limits;
    mod lines;
    mod note;
    mod side_file;
    mod time;
    mod tree;
    mod whole_file;
    mod writer;
}
