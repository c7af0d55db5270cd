//! The four calls: both bindings, whose a config is, and that no credential is ever shown.

use serde_json::{Value, json};

use crate::it::hub::Hub;
use crate::it::outside::{OK, Outside, http, rpc};
use crate::it::tenant::{Tenant, act, claim, send, succeed};

use super::{hub, push_to, told};

const SECRETS: [&str; 2] = ["the-token-7f", "the-credentials-9a"];

fn config(task_id: &str, url: &str) -> Value {
    json!({"taskId": task_id, "id": "mine", "url": url, "token": SECRETS[0],
        "authentication": {"scheme": "Bearer", "credentials": SECRETS[1]}})
}

#[test]
fn a_receiver_is_shown_its_credentials_and_nobody_else_ever_is() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let receiver = Outside::start(|_, _| OK());
    let task_id = send(&tenant.user, "worker", "x");
    let network = &tenant.network_id;
    let call = |method: &str, params: &Value| rpc(&tenant.user, network, "worker", method, params);

    let made = call("CreateTaskPushNotificationConfig", &config(&task_id, &receiver.url("/hook?a=b")));
    assert_eq!(made["result"]["id"], "mine", "{made}");
    let named = json!({"taskId": task_id, "id": "mine"});
    let got = call("GetTaskPushNotificationConfig", &named);
    let listed = call("ListTaskPushNotificationConfigs", &json!({"taskId": task_id}));
    assert_eq!(got["result"]["url"], receiver.url("/hook?a=b"));
    assert_eq!(listed["result"]["configs"], json!([got["result"]]));
    let path = format!("tasks/{task_id}/pushNotificationConfigs");
    let over_http = http(&tenant.user, network, "worker", "GET", &format!("{path}/mine"), None);
    assert_eq!(over_http.json(), got["result"], "both bindings say the same");
    let listed_over_http = http(&tenant.user, network, "worker", "GET", &path, None);
    assert_eq!(listed_over_http.json(), listed["result"]);
    let shown = format!("{made}{got}{listed}{}{}", over_http.text(), listed_over_http.text());
    for secret in SECRETS {
        assert!(!shown.contains(secret), "{shown}");
        assert!(!hub.log().contains(secret), "{}", hub.log());
    }

    claim(&worker, 0, 60);
    let heard = receiver.wait_for(1);
    assert_eq!((&*heard[0].method, &*heard[0].path), ("POST", "/hook?a=b"));
    assert_eq!(heard[0].header("x-a2a-notification-token"), Some(SECRETS[0]));
    assert_eq!(heard[0].header("authorization"), Some(&*format!("Bearer {}", SECRETS[1])));
    assert_eq!(heard[0].header("content-type"), Some("application/a2a+json"));

    for _ in 0..2 {
        assert_eq!(call("DeleteTaskPushNotificationConfig", &named)["result"], json!({}));
        let gone = http(&tenant.user, network, "worker", "DELETE", &format!("{path}/mine"), None);
        assert_eq!((gone.status, gone.json()), (200, json!({})));
    }
    assert_eq!(call("GetTaskPushNotificationConfig", &named)["error"]["code"], -32001);
    let again = Outside::start(|_, _| OK());
    push_to(&tenant, &task_id, &again);
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    again.wait_for(2);
    assert_eq!(told(&receiver.received()), ["working"], "a removed receiver receives nothing more");
}

#[test]
fn a_config_is_its_makers_alone() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let receiver = Outside::start(|_, _| OK());
    let task_id = send(&tenant.user, "worker", "x");
    let network = &tenant.network_id;
    rpc(
        &tenant.user,
        network,
        "worker",
        "CreateTaskPushNotificationConfig",
        &config(&task_id, &receiver.url("/")),
    );
    let named = json!({"taskId": task_id, "id": "mine"});
    // The worker may see the task, and so may have a receiver of its own; the user's is none of its business.
    let listed =
        rpc(&worker, network, "worker", "ListTaskPushNotificationConfigs", &json!({"taskId": task_id}));
    assert!(listed["result"]["configs"].as_array().is_none_or(Vec::is_empty), "{listed}");
    assert_eq!(
        rpc(&worker, network, "worker", "GetTaskPushNotificationConfig", &named)["error"]["code"],
        -32001
    );
    assert_eq!(
        rpc(&worker, network, "worker", "DeleteTaskPushNotificationConfig", &named)["result"],
        json!({})
    );
    let taken = rpc(
        &worker,
        network,
        "worker",
        "CreateTaskPushNotificationConfig",
        &config(&task_id, &receiver.url("/")),
    );
    assert_eq!(taken["error"]["code"], -32602, "{taken}");
    let still = rpc(&tenant.user, network, "worker", "GetTaskPushNotificationConfig", &named);
    assert_eq!(still["result"]["id"], "mine", "{still}");
}

#[test]
fn a_stranger_finds_no_task_a_viewer_may_not_and_a_task_takes_ten() {
    let hub = hub();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let (viewer, stranger) = (Tenant::register(&hub, "victor"), Tenant::register(&hub, "mallory"));
    tenant.admit(&viewer.user, "viewer");
    let task_id = send(&tenant.user, "worker", "x");
    let network = &tenant.network_id;
    let params = json!({"taskId": task_id, "url": "http://127.0.0.1:9/"});
    let create = "CreateTaskPushNotificationConfig";
    assert_eq!(rpc(&stranger.user, network, "worker", create, &params)["error"]["code"], -32001);
    let path = format!("tasks/{task_id}/pushNotificationConfigs");
    let denied = http(&viewer.user, network, "worker", "POST", &path, Some(&params));
    assert_eq!(denied.status, 403, "{}", denied.text());
    for n in 0..10 {
        let made = rpc(&tenant.user, network, "worker", create, &params);
        assert!(made["result"]["id"].is_string(), "{n}: {made}");
    }
    let eleventh = rpc(&tenant.user, network, "worker", create, &params);
    assert_eq!(eleventh["error"]["code"], -32602, "{eleventh}");
}

#[test]
fn cards_say_that_the_hub_pushes() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let card = http(&tenant.user, &tenant.network_id, "worker", "GET", ".well-known/agent-card.json", None);
    assert_eq!(card.json()["capabilities"]["pushNotifications"], true);
}
