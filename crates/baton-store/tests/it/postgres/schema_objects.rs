//! What the migrations create, as `baton hub check` expects it, and what the check says of a database that was changed.

use super::super::fixtures::insert_network;
use super::{hubs, named_in, run_on, settings};
use baton_store::{Error, inspect_postgres};
use std::path::Path;
use tokio_postgres::NoTls;

const QUERY: &str = include_str!("../../../src/postgres/schema_objects.sql");
const LISTED: &str = "src/postgres/schema_objects.txt";

fn differences(address: &str) -> Vec<String> {
    inspect_postgres(&settings(address), |rows| -> Result<_, Error> { rows.schema_differences() }).unwrap()
}

/// The objects of a database, a line for each.
async fn objects_of(address: &str) -> String {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let rows = client.query(QUERY, &[]).await.unwrap();
    let line = |row: &tokio_postgres::Row| {
        let [kind, name, definition] =
            ["kind", "name", "definition"].map(|column| row.get::<_, String>(column));
        format!("{kind}\t{name}\t{definition}\n")
    };
    let objects = rows.iter().map(line).collect();
    drop(client);
    connection.await.unwrap().unwrap();
    objects
}

#[tokio::test]
async fn the_list_of_objects_is_what_the_migrations_create() {
    let (folder, _hubs) = hubs();
    let address = named_in(folder.0.path()).unwrap();
    let objects = objects_of(&address).await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(LISTED);
    if std::env::var_os("BATON_BLESS").is_some() {
        std::fs::write(&path, &objects).unwrap();
    }
    let listed = std::fs::read_to_string(&path).unwrap();
    let differs = objects.lines().zip(listed.lines()).find(|(found, listed)| found != listed);
    assert_eq!(differs, None, "BATON_BLESS=1 writes {LISTED}");
    assert_eq!(objects.lines().count(), listed.lines().count(), "BATON_BLESS=1 writes {LISTED}");
}

#[tokio::test]
async fn a_schema_that_was_changed_is_named_by_the_check() {
    let (folder, [hub, _]) = hubs();
    hub.write(|tx| insert_network(tx, 1)).await.unwrap();
    let address = named_in(folder.0.path()).unwrap();
    assert_eq!(differences(&address), Vec::<String>::new());
    let changes = [
        (
            "ALTER TABLE tasks DISABLE TRIGGER a_terminal_task_never_changes",
            "trigger tasks a_terminal_task_never_changes is missing",
        ),
        ("DROP INDEX push_configs_by_network", "index push_configs_by_network is missing"),
        (
            "CREATE OR REPLACE FUNCTION evidence_stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$",
            "function evidence_stays() differs",
        ),
        ("ALTER TABLE networks ALTER COLUMN name DROP NOT NULL", "table networks differs"),
    ];
    let count = changes.len();
    for (n, (change, named)) in changes.into_iter().enumerate() {
        run_on(&address, change);
        let found = differences(&address);
        assert_eq!(found.len(), n + 1, "{found:?}");
        assert!(found.iter().any(|difference| difference.starts_with(named)), "{found:?}");
    }
    // Whatever was added is not the hub's.
    run_on(&address, "CREATE TABLE somebody_elses (n bigint)");
    assert_eq!(differences(&address).len(), count);
}
