//! The overview and the work graph: whose they are, and that they say what happened.

use axum::http::StatusCode;
use baton_core::{Alias, Kind, NetworkId, NewTask, Priority, Status, TaskId, TtlSeconds, UnixMillis};
use baton_store::rows::{NewTaskRow, PageBounds, TaskChange};
use baton_store::{Error, Statements, Transaction};
use serde_json::{Value, json};

use super::browser::{Browser, PASSWORD};

#[tokio::test]
async fn an_overview_counts_the_hour_and_names_what_needs_attention() {
    let (browser, network) = Browser::signed_in().await;
    let worker = browser.agent(&network, "worker").await;
    let send = async |text: &str, ttl: u32| {
        browser.sends(json!({"alias": "worker", "task": text, "ttl_seconds": ttl})).await
    };
    let replied = send("answer me", 3600).await;
    worker.posts(&format!("/api/tasks/{replied}/reply"), json!({"text": "here"})).await;
    let failed = send("fail me", 3600).await;
    worker.posts(&format!("/api/tasks/{failed}/reply"), json!({"text": "no", "status": "failed"})).await;
    let asked = send("ask me", 3600).await;
    let claim = worker.posts("/api/claim", json!({})).await;
    let question = json!({"question": "what?", "lease_id": claim["lease_id"]});
    worker.posts(&format!("/api/tasks/{asked}/ask"), question).await;
    let expiring = send("hurry", 60).await;
    let stuck = send(&"long ".repeat(60), 3600).await;
    let (id, task) = (NetworkId::parse(&network).unwrap(), TaskId::parse(&stuck).unwrap());
    let now = browser.test.hub.clock.now();
    let delivered = Some((now.plus_millis(-3_600_000), now.plus_millis(3_600_000)));
    let change = TaskChange { delivered, ..TaskChange::default() };
    browser
        .test
        .write(move |tx| tx.change_task(&id, &task, Status::Delivered, Status::Delivered, &change))
        .await;

    let overview = browser.reads(&format!("/api/overview?network_id={network}")).await;
    assert_eq!(overview["tasks"]["total"], 5);
    let minutes = overview["minutes"].as_array().unwrap();
    assert_eq!(minutes.len(), 60);
    let sum = |field: &str| minutes.iter().map(|minute| minute[field].as_i64().unwrap()).sum::<i64>();
    assert_eq!(["sent", "replied", "failed", "cancelled", "expired"].map(sum), [5, 1, 1, 0, 0]);
    let times: Vec<&str> = minutes.iter().map(|minute| minute["at"].as_str().unwrap()).collect();
    assert!(times.is_sorted() && times.iter().all(|at| at.ends_with(":00")), "{times:?}");
    assert_eq!(minutes[0]["p50_ms"], Value::Null);
    assert!(minutes.iter().any(|minute| minute["p50_ms"].is_u64() && minute["p95_ms"].is_u64()));
    let attention = &overview["attention"];
    for (group, task, why) in [
        ("waiting_input", &asked, "waits for an answer"),
        ("stuck", &stuck, "delivered 1 h ago and not taken up"),
        ("failing", &failed, "failed"),
        ("expiring", &expiring, "expires in"),
    ] {
        let listed = &attention[group];
        assert_eq!((&listed["count"], &listed["count_is_at_least"]), (&json!(1), &json!(false)), "{group}");
        let shown = &listed["tasks"][0];
        assert_eq!(
            (&shown["task_id"], &shown["from_name"], &shown["to_name"]),
            (&json!(task), &json!("ada"), &json!("worker"))
        );
        assert!(shown["why"].as_str().unwrap().contains(why), "{shown}");
        assert!(shown["title"].as_str().unwrap().chars().count() <= 120);
        assert!(shown["created_at"].is_string() && shown["expires_at"].is_string());
    }
}

/// Makes task `n` from `lead` to `worker` at a time.
fn insert(
    tx: &mut dyn Transaction,
    network: &NetworkId,
    n: usize,
    made_at: UnixMillis,
) -> Result<TaskId, Error> {
    let [.., high, low] = n.to_be_bytes();
    let id = TaskId::new(made_at, [0, 0, 0, 0, 0, 0, 0, 0, high, low]);
    let task = NewTask {
        id: id.clone(),
        network_id: network.clone(),
        from: crate::fixture::node("lead"),
        to: Alias::parse("worker").unwrap(),
        kind: Kind::parse("delegation").unwrap(),
        attempt: 1,
        max_attempts: 3,
        runs: baton_core::RunTerms::default(),
        ttl: TtlSeconds::default(),
        delivered_at: made_at,
        expires_at: made_at.plus_seconds(3600),
        parent_task_id: None,
        retry_of: None,
        context_id: None,
    };
    tx.insert_task(NewTaskRow {
        task: &task,
        status: Status::Delivered,
        priority: Priority::Normal,
        content: &format!("task {n}"),
        context: None,
        meta: None,
        parts: None,
        salt: &[7; 16],
        traceparent: None,
    })?;
    Ok(id)
}

