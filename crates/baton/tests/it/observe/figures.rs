//! `/metrics`: who may read it, that its figures move as calls are made, and that it names nobody.

use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::page::Page;
use crate::it::http::Client;
use crate::it::hub::{ADMIN, Hub, PASSWORD, baton};
use crate::it::outside::{OK, Outside, Reply, rpc};
use crate::it::tenant::{Tenant, act, claim, send, text};
use crate::it::tool;
use crate::it::work::worker::eventually;

const TOKEN: &str = "a-token-for-the-scraper";

fn figures(admin: &Client) -> Page {
    Page::read(&admin.get("/metrics"))
}

#[test]
fn the_figures_are_for_system_admins_and_the_metrics_token_alone() {
    let options = ["--username", ADMIN, "--password", PASSWORD];
    let hub = Hub::start_with(&[&options[..], &["--metrics-token", TOKEN]].concat());
    let tenant = Tenant::register(&hub, "zoe");
    let nobody = r#"{"ok":false,"error":"unauthorized"}"#;
    let strangers = [
        hub.client(),
        hub.client().with_token("a-token-for-the-scrapeR"),
        hub.client().with_token("utok_00112233445566778899aabbccddeeff"),
        hub.client().with_token(""),
        tenant.user.clone(),
        tenant.agent("coder"),
        tenant.coordinator("lead"),
    ];
    for stranger in strangers {
        let answer = stranger.get("/metrics");
        assert_eq!((answer.status, answer.text().as_str()), (401, nobody), "{:?}", stranger.token);
    }
    Page::read(&hub.admin().get("/metrics"));
    Page::read(&hub.client().with_token(TOKEN).get("/metrics"));
    // The scraper's token opens nothing else.
    assert_eq!(hub.client().with_token(TOKEN).get("/api/auth/me").status, 401);
}

#[test]
fn an_admin_whose_token_expires_soon_reads_that_with_the_figures() {
    let hub = Hub::start();
    let login = json!({"username": ADMIN, "password": PASSWORD, "expires_in_seconds": 6 * 86_400});
    let token = text(&hub.client().post("/api/auth/login", &login).json()["token"]);
    let answer = hub.client().with_token(&token).get("/metrics");
    let left = answer.header("baton-token-expires-in").map(|seconds| seconds.parse::<u32>().unwrap());
    assert!(left.is_some_and(|left| left > 500_000), "{left:?}");
    assert_eq!(hub.admin().get("/metrics").header("baton-token-expires-in"), None);
}

#[test]
fn the_metrics_token_can_come_from_the_environment_and_must_not_be_short() {
    let options = ["--username", ADMIN, "--password", PASSWORD];
    let hub = Hub::start_with_env(&options, &[("BATON_METRICS_TOKEN", TOKEN)]);
    Page::read(&hub.client().with_token(TOKEN).get("/metrics"));
    let hub = Hub::start_with_env(&options, &[("BATON_METRICS_TOKEN", "")]);
    assert_eq!(hub.client().with_token("").get("/metrics").status, 401);
}

