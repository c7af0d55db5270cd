//! Tests of the store: the contract every engine must pass.
