//! Push notifications: receivers outside get a task's events, in any case to them or to the hub.

mod configs;
mod delivery;
mod fairness;
mod refused;
mod silent;
mod tls;

use serde_json::{Value, json};

use super::hub::{ADMIN, Hub, PASSWORD};
use super::outside::{Outside, RecordedCall, rpc};
use super::tenant::Tenant;

/// A hub that may call this machine.
fn hub() -> Hub {
    Hub::start_with(&["--username", ADMIN, "--password", PASSWORD, "--allow-outbound", "127.0.0.0/8"])
}

/// Has a task's events pushed to a receiver; gives the config's id.
fn push_to(tenant: &Tenant, task_id: &str, receiver: &Outside) -> String {
    push_to_url(tenant, task_id, &receiver.url("/hook"))
}

fn push_to_url(tenant: &Tenant, task_id: &str, url: &str) -> String {
    let config = json!({"taskId": task_id, "url": url});
    let made = rpc(&tenant.user, &tenant.network_id, "worker", "CreateTaskPushNotificationConfig", &config);
    made["result"]["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
}

/// What pushes said, in short: the state of a status update, or `artifact`.
pub(super) fn told(heard: &[RecordedCall]) -> Vec<String> {
    heard.iter().map(|push| told_by(&push.body)).collect()
}

fn told_by(body: &Value) -> String {
    match body["statusUpdate"]["status"]["state"].as_str() {
        Some(state) => state.trim_start_matches("TASK_STATE_").to_lowercase(),
        None => {
            assert!(body["artifactUpdate"]["artifact"].is_object(), "{body}");
            "artifact".into()
        }
    }
}
