//! Addresses that are not public are refused unless the operator allowed them.

use serde_json::json;

use crate::it::hub::{Hub, baton};
use crate::it::outside::rpc;
use crate::it::tenant::{Tenant, send};

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
    // What a name leads to is not told: only that it may not be called, and what would allow it.
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
