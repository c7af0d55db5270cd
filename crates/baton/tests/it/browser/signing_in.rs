//! Who comes in, and with what.

use serde_json::json;

use super::script::drive;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::models::oidc::Issuer;
use crate::it::tenant::{Tenant, succeed, text};

#[test]
fn a_person_signs_in_switches_the_network_and_signs_out_and_a_wrong_password_says_so() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    succeed(&network.user.post("/api/networks", &json!({"name": "another one"})));
    let networks = network.user.get("/api/networks").json();
    let named = |row: &serde_json::Value| json!({"id": row["network_id"], "name": row["network_name"]});
    let networks: Vec<_> = networks["networks"].as_array().unwrap().iter().map(named).collect();
    assert_eq!(networks.len(), 2);
    let given = json!({"base": hub.url(), "username": ADMIN, "password": PASSWORD, "networks": networks});
    drive("sign-in.mjs", &given);
}

#[test]
fn a_user_allows_an_oauth_client_on_a_page_that_no_frame_shows_and_revokes_it() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub).network_id;
    drive(
        "consent.mjs",
        &json!({"base": hub.url(), "network": network, "username": ADMIN, "password": PASSWORD}),
    );
}

#[test]
fn a_user_comes_through_the_operators_issuer_to_the_page_where_a_client_is_allowed() {
    let issuer = Issuer::serve();
    drive("consent.mjs", &json!({"base": issuer.hub.url(), "issuer": issuer.url}));
}

#[test]
fn a_generated_password_asks_for_a_new_one_and_no_longer_works() {
    let hub = Hub::start_with(&["--username", ADMIN]);
    let line = hub.line_beginning("admin password: ");
    let password = line.split_whitespace().nth(2).unwrap();
    drive(
        "first-password.mjs",
        &json!({"base": hub.url(), "username": ADMIN, "password": text(&json!(password))}),
    );
}

#[test]
fn the_list_of_tokens_marks_one_that_expires_soon() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    for (name, days) in [("soon", Some(6)), ("later", Some(90)), ("never", None)] {
        let mut body = json!({"network_id": network.network_id, "node_name": name});
        if let Some(days) = days {
            body["expires_in_seconds"] = json!(days * 86_400);
        }
        succeed(&network.user.post("/api/auth/node-token", &body));
    }
    let given = json!({
        "base": hub.url(), "network": network.network_id, "user": {"username": ADMIN, "password": PASSWORD},
    });
    drive("tokens.mjs", &given);
}

#[test]
fn somebody_new_creates_an_account_on_the_page_and_gets_a_cookie_and_no_token() {
    let hub = Hub::start();
    Tenant::register(&hub, "ada");
    drive("sign-up.mjs", &json!({"base": hub.url(), "taken": "ada"}));
}

#[test]
fn a_hub_whose_registration_is_closed_offers_no_account() {
    let closed = ["--username", ADMIN, "--password", PASSWORD, "--open-registration", "false"];
    let hub = Hub::start_with(&closed);
    drive("sign-up-closed.mjs", &json!({"base": hub.url()}));
}