/// Tasks that failed: one in their middle yesterday, the others just now.
async fn fail(browser: &Browser, network: &str, count: usize) {
    let (network, now) = (NetworkId::parse(network).unwrap(), browser.test.hub.clock.now());
    browser
        .test
        .write(move |tx| {
            for n in 0..count {
                let at = if n == 250 { now.plus_millis(-86_400_000) } else { now };
                let id = insert(tx, &network, n, at)?;
                tx.change_task(&network, &id, Status::Delivered, Status::Failed, &TaskChange::default())?;
            }
            Ok(())
        })
        .await;
}

/// Tasks that were answered so many minutes ago after so many milliseconds.
async fn answered(browser: &Browser, network: &str, ends: Vec<(i64, i64)>) {
    let (network, now) = (NetworkId::parse(network).unwrap(), browser.test.hub.clock.now());
    browser
        .test
        .write(move |tx| {
            for (n, &(minutes_ago, took)) in ends.iter().enumerate() {
                let ended_at = now.plus_millis(-60_000 * minutes_ago);
                let id = insert(tx, &network, n, ended_at.plus_millis(-took))?;
                let change = TaskChange { completed_at: Some(ended_at), ..TaskChange::default() };
                tx.change_task(&network, &id, Status::Delivered, Status::Replied, &change)?;
            }
            Ok(())
        })
        .await;
}

/// The exact percentile, by nearest rank.
fn exact(mut times: Vec<i64>, percent: usize) -> f64 {
    times.sort_unstable();
    times[(times.len() * percent).div_ceil(100) - 1] as f64
}

#[tokio::test]
async fn durations_of_the_hour_are_those_of_all_its_tasks_to_within_5_percent() {
    let (browser, network) = Browser::signed_in().await;
    // From 40 ms to a day, most of them early in the hour; the newest minute has one that took far longer than half did.
    let mut ends: Vec<(i64, i64)> = (0..600).map(|n| (10 + n % 45, 40 + n * n * 241)).collect();
    ends.push((0, 86_000_000));
    let times = |ends: &[(i64, i64)]| ends.iter().map(|(_, took)| *took).collect::<Vec<i64>>();
    // Tasks of the hour before do not count.
    let before: Vec<(i64, i64)> = (0..900).map(|n| (65 + n % 30, 5)).collect();
    answered(&browser, &network, [ends.clone(), before].concat()).await;
    let overview = browser.reads(&format!("/api/overview?network_id={network}")).await;
    let is_right = |shown: &Value, percent: usize, times: Vec<i64>| {
        let (shown, exact) = (shown.as_u64().unwrap() as f64, exact(times, percent));
        assert!((shown - exact).abs() <= 0.05 * exact, "p{percent}: {shown}, exactly {exact}");
    };
    is_right(&overview["last_hour"]["p50_ms"], 50, times(&ends));
    is_right(&overview["last_hour"]["p95_ms"], 95, times(&ends));
    let minutes = overview["minutes"].as_array().unwrap();
    for (n, minute) in minutes.iter().enumerate().filter(|(_, minute)| minute["p50_ms"].is_u64()) {
        // The clock may have gone to the next minute since.
        let shift = if minutes[59]["p50_ms"].is_u64() { 59 } else { 58 };
        let of_minute: Vec<_> = ends.iter().filter(|(ago, _)| shift - *ago == n as i64).copied().collect();
        is_right(&minute["p50_ms"], 50, times(&of_minute));
        is_right(&minute["p95_ms"], 95, times(&of_minute));
    }
    let nobody = Browser::signed_in().await;
    let overview = nobody.0.reads(&format!("/api/overview?network_id={}", nobody.1)).await;
    assert_eq!(overview["last_hour"], json!({"p50_ms": null, "p95_ms": null}));
}

