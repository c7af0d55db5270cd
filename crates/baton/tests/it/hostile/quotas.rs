//! Accounts and networks reach their quotas and get no more; a system admin raises or lowers them.

use serde_json::{Value, json};

use crate::it::http::{Client, Response};
use crate::it::hub::{Hub, PASSWORD, baton};
use crate::it::tenant::{Tenant, claim, refused, report, send, succeed, text};
use crate::it::tool;

/// A hub, its admin and an ordinary account.
fn hub() -> (Hub, Client, Tenant) {
    let hub = Hub::start();
    let (admin, tenant) = (hub.admin(), Tenant::register(&hub, "mallory"));
    (hub, admin, tenant)
}

fn user_id(user: &Client) -> String {
    text(&succeed(&user.get("/api/auth/me"))["user"]["user_id"])
}

fn set_user(admin: &Client, user: &str, quotas: &Value) -> Value {
    succeed(&admin.put(&format!("/api/users/{user}/quotas"), quotas))
}

fn set_network(admin: &Client, network: &str, quotas: &Value) -> Value {
    succeed(&admin.put(&format!("/api/networks/{network}/quotas"), quotas))
}

fn used(answer: &Value, name: &str) -> Value {
    let quotas = answer["quotas"].as_array().unwrap();
    quotas.iter().find(|quota| quota["quota"] == name).unwrap()["used"].clone()
}

fn exceeded(answer: &Response, words: &str) {
    let told = refused(answer, 403, "quota_exceeded");
    assert!(told["message"].as_str().unwrap().contains(words), "{told}");
}

#[test]
fn an_account_makes_fifty_networks_and_not_one_more_until_an_admin_lets_it() {
    let (_hub, admin, tenant) = hub();
    let make = |n: usize| tenant.user.post("/api/networks", &json!({"name": format!("n{n}")}));
    let made: Vec<String> = (1..50).map(|n| text(&succeed(&make(n))["network_id"])).collect();
    exceeded(&make(50), "this account owns 50 networks, its limit; delete some");
    succeed(&tenant.user.delete(&format!("/api/networks/{}", made[0])));
    succeed(&make(50));
    exceeded(&make(51), "50 networks");
    let user = user_id(&tenant.user);
    let set = set_user(&admin, &user, &json!({"networks": 52}));
    assert_eq!(used(&set, "networks"), 50);
    succeed(&make(51));
    succeed(&make(52));
    exceeded(&make(53), "52 networks");
    set_user(&admin, &user, &json!({"networks": null}));
    exceeded(&make(53), "50 networks");
}

#[test]
fn tokens_end_at_the_limit_and_nobody_is_locked_out_by_old_logins() {
    let (hub, admin, tenant) = hub();
    let user = user_id(&tenant.user);
    set_user(&admin, &user, &json!({"tokens": 4}));
    // One login and the node token of the registration are there.
    let (_, first) = tenant.mint("a", "node");
    tenant.mint("b", "node");
    let mint = |alias: &str| {
        let body = json!({"network_id": tenant.network_id, "node_name": alias});
        tenant.user.post("/api/auth/node-token", &body)
    };
    exceeded(&mint("c"), "this account has 4 tokens, its limit; revoke some");
    succeed(&tenant.user.delete(&format!("/api/auth/tokens/{first}")));
    succeed(&mint("c"));
    // A login takes the place of the one that was used longest ago.
    let again = hub.login("mallory", PASSWORD);
    refused(&tenant.user.get("/api/auth/me"), 401, "unauthorized");
    let quotas = succeed(&admin.get(&format!("/api/users/{user}/quotas")));
    assert_eq!(used(&quotas, "tokens"), 4, "{quotas}");
    succeed(&again.get("/api/auth/me"));
}

#[test]
fn open_tasks_and_inboxes_end_at_the_limit_and_ended_tasks_make_room() {
    let (_hub, admin, tenant) = hub();
    let (worker, other) = (tenant.agent("worker"), tenant.agent("other"));
    report(&worker, "worker", "idle");
    report(&other, "other", "idle");
    set_network(&admin, &tenant.network_id, &json!({"open_tasks": 3, "inbox": 2}));
    let post = |alias: &str| tenant.user.post("/api/task", &json!({"alias": alias, "task": "t"}));
    let first = send(&tenant.user, "worker", "t");
    send(&tenant.user, "worker", "t");
    exceeded(&post("worker"), "this recipient has 2 open deliveries, its limit");
    let third = send(&tenant.user, "other", "t");
    exceeded(&post("other"), "this network has 3 open tasks, its limit; finish or cancel some");
    // Neither a tool nor another agent's inbox is a way around.
    let sent = tool::call(&tenant.user, "send_task", &json!({"alias": "other", "task": "t"}));
    assert_eq!(sent["error"], "quota_exceeded", "{sent}");
    let reassign = |task: &str, to: &str| {
        tenant.user.post(&format!("/api/tasks/{task}/reassign"), &json!({"new_alias": to}))
    };
    exceeded(&reassign(&third, "worker"), "2 open deliveries");
    succeed(&tenant.user.post(&format!("/api/tasks/{first}/cancel"), &json!({})));
    let quotas = succeed(&admin.get(&format!("/api/networks/{}/quotas", tenant.network_id)));
    assert_eq!(used(&quotas, "open_tasks"), 2, "{quotas}");
    send(&tenant.user, "worker", "t");
    exceeded(&tenant.user.post(&format!("/api/tasks/{first}/retry"), &json!({})), "3 open tasks");
}

