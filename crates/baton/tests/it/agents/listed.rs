//! Which agents are listed, with what, and for whom.

use serde_json::{Value, json};

use super::{agent, agents, find, names, put};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, refused, report, send, succeed, text};
use crate::it::tool;

#[test]
fn agents_that_only_claim_over_rest_or_mcp_are_listed_with_what_they_work_on() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (rest, mcp, quiet) = (network.agent("rest"), network.agent("mcp"), network.agent("quiet"));
    assert_eq!(agents(&network.user), Vec::<Value>::new(), "tokens that were never used are nobody yet");
    let task = send(&network.user, "rest", "count the words of this sentence");
    send(&network.user, "rest", "and of this");
    claim(&rest, 0, 60);
    let listed = agent(&network.user, "rest");
    assert_eq!(
        (&listed["status"], &listed["leases"], &listed["queue"]),
        (&json!("working"), &json!(1), &json!(1))
    );
    let works_on = listed["works_on"].as_array().unwrap();
    assert_eq!(works_on.len(), 1);
    assert_eq!((&works_on[0]["task_id"], &works_on[0]["attempt"]), (&json!(task), &json!(1)));
    assert_eq!(works_on[0]["content"], "count the words of this sentence");
    assert!(works_on[0]["since"].is_string() && listed["last_seen_at"].is_string());
    assert_eq!((&listed["workers"], listed.get("session")), (&json!([]), None), "it has neither");
    // Over MCP the same, and a call is enough to be seen.
    assert_eq!(tool::call(&mcp, "claim_task", &json!({}))["task"], Value::Null);
    let listed = tool::call(&network.user, "list_agents", &json!({}));
    assert_eq!(names(listed["agents"].as_array().unwrap()), ["mcp", "rest"]);
    assert_eq!(listed["agents"][0]["status"], "idle");
    quiet.get("/api/inbox");
    assert_eq!(names(&agents(&network.user)), ["mcp", "quiet", "rest"]);
}

#[test]
fn a_session_says_what_an_agent_does_and_a_lease_that_it_works() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let coder = network.agent("coder");
    report(&coder, "coder", "blocked");
    assert_eq!(agent(&network.user, "coder")["status"], "blocked");
    assert_eq!(agent(&network.user, "coder")["session"]["resume_id"], "coder");
    report(&coder, "coder", "idle");
    let task = send(&network.user, "coder", "go");
    assert_eq!(agent(&network.user, "coder")["status"], "idle");
    let lease = claim(&coder, 0, 60);
    assert_eq!(agent(&network.user, "coder")["status"], "working");
    let body = json!({"text": "done", "lease_id": lease["lease_id"]});
    succeed(&act(&coder, &task, "reply", &body));
    let listed = agent(&network.user, "coder");
    assert_eq!((&listed["status"], &listed["works_on"]), (&json!("idle"), &json!([])));
}

#[test]
fn a_row_of_an_agent_leaves_out_what_a_list_does_not_need_and_keeps_its_progress() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let coder = network.agent("coder");
    put(&coder, "w1", &json!({"description": "Writes code", "skills": [{"id": "rust"}]}));
    let status =
        json!({"resume_id": "r", "alias": "coder", "status": "working", "progress": 40, "output": "x"});
    assert_eq!(tool::call(&coder, "report_status", &status)["ok"], true);
    let whole = agent(&network.user, "coder");
    let row = succeed(&network.user.get("/api/agents?view=row"))["agents"][0].clone();
    let left_out = ["description", "skills", "workers", "session"];
    for (name, value) in whole.as_object().unwrap() {
        let expected = (!left_out.contains(&name.as_str())).then_some(value);
        // Seconds may pass between the two.
        assert!(row.get(name) == expected || name == "last_seen_at", "{name}: {row}");
    }
    assert_eq!((&row["status"], &row["progress"]), (&json!("working"), &json!(40)));
    report(&coder, "coder", "idle");
    assert_eq!(agent(&network.user, "coder").get("progress"), None, "it does not work");
}

