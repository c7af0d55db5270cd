//! No answer is larger than its bound, whatever lies in the tables: lists end their pages early, and following the
//! cursors gives every row once.

use rusqlite::{Connection, params};
use serde_json::{Value, json};
use std::collections::BTreeSet;

use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, report, send_with, succeed, text};
use crate::it::tool;

/// `limits::ANSWER_MAX_BYTES`, and room for what stands around the rows.
const MOST: usize = 8 * 1024 * 1024 + 64 * 1024;

/// Writes rows as if they had come over the wire.
fn seed(hub: &Hub, write: impl FnOnce(&Connection)) {
    let database = Connection::open(hub.data_dir().join("hub.db")).unwrap();
    database.busy_timeout(std::time::Duration::from_secs(30)).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    write(&database);
    database.execute_batch("COMMIT").unwrap();
}

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// Reads a list to its end: the sizes of its pages, and all its rows.
fn pages(reader: &Client, path: &str, list: &str) -> (Vec<usize>, Vec<Value>) {
    let (mut sizes, mut rows, mut cursor) = (Vec::new(), Vec::new(), None::<String>);
    loop {
        let joint = if path.contains('?') { '&' } else { '?' };
        let asked = cursor.as_ref().map_or(path.to_owned(), |cursor| format!("{path}{joint}cursor={cursor}"));
        let answer = reader.get(&asked);
        let body = succeed(&answer);
        sizes.push(answer.body.len());
        rows.extend(body[list].as_array().unwrap().iter().cloned());
        match &body["next_cursor"] {
            Value::Null => return (sizes, rows),
            next => cursor = Some(text(next)),
        }
        assert!(sizes.len() < 10_000, "{path} does not end");
    }
}

fn distinct(rows: &[Value], key: &str) -> usize {
    rows.iter().map(|row| row[key].to_string()).collect::<BTreeSet<_>>().len()
}

#[test]
fn five_hundred_of_the_largest_completions_come_in_pages_of_bounded_size() {
    const COUNT: usize = 500;
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "mallory");
    let artifacts = json!([{"name": "a", "content": "x".repeat(950_000)}]).to_string();
    seed(&hub, |database| {
        for n in 0..COUNT {
            // Some at the same millisecond: a page may end between them.
            let at = now() - 1_000 - (n / 7) as i64;
            let sql = "INSERT INTO completions (network_id, session_name, task_id, task, result, artifacts, completed_at, number)
                       VALUES (?1, 'worker', ?2, 'task', 'done', ?3, ?4, ?5)";
            let parameters = params![tenant.network_id, format!("task {n}"), artifacts, at, n as i64 + 1];
            database.execute(sql, parameters).unwrap();
        }
    });
    let (sizes, rows) = pages(&tenant.user, "/api/completions", "completions");
    assert!(sizes.iter().all(|size| *size <= MOST), "{sizes:?}");
    assert!(sizes.len() >= COUNT * 950_000 / MOST, "{} pages", sizes.len());
    assert_eq!((rows.len(), distinct(&rows, "id")), (COUNT, COUNT));
    // A tool's answer is there twice, as text and as an object, and is bounded as a whole.
    let args = json!({"network_id": tenant.network_id});
    let answer = tool::rpc(&tenant.user, "get_completions", &args);
    assert!(answer.to_string().len() <= MOST, "{}", answer.to_string().len());
    let page = tool::call(&tenant.user, "get_completions", &args);
    assert!(page["next_cursor"].is_string());
}

#[test]
fn sessions_of_the_largest_rows_come_in_pages_and_are_all_counted() {
    const COUNT: usize = 60;
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "mallory");
    let skills = json!([{"id": "s", "name": "n".repeat(900_000)}]).to_string();
    seed(&hub, |database| {
        for n in 0..COUNT {
            let sql = "INSERT INTO sessions (network_id, alias, token_id, resume_id, status, output, registered_at, updated_at,
                           last_seen_at, skills)
                       VALUES (?1, ?2, 'tok_000000000000', 'r', 'idle', ?3, 0, 0, ?4, ?5)";
            let output = "\u{1}".repeat(4_000);
            database
                .execute(sql, params![tenant.network_id, format!("a{n:04}"), output, now(), skills])
                .unwrap();
            let sql =
                "INSERT INTO aliases (network_id, alias, skeleton, skeleton_lower) VALUES (?1, ?2, ?2, ?2)";
            database.execute(sql, params![tenant.network_id, format!("a{n:04}")]).unwrap();
        }
    });
    let (sizes, rows) = pages(&tenant.user, "/api/status", "sessions");
    assert!(sizes.iter().all(|size| *size <= MOST), "{sizes:?}");
    assert!(sizes.len() >= COUNT * 900_000 / MOST, "{} pages", sizes.len());
    assert_eq!((rows.len(), distinct(&rows, "alias")), (COUNT, COUNT));
    let (sizes, rows) = pages(&tenant.user, "/api/agents?limit=200", "agents");
    assert!(sizes.iter().all(|size| *size <= MOST), "{sizes:?}");
    assert_eq!((rows.len(), distinct(&rows, "alias")), (COUNT, COUNT));
    let first = succeed(&tenant.user.get("/api/status?limit=1"));
    assert_eq!(first["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(first["summary"], json!({"idle": COUNT, "working": 0, "offline": 0, "total": COUNT}));
    let stats = succeed(&tenant.user.get("/api/stats"));
    assert_eq!(stats["sessions"]["by_status"], json!([{"status": "idle", "count": COUNT}]));
}

#[test]
fn tasks_inboxes_and_messages_of_the_largest_texts_come_in_pages() {
    const COUNT: usize = 130;
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "mallory");
    let worker = tenant.agent("worker");
    report(&worker, "worker", "idle");
    // A control character is one byte in the table and six in an answer.
    let (task, context) = ("\u{1}".repeat(10_000), "\u{2}".repeat(10_000));
    let meta = json!({"m": "y".repeat(16_000)});
    for _ in 0..COUNT {
        send_with(&tenant.user, &json!({"alias": "worker", "task": task, "context": context, "meta": meta}));
    }
    for (reader, path, list, key) in [
        (&tenant.user, "/api/tasks?limit=200", "tasks", "task_id"),
        (&tenant.user, "/api/tasks?limit=200&to_name=worker&from_name=mallory", "tasks", "task_id"),
        (&worker, "/api/inbox?limit=100", "messages", "id"),
        (&tenant.user, "/api/messages?limit=500", "messages", "id"),
        (&tenant.user, "/api/task_events?limit=50", "events", "id"),
    ] {
        let (sizes, rows) = pages(reader, path, list);
        assert!(sizes.iter().all(|size| *size <= MOST), "{path}: {sizes:?}");
        assert!(sizes.len() > 1, "{path}: {sizes:?}");
        assert_eq!((rows.len(), distinct(&rows, key)), (COUNT, COUNT), "{path}");
    }
    for (tool, args) in
        [("list_tasks", json!({"limit": 100})), ("get_inbox", json!({"alias": "worker", "limit": 100}))]
    {
        let answer = tool::rpc(&worker, tool, &args);
        assert!(answer.to_string().len() <= MOST, "{tool}: {}", answer.to_string().len());
    }
}

