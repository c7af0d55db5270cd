//! Packets of other systems handed in: once, again, refused, in batches; and never taken for what the hub saw.

use serde_json::{Value, json};

use super::workbench::{Workbench, events, handoff, seal};
use crate::it::hub::Hub;
use crate::it::program::{packet, packets};
use crate::it::tenant::Tenant;

#[test]
fn the_same_packets_are_known_the_second_time() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    let send = ["adapt", "--send", "--ndjson"];
    let first = workbench.fed(send, &packets(3)).exited(0);
    let outcome = |index: u64, known: bool| json!({"ok": true, "index": index, "known": known});
    assert_eq!(first.lines(), [outcome(0, false), outcome(1, false), outcome(2, false)]);
    let again = workbench.fed(send, &(packets(4))).exited(0);
    assert_eq!(again.lines(), [outcome(0, true), outcome(1, true), outcome(2, true), outcome(3, false)]);
    assert_eq!(events(&tenant).len(), 4);
}

#[test]
fn what_is_reported_is_never_counted_as_observed_by_the_hub() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    handoff(&tenant);
    let seen = seal(&tenant);
    workbench.fed(["adapt", "--send", "--network", &tenant.network_id], &packet(1)).exited(0);
    seal(&tenant);

    let shown = workbench.baton(["evidence", "log", "--after", &(seen - 1).to_string()]).exited(0);
    let row = shown.stdout.lines().last().unwrap();
    assert!(row.contains("reported by admin") && row.ends_with("handoff visible"), "{row}");
    let said = &workbench.baton(["evidence", "audit", "--json"]).exited(0).lines()[0];
    assert_eq!(said["events"]["observed_by_hub"], json!({"events": seen, "handoffs_visible": 1}));
    assert_eq!(said["events"]["reported"], json!({"events": 1, "handoffs_visible": 1}));
    workbench.baton(["evidence", "export", "-o", "all.tar.gz"]).exited(0);
    let checked = workbench.baton(["evidence", "verify", "all.tar.gz"]).exited(0);
    assert!(checked.stdout.contains("reported to the hub, not observed by it: 1 events"), "{checked:?}");
}

#[test]
fn each_packet_is_taken_or_refused_by_itself_and_in_its_order() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    let too_large = format!("{{\"x\":\"{}\"}}", "x".repeat(256 * 1024));
    let input = format!("{}\r\n\n{{}}\n{too_large}\n{}", packet(1), packet(2));
    let ran = workbench.fed(["adapt", "--send", "--ndjson", "-"], &input).exited(1);
    let refused = |message: &str| json!({"ok": false, "error": {"kind": "measurement", "message": message}});
    let expected = [
        json!({"ok": true, "index": 0, "known": false}),
        refused("protocol must be 'a2a'"),
        refused("payload exceeds max_payload_bytes (262144)"),
        json!({"ok": true, "index": 1, "known": false}),
    ];
    assert_eq!(ran.lines(), expected);

    // What one mode refuses the other takes.
    let lacking = r#"{"protocol":"a2a","version":"0.2","event_type":"task.updated"}"#;
    let strict = workbench.fed(["adapt", "--send"], lacking).exited(1);
    assert_eq!(strict.lines(), [refused("missing required field: agent.id")]);
    workbench.fed(["adapt", "--send", "--mode", "lenient"], lacking).exited(0);
    let whole = workbench.fed(["adapt", "--send"], &too_large).exited(1);
    assert_eq!(whole.lines(), [refused("payload exceeds max_payload_bytes (262144)")]);
}

#[test]
fn a_packet_of_several_lines_is_handed_in_byte_for_byte() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&packet(1)).unwrap()).unwrap();
    std::fs::write(workbench.path("packet.json"), &pretty).unwrap();
    workbench.baton(["adapt", "--send", "packet.json"]).exited(0);
    let known = workbench.baton(["adapt", "--send", "packet.json"]).exited(0);
    assert_eq!(known.lines(), [json!({"ok": true, "index": 0, "known": true})]);
}

#[test]
fn more_packets_than_one_call_takes_go_in_several() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    let big = |number: usize| {
        packet(number).replace("\"a\":", &format!("\"b\":\"{}\",\"a\":", "x".repeat(200_000)))
    };
    let input: String = (0..8).map(|number| big(number) + "\n").collect::<String>() + &packets(1_050);
    let ran = workbench.fed(["adapt", "--send", "--ndjson"], &input).exited(0);
    let indexes: Vec<_> = ran.lines().iter().map(|line| line["index"].as_u64().unwrap()).collect();
    assert_eq!(indexes, (0..1_058).collect::<Vec<_>>());
}

#[test]
fn a_hub_that_is_away_or_says_no_and_options_that_are_the_hubs() {
    let mut hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    for option in [["--max-payload-bytes", "9"], ["--protocol-version", "0.2"], ["--attachments", "x"]] {
        let ran = workbench.fed([&["adapt", "--send"], &option[..]].concat(), &packet(1)).exited(2);
        assert!(ran.stderr.contains("cannot be used with"), "{ran:?}");
    }
    let other = Tenant::register(&hub, "mallory");
    let ran = Workbench::of(&hub, &other)
        .with_network(&tenant.network_id)
        .fed(["adapt", "--send"], &packet(1))
        .exited(6);
    assert!(ran.stderr.contains("network not found"), "{ran:?}");
    Workbench::of(&hub, &tenant)
        .with_token("utok_00112233445566778899aabbccddeeff")
        .fed(["adapt", "--send"], &packet(1))
        .exited(6);
    hub.stop();
    workbench.fed(["adapt", "--send"], &packet(1)).exited(5);
    // Without --send no hub is needed, nor looked for.
    assert_eq!(workbench.fed(["adapt"], &packet(1)).exited(0).lines()[0]["ok"], true);
}
