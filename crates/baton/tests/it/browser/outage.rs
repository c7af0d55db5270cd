//! The hub goes away under an open page.

use serde_json::json;

use super::script::drive_with;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, send};

#[test]
fn the_page_survives_a_killed_hub_and_shows_what_happened_since() {
    let mut hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    network.agent("worker");
    send(&network.user, "worker", "sent before");
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id,
    });
    drive_with("outage.mjs", &given, |asked| match asked {
        "kill" => hub.kill9(),
        "start" => {
            hub.restart();
            send(&network.user, "worker", "sent after");
        }
        other => panic!("{other}"),
    });
}
