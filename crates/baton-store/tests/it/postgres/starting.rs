//! A hub that is started while its server starts up or recovers: it waits.

use super::own_server::{OwnServer, give, new_cluster, program, run};
use super::settings;
use baton_store::{PostgresOptions, PostgresStore, Store};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a server says to whoever connects too early.
const TOO_EARLY: &str = "the database system is not accepting connections";

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < until, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_hub_waits_for_a_server_that_is_recovering() {
    // A standby that accepts no reads says what a server says that recovers, until it is promoted.
    let folder = new_cluster(|data| {
        let signal = data.join("standby.signal");
        std::fs::write(&signal, "").unwrap();
        give(&signal);
    });
    let data = folder.path().join("data");
    let server = OwnServer::launch(folder, &["hot_standby=off"]);
    let turned_away = || server.log().matches(TOO_EARLY).count();
    let asks = server.port.to_string();
    wait_until("the server listens", || {
        // 1: it rejects connections; 2: nobody answers.
        program("pg_isready").args(["-q", "-h", "127.0.0.1", "-p", &asks]).status().unwrap().code() == Some(1)
    });
    let (before, address) = (turned_away(), server.address("postgres"));
    let opening = std::thread::spawn(move || {
        let options = PostgresOptions { lanes: 1, readers: 1, ..PostgresOptions::default() };
        PostgresStore::open(&settings(&address), options, Arc::new(|_| {})).map(|store| store.close())
    });
    wait_until("the hub has tried more than once", || turned_away() > before + 1 || opening.is_finished());
    run(program("pg_ctl").arg("-D").arg(&data).args(["promote", "-w"]));
    opening.join().unwrap().unwrap();
}
