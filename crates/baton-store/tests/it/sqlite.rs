//! What only the embedded engine promises: the triggers hold against plain SQL, older databases are migrated. (That no query scans is checked
//! where statements are prepared, in `sqlite/plans.rs`, so every test checks it.)

mod copies;
mod probes;

use super::engine::{Engine, clock, sqlite};
use super::fixtures::{
    NOW, alias, insert_task, move_delivery, network, node, remove_network, task_id, user, with_network,
};
use baton_core::Status;
use baton_core::limits::ENTRY_BUNDLED_MAX_BYTES;
use baton_store::rows::{CheckpointRow, InboxState, LeafPage, NewLeaf, TaskChange};
use baton_store::{
    EntryBundle, Error, Inbox, Share, Snapshot, SqliteOptions, SqliteStore, Store, Transaction, WhenEmpty,
};
use flate2::{Compress, Compression, FlushCompress};
use refinery_core::{Runner, Target};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

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
async fn no_task_is_deleted_by_plain_sql() {
    let engine = Engine::new(sqlite);
    with_network(&*engine.store).await;
    engine.store.write(|tx| insert_task(tx, 1, 1, "coder")).await.unwrap();
    let end = TaskChange { completed_at: Some(NOW), ..TaskChange::default() };
    let ended = move |tx: &mut dyn Transaction| {
        insert_task(tx, 1, 2, "coder")?;
        tx.change_task(&network(1), &task_id(2), Status::Delivered, Status::Failed, &end)
    };
    engine.store.write(ended).await.unwrap();
    for _ in 0..2 {
        let refused = open_beside(&engine).execute("DELETE FROM tasks", []).unwrap_err().to_string();
        assert!(refused.contains("a task leaves only by retention"), "{refused}");
        // Once one has left, those that have not ended are still held.
        engine.store.write(|tx| tx.remove_task(&task_id(2), NOW.plus_seconds(1))).await.unwrap();
    }
}

#[test]
fn a_database_of_a_newer_schema_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hub.db");
    first_release(&path);
    let newer = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) VALUES (999, 'x', '', '1')";
    rusqlite::Connection::open(&path).unwrap().execute(newer, []).unwrap();
    let refused = SqliteStore::open(&path, SqliteOptions::default(), clock(), Arc::new(|_| {})).unwrap_err();
    assert!(refused.to_string().contains("written by a newer baton: it has schema 999"), "{refused}");
}

#[tokio::test]
async fn evidence_is_neither_changed_nor_deleted_by_plain_sql() {
    let engine = Engine::new(sqlite);
    with_network(&*engine.store).await;
    engine
        .store
        .write(|tx| {
            tx.append_leaf(NewLeaf {
                network_id: &network(1),
                index: 0,
                about: None,
                event: b"event",
                packet: b"packet",
            })
        })
        .await
        .unwrap();
    let beside = open_beside(&engine);
    for (sql, why) in [
        ("UPDATE evidence SET event = x'00'", "evidence never changes"),
        ("UPDATE evidence SET packet = x'00'", "evidence never changes"),
        ("UPDATE evidence SET place = place + 1", "evidence never changes"),
        ("UPDATE evidence SET about = 'x'", "evidence never changes"),
        ("DELETE FROM evidence", "evidence stays as long as its log"),
    ] {
        let refused = beside.execute(sql, []).unwrap_err().to_string();
        assert!(refused.contains(why), "{sql}: {refused}");
    }
}

