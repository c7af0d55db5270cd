//! For everybody: axe-core's rules on every page, and the way through without a mouse.

use serde_json::json;

use super::script::drive;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, send};

fn pass(script: &str, theme: &str, size: &str) {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    Tenant::register(&hub, "newcomer");
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id,
        "token": network.user.token, "theme": theme, "size": size,
        "newcomer": {"username": "newcomer", "password": PASSWORD},
    });
    drive(script, &given);
}

#[test]
fn no_page_scrolls_sideways_on_a_small_phone() {
    pass("narrow.mjs", "light", "phone");
}

#[test]
fn no_window_is_wider_than_a_small_phone() {
    pass("narrow-windows.mjs", "light", "phone");
}

#[test]
fn axe_finds_nothing_serious_on_pages_of_a_desktop_in_light() {
    pass("axe-pages.mjs", "light", "desktop");
}

#[test]
fn axe_finds_nothing_serious_on_pages_of_a_desktop_in_dark() {
    pass("axe-pages.mjs", "dark", "desktop");
}

#[test]
fn axe_finds_nothing_serious_on_pages_of_a_tablet() {
    pass("axe-pages.mjs", "light", "tablet");
}

#[test]
fn axe_finds_nothing_serious_on_pages_of_a_phone_in_light() {
    pass("axe-pages.mjs", "light", "phone");
}

#[test]
fn axe_finds_nothing_serious_on_pages_of_a_phone_in_dark() {
    pass("axe-pages.mjs", "dark", "phone");
}

#[test]
fn axe_finds_nothing_serious_in_windows_of_a_desktop_in_light() {
    pass("axe-windows.mjs", "light", "desktop");
}

#[test]
fn axe_finds_nothing_serious_in_windows_of_a_desktop_in_dark() {
    pass("axe-windows.mjs", "dark", "desktop");
}

#[test]
fn axe_finds_nothing_serious_in_windows_of_a_phone_in_light() {
    pass("axe-windows.mjs", "light", "phone");
}

#[test]
fn axe_finds_nothing_serious_in_windows_of_a_phone_in_dark() {
    pass("axe-windows.mjs", "dark", "phone");
}

#[test]
fn a_task_is_reached_and_cancelled_with_the_keyboard_alone() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    network.agent("worker");
    send(&network.user, "worker", "reached by keys");
    drive("keyboard.mjs", &json!({"base": hub.url(), "username": ADMIN, "password": PASSWORD}));
}
