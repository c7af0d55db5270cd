//! A receiver behind TLS receives nothing, its token least of all, unless the hub knows who signed its certificate.

use serde_json::json;
use std::time::{Duration, Instant};

use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::outside::{Authority, OK, Outside};
use crate::it::tenant::{Tenant, act, claim, send, succeed};

use super::{push_to, told};

const OPTIONS: [&str; 6] = ["--username", ADMIN, "--password", PASSWORD, "--allow-outbound", "127.0.0.0/8"];

#[test]
fn a_receiver_is_told_over_tls_only_if_the_hub_knows_who_signed_its_certificate() {
    let (known, unknown) = (Authority::new(), Authority::new());
    let folder = tempfile::tempdir().unwrap();
    let file = known.write_to(folder.path());
    let hub = Hub::start_with_env(
        &[&OPTIONS[..], &["--outbound-ca", file.to_str().unwrap()]].concat(),
        &[("BATON_LOG", "baton=debug")],
    );
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let told_so = Outside::start_tls(&known, |_, _| OK());
    let stranger = Outside::start_tls(&unknown, |_, _| OK());
    let task_id = send(&tenant.user, "worker", "x");
    push_to(&tenant, &task_id, &stranger);
    push_to(&tenant, &task_id, &told_so);
    claim(&worker, 0, 60);
    succeed(&act(&worker, &task_id, "reply", &json!({"text": "done"})));
    assert_eq!(told(&told_so.wait_for(3)), ["working", "artifact", "completed"]);
    let deadline = Instant::now() + Duration::from_secs(20);
    while !hub.log().contains("signed by an unknown authority") {
        assert!(Instant::now() < deadline, "{}", hub.log());
        std::thread::yield_now();
    }
    assert!(stranger.received().is_empty());
}