/// A log of 300 signed entries, 256 of them in a bundle; one of these is long and keeps its row.
async fn with_a_bundle(engine: &Engine) {
    with_network(&*engine.store).await;
    let fill = |tx: &mut dyn Transaction| -> Result<(), Error> {
        for index in 0..300 {
            let event = vec![b'e'; if index == 7 { ENTRY_BUNDLED_MAX_BYTES + 1 } else { 10 }];
            let (network_id, about) = (&network(1), (index == 3).then(|| task_id(1)));
            tx.append_leaf(NewLeaf {
                network_id,
                index,
                about: about.as_ref(),
                event: &event,
                packet: b"p",
            })?;
        }
        let row = CheckpointRow { size: 300, root: [0; 32], note: String::new(), sealed_at: NOW };
        assert!(tx.put_checkpoint(&network(1), None, &row)?);
        let tail = tx.entries_to_bundle(&network(1), 256, usize::MAX)?.remove(0);
        assert!(tx.put_entry_bundle(&network(1), 0, &EntryBundle::pack(&tail.entries)?)?);
        Ok(())
    };
    engine.store.write(fill).await.unwrap();
}

#[tokio::test]
async fn entry_bundles_are_neither_changed_deleted_nor_counted_by_plain_sql() {
    let engine = Engine::new(sqlite);
    with_a_bundle(&engine).await;
    let beside = open_beside(&engine);
    let count = |table: &str| -> i64 {
        beside.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    assert_eq!([count("evidence"), count("entry_bundles"), count("entry_tasks")], [45, 1, 1]);
    for (sql, why) in [
        ("UPDATE entry_bundles SET events = x'00'", "entry bundles never change"),
        ("UPDATE entry_bundles SET first = first + 256", "entry bundles never change"),
        ("DELETE FROM entry_bundles", "entry bundles stay as long as their log"),
        (
            "INSERT INTO entry_bundles SELECT first + 1, events, packets FROM entry_bundles",
            "follow each other",
        ),
        (
            "INSERT OR REPLACE INTO entry_bundles SELECT first, x'00', packets FROM entry_bundles",
            "follow each other",
        ),
        (
            "INSERT INTO entry_bundles SELECT first + 512, events, packets FROM entry_bundles",
            "follow each other",
        ),
        ("UPDATE entry_tasks SET about = 'x'", "the task of an entry never changes"),
        ("DELETE FROM entry_tasks", "stays as long as its log"),
        ("UPDATE logs SET bundled = 0", "counts the bundles it has"),
        ("UPDATE logs SET bundled = 257", "counts the bundles it has"),
        ("UPDATE logs SET bundled = 512", "counts the bundles it has"),
        // The row that a long entry keeps, and the tail.
        ("DELETE FROM evidence WHERE length(event) > 16384", "evidence stays as long as its log"),
        ("DELETE FROM evidence WHERE length(event) < 16384", "evidence stays as long as its log"),
    ] {
        let refused = beside.execute(sql, []).unwrap_err().to_string();
        assert!(refused.contains(why), "{sql}: {refused}");
    }
    // Entries that are not signed are not counted, even if their bundle is there.
    beside
        .execute("INSERT INTO entry_bundles SELECT first + 256, events, packets FROM entry_bundles", [])
        .unwrap();
    let refused = beside.execute("UPDATE logs SET bundled = 512", []).unwrap_err().to_string();
    assert!(refused.contains("of signed entries"), "{refused}");
}

#[tokio::test]
async fn events_are_read_without_their_packets_and_each_bundle_once_a_page() {
    let engine = Engine::new(sqlite);
    with_a_bundle(&engine).await;
    let statements = baton_store::Statements::of(&engine.folder.path().join("hub.db"));
    let page = LeafPage { from: 0, to: 300, limit: 300, bytes: usize::MAX, with_packets: false };
    assert_eq!(engine.store.read(move |rows| rows.leaves(&network(1), page)).await.unwrap().len(), 300);
    let ran = statements.take();
    let of_bundles: Vec<_> = ran.iter().filter(|sql| sql.contains("FROM entry_bundles")).collect();
    assert_eq!(of_bundles, ["SELECT events, NULL AS packets FROM entry_bundles WHERE first = ?1"]);
}

#[tokio::test]
async fn a_damaged_bundle_is_an_error_and_takes_no_more_memory_than_a_whole_one() {
    let mut engine = Engine::new(sqlite);
    with_a_bundle(&engine).await;
    let page = LeafPage { from: 0, to: 300, limit: 300, bytes: usize::MAX, with_packets: true };
    let mut bomb = Compress::new(Compression::fast(), true);
    let mut bytes = Vec::with_capacity(1 << 20);
    bomb.compress_vec(&vec![0; 64 << 20], &mut bytes, FlushCompress::Finish).unwrap();
    for (sql, bytes, why) in [
        ("UPDATE entry_bundles SET events = ?1", &bytes[..], "inflates to more than 4194816 bytes"),
        ("UPDATE entry_bundles SET events = substr(events, 1, 9 + length(?1))", b"", "cut short"),
        ("DELETE FROM entry_bundles WHERE ?1 IS NOT NULL", b"", "is missing"),
    ] {
        engine.store.close();
        change_without_triggers(&open_beside(&engine), sql, bytes);
        engine.reopen(sqlite);
        let refused = engine.store.read(move |rows| rows.leaves(&network(1), page)).await.unwrap_err();
        assert!(refused.to_string().contains("the entry bundle at 0"), "{refused}");
        assert!(refused.to_string().contains(why), "{refused}");
    }
    let tail = LeafPage { from: 256, ..page };
    assert_eq!(engine.store.read(move |rows| rows.leaves(&network(1), tail)).await.unwrap().len(), 44);
}

/// Changes one row as whoever has the file can.
fn change_without_triggers(beside: &rusqlite::Connection, sql: &str, bytes: &[u8]) {
    let mut triggers = beside.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").unwrap();
    let triggers = triggers.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let triggers: Vec<(String, String)> = triggers.collect::<Result<_, _>>().unwrap();
    triggers.iter().for_each(|(name, _)| beside.execute_batch(&format!("DROP TRIGGER {name}")).unwrap());
    assert_eq!(beside.execute(sql, [bytes]).unwrap(), 1);
    triggers.iter().for_each(|(_, sql)| beside.execute_batch(sql).unwrap());
}

fn migrations() -> Runner {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
    Runner::new(&refinery_core::load_sql_migrations(folder).unwrap())
}

/// A database as the first release left it: one task that is open, one that has ended, each with its event.
fn first_release(path: &std::path::Path) {
    let mut connection = rusqlite::Connection::open(path).unwrap();
    migrations().set_target(Target::Version(1)).run(&mut connection).unwrap();
    let tables = "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'evidence'";
    assert_eq!(connection.query_row(tables, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    for (n, status) in [(1, "running"), (2, "cancelled"), (3, "delivered")] {
        let (task, network) = (task_id(n).to_string(), network(1).to_string());
        connection
            .execute(
                "INSERT INTO tasks (task_id, network_id, from_kind, from_name, to_name, kind, priority, status, content,
                    attempt, max_attempts, ttl_seconds, created_at, delivered_at, expires_at)
                 VALUES (?1, ?2, 'node', 'lead', 'coder', 'request', 'normal', ?3, 'text', 1, 3, 3600, 1, 1, 9)",
                [&task, &network, status],
            )
            .unwrap();
        connection
            .execute(
                "INSERT INTO task_events (network_id, task_id, n, to_status, actor_kind, actor, detail, created_at)
                 VALUES (?2, ?1, 1, ?3, 'node', 'lead', 'sent', 1)",
                [&task, &network, status],
            )
            .unwrap();
    }
}

#[tokio::test]
async fn a_database_of_the_first_release_gets_salts_and_its_old_events_no_place_in_a_log() {
    let folder = tempfile::tempdir().unwrap();
    first_release(&folder.path().join("hub.db"));
    let mut engine = Engine::new(sqlite);
    engine.store.close();
    engine.folder = folder;
    engine.reopen(sqlite);
    let salts = engine
        .store
        .read(|rows| -> Result<_, Error> {
            assert_eq!(rows.log_size(&network(1))?, 0);
            for n in 1..=3 {
                let history = rows.task_history(&task_id(n))?;
                assert_eq!((history.len(), history[0].log_index), (1, None));
            }
            (1..=3).map(|n| Ok(rows.task_salt(&task_id(n))?.unwrap())).collect::<Result<Vec<_>, Error>>()
        })
        .await
        .unwrap();
    assert_eq!(salts.iter().map(Vec::len).collect::<Vec<_>>(), [16, 0, 16], "who has ended needs none");
    assert_ne!(salts[0], salts[2]);
}

/// Also what holds when a start is killed in the middle of it: the migrations and the note of them are one transaction.
#[test]
fn an_upgrade_that_cannot_be_finished_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hub.db");
    first_release(&path);
    let beside = rusqlite::Connection::open(&path).unwrap();
    // In the way of a later migration.
    beside.execute_batch("CREATE TABLE errands (x)").unwrap();
    let open = || SqliteStore::open(&path, SqliteOptions::default(), clock(), Arc::new(|_| {}));
    let Err(refused) = open() else { panic!("it was opened") };
    let refused = refused.to_string();
    assert!(refused.contains("errands"), "{refused}");
    let number = |sql| beside.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(number("SELECT MAX(version) FROM refinery_schema_history"), 1);
    assert_eq!(number("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'evidence'"), 0);

    beside.execute_batch("DROP TABLE errands").unwrap();
    open().unwrap().close();
    assert!(number("SELECT MAX(version) FROM refinery_schema_history") > 1);
}

/// A database before remote tasks had names of their own: a task that is out, a receiver that is open and one that is not.
fn before_errands(path: &std::path::Path) {
    let mut connection = rusqlite::Connection::open(path).unwrap();
    migrations().set_target(Target::Version(5)).run(&mut connection).unwrap();
    let (task, network) = (task_id(1).to_string(), network(1).to_string());
    let sql = "INSERT INTO users (user_id, username, role, password_hash, created_at) VALUES (?1, 'user1', 'user', '', 1)";
    connection.execute(sql, [user(1).as_str()]).unwrap();
    let sql = "INSERT INTO networks (network_id, name, owner_id, created_at, updated_at) VALUES (?1, 'n', ?2, 1, 1)";
    connection.execute(sql, [&*network, user(1).as_str()]).unwrap();
    let sql = "INSERT INTO remote_tasks VALUES (?1, ?2, 'scout', NULL, 'there-1', 'context', NULL, 2, 7)";
    connection.execute(sql, [&task, &network]).unwrap();
    for (name, is_open) in [("closed", 0), ("open", 1)] {
        connection
            .execute(
                "INSERT INTO push_configs (task_id, config_id, network_id, owner_kind, owner, user_id, url, token, scheme,
                    credentials, created_at, delivered, is_open)
                 VALUES (?1, ?3, ?2, 'node', 'lead', ?4, 'https://a.example/', 't', 'Bearer', 'c', 1, 1, ?5)",
                rusqlite::params![task, network, name, user(1).as_str(), is_open],
            )
            .unwrap();
    }
}

