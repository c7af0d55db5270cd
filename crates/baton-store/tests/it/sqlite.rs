//! What only the embedded engine promises: no listed query scans, and the trigger holds against plain SQL.

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

#[tokio::test]
async fn no_listed_query_scans() {
    let engine = Engine::new(sqlite);
    with_network(&*engine.store).await;
    let beside = open_beside(&engine);
    for (what, sql) in [
        ("a task by id", "SELECT * FROM tasks WHERE task_id = ?1"),
        (
            "tasks of a network",
            "SELECT * FROM tasks t WHERE t.network_id = ?1 AND t.status = ?2 AND t.seq < ?3 ORDER BY t.seq DESC LIMIT 5",
        ),
        (
            "tasks to an alias",
            "SELECT * FROM tasks t WHERE t.network_id = ?1 AND t.to_name = ?2 AND t.seq < ?3 ORDER BY t.seq DESC LIMIT 5",
        ),
        (
            "tasks from a name",
            "SELECT * FROM tasks t WHERE t.network_id = ?1 AND t.from_name = ?2 AND t.seq < ?3 ORDER BY t.seq DESC LIMIT 5",
        ),
        ("events of a task", "SELECT * FROM task_events WHERE task_id = ?1 ORDER BY n DESC LIMIT 5"),
        ("events of a network", "SELECT * FROM task_events WHERE network_id = ?1 ORDER BY id DESC LIMIT 5"),
        (
            "an inbox",
            "SELECT * FROM deliveries d WHERE d.network_id = ?1 AND d.to_name = ?2 AND d.to_kind = ?3 AND d.state = 0 ORDER BY d.priority, d.seq LIMIT 5",
        ),
        (
            "messages",
            "SELECT * FROM deliveries d WHERE d.network_id = ?1 AND d.created_at >= ?2 ORDER BY d.created_at DESC, d.seq DESC LIMIT 5",
        ),
        ("a task's deliveries", "SELECT * FROM deliveries WHERE task_id = ?1 AND state < 2"),
        ("a delivery", "SELECT * FROM deliveries WHERE message_id = ?1 AND state < 2"),
        (
            "a stream",
            "SELECT * FROM feed WHERE network_id = ?1 AND to_name = ?2 AND to_kind = ?3 AND n > ?4 ORDER BY n LIMIT 5",
        ),
        ("a network's stream", "SELECT * FROM feed WHERE network_id = ?1 AND n > ?2 ORDER BY n LIMIT 5"),
        (
            "completions",
            "SELECT * FROM completions c WHERE c.network_id = ?1 AND c.completed_at >= ?2 ORDER BY c.completed_at DESC, c.id DESC LIMIT 5",
        ),
        ("due leases", "SELECT * FROM leases WHERE deadline <= ?1 ORDER BY deadline LIMIT 5"),
        (
            "overdue tasks",
            "SELECT * FROM tasks WHERE status IN ('delivered', 'acked', 'running', 'waiting_input') AND expires_at <= ?1 ORDER BY expires_at, seq LIMIT 5",
        ),
        ("a token", "SELECT * FROM tokens WHERE hash = ?1 AND revoked_at IS NULL"),
        ("an alias", "SELECT * FROM tokens WHERE network_id = ?1 AND alias = ?2 AND revoked_at IS NULL"),
        ("memberships", "SELECT * FROM members WHERE user_id = ?1"),
    ] {
        let mut explain = beside.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        for n in 1..=explain.parameter_count() {
            explain.raw_bind_parameter(n, "x").unwrap();
        }
        let mut plan = explain.raw_query();
        while let Some(step) = plan.next().unwrap() {
            let step: String = step.get("detail").unwrap();
            assert!(!step.starts_with("SCAN") && !step.contains("TEMP B-TREE"), "{what}: {step}");
        }
    }
}
