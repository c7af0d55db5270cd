//! A primary and its read-only replica: a hub does not start on the replica, and finds the primary among several hosts.

use super::super::fixtures::insert_network;
use super::own_server::{OwnServer, new_folder, program, run};
use super::settings;
use baton_store::{Error, PostgresOptions, PostgresStore, Store, inspect_postgres};
use std::sync::Arc;

/// A primary and its replica, with a database.
fn pair() -> (OwnServer, OwnServer) {
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
    (primary, replica)
}

#[test]
fn a_replica_is_refused_and_of_several_hosts_the_one_that_accepts_writes_is_used() {
    let (primary, replica) = pair();
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

/// A replica that is behind lacks what was acknowledged, and a backup made of it would too.
#[tokio::test]
async fn whoever_only_reads_reads_the_primary_and_a_replica_if_there_is_no_primary() {
    let (primary, replica) = pair();
    let both = format!("postgres://postgres@127.0.0.1:{},127.0.0.1:{}/hub", replica.port, primary.port);
    let options = PostgresOptions { lanes: 1, readers: 1, ..PostgresOptions::default() };
    let store: Arc<dyn Store> =
        Arc::new(PostgresStore::open(&settings(&both), options, Arc::new(|_| {})).unwrap());
    store.write(|tx| insert_network(tx, 1)).await.unwrap();
    let count_at = |address: &str| {
        inspect_postgres(&settings(address), |rows| -> Result<u64, Error> { rows.network_count() })
    };
    // The replica has what is there so far, and no more from now on.
    while count_at(&replica.address("hub")).ok() != Some(1) {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    super::run_on(&replica.address("hub"), "SELECT pg_wal_replay_pause()");
    store.write(|tx| insert_network(tx, 2)).await.unwrap();
    assert_eq!(count_at(&both).unwrap(), 2);
    store.close();
    drop(primary);
    assert_eq!(count_at(&both).unwrap(), 1);
}