#[tokio::test]
async fn a_database_from_before_errands_keeps_what_is_out_and_forgets_what_closed_receivers_knew() {
    let folder = tempfile::tempdir().unwrap();
    before_errands(&folder.path().join("hub.db"));
    let mut engine = Engine::new(sqlite);
    engine.store.close();
    engine.folder = folder;
    engine.reopen(sqlite);
    engine
        .store
        .read(|rows| -> Result<_, Error> {
            let out = rows.remote_task_at(&task_id(1), &alias("scout"))?.unwrap();
            assert_eq!(out.errand_id.as_str(), task_id(1).as_str(), "the name it was sent under");
            assert_eq!((out.remote_task_id.as_deref(), out.passed_on), (Some("there-1"), 2));
            let kept: Vec<_> = rows.push_configs(&task_id(1))?.into_iter().map(|row| row.secrets).collect();
            let has = |n: usize| (kept[n].token.is_some(), kept[n].credentials.is_some());
            assert_eq!((has(0), has(1)), ((false, false), (true, true)));
            Ok(())
        })
        .await
        .unwrap();
}

/// What only counts once it is committed: a write that is undone, or a network that goes, leaves nothing counted.
#[tokio::test]
async fn the_meter_knows_what_is_in_the_tables_without_a_look() {
    let engine = Engine::new(sqlite);
    with_network(&*engine.store).await;
    let delivered = || engine.store.meter().tasks(Status::Delivered);
    engine.store.write(|tx| insert_task(tx, 1, 1, "coder")).await.unwrap();
    assert_eq!(delivered(), 1);
    let undone = engine.store.write(|tx| -> Result<(), Error> {
        insert_task(tx, 1, 2, "coder")?;
        Err(Error::Busy)
    });
    undone.await.unwrap_err();
    assert_eq!(delivered(), 1);
    let sizes = engine.store.meter().batches();
    assert_eq!((sizes.count, engine.store.meter().commits().count), (sizes.sum, sizes.count), "one by one");
    assert_eq!(engine.store.meter().writes_waiting() + engine.store.meter().reads_waiting(), 0);
    engine.store.write(|tx| remove_network(tx, 1)).await.unwrap();
    assert_eq!(delivered(), 0);
    assert!(engine.store.meter().since_commit().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_that_is_never_idle_keeps_its_log_within_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hub.db");
    let options = SqliteOptions { wal_pages: 256, ..SqliteOptions::default() };
    let store: Arc<dyn Store> =
        Arc::new(SqliteStore::open(&path, options, clock(), Arc::new(|_| {})).unwrap());
    with_network(&*store).await;
    let until = Instant::now() + Duration::from_secs(3);
    let body = "x".repeat(2_000);
    let writers: Vec<_> = (0..16)
        .map(|_| {
            let (store, body) = (store.clone(), body.clone());
            tokio::spawn(async move {
                let mut written: u64 = 0;
                while Instant::now() < until {
                    let body = body.clone();
                    store.write(move |tx| tx.append_frame(&network(1), &node("coder"), &body)).await.unwrap();
                    written += 1;
                }
                written
            })
        })
        .collect();
    let mut written = 0;
    for writer in writers {
        written += writer.await.unwrap();
    }
    // The file never gets shorter: it is as long as the log has ever been.
    let log = std::fs::metadata(folder.path().join("hub.db-wal")).unwrap().len();
    store.close();
    assert!(written > 1_000, "{written} writes were too few to tell");
    // What is written between two looks at its length comes on top of the bound; in all it is some hundreds.
    assert!(log < 96 << 20, "{} KiB of log after {written} writes", log >> 10);
}

/// A store whose reads are stopped soon.
fn impatient(folder: &std::path::Path) -> Arc<dyn Store> {
    let soon = Duration::from_millis(5);
    let options = SqliteOptions { quick_read_max: soon, slow_read_max: soon * 4, ..SqliteOptions::default() };
    Arc::new(SqliteStore::open(&folder.join("hub.db"), options, clock(), Arc::new(|_| {})).unwrap())
}

#[tokio::test]
async fn a_quick_read_that_takes_long_begins_again_in_the_slow_lane() {
    let folder = tempfile::tempdir().unwrap();
    let store = impatient(folder.path());
    let runs = Arc::new(AtomicUsize::new(0));
    let read = {
        let runs = runs.clone();
        move |rows: &dyn Snapshot| -> Result<usize, Error> {
            let run = runs.fetch_add(1, Ordering::SeqCst);
            if run > 0 {
                return Ok(run);
            }
            loop {
                rows.has_users()?; // until it is stopped
            }
        }
    };
    assert_eq!(store.read(read).await.unwrap(), 1);
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    store.close();
}

#[tokio::test]
async fn a_slow_read_that_takes_too_long_is_stopped_and_the_next_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let store = impatient(folder.path());
    let endless = |rows: &dyn Snapshot| -> Result<(), Error> {
        loop {
            rows.has_users()?;
        }
    };
    let stopped = store.of(Share::Hub).scan(endless).await;
    assert!(matches!(stopped, Err(Error::TookTooLong)), "{stopped:?}");
    assert!(!store.of(Share::Hub).scan(|rows| rows.has_users()).await.unwrap());
    store.close();
}

