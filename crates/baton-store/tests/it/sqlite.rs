//! What only the embedded engine promises: the trigger holds against plain SQL. (That no query scans is checked
//! where statements are prepared, in `sqlite/plans.rs`, so every test checks it.)

use super::engine::{Engine, sqlite};
use super::fixtures::{insert_task, network, task_id, with_network};
use baton_core::Status;
use baton_store::Error;
use baton_store::rows::TaskChange;

/// The database file as another process sees it, through its own connection.
fn open_beside(engine: &Engine) -> rusqlite::Connection {
    rusqlite::Connection::open(engine.folder.path().join("hub.db")).unwrap()
}

#[tokio::test]
async fn the_trigger_refuses_plain_sql_too() {
    let engine = Engine::new(sqlite);
    with_network(&*engine.store).await;
    engine
        .store
        .write(|tx| -> Result<(), Error> {
            insert_task(tx, 1, 1, "coder")?;
            tx.change_task(
                &network(1),
                &task_id(1),
                Status::Delivered,
                Status::Cancelled,
                &TaskChange::default(),
            )
        })
        .await
        .unwrap();
    let beside = open_beside(&engine);
    for sql in [
        "UPDATE tasks SET status = 'delivered'",
        "UPDATE tasks SET result = 'x'",
        "UPDATE tasks SET attempt = 2",
    ] {
        let refused = beside.execute(sql, []).unwrap_err().to_string();
        assert!(refused.contains("a terminal task never changes"), "{refused}");
    }
}
