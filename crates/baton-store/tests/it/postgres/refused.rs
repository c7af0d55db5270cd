//! Databases that are not opened, each with a sentence that says why; and nothing in them is changed.

use super::super::postgres::{empty_database, forget, run_on, settings};
use baton_store::{Error, PostgresOptions, PostgresStore};
use std::sync::Arc;

fn refusal(address: &str) -> String {
    match PostgresStore::open(&settings(address), PostgresOptions::default(), Arc::new(|_| {})) {
        Err(error @ Error::Unavailable(_)) => error.cause(),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("{address} was opened"),
    }
}

#[test]
fn a_database_that_is_not_there_or_not_reached_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let address = empty_database(folder.path());
    let elsewhere = address.replace("dbname=", "dbname=no_such_");
    let said = refusal(&elsewhere);
    assert!(said.contains("no_such_") && said.contains("does not exist"), "{said}");
    let said = refusal(&format!("host={} user=postgres", folder.path().display()));
    assert!(said.contains("cannot connect to PostgreSQL") && said.contains("No such file"), "{said}");
    let said = refusal("postgres://postgres@127.0.0.1:1/hub");
    assert!(said.contains("127.0.0.1:1") && said.contains("refused"), "{said}");
    forget(folder.path());
}

#[test]
fn a_wrong_password_is_said_to_be_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let address = empty_database(folder.path());
    run_on(
        &address,
        "DO $$ BEGIN CREATE ROLE needs_password LOGIN PASSWORD 'right'; EXCEPTION WHEN duplicate_object THEN END $$",
    );
    let said = refusal(&address.replace("user=postgres", "user=needs_password password=wrong"));
    assert!(
        said.contains("password authentication failed") && said.contains("--store-password-file"),
        "{said}"
    );
    assert!(!said.contains("wrong"), "{said}");
    let said = refusal(&address.replace("user=postgres", "user=needs_password"));
    assert!(said.contains("asks for a password, and none is set"), "{said}");
    forget(folder.path());
}

#[test]
fn a_database_of_something_else_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let address = empty_database(folder.path());
    run_on(&address, "CREATE TABLE invoices (id bigint)");
    let said = refusal(&address);
    assert!(said.contains("not a Baton database"), "{said}");
    run_on(&address, "CREATE TABLE users (id bigint); CREATE TABLE baton_schema_is_not_there (id bigint)");
    forget(folder.path());
}

#[test]
fn a_database_of_a_newer_schema_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let address = empty_database(folder.path());
    PostgresStore::open(&settings(&address), PostgresOptions::default(), Arc::new(|_| {}))
        .map(|store| baton_store::Store::close(&store))
        .unwrap();
    run_on(&address, "INSERT INTO baton_schema (version, name) VALUES (999, 'later')");
    let said = refusal(&address);
    assert!(said.contains("newer baton") && said.contains("schema 999"), "{said}");
    forget(folder.path());
}

#[test]
fn a_newer_schema_is_used_as_long_as_it_says_that_this_program_can() {
    let folder = tempfile::tempdir().unwrap();
    let address = empty_database(folder.path());
    let open = || PostgresStore::open(&settings(&address), PostgresOptions::default(), Arc::new(|_| {}));
    open().map(|store| baton_store::Store::close(&store)).unwrap();
    // A newer release has added something, and its hubs run beside this one.
    let added = "ALTER TABLE users ADD COLUMN nickname text; CREATE TABLE later (id bigint);
                 INSERT INTO baton_schema (version, name, min_reader) VALUES (998, 'expand', 30)";
    run_on(&address, added);
    open().map(|store| baton_store::Store::close(&store)).unwrap();
    // A later one has removed what older programs need.
    run_on(&address, "INSERT INTO baton_schema (version, name, min_reader) VALUES (999, 'contract', 998)");
    let said = refusal(&address);
    assert!(said.contains("newer baton") && said.contains("schema 999"), "{said}");
    forget(folder.path());
}

#[test]
fn a_hub_waits_for_another_that_is_migrating() {
    let folder = tempfile::tempdir().unwrap();
    let address = empty_database(folder.path());
    // Whoever migrates is not done until another waits for it.
    let address_of_other = address.clone();
    let (locked, is_locked) = std::sync::mpsc::channel();
    let other = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&address_of_other, tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(connection);
            client.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(7085498)").await.unwrap();
            locked.send(()).unwrap();
            let waits = "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
                         WHERE locktype = 'advisory' AND NOT granted AND datname = current_database())";
            while !client.query_one(waits, &[]).await.unwrap().get::<_, bool>(0) {
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
            client.batch_execute("ROLLBACK").await.unwrap();
        });
    });
    is_locked.recv().unwrap();
    let store =
        PostgresStore::open(&settings(&address), PostgresOptions::default(), Arc::new(|_| {})).unwrap();
    baton_store::Store::close(&store);
    other.join().unwrap();
    forget(folder.path());
}

#[test]
fn of_several_hubs_that_start_at_once_one_migrates_and_all_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let address = empty_database(folder.path());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let store =
                    PostgresStore::open(&settings(&address), PostgresOptions::default(), Arc::new(|_| {}))
                        .unwrap();
                baton_store::Store::close(&store);
            });
        }
    });
    forget(folder.path());
}