#[tokio::test]
async fn a_work_graph_costs_the_same_statements_however_many_tasks_there_are() {
    let (browser, network) = Browser::signed_in().await;
    let statements = Statements::of(&browser.test.folder.path().join("hub.db"));
    let path = format!("/api/work-graph?network_id={network}");
    let graph = async || {
        let _before = statements.take();
        let graph = browser.reads(&path).await;
        (graph["tasks_read"].clone(), statements.take())
    };
    answered(&browser, &network, vec![(0, 5); 3]).await;
    graph().await; // the first call also looks up whose cookie it is
    let (few, for_few) = graph().await;
    fail(&browser, &network, 3_000).await;
    let (many, for_many) = graph().await;
    // One of those that failed was made a day ago: whether its hour is of the time depends on the minute.
    assert!(few == 3 && (many == 3_003 || many == 3_002), "{few}, {many}");
    assert_eq!(for_few, for_many);
    assert!(for_many.iter().any(|sql| sql.contains("FROM edges")), "{for_many:#?}");
    assert!(!for_many.iter().any(|sql| sql.contains("FROM tasks")), "{for_many:#?}");
}

#[tokio::test]
async fn failures_are_at_least_so_many_when_there_are_more_than_are_looked_at() {
    for (count, is_at_least) in [(500, false), (501, true)] {
        let (browser, network) = Browser::signed_in().await;
        fail(&browser, &network, count).await;
        let overview = browser.reads(&format!("/api/overview?network_id={network}")).await;
        let failing = &overview["attention"]["failing"];
        let said = (&failing["count"], &failing["count_is_at_least"]);
        assert_eq!(said, (&json!(499), &json!(is_at_least)), "of {count}");
        assert_eq!(failing["tasks"].as_array().unwrap().len(), 10);
        assert!(
            failing["tasks"]
                .as_array()
                .unwrap()
                .iter()
                .all(|task| task["title"].as_str().unwrap().starts_with("task "))
        );
    }
}

#[tokio::test]
async fn a_work_graph_adds_up_who_sent_to_whom_and_keeps_handoffs_apart() {
    let (browser, network) = Browser::signed_in().await;
    let lead = browser.agent(&network, "lead").await;
    let worker = browser.agent(&network, "worker").await;
    for text in ["one", "two", "three"] {
        browser.sends(json!({"alias": "lead", "task": text})).await;
    }
    let task = lead.posts("/api/task", json!({"alias": "worker", "task": "four"})).await["task_id"].clone();
    let path = format!("/api/tasks/{}/reply", task.as_str().unwrap());
    worker.posts(&path, json!({"text": "done"})).await;
    let graph = browser.reads(&format!("/api/work-graph?network_id={network}")).await;
    assert_eq!(
        (&graph["source"], &graph["tasks_read"], &graph["truncated"]),
        (&json!("task rows"), &json!(4), &json!(false))
    );
    let edge = |from_kind, from, to, open, replied| {
        json!({"from_kind": from_kind, "from_name": from, "to_name": to, "open": open, "replied": replied,
               "failed": 0, "cancelled": 0, "expired": 0, "total": open + replied})
    };
    let edges = json!([edge("user", "ada", "lead", 3, 0), edge("node", "lead", "worker", 0, 1)]);
    assert_eq!((&graph["edges"], &graph["edges_left_out"]), (&edges, &json!(0)));
    let evidence = browser.reads(&format!("/api/evidence?network_id={network}&limit=1000")).await;
    let events = evidence["events"].as_array().unwrap();
    let is_visible = |event: &&Value| event.to_string().contains("\"visible\":true");
    assert_eq!(graph["visible_handoffs"]["count"], events.iter().filter(is_visible).count());
    assert!(graph["visible_handoffs"]["counted_since"].is_string());
}

#[tokio::test]
async fn a_reported_packet_with_a_visible_handoff_is_counted_once() {
    let (browser, network) = Browser::signed_in().await;
    let worker = browser.agent(&network, "worker").await;
    let count = async || {
        let graph = browser.reads(&format!("/api/work-graph?network_id={network}")).await;
        graph["visible_handoffs"]["count"].as_i64().unwrap()
    };
    let before = count().await;
    let packet = |kind: &str| {
        json!({"protocol": "a2a", "version": "0.2", "event_type": "task.requested",
               "timestamp": "2026-01-02T03:04:05Z", "agent": {"id": "x"}, "task": {"id": "t1", "kind": kind}})
    };
    worker.posts("/api/evidence/packets", packet("other")).await;
    assert_eq!(count().await, before);
    for _ in 0..2 {
        worker.posts("/api/evidence/packets", packet("delegation")).await;
    }
    assert_eq!(count().await, before + 1);
}

