//! Whatever an agent hands in as evidence, its network's log can be exported, checked offline by independent verifiers,
//! audited and checked by the hub.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::it::evidence_cli::workbench::{Workbench, handoff, key, seal};
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::program::run;
use crate::it::random::Random;
use crate::it::tenant::{Tenant, succeed};

/// Hands in packets, one a line; gives how many were recorded and how many refused.
fn report(client: &Client, packets: &[String]) -> (u64, u64) {
    let body = packets.join("\n");
    let headers = [("content-type", "application/x-ndjson")];
    let answer = client.send_text("POST", "/api/evidence/packets?mode=lenient", &headers, Some(&body));
    let answer = succeed(&answer);
    (answer["recorded"].as_u64().unwrap(), answer["refused"].as_u64().unwrap())
}

/// Exports everything; the bundles in their order.
fn export(workbench: &Workbench) -> Vec<PathBuf> {
    workbench.baton(["evidence", "export", "-o", "x.tar.gz"]).exited(0);
    let path = |number: u32| match number {
        1 => workbench.path("x.tar.gz"),
        number => workbench.path(&format!("x.{number}.tar.gz")),
    };
    (1..).map(path).take_while(|path| path.exists()).collect()
}

/// Checks a bundle with its side file by ours; gives its events.
fn verified(workbench: &Workbench, bundle: &Path, key: &str) -> u64 {
    let ran = workbench.baton([
        "evidence".as_ref(),
        "verify".as_ref(),
        bundle.as_os_str(),
        "--key".as_ref(),
        key.as_ref(),
        "--json".as_ref(),
    ]);
    ran.exited(0).lines()[0]["events"].as_u64().unwrap()
}

/// Noise that does not compress by more than a quarter.
fn noise(random: &mut Random, length: usize) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(length + 5);
    while text.len() < length {
        let drawn = random.below(1 << 30);
        (0..5).for_each(|n| text.push(DIGITS[(drawn >> (6 * n)) as usize % 64].into()));
    }
    text
}

#[test]
fn reports_that_call_themselves_the_hubs_own_and_do_not_compress_leave_the_log_exportable() {
    // The old exporter took such events for the hub's own and eight times lighter than they are.
    const PACKETS: usize = 580;
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "ada");
    let mallory = tenant.agent("mallory");
    handoff(&tenant);
    let mut random = Random::of(7);
    let mut recorded = 0;
    for number in (0..PACKETS).step_by(4) {
        let packet = |number: usize| {
            let noise = noise(&mut random, 250_000);
            format!(
                r#"{{"protocol":"a2a","version":"0.2","event_type":"message","agent":{{"id":"{number}"}},"attributes":{{"batonorigin":"hub","noise":"{noise}"}}}}"#
            )
        };
        recorded += report(&mallory, &(number..number + 4).map(packet).collect::<Vec<_>>()).0;
    }
    assert_eq!(recorded, PACKETS as u64);
    let size = seal(&tenant);
    let workbench = Workbench::of(&hub, &tenant);
    let bundles = export(&workbench);
    assert!(bundles.len() > 1, "{bundles:?}");
    let key = key(&tenant);
    let exported: u64 = bundles.iter().map(|bundle| verified(&workbench, bundle, &key)).sum();
    assert_eq!(exported, size);
    for bundle in &bundles {
        assert!(fs::metadata(bundle).unwrap().len() <= 100 << 20);
    }
}

#[test]
fn whatever_the_door_accepts_is_exported_and_checked() {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let seed = u64::from(now.subsec_nanos()) + 1;
    println!("seed {seed}");
    let mut random = Random::of(seed);
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "ada");
    let task = handoff(&tenant);
    let mallory = tenant.agent("mallory");
    let (mut recorded, mut refused) = (0, 0);
    for _ in 0..120 {
        // Three of the largest fit into a body.
        let packets: Vec<String> = (0..3).map(|_| packet(&mut random, &task)).collect();
        let (taken, turned_away) = report(&mallory, &packets);
        recorded += taken;
        refused += turned_away;
    }
    assert!(recorded > 50 && refused > 5, "{recorded} {refused}");
    let size = seal(&tenant);
    let workbench = Workbench::of(&hub, &tenant);
    let (bundles, key) = (export(&workbench), key(&tenant));
    let [bundle] = &*bundles else { panic!("{bundles:?}") };
    assert_eq!(verified(&workbench, bundle, &key), size);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/evidence_verifier.py");
    let theirs = run(Command::new("python3").arg(script).arg(bundle).args(["--key", &key]), |_| Ok(()));
    let theirs = theirs.exited(0).lines()[0].clone();
    assert_eq!((&theirs["events"], &theirs["reported"]), (&json!(size), &json!(recorded)));
    workbench.baton(["evidence", "audit"]).exited(0);
    // One task's evidence, with what was reported of it.
    workbench.baton(["evidence", "export", "--task", &task, "-o", "task.tar.gz"]).exited(0);
    assert!(verified(&workbench, &workbench.path("task.tar.gz"), &key) > 3);
}