#[test]
fn sessions_members_and_invites_end_at_the_limit() {
    let (hub, admin, tenant) = hub();
    let limits = json!({"sessions": 1, "members": 2, "invites": 1});
    set_network(&admin, &tenant.network_id, &limits);
    let (one, two) = (tenant.agent("one"), tenant.agent("two"));
    assert_eq!(report(&one, "one", "idle")["ok"], true);
    assert_eq!(report(&two, "two", "idle")["error"], "quota_exceeded");
    assert_eq!(report(&one, "one", "working")["ok"], true, "a session that is there goes on");
    let (bob, eve) = (hub.register("bob").0, hub.register("eve").0);
    let path = format!("/api/networks/{}/invite", tenant.network_id);
    let invite = succeed(&tenant.user.post(&path, &json!({"role": "member", "max_uses": 9})));
    exceeded(&tenant.user.post(&path, &json!({"role": "member"})), "this network has 1 invites");
    let join =
        |user: &Client| user.post("/api/networks/join", &json!({"invite_code": invite["invite_code"]}));
    succeed(&join(&bob));
    exceeded(&join(&eve), "this network has 2 members");
    let eve_id = user_id(&eve);
    set_network(&admin, &tenant.network_id, &json!({"members": null}));
    set_user(&admin, &eve_id, &json!({"memberships": 1}));
    exceeded(&join(&eve), "this account belongs to 1 networks");
}

#[test]
fn waiting_claims_and_streams_end_at_the_limit_also_when_it_is_set_meanwhile() {
    let (_hub, admin, tenant) = hub();
    let worker = tenant.agent("worker");
    report(&worker, "worker", "idle");
    let path = "/events/worker";
    let stream = worker.stream(path, None).unwrap_or_else(|answer| panic!("{}", answer.text()));
    set_network(&admin, &tenant.network_id, &json!({"streams": 1, "waiting_claims": 0}));
    let answer = worker.stream(path, None).expect_err("no second stream");
    exceeded(&answer, "this network has 1 open streams, its limit; close some");
    let quotas = succeed(&admin.get(&format!("/api/networks/{}/quotas", tenant.network_id)));
    assert_eq!((used(&quotas, "streams"), used(&quotas, "inbox")), (json!(1), Value::Null), "{quotas}");
    drop(stream);
    exceeded(&worker.post("/api/claim", &json!({"wait_seconds": 5})), "this network has 0 waiting claims");
    assert_eq!(claim(&worker, 0, 60)["task"], Value::Null, "a claim that does not wait holds nothing open");
    set_network(&admin, &tenant.network_id, &json!({"waiting_claims": null}));
    send(&tenant.user, "worker", "t");
    assert!(claim(&worker, 5, 60)["task"].is_object());
}

#[test]
fn only_a_system_admin_sees_and_sets_quotas_and_each_change_is_in_the_audit_log() {
    let (hub, admin, tenant) = hub();
    let user = user_id(&tenant.user);
    let of_user = format!("/api/users/{user}/quotas");
    let of_network = format!("/api/networks/{}/quotas", tenant.network_id);
    refused(&tenant.user.get(&of_user), 403, "permission_denied");
    refused(&tenant.user.put(&of_user, &json!({"networks": 9_999})), 403, "permission_denied");
    refused(&tenant.user.put(&of_network, &json!({"inbox": 9_999})), 403, "permission_denied");
    for path in [&of_user, &of_network] {
        refused(&tenant.agent("worker").get(path), 403, "user_token_required");
    }
    for body in
        [json!({}), json!({"sessions": 5}), json!({"networks": -1}), json!({"networks": 2_000_000_000})]
    {
        refused(&admin.put(&of_user, &body), 400, "invalid input");
    }
    refused(&admin.get("/api/users/u_000000000000/quotas"), 404, "user not found");
    refused(
        &admin.put("/api/networks/net_000000000000/quotas", &json!({"inbox": 1})),
        404,
        "network not found",
    );
    set_network(&admin, &tenant.network_id, &json!({"inbox": 7}));
    let log = succeed(&admin.get("/api/audit-log?limit=1"));
    let entry = &log["entries"][0];
    assert_eq!(
        (&entry["action"], &entry["detail"]),
        (&json!("quota.set"), &json!("inbox at most 7")),
        "{entry}"
    );

    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = baton();
        command.env("HOME", home.path()).env("BATON_HUB", hub.url());
        command.env("BATON_TOKEN", admin.token.as_ref().unwrap());
        let ran = command.args(arguments).output().unwrap();
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    };
    assert!(run(&["quota", "set", "mallory", "networks=60", "tokens=default"]).contains("60"));
    let shown: Value = serde_json::from_str(&run(&["quota", "show", &user, "--json"])).unwrap();
    assert_eq!(shown["quotas"][0], json!({"quota": "networks", "used": 1, "limit": 60, "default_limit": 50}));
    assert!(run(&["quota", "show", &tenant.network_id]).contains("inbox"));
}

