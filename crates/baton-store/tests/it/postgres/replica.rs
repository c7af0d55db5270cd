//! A primary and its read-only replica: a hub does not start on the replica, and finds the primary among several hosts.

use super::own_server::{OwnServer, new_folder, program, run};
use super::settings;
use baton_store::{PostgresOptions, PostgresStore, Store};
use std::sync::Arc;

#[test]
fn a_replica_is_refused_and_of_several_hosts_the_one_that_accepts_writes_is_used() {
    let primary = OwnServer::start(&["wal_level=replica"], |_| {});
    super::run_on(&primary.address("postgres"), "CREATE DATABASE hub");
    let folder = new_folder();
    let mut copy = program("pg_basebackup");
    run(copy
        .args(["-h", "127.0.0.1", "-U", "postgres", "-R", "-X", "stream", "-c", "fast", "-p"])
        .arg(primary.port.to_string())
        .arg("-D")
        .arg(folder.path().join("data")));
    let replica = OwnServer::start_on(folder, &[]);
    let open = |address: &str| {
        let options = PostgresOptions { lanes: 1, readers: 1, ..PostgresOptions::default() };
        PostgresStore::open(&settings(address), options, Arc::new(|_| {})).map(|store| store.close())
    };
    for attributes in ["read-write", "any"] {
        let error =
            open(&format!("{} target_session_attrs={attributes}", replica.address("hub"))).unwrap_err();
        assert!(error.cause().contains("read-only replica"), "{attributes}: {error}");
    }
    let (first, second) = (replica.port, primary.port);
    open(&format!("postgres://postgres@127.0.0.1:{first},127.0.0.1:{second}/hub")).unwrap();
    // Nobody listens on the first, and the second is the replica: both are named.
    let error = open(&format!("postgres://postgres@127.0.0.1:1,127.0.0.1:{first}/hub")).unwrap_err();
    assert!(error.cause().contains("127.0.0.1:1: ") && error.cause().contains("replica"), "{error}");
}
