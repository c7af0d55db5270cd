//! Tests of the binary, as it is run.

#![allow(clippy::unwrap_used)]

mod it {
    mod adapt;
    mod bundle;
    mod damage;
    #[allow(dead_code, unreachable_pub)] // shared with the evidence crate's own tests, which use all of it
    #[path = "../../../baton-evidence/tests/it/forge.rs"]
    mod forge;
    mod hostile;
    mod independent;
    mod memory;
    mod program;
}