#[tokio::test]
async fn a_deleted_network_is_gone_at_once_and_its_rows_leave_in_steps_also_over_a_start() {
    let mut engine = Engine::new(sqlite);
    with_network(&*engine.store).await;
    let fill = |tx: &mut dyn Transaction| (1..=40).try_for_each(|n| insert_task(tx, 1, n, "coder"));
    engine.store.write(fill).await.unwrap();
    engine.store.write(|tx| tx.delete_network(&network(1))).await.unwrap();
    assert!(engine.store.read(|rows| rows.network(&network(1))).await.unwrap().is_none());
    let tasks = |engine: &Engine| -> i64 {
        open_beside(engine).query_row("SELECT COUNT(*) FROM tasks", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(tasks(&engine), 40);
    assert!(engine.store.write(|tx| tx.remove_rows_of(&network(1), 10)).await.unwrap());
    assert_eq!(tasks(&engine), 30);
    engine.reopen(sqlite);
    let next = engine.store.read(|rows| rows.network_to_remove()).await.unwrap();
    assert_eq!(next, Some(network(1)));
    while engine.store.write(|tx| tx.remove_rows_of(&network(1), 10)).await.unwrap() {}
    assert_eq!(tasks(&engine), 0);
    assert_eq!(engine.store.read(|rows| rows.network_to_remove()).await.unwrap(), None);
}

/// A trigger of the test makes SQLite end the transaction, as it does on a full disk.
#[tokio::test]
async fn claims_that_ran_in_a_batch_that_was_not_committed_go_back_and_are_not_answered() {
    let engine = Engine::new(sqlite);
    let beside = open_beside(&engine);
    let poison = "CREATE TRIGGER poison BEFORE INSERT ON tasks WHEN NEW.content = 'task 99'
                  BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END";
    beside.execute_batch(poison).unwrap();
    // The statement that meets the new schema is planned again, which counts as an error for those of a use case.
    engine.store.check_writes().await.unwrap();
    with_network(&*engine.store).await;
    let inbox = Inbox { network_id: network(1), alias: alias("coder") };
    let (store, runs) = (engine.store.clone(), Arc::new(AtomicUsize::new(0)));
    let counted = runs.clone();
    let take = move |tx: &mut dyn Transaction| -> Result<_, Error> {
        let next = tx.next_task(&network(1), &alias("coder"))?;
        if let Some(task) = &next {
            counted.fetch_add(1, Ordering::SeqCst);
            move_delivery(tx, task, InboxState::Hidden)?;
        }
        Ok(next)
    };
    let mut first = store.of(Share::Hub).claim(inbox.clone(), WhenEmpty::Park, take.clone()).unwrap();
    let mut second = store.of(Share::Hub).claim(inbox, WhenEmpty::Park, take).unwrap();
    while store.parked().count() < 2 {
        tokio::task::yield_now().await;
    }
    // The writer is held until both wait behind it, so that they are one batch.
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let hold = store.write(move |_| -> Result<(), Error> {
        let _ = wait.recv();
        Ok(())
    });
    let (_, sent, poisoned, ()) = tokio::join!(
        hold,
        store.write(|tx| insert_task(tx, 1, 1, "coder")),
        store.write(|tx| insert_task(tx, 1, 99, "coder")),
        async move { drop(go) },
    );
    assert!(sent.is_err() && poisoned.is_err(), "one batch, and nothing of it stays");
    assert_eq!((runs.load(Ordering::SeqCst), store.parked().count()), (2, 2));
    for n in [2, 3] {
        store.write(move |tx| insert_task(tx, 1, n, "coder")).await.unwrap();
    }
    assert_eq!(first.found().await.unwrap(), Some(task_id(2)));
    assert_eq!(second.found().await.unwrap(), Some(task_id(3)));
}
