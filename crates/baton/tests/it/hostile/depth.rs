//! JSON nested deeper than 64 levels is refused at every door, and what was stored before it was does not break the
//! tools of those who read it.

use rusqlite::{Connection, params};
use serde_json::json;

use crate::it::hub::{Hub, baton};
use crate::it::tenant::{Tenant, refused, report, send, succeed};
use crate::it::tool;

/// Arrays in arrays, so many.
fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

#[test]
fn every_door_refuses_json_that_nests_too_deep_and_takes_what_does_not() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "mallory");
    let worker = tenant.agent("worker");
    report(&worker, "worker", "idle");
    // 64 levels with the body's own object, and one more.
    let task = |depth: usize| format!(r#"{{"alias":"worker","task":"t","meta":{}}}"#, nested(depth));
    succeed(&tenant.user.send_text("POST", "/api/task", &[], Some(&task(63))));
    let told =
        refused(&tenant.user.send_text("POST", "/api/task", &[], Some(&task(64))), 400, "invalid JSON");
    assert!(told["message"].as_str().unwrap().contains("64 levels"), "{told}");

    // A message of MCP has three objects around an argument.
    let call = |depth: usize| {
        let arguments = format!(r#"{{"alias":"worker","task":"t","meta":{}}}"#, nested(depth));
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"send_task","arguments":{arguments}}}}}"#
        )
    };
    assert_eq!(tenant.user.send_text("POST", "/mcp", &[], Some(&call(61))).status, 200);
    let answer = tenant.user.send_text("POST", "/mcp", &[], Some(&call(62)));
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (400, &json!(-32700)));
    assert!(answer.text().contains("64 levels"), "{}", answer.text());

    let base = format!("/a2a/{}/worker", tenant.network_id);
    let message = |depth: usize| {
        let data = nested(depth);
        format!(
            r#"{{"message":{{"messageId":"m{depth}","role":"ROLE_USER","parts":[{{"text":"t"}}],"metadata":{{"d":{data}}}}}}}"#
        )
    };
    let headers = [("a2a-version", "1.0")];
    let answer = tenant.user.send_text("POST", &format!("{base}/message:send"), &headers, Some(&message(62)));
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert!(answer.text().contains("64 levels"), "{}", answer.text());
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}}"#, message(61));
    let answer = tenant.user.send_text("POST", &base, &headers, Some(&body));
    assert_eq!(answer.json()["error"]["code"], -32700, "{}", answer.text());

    let path = format!("/api/evidence/packets?network_id={}", tenant.network_id);
    let answer = tenant.user.send_text("POST", &path, &[], Some(&nested(65)));
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert!(answer.text().contains("64 levels"), "{}", answer.text());
}

#[test]
fn meta_that_nests_126_deep_in_an_old_database_breaks_no_tool() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "victim");
    let worker = tenant.agent("worker");
    let task_id = send(&tenant.user, "worker", "an old task");
    let database = Connection::open(hub.data_dir().join("hub.db")).unwrap();
    let sql = "UPDATE tasks SET meta = ?2 WHERE task_id = ?1";
    assert_eq!(database.execute(sql, params![task_id, nested(126)]).unwrap(), 1);
    drop(database);

    let home = tempfile::tempdir().unwrap();
    let run = |token: &str, arguments: &[&str]| {
        let mut command = baton();
        command.env("HOME", home.path()).env("BATON_HUB", hub.url()).env("BATON_TOKEN", token);
        let ran = command.args(arguments).output().unwrap();
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    };
    let token = tenant.user.token.clone().unwrap();
    assert!(run(&token, &["tasks"]).contains("an old task"));
    assert!(run(&token, &["task", "show", &task_id]).contains(&nested(126)));
    assert!(run(&token, &["tasks", "--json"]).contains(&nested(126)));
    let shown = tool::raw(&tenant.user, "get_task", &json!({"task_id": task_id}));
    assert!(shown.text().contains(&nested(126)), "{}", shown.text());
    // A worker takes it up and answers it.
    run(&worker.token.unwrap(), &["work", "--alias", "worker", "--once", "--", "echo", "done"]);
    assert_eq!(succeed(&tenant.user.get("/api/tasks?view=row"))["tasks"][0]["status"], "replied");
}
