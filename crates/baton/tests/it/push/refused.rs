//! Addresses that are not public are refused unless the operator allowed them.

use serde_json::json;
use std::time::{Duration, Instant};

use crate::it::hub::{ADMIN, Hub, PASSWORD, baton};
use crate::it::outside::{Authority, OK, Outside, rpc};
use crate::it::tenant::{Tenant, act, claim, send, succeed};

use super::push_to;

#[test]
fn what_leads_inside_is_refused_by_number_by_odd_number_and_by_name() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let task_id = send(&tenant.user, "worker", "x");
    for url in [
        "http://127.0.0.1:80/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::a00:1]/",
        "https://[2002:a00:1::]/",
        "https://10.1.2.3/",
        "https://172.16.0.1/",
        "https://192.168.1.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://100.64.0.1/",
        "https://[fd00::1]/",
        "https://[fe80::1]/",
        "https://0.0.0.0/",
        "https://224.0.0.1/",
        "https://localhost/",
        "http://8.8.8.8/",
        "ftp://8.8.8.8/",
        "https://user:secret@8.8.8.8/",
        "not an address",
    ] {
        let params = json!({"taskId": task_id, "url": url});
        let create = "CreateTaskPushNotificationConfig";
        let refused = rpc(&tenant.user, &tenant.network_id, "worker", create, &params);
        assert_eq!(refused["error"]["code"], -32602, "{url}: {refused}");
        // The same with a send, and then nothing is sent.
        let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "do it"}]});
        let params = json!({"message": message, "configuration":
            {"returnImmediately": true, "taskPushNotificationConfig": {"url": url}}});
        let refused = rpc(&tenant.user, &tenant.network_id, "worker", "SendMessage", &params);
        assert_eq!(refused["error"]["code"], -32602, "{url}: {refused}");
    }
    // What a name resolves to is not revealed: only that it may not be called, and what would allow it.
    let params = json!({"taskId": task_id, "url": "https://localhost/"});
    let create = "CreateTaskPushNotificationConfig";
    let refused = rpc(&tenant.user, &tenant.network_id, "worker", create, &params).to_string();
    assert!(refused.contains("--allow-outbound"), "{refused}");
    assert!(!refused.contains("127.") && !refused.contains("::1"), "{refused}");
    let tasks = tenant.user.get("/api/tasks").json();
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 1, "{tasks}");
}

#[test]
fn a_range_that_is_none_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let started = baton()
        .args(["hub", "start", "--allow-outbound", "10.0.0.0/99", "--data-dir"])
        .arg(folder.path())
        .output();
    let started = started.unwrap();
    assert_eq!(started.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&started.stderr).contains("give a range"), "{started:?}");
}

/// Loopback by number and by name.
const ALLOWING: [&str; 8] = [
    "--username",
    ADMIN,
    "--password",
    PASSWORD,
    "--allow-outbound",
    "127.0.0.0/8",
    "--allow-outbound",
    "::1/128",
];

#[test]
fn a_name_that_was_allowed_when_it_was_given_is_judged_again_at_each_call() {
    let mut hub = Hub::start_with_env(&ALLOWING, &[("BATON_LOG", "baton=debug")]);
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let receiver = Outside::start(|_, _| OK());
    let task_id = send(&tenant.user, "worker", "x");
    let config = json!({"taskId": task_id, "url": receiver.url_by_name("/hook")});
    let made = rpc(&tenant.user, &tenant.network_id, "worker", "CreateTaskPushNotificationConfig", &config);
    assert!(made["result"]["id"].is_string(), "{made}");
    claim(&worker, 0, 60);
    receiver.wait_for(1);
    hub.restart_with(&[]);
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    let deadline = Instant::now() + Duration::from_secs(20);
    while !hub.log().contains("leads to an address that the hub may not call") {
        assert!(Instant::now() < deadline, "{}", hub.log());
        std::thread::yield_now();
    }
    assert_eq!(receiver.received().len(), 1, "what was allowed then is not now");
}

#[test]
fn a_proxy_of_the_environment_hears_nothing() {
    let proxy = Outside::start(|_, _| OK());
    let place = format!("http://{}", proxy.authority());
    let names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let mut environment: Vec<_> = names.iter().map(|name| (*name, &*place)).collect();
    environment.extend([("NO_PROXY", ""), ("no_proxy", "")]);
    let authority = Authority::new();
    let folder = tempfile::tempdir().unwrap();
    let file = authority.write_to(folder.path());
    let options = [&ALLOWING[..], &["--outbound-ca", file.to_str().unwrap()]].concat();
    let hub = Hub::start_with_env(&options, &environment);
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let (plain, tls) = (Outside::start(|_, _| OK()), Outside::start_tls(&authority, |_, _| OK()));
    let task_id = send(&tenant.user, "worker", "x");
    push_to(&tenant, &task_id, &plain);
    push_to(&tenant, &task_id, &tls);
    claim(&worker, 0, 60);
    {
        let heard = || plain.received().len() + tls.received().len() + proxy.received().len();
        let deadline = Instant::now() + Duration::from_secs(20);
        while heard() < 2 {
            assert!(Instant::now() < deadline, "{}", hub.log());
            std::thread::yield_now();
        }
    }
    assert_eq!((plain.received().len(), tls.received().len()), (1, 1));
    assert!(proxy.received().is_empty(), "{:?}", proxy.received());
}