#[test]
fn an_option_that_cannot_be_used_is_refused_and_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    for (option, secret, rule) in [
        ("--metrics-token", "zebra-token", "at least 16"),
        ("--otlp-endpoint", "ftp://me:zebra-token@collector.example", "http or https"),
        ("--otlp-endpoint", "http://me:zebra-token@collector.example:port", "otlp-endpoint cannot be used"),
    ] {
        let mut command = baton();
        command.args(["hub", "start", "--port", "0", option, secret, "--data-dir"]).arg(folder.path());
        let said = command.output().unwrap();
        let error = String::from_utf8(said.stderr).unwrap();
        assert_eq!(said.status.code(), Some(2), "{error}");
        assert!(error.contains(rule) && !error.contains("zebra"), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_figures_move_as_calls_are_made() {
    let hub = Hub::start();
    let admin = hub.admin();
    let tenant = Tenant::of_admin(&hub);
    let (sender, worker) = (tenant.agent("lead"), tenant.agent("coder"));
    let before = figures(&admin);
    let first = send(&sender, "coder", "one");
    let second = send(&sender, "coder", "two");
    let lease = text(&claim(&worker, 0, 60)["lease_id"]);
    let during = figures(&admin);
    let body = json!({"text": "done", "lease_id": lease});
    assert_eq!(act(&worker, &first, "reply", &body).status, 200);
    tool::call(&sender, "cancel_task", &json!({"task_id": second}));
    assert_eq!(sender.get("/api/tasks/not-a-task").status, 404);
    let after = figures(&admin);

    let grew = |series: &str| after.value(series) - before.value(series);
    assert_eq!(grew(r#"baton_requests_total{door="rest",class="4xx"}"#), 1.0);
    assert_eq!(grew(r#"baton_requests_total{door="claim",class="2xx"}"#), 1.0);
    assert_eq!(grew(r#"baton_requests_total{door="mcp",class="2xx"}"#), 1.0);
    assert_eq!(grew(r#"baton_request_seconds_count{door="mcp"}"#), 1.0);
    assert!(grew(r#"baton_requests_total{door="rest",class="2xx"}"#) >= 3.0);
    assert_eq!(grew(r#"baton_task_transitions_total{from="none",to="delivered"}"#), 2.0);
    assert_eq!(grew(r#"baton_task_transitions_total{from="delivered",to="running"}"#), 1.0);
    assert_eq!(grew(r#"baton_task_transitions_total{from="running",to="replied"}"#), 1.0);
    assert_eq!(grew(r#"baton_task_transitions_total{from="delivered",to="cancelled"}"#), 1.0);
    assert!(grew("baton_store_commit_writes_sum") >= 5.0);
    assert!(grew("baton_store_commit_seconds_count") >= 1.0 && grew("baton_store_commit_seconds_sum") > 0.0);
    assert!(grew("baton_wal_written_bytes_total") >= 4_096.0, "a commit writes pages");
    let open = |page: &Page, status: &str| page.value(&format!(r#"baton_tasks_open{{status="{status}"}}"#));
    assert_eq!((open(&during, "delivered"), open(&during, "running")), (1.0, 1.0));
    assert_eq!((open(&after, "delivered"), open(&after, "running")), (0.0, 0.0));
    assert_eq!((before.value("baton_leases"), during.value("baton_leases")), (0.0, 1.0));
    assert_eq!(after.value("baton_leases"), 0.0);
    let version = format!(r#"baton_build_info{{version="{}"}}"#, env!("CARGO_PKG_VERSION"));
    assert_eq!(after.value(&version), 1.0);
    assert!(after.value("process_start_time_seconds") > 1.7e9);
    assert!(after.value("process_resident_memory_bytes") > 1e6);
}

#[test]
fn waiting_claims_and_open_streams_are_counted_while_they_last() {
    let hub = Hub::start();
    let admin = hub.admin();
    let tenant = Tenant::of_admin(&hub);
    let worker = tenant.agent("coder");
    let stream = worker.stream("/events/coder", None).unwrap();
    let waiting = std::thread::spawn({
        let worker = worker.clone();
        move || claim(&worker, 50, 60)
    });
    eventually("a claim waits", || (figures(&admin).value("baton_claims_waiting") == 1.0).then_some(()));
    assert_eq!(figures(&admin).value("baton_streams_open"), 1.0);
    let task = send(&tenant.user, "coder", "x");
    assert_eq!(waiting.join().unwrap()["task"]["task_id"], json!(task));
    drop(stream);
    eventually("all is over", || {
        let page = figures(&admin);
        (page.value("baton_claims_waiting") + page.value("baton_streams_open") == 0.0).then_some(())
    });
}

#[test]
fn evidence_is_ahead_of_its_checkpoint_for_a_moment_only() {
    let hub = Hub::start();
    let admin = hub.admin();
    let tenant = Tenant::of_admin(&hub);
    tenant.agent("coder");
    eventually("something is not sealed yet", || {
        send(&tenant.user, "coder", "x");
        (figures(&admin).value("baton_evidence_unsealed_events") > 0.0).then_some(())
    });
    eventually("everything is sealed", || {
        let page = figures(&admin);
        let lag =
            page.value("baton_evidence_unsealed_events") + page.value("baton_evidence_unsealed_seconds");
        (lag == 0.0).then_some(())
    });
}

#[test]
fn open_tasks_and_leases_are_known_after_a_restart_and_forgotten_with_their_network() {
    let mut hub = Hub::start();
    let admin = hub.admin();
    let tenant = Tenant::of_admin(&hub);
    let worker = tenant.agent("coder");
    send(&tenant.user, "coder", "one");
    send(&tenant.user, "coder", "two");
    claim(&worker, 0, 60);
    hub.restart();
    let stands = |page: &Page| {
        let open = |status: &str| page.value(&format!(r#"baton_tasks_open{{status="{status}"}}"#));
        (open("delivered"), open("running"), page.value("baton_leases"))
    };
    assert_eq!(stands(&figures(&admin)), (1.0, 1.0, 1.0));
    let path = format!("/api/networks/{}", tenant.network_id);
    let deleted = tenant.user.delete(&path);
    assert_eq!(deleted.status, 200, "{}", deleted.text());
    assert_eq!(stands(&figures(&admin)), (0.0, 0.0, 0.0));
}

#[test]
fn pushes_and_calls_outside_are_counted_by_their_outcome() {
    let options = ["--username", ADMIN, "--password", PASSWORD, "--allow-outbound", "127.0.0.0/8"];
    let hub = Hub::start_with(&options);
    let (admin, tenant) = (hub.admin(), Tenant::of_admin(&hub));
    tenant.agent("worker");
    let refusals = AtomicUsize::new(1);
    let receiver = Outside::start(move |_, _| match refusals.swap(0, Ordering::SeqCst) {
        0 => OK(),
        _ => Reply::Json(503, json!({})),
    });
    let params = json!({
        "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "do it"}]},
        "configuration": {"returnImmediately": true, "taskPushNotificationConfig": {"url": receiver.url("/")}}});
    rpc(&tenant.user, &tenant.network_id, "worker", "SendMessage", &params);
    receiver.wait_for(2);
    eventually("it was notified", || {
        (figures(&admin).value(r#"baton_push_attempts_total{outcome="told"}"#) == 1.0).then_some(())
    });
    let page = figures(&admin);
    assert_eq!(page.value(r#"baton_push_attempts_total{outcome="tried_again"}"#), 1.0);
    assert_eq!(page.value(r#"baton_outbound_attempts_total{outcome="other_status"}"#), 1.0);
    assert_eq!(page.value(r#"baton_outbound_attempts_total{outcome="2xx"}"#), 1.0);
}

#[test]
fn no_name_of_anybody_or_anything_is_in_the_figures() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "zebra-owner");
    let (sender, worker) = (tenant.agent("zebra-sender"), tenant.agent("zebra-worker"));
    let task = send(&sender, "zebra-worker", "zebra-text");
    tool::call(&sender, "send_message", &json!({"alias": "zebra-worker", "message": "zebra-words"}));
    sender.get("/api/tasks?to_name=zebra-worker");
    sender.get("/zebra-path");
    let lease = text(&claim(&worker, 0, 60)["lease_id"]);
    act(&worker, &task, "reply", &json!({"text": "zebra-result", "lease_id": lease}));
    let card = format!("/a2a/{}/zebra-worker/", tenant.network_id);
    sender.get(&card);
    let answer = hub.admin().get("/metrics");
    let page = Page::read(&answer);
    assert!(page.value(r#"baton_requests_total{door="a2a",class="2xx"}"#) >= 1.0);
    for name in ["zebra", &*task, &*lease, &*tenant.network_id, ADMIN] {
        assert!(!answer.text().contains(name), "{name} in {}", answer.text());
    }
}

/// docs/reference/metrics.md, made from the help and the type that a hub gives with each metric.
fn metrics_page(exposition: &str) -> String {
    let mut page = String::from(METRICS_HEAD);
    let families = exposition.split("# HELP ").skip(1).map(|family| {
        let mut lines = family.lines();
        let (name, help) = lines.next().unwrap().split_once(' ').unwrap();
        (name, lines.next().unwrap().rsplit(' ').next().unwrap(), help)
    });
    for (name, kind, help) in families {
        page += &format!("| `{name}` | {kind} | {help} |\n");
    }
    page + POSTGRES_HEAD + &postgres_rows(METRICS_SOURCE)
}

const METRICS_SOURCE: &str = include_str!("../../../../baton-doors/src/rest/metrics_page.rs");

/// The metrics that only a hub on PostgreSQL has, from the source, as the hub of this test has no such server.
fn postgres_rows(source: &str) -> String {
    let body = source.split("fn postgres(").nth(1).unwrap().split("\n}\n").next().unwrap();
    let mut rows = String::new();
    for part in body.split("let help = \"").skip(1) {
        let (help, rest) = part.split_once("\";").unwrap();
        let (kind, rest) = rest.split("page.").nth(1).unwrap().split_once("(\"").unwrap();
        let name = rest.split('"').next().unwrap();
        rows += &format!("| `{name}` | {kind} | {help} |\n");
    }
    rows
}

const POSTGRES_HEAD: &str = "
## On PostgreSQL

Only a hub that was started with `--store` has these.

| metric | type | meaning |
|---|---|---|
";

const METRICS_HEAD: &str = "\
# Metrics

*Reference*, generated from the code: `BATON_BLESS=1 cargo nextest run -p baton-hub every_metric_is_in_the_documentation` writes it.

`GET /metrics` returns these in Prometheus' text format. [Monitor a hub](../observe.md) shows how to scrape them and which alerts to set. No label holds
the name of a network, alias, user or task. Counters start at 0 with the process; a counter whose labels never occurred has no line yet.

| metric | type | meaning |
|---|---|---|
";

#[test]
fn every_metric_is_in_the_documentation() {
    let options = ["--username", ADMIN, "--password", PASSWORD];
    let hub = Hub::start_with(&[&options[..], &["--otlp-endpoint", "http://127.0.0.1:9"]].concat());
    let made = metrics_page(&hub.admin().get("/metrics").text());
    let path = "../../docs/reference/metrics.md";
    if std::env::var_os("BATON_BLESS").is_some() {
        std::fs::write(path, &made).unwrap();
    }
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page == made, "docs/reference/metrics.md is not what a hub says; BATON_BLESS=1 writes it");
}

/// What the guide's rules for alerts and its examples name is a metric.
#[test]
fn every_metric_that_the_guide_names_is_one() {
    let known = std::fs::read_to_string("../../docs/reference/metrics.md").unwrap();
    let guide = std::fs::read_to_string("../../docs/observe.md").unwrap();
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
    let named =
        guide.split(|c| !is_name(c)).filter(|word| word.starts_with("baton_") && !word.ends_with('_'));
    let mut count = 0;
    for word in named {
        let family = word.trim_end_matches("_bucket");
        assert!(known.contains(&format!("| `{family}` |")), "docs/observe.md names {word}");
        count += 1;
    }
    assert!(count > 5, "{count}");
}
