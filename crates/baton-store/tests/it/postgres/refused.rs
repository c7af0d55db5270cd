//! Databases that are not opened, each with a sentence that says why; and nothing in them is changed.

use super::super::postgres::{empty_database, forget, run_on};
use baton_store::{Error, PostgresOptions, PostgresStore};
use std::sync::Arc;

fn refusal(address: &str) -> String {
    match PostgresStore::open(address, PostgresOptions::default(), Arc::new(|_| {})) {
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
    assert!(said.contains("error connecting"), "{said}");
    assert!(refusal("postgres://[").contains("is not valid"));
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
    assert!(said.contains("password authentication failed"), "{said}");
    assert!(!said.contains("wrong"), "{said}");
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
    PostgresStore::open(&address, PostgresOptions::default(), Arc::new(|_| {}))
        .map(|store| baton_store::Store::close(&store))
        .unwrap();
    run_on(&address, "INSERT INTO baton_schema (version, name) VALUES (999, 'later')");
    let said = refusal(&address);
    assert!(said.contains("newer baton") && said.contains("schema 999"), "{said}");
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
                    PostgresStore::open(&address, PostgresOptions::default(), Arc::new(|_| {})).unwrap();
                baton_store::Store::close(&store);
            });
        }
    });
    forget(folder.path());
}