#[test]
fn the_figures_of_the_day_are_what_was_replied_and_failed() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (coder, idle) = (network.agent("coder"), network.agent("idle"));
    idle.get("/api/inbox");
    for (n, status) in ["replied", "failed", "replied", "replied"].iter().enumerate() {
        send(&network.user, "coder", &format!("task {n}"));
        let claimed = claim(&coder, 0, 60);
        let body = json!({"text": "x", "status": status, "lease_id": claimed["lease_id"]});
        succeed(&act(&coder, &text(&claimed["task"]["task_id"]), "reply", &body));
    }
    let cancelled = send(&network.user, "coder", "never mind");
    succeed(&act(&network.user, &cancelled, "cancel", &json!({})));
    send(&network.user, "coder", "waits");
    let listed = agent(&network.user, "coder");
    let day = &listed["day"];
    assert_eq!((&day["ended"], &day["replied"], &day["failed"]), (&json!(4), &json!(3), &json!(1)));
    assert_eq!((&day["success_rate"], &listed["queue"]), (&json!(0.75), &json!(1)));
    let p50 = day["p50_seconds"].as_f64().unwrap();
    assert!((0.0..60.0).contains(&p50), "{p50}");
    let day = &agent(&network.user, "idle")["day"];
    assert_eq!(
        (&day["ended"], &day["success_rate"], &day["p50_seconds"]),
        (&json!(0), &Value::Null, &Value::Null)
    );
}

#[test]
fn a_stranger_sees_nobody_and_a_node_only_the_tasks_it_is_party_to() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let stranger = Tenant::register(&hub, "mallory");
    let (coder, tester) = (network.agent("coder"), network.agent("tester"));
    let lead = network.coordinator("lead");
    send(&network.user, "coder", "a secret of alice");
    let own = send(&tester, "coder", "what the tester asked for");
    claim(&coder, 0, 60);
    claim(&coder, 0, 60);
    put(&coder, "w1", &json!({"hostname": "alices-machine"}));
    let path = format!("/api/agents?network_id={}", network.network_id);
    let answer = refused(&stranger.user.get(&path), 404, "network not found");
    assert!(!answer.to_string().contains("coder"));
    assert_eq!(agents(&stranger.user), Vec::<Value>::new());
    let spy = stranger.agent("spy");
    refused(&spy.get(&path), 403, "permission_denied");
    assert_eq!(names(&agents(&spy)), ["spy"]);
    for (reader, seen) in [(&network.user, 2), (&coder, 2), (&lead, 2), (&tester, 1)] {
        let listed = agent(reader, "coder");
        assert_eq!((&listed["leases"], listed["works_on"].as_array().unwrap().len()), (&json!(2), seen));
    }
    assert_eq!(agent(&tester, "coder")["works_on"][0]["task_id"], json!(own));
    // A system admin may look, and that is recorded.
    let admin = hub.admin();
    assert_eq!(names(succeed(&admin.get(&path))["agents"].as_array().unwrap()), ["coder", "lead", "tester"]);
    let log = succeed(&admin.get("/api/audit-log"))["entries"].to_string();
    assert!(log.contains("network.read") && log.contains("agents"), "{log}");
}

#[test]
fn pages_end_at_their_limit_and_the_cursor_goes_on() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    for name in ["a", "b", "c", "unused", "z"] {
        let agent = network.agent(name);
        if name != "unused" {
            agent.get("/api/inbox");
        }
    }
    let (mut cursor, mut seen) = (String::new(), Vec::new());
    for _ in 0..9 {
        let page = succeed(&network.user.get(&format!("/api/agents?limit=2&cursor={cursor}")));
        let agents = page["agents"].as_array().unwrap();
        assert!(agents.len() <= 2);
        seen.extend(names(agents).into_iter().map(str::to_owned));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen, ["a", "b", "c", "z"]);
    for wrong in ["limit=0", "limit=201", "limit=x", "cursor=x", "view=all"] {
        refused(&network.user.get(&format!("/api/agents?{wrong}")), 400, "invalid input");
    }
    assert_eq!(find(&network.user, "unused"), None);
}