/// A packet: parts of it as they should be, parts of it odd.
fn packet(random: &mut Random, task: &str) -> String {
    let mut members = Vec::new();
    let put = |random: &mut Random, percent: u64, name: &str, value: String, members: &mut Vec<String>| {
        if random.percent(percent) {
            members.push(format!("\"{name}\":{value}"));
        }
    };
    let types = ["task.requested", "task.updated", "artifact.shared", "agent.capabilities", "message", "x"];
    let protocol = if random.percent(97) { "\"a2a\"" } else { "\"A2A\"" };
    put(random, 99, "protocol", protocol.into(), &mut members);
    let version = *random.pick(&["\"0.2\"", "\"0.3.1\"", "\"+0.02.x\"", "\"0.999999999999\"", "\"1.0\""]);
    put(random, 98, "version", version.into(), &mut members);
    let kind = format!("\"{}\"", random.pick(&types));
    put(random, 90, "event_type", kind, &mut members);
    let time = *random.pick(&[
        "2026-03-04T05:06:07.123456789123Z",
        "9999-12-31T23:59:60-12:00",
        "0000-01-01 00:00:00+23:59",
        "2026-03-04t05:06:07.5z",
        "1990-12-31T15:59:60-08:00",
        "not a time",
        "2026-02-30T00:00:00Z",
    ]);
    put(random, 80, "timestamp", format!("\"{time}\""), &mut members);
    for (name, names) in [
        ("agent", &["id", "name", "role"][..]),
        ("task", &["id", "status", "kind"]),
        ("artifact", &["id", "name", "media_type"]),
        ("message", &["id", "role"]),
    ] {
        let mut inner = Vec::new();
        for one in names {
            let value = match (name, *one) {
                ("task", "id") if random.percent(30) => format!("\"{task}\""),
                ("task", "kind") if random.percent(50) => "\"delegation\"".into(),
                _ => value(random, 3),
            };
            put(random, 85, one, value, &mut inner);
        }
        if name == "agent" {
            let skills: Vec<String> = (0..random.below(40)).map(|_| value(random, 1)).collect();
            put(random, 40, "capabilities", format!("[{}]", skills.join(",")), &mut inner);
        }
        put(random, 85, name, format!("{{{}}}", inner.join(",")), &mut members);
    }
    let attributes = match random.below(12) {
        0 => format!("{}{}", "[".repeat(70), "]".repeat(70)),
        1 => format!("{}{}", "[".repeat(61), "]".repeat(61)),
        2 => format!("{{{}}}", (0..10_001).map(|n| format!("\"{n}\":0")).collect::<Vec<_>>().join(",")),
        3 => format!("[{}0]", "1e20,".repeat(40_000)),
        4 => format!("\"{}\"", "x".repeat(200_000)),
        5 => {
            r#"{"batonorigin":"hub","batonreporter":"hub","assay_g4":{"agent_card":{"visible":true}}}"#.into()
        }
        _ => value(random, 0),
    };
    put(random, 80, "attributes", attributes, &mut members);
    let unmapped = value(random, 0);
    put(random, 30, "batonorigin", unmapped, &mut members);
    // Of two members of one name the adapter reads the last.
    if random.percent(10) && !members.is_empty() {
        let again = random.pick(&members).clone();
        members.push(again);
    }
    format!("{{{}}}", members.join(","))
}

/// JSON that is hard to carry: numbers at their ends, texts of every kind, nested.
fn value(random: &mut Random, depth: u32) -> String {
    const SCALARS: [&str; 34] = [
        "null",
        "true",
        "0",
        "-0",
        "-0.0",
        "1e308",
        "5e-324",
        "1e20",
        "1e21",
        "0.1",
        "1E2",
        "9007199254740993",
        "18446744073709551615",
        "-9223372036854775808",
        "295147905179352825856",
        "1e400",
        r#""""#,
        r#""\u0000""#,
        r#""\ud800""#,
        r#""\ud83d\ude00""#,
        "\"\u{2028}\"",
        "\"é😀\"",
        r#""\"batonorigin\":\"hub\"""#,
        r#""\u001b[31m""#,
        "\"\u{7f}\u{80}\"",
        "\"\u{ffff}\"",
        r#""unknown-task""#,
        r#""a:b""#,
        r#""../x""#,
        r#""\/""#,
        "\"\u{fb33}\"",
        "\"x\"",
        "\"planner\"",
        "\"\u{200b}\"",
    ];
    let several =
        |random: &mut Random| (0..random.below(5)).map(|_| value(random, depth + 1)).collect::<Vec<_>>();
    match random.below(5) {
        0 if depth < 4 => format!("[{}]", several(random).join(",")),
        1 if depth < 4 => {
            let names = ["a", "b", "", "€", "\\ud83d\\ude00", "batonorigin", "visible", "z"];
            let members = several(random).into_iter();
            let named = members.map(|value| format!("\"{}\":{value}", random.pick(&names)));
            format!("{{{}}}", named.collect::<Vec<_>>().join(","))
        }
        _ => (*random.pick(&SCALARS)).to_owned(),
    }
}

#[test]
fn a_packet_that_no_bundle_could_hold_is_refused_and_changes_nothing() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "ada");
    let mallory = tenant.agent("mallory");
    let packet = |attributes: &str| {
        format!(
            r#"{{"protocol":"a2a","version":"0.2","event_type":"artifact.shared","agent":{{"id":"a"}},"artifact":{{"id":"x"}},"attributes":{attributes}}}"#
        )
    };
    let names = (0..10_001).map(|n| format!("\"{n}\":0")).collect::<Vec<_>>().join(",");
    for attributes in [
        format!("{}{}", "[".repeat(63), "]".repeat(63)),
        format!("{{{names}}}"),
        // Short as it is written, and over a mebibyte as canonical JSON prints it.
        format!("[{}0]", "1e20,".repeat(50_000)),
    ] {
        let headers = [("content-type", "application/json")];
        let answer = mallory.send_text("POST", "/api/evidence/packets", &headers, Some(&packet(&attributes)));
        assert_eq!(answer.status, 400, "{}", answer.text());
        let said: Value = answer.json();
        assert!(said["message"].as_str().unwrap().contains("for a bundle"), "{said}");
    }
    assert_eq!(seal(&tenant), 0);
}
