//! Tests of the binary, as it is run.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod it {
    mod a2a;
    mod adapt;
    mod agents;
    mod artifacts;
    mod browser;
    mod bundle;
    mod claimable;
    mod cli;
    mod clients;
    mod cluster;
    mod corpus;
    mod crash;
    mod damage;
    mod described;
    mod disk;
    mod docs;
    mod edges;
    mod entry_bundles;
    mod evidence;
    mod evidence_cli;
    mod export;
    #[allow(dead_code)] // shared with the adapter's own tests, which use all of it
    #[path = "../../../baton-adapter/tests/it/exporter.rs"]
    mod exporter;
    mod figures;
    #[allow(dead_code)] // shared with the evidence crate's own tests, which use all of it
    #[path = "../../../baton-evidence/tests/it/forge.rs"]
    mod forge;
    mod gate;
    mod handoff;
    mod history;
    mod hostile;
    mod http;
    mod hub;
    mod hub_check;
    mod hub_start;
    mod independent;
    mod isolation;
    mod keep;
    mod limits;
    mod long_texts;
    mod memory;
    mod models;
    mod module_order;
    mod observe;
    mod outside;
    #[allow(dead_code, unreachable_pub)] // shared with the tests of the store
    #[path = "../../../baton-store/tests/it/postgres/own_server.rs"]
    mod own_server;
    mod packaging;
    #[allow(dead_code)] // shared with the store's own tests, which use the rest of it
    #[path = "../../../baton-store/tests/it/postgres/server.rs"]
    mod postgres;
    mod program;
    mod progress;
    mod push;
    mod races;
    mod random;
    mod remote;
    mod reset_user;
    mod seed;
    mod settings;
    mod shim;
    mod small_disk;
    mod tenant;
    mod tls;
    mod tool;
    mod torture;
    mod tree;
    mod triggers;
    mod web;
    mod work;
}