#[test]
fn an_admin_of_a_network_sees_and_sets_its_delegation_depth_and_nothing_else() {
    let (hub, admin, tenant) = hub();
    let [(boss, _), (member, _), (stranger, _)] =
        ["boss", "member", "stranger"].map(|name| hub.register(name));
    tenant.admit(&boss, "admin");
    tenant.admit(&member, "member");
    let path = format!("/api/networks/{}/quotas", tenant.network_id);
    let depth = |limit: i64| json!([{"quota": "delegation_depth", "used": null, "limit": limit, "default_limit": 16}]);
    for (user, limit) in [(&tenant.user, 4), (&boss, 32)] {
        let set = succeed(&user.put(&path, &json!({"delegation_depth": limit})));
        assert_eq!(set["quotas"], depth(limit));
        assert_eq!(succeed(&user.get(&path))["quotas"], depth(limit));
    }
    let entry = succeed(&admin.get("/api/audit-log?limit=1"))["entries"][0].clone();
    assert_eq!((&entry["actor"], &entry["detail"]), (&json!("boss"), &json!("delegation_depth at most 32")));
    for body in [json!({"inbox": 5}), json!({"delegation_depth": 5, "inbox": 5})] {
        refused(&boss.put(&path, &body), 403, "permission_denied");
    }
    for body in [json!({"delegation_depth": 33}), json!({"delegation_depth": -1}), json!({"x": 1}), json!({})]
    {
        refused(&boss.put(&path, &body), 400, "invalid input");
    }
    let body = json!({"delegation_depth": 5});
    refused(&member.get(&path), 403, "permission_denied");
    refused(&member.put(&path, &body), 403, "permission_denied");
    refused(&stranger.get(&path), 404, "network not found");
    refused(&stranger.put(&path, &body), 404, "network not found");
    refused(&tenant.coordinator("lead").put(&path, &body), 403, "user_token_required");
    assert_eq!(succeed(&boss.get(&path))["quotas"], depth(32), "nothing was changed");
    // The command needs no other rights.
    let home = tempfile::tempdir().unwrap();
    let mut command = baton();
    command
        .env("HOME", home.path())
        .env("BATON_HUB", hub.url())
        .env("BATON_TOKEN", boss.token.as_ref().unwrap());
    let ran =
        command.args(["quota", "set", &tenant.network_id, "delegation_depth=default"]).output().unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    assert!(ran.status.success() && said.contains("delegation_depth") && !said.contains("inbox"), "{said}");
    assert_eq!(succeed(&boss.get(&path))["quotas"], depth(16));
    assert_eq!(succeed(&admin.get(&path))["quotas"].as_array().unwrap().len(), 13, "a system admin sees all");
}

#[test]
fn counters_follow_what_they_count_through_deletes_and_cascades() {
    let (_hub, admin, tenant) = hub();
    let user = user_id(&tenant.user);
    let network = text(&succeed(&tenant.user.post("/api/networks", &json!({"name": "n"})))["network_id"]);
    let body = json!({"network_id": network, "node_name": "worker"});
    let token = succeed(&tenant.user.post("/api/auth/node-token", &body));
    let worker = tenant.user.with_token(token["token"].as_str().unwrap());
    report(&worker, "worker", "idle");
    let counts = || {
        let quotas = succeed(&admin.get(&format!("/api/users/{user}/quotas")));
        ["networks", "memberships", "tokens"].map(|name| used(&quotas, name))
    };
    assert_eq!(counts(), [json!(2), json!(2), json!(3)]);
    let quotas = succeed(&admin.get(&format!("/api/networks/{network}/quotas")));
    assert_eq!((used(&quotas, "sessions"), used(&quotas, "members")), (json!(1), json!(1)));
    succeed(&tenant.user.delete(&format!("/api/networks/{network}")));
    assert_eq!(counts()[..2], [json!(1), json!(1)], "at once");
    // Its tokens leave with its other rows, a moment later.
    for _ in 0..600 {
        if counts()[2] == json!(2) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{:?}", counts());
}