#[test]
fn short_lists_have_pages_too() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "mallory");
    let path = format!("/api/networks/{}", tenant.network_id);
    for n in 0..5 {
        succeed(&tenant.user.post("/api/networks", &json!({"name": format!("n{n}")})));
        succeed(&tenant.user.post(&format!("{path}/invite"), &json!({"role": "member", "max_uses": 1})));
        tenant.agent(&format!("a{n}"));
        let (user, _) = hub.register(&format!("user{n}"));
        tenant.admit(&user, "member");
    }
    let admin = hub.admin();
    for (reader, path, list, key, count) in [
        (&tenant.user, "/api/networks?limit=2".to_owned(), "networks", "network_id", 6),
        (&tenant.user, "/api/auth/tokens?limit=2".to_owned(), "tokens", "token_id", 7),
        (&tenant.user, format!("{path}/tokens?limit=2"), "tokens", "token_id", 6),
        (&tenant.user, format!("{path}/members?limit=2"), "members", "user_id", 6),
        (&tenant.user, format!("{path}/invites?limit=2"), "invites", "invite_id", 10),
        (&admin, "/api/users?limit=2".to_owned(), "users", "user_id", 7),
    ] {
        let (sizes, rows) = pages(reader, &path, list);
        assert_eq!((rows.len(), distinct(&rows, key)), (count, count), "{path}");
        assert_eq!(sizes.len(), count.div_ceil(2), "{path}");
        let whole = succeed(&reader.get(path.split('?').next().unwrap()));
        assert_eq!(whole[list].as_array().unwrap(), &rows, "the pages of {path} are the whole list");
        assert_eq!(whole["next_cursor"], Value::Null);
        let wrong = reader.get(&format!("{}?cursor=%20", path.split('?').next().unwrap()));
        assert_eq!(wrong.status, 400, "{path}: {}", wrong.text());
    }
}

#[test]
fn a_list_over_thousands_of_networks_is_one_page_of_the_newest() {
    const COUNT: usize = 3_000;
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "mallory");
    let user = text(&succeed(&tenant.user.get("/api/auth/me"))["user"]["user_id"]);
    tenant.agent("worker");
    for n in 0..3 {
        let body = json!({"alias": "worker", "task": format!("task {n}"), "network_id": tenant.network_id});
        send_with(&tenant.user, &body);
    }
    seed(&hub, |database| {
        for n in 0..COUNT {
            let network = format!("net_{n:012x}");
            let sql = "INSERT INTO networks (network_id, name, owner_id, created_at, updated_at) VALUES (?1, ?1, ?2, 0, 0)";
            database.execute(sql, params![network, user]).unwrap();
            let sql =
                "INSERT INTO members (network_id, user_id, role, joined_at) VALUES (?1, ?2, 'owner', 0)";
            database.execute(sql, params![network, user]).unwrap();
        }
    });
    let tasks = succeed(&tenant.user.get("/api/tasks"));
    assert_eq!((tasks["count"].as_u64(), &tasks["stats"][0]["count"]), (Some(3), &json!(3)));
    assert_eq!(succeed(&tenant.user.get("/api/stats"))["tasks"]["total"], 3);
    for path in ["/api/task_events", "/api/messages", "/api/completions", "/api/status", "/api/auth/me"] {
        succeed(&tenant.user.get(path));
    }
    let (sizes, networks) = pages(&tenant.user, "/api/networks", "networks");
    assert_eq!((networks.len(), sizes.len()), (COUNT + 1, (COUNT + 1).div_ceil(500)));
    // Existing networks stay; there is no room for another.
    let refused = tenant.user.post("/api/networks", &json!({"name": "one more"}));
    assert_eq!((refused.status, &refused.json()["error"]), (403, &json!("quota_exceeded")));
}