#[tokio::test]
async fn a_work_graph_is_of_the_time_that_was_asked_for() {
    let (browser, network) = Browser::signed_in().await;
    browser.agent(&network, "worker").await;
    browser.sends(json!({"alias": "worker", "task": "x"})).await;
    let read = async |time: &str| {
        browser.reads(&format!("/api/work-graph?network_id={network}&{time}")).await["tasks_read"].clone()
    };
    assert_eq!(read("since=2020-01-01T00:00:00Z").await, 1);
    assert_eq!(read("since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z").await, 0);
    assert_eq!(read("since=2099-01-01T00:00:00Z&until=2099-01-02T00:00:00Z").await, 0);
    for time in ["since=yesterday", "until=soon", "since=2020-01-02T00:00:00Z&until=2020-01-01T00:00:00Z"] {
        let path = format!("/api/work-graph?network_id={network}&{time}");
        assert_eq!(browser.asks("GET", &path, None).await.0, StatusCode::BAD_REQUEST, "{time}");
    }
}

#[tokio::test]
async fn figures_are_for_people_of_the_network_and_an_admins_look_is_written_down() {
    let (mut browser, network) = Browser::signed_in().await;
    let owner = browser.cookie.clone();
    browser.register("vic").await;
    browser.register("eve").await;
    let members = format!("/api/networks/{network}/members");
    let vic = browser.test.hub.store.read(|rows| rows.user_named("vic")).await.unwrap().unwrap();
    let viewer = json!({"user_id": vic.user_id, "role": "viewer"});
    assert_eq!(browser.asks("POST", &members, Some(&viewer)).await.0, StatusCode::OK);
    browser.sign_in("vic", PASSWORD).await;
    let accept = format!("/api/invitations/{network}/accept");
    assert_eq!(browser.asks("POST", &accept, Some(&json!({}))).await.0, StatusCode::OK);
    let root = browser.test.person("root", baton_core::SystemRole::Admin, &[]).await;
    let paths =
        [format!("/api/overview?network_id={network}"), format!("/api/work-graph?network_id={network}")];
    for path in &paths {
        browser.cookie = owner.clone();
        let worker = browser.agent(&network, "worker").await;
        let refused = worker.calls("GET", path, None).await;
        assert_eq!((refused.0, &refused.1["error"]), (StatusCode::FORBIDDEN, &json!("user_token_required")));
        for (name, expected) in [("vic", StatusCode::OK), ("eve", StatusCode::NOT_FOUND)] {
            browser.sign_in(name, PASSWORD).await;
            assert_eq!(browser.asks("GET", path, None).await.0, expected, "{name} {path}");
        }
        let bearer = format!("Bearer {root}");
        let looked = browser.json("GET", path, &[("authorization", &bearer)], None).await;
        assert_eq!(looked.0, StatusCode::OK);
        let last =
            browser.test.hub.store.read(|rows| rows.audit_log(None, PageBounds::rows(1))).await.unwrap();
        assert_eq!((last.rows[0].actor.as_str(), last.rows[0].action.as_str()), ("root", "network.read"));
        let nowhere = path.replace(&network, "net_000000000000");
        let looked = browser.json("GET", &nowhere, &[("authorization", &bearer)], None).await;
        assert_eq!(looked.0, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn an_admins_page_that_reads_on_and_on_is_written_down_once_for_each_thing_it_reads() {
    let (browser, network) = Browser::signed_in().await;
    let root = browser.test.person("root", baton_core::SystemRole::Admin, &[]).await;
    let bearer = format!("Bearer {root}");
    for _ in 0..3 {
        for what in ["overview", "tasks", "work-graph"] {
            let path = format!("/api/{what}?network_id={network}");
            let looked = browser.json("GET", &path, &[("authorization", &bearer)], None).await;
            assert_eq!(looked.0, StatusCode::OK, "{path}");
        }
    }
    let log = browser.test.hub.store.read(|rows| rows.audit_log(None, PageBounds::rows(100))).await.unwrap();
    let mut read: Vec<_> =
        log.rows.iter().filter(|row| row.action == "network.read").map(|row| &*row.detail).collect();
    read.sort_unstable();
    assert_eq!(read, ["overview", "tasks", "work graph"]);
}
