//! `baton adapt`: lines out, exit codes, and every option.

use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use super::program::{baton, baton_fed, binary, names, packet, packets, run};

const PACKETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../baton-adapter/tests/fixtures/packets");

fn refused(kind: &str, message: &str) -> Value {
    json!({"ok": false, "error": {"kind": kind, "message": message}})
}

#[test]
fn one_packet_gives_one_line_and_exit_0() {
    let file = format!("{PACKETS}/task_requested.json");
    let ran = baton(["adapt", &file]).exited(0);
    assert_eq!(ran.stderr, "");
    let version = env!("CARGO_PKG_VERSION");
    let expected = [
        r#"{"ok":true,"event":{"specversion":"1.0","type":"assay.adapter.a2a.task.requested","source":"urn:assay:adapter:a2a","#,
        r#""id":"a2a:task-123:0","time":"2026-03-04T05:06:07Z","datacontenttype":"application/json","subject":"task-123","#,
        &format!(r#""assayrunid":"a2a:task-123","assayseq":0,"assayproducer":"baton","assayproducerversion":"{version}","#),
        r#""assaygit":"GIT","assaypii":false,"assaysecrets":false,"assaycontenthash":"HASH","#,
        &format!(r#""data":{{"adapter_id":"assay-adapter-a2a","adapter_version":"{version}","protocol":"a2a","protocol_name":"a2a","#),
        r#""protocol_version":"0.2","upstream_event_type":"task.requested","agent":{"id":"agent://coordinator","role":"orchestrator"},"#,
        r#""task":{"id":"task-123","status":"requested","kind":"delegation"},"message":{"id":"msg-1","role":"assistant"},"#,
        r#""attributes":{"channel":"web","priority":"urgent"},"discovery":{"agent_card_visible":false,"agent_card_source_kind":"unknown","#,
        r#""extended_card_access_visible":false,"signature_material_visible":false},"handoff":{"visible":true,"source_kind":"typed_payload","#,
        r#""task_ref_visible":true,"message_ref_visible":true},"unmapped_fields_count":0}},"lossiness":{"lossiness_level":"none","#,
        r#""unmapped_fields_count":0,"raw_payload_ref":{"sha256":"57740e2e560f919d6771890237ba7eeec26f2d47342c2afdbc0725fcf17c1d6f","size_bytes":419,"media_type":"application/json"},"notes":[]}}"#,
        "\n",
    ]
    .concat();
    let line = &ran.lines()[0];
    let at = |pointer: &str| line.pointer(pointer).unwrap().as_str().unwrap();
    let (git, hash) = (at("/event/assaygit"), at("/event/assaycontenthash"));
    let expected = expected.replace("GIT", git).replace("HASH", hash); // these two depend on the build
    assert_eq!(ran.stdout, expected);
}

#[test]
fn a_refused_packet_gives_its_error_and_exit_1() {
    let cases: [(&[u8], &[&str], &str, &str); 7] = [
        (b"{}", &[], "measurement", "protocol must be 'a2a'"),
        (br#"{"protocol":"a2a"}"#, &[], "measurement", "missing required field: version"),
        (
            br#"{"protocol":"a2a","version":"1.0"}"#,
            &["--mode", "lenient"],
            "unsupported_protocol_version",
            "unsupported A2A version: 1.0",
        ),
        (br#"{"protocol":"a2a","version":"0.2"}"#, &[], "measurement", "missing required field: agent.id"),
        (
            br#"{"protocol":"a2a","version":"0.2","agent":{"id":"a"}}"#,
            &["--mode", "strict"],
            "strict_lossiness_violation",
            "unsupported event_type in strict mode",
        ),
        (b"[[1]]", &["--max-json-depth", "2"], "measurement", "payload exceeds max_json_depth (2)"),
        (b"[1,2]", &["--max-array-length", "1"], "measurement", "payload exceeds max_array_length (1)"),
    ];
    for (input, options, kind, message) in cases {
        let ran = baton_fed([&["adapt"], options].concat(), input).exited(1);
        assert_eq!(ran.lines(), [refused(kind, message)]);
        assert!(ran.stdout.starts_with(r#"{"ok":false,"error":{"kind":"#), "{}", ran.stdout);
        assert_eq!(ran.stderr, "");
    }
    let ran = baton_fed(["adapt"], b"").exited(1);
    assert!(ran.stdout.contains("invalid A2A payload JSON: "), "no input is no JSON: {}", ran.stdout);
}

#[test]
fn lenient_substitutes_and_reports() {
    let ran =
        baton_fed(["adapt", "--mode", "lenient"], br#"{"protocol":"a2a","version":"0.2","x":1}"#).exited(0);
    let line = &ran.lines()[0];
    assert_eq!(line["ok"], true);
    assert_eq!(line["event"]["id"], "a2a:unknown-message:0");
    assert_eq!(line["lossiness"]["lossiness_level"], "high");
    assert_eq!(line["lossiness"]["unmapped_fields_count"], 4);
    assert_eq!(line["lossiness"]["notes"].as_array().unwrap().len(), 3);
}

#[test]
fn the_protocol_version_option_is_the_hint() {
    let packet = br#"{"protocol":"a2a","event_type":"agent.capabilities","agent":{"id":"a"}}"#;
    let ran = baton_fed(["adapt", "--protocol-version", "0.3"], packet).exited(0);
    assert_eq!(ran.lines()[0]["event"]["data"]["protocol_version"], "0.3");
    let ran = baton_fed(["adapt", "--protocol-version", "1.3"], packet).exited(1);
    assert_eq!(ran.lines(), [refused("unsupported_protocol_version", "unsupported A2A version: 1.3")]);
    let own = super::program::packet(1);
    let ran = baton_fed(["adapt", "--protocol-version", "1.3"], own.as_bytes()).exited(0);
    assert_eq!(ran.lines()[0]["event"]["data"]["protocol_version"], "0.2");
}

#[test]
fn ndjson_is_one_packet_a_line_and_blank_lines_are_none() {
    let input = format!("{}\r\n\n\r\n{}\n{}", packet(0), packet(1), packet(2));
    let ran = baton_fed(["adapt", "--ndjson"], input.as_bytes()).exited(0);
    let subjects: Vec<Value> = ran.lines().iter().map(|line| line["event"]["subject"].clone()).collect();
    assert_eq!(subjects, ["task-0", "task-1", "task-2"]);
    let sizes: Vec<Value> =
        ran.lines().iter().map(|line| line["lossiness"]["raw_payload_ref"]["size_bytes"].clone()).collect();
    assert_eq!(sizes, vec![json!(packet(0).len()); 3], "a line's end is no part of its packet");

    assert_eq!(baton_fed(["adapt", "--ndjson"], b"").exited(0).stdout, "");
    assert_eq!(baton_fed(["adapt", "--ndjson"], b"\n\r\n\n").exited(0).stdout, "");
    // Without the option the same input is one text, and no JSON.
    baton_fed(["adapt"], input.as_bytes()).exited(1);
}

#[test]
fn a_refused_line_does_not_stop_the_lines_after_it() {
    let input = format!("nonsense\n{}\n{{}}\n{}\n", packet(0), packet(1));
    let ran = baton_fed(["adapt", "--ndjson"], input.as_bytes()).exited(1);
    let ok: Vec<Value> = ran.lines().iter().map(|line| line["ok"].clone()).collect();
    assert_eq!(ok, [false, true, false, true]);
}

#[test]
fn a_line_too_long_is_refused_and_the_next_one_read() {
    let bound = packet(0).len();
    for end in ["\n", "\r\n"] {
        let input = format!("{}x{end}{}{end}{}{end}", packet(0), packet(1), "y".repeat(300_000));
        let ran =
            baton_fed(["adapt", "--ndjson", "--max-payload-bytes", &bound.to_string()], input.as_bytes())
                .exited(1);
        let too_long = refused("measurement", &format!("payload exceeds max_payload_bytes ({bound})"));
        let lines = ran.lines();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0], too_long, "{end:?}");
        assert_eq!(
            lines[1]["event"]["subject"], "task-1",
            "a packet of exactly the bound is allowed: {end:?}"
        );
        assert_eq!(lines[2], too_long, "{end:?}");
    }
}

#[test]
fn a_packet_of_exactly_the_bound_is_allowed() {
    let packet = packet(0);
    let bound =
        |bound: usize| baton_fed(["adapt", "--max-payload-bytes", &bound.to_string()], packet.as_bytes());
    bound(packet.len()).exited(0);
    let ran = bound(packet.len() - 1).exited(1);
    let message = format!("payload exceeds max_payload_bytes ({})", packet.len() - 1);
    assert_eq!(ran.lines(), [refused("measurement", &message)]);
}

#[test]
fn the_default_bounds_are_16_mebibytes_depth_127_and_no_array_length() {
    let padded = |length: usize| {
        let packet = packet(0);
        packet.clone() + &" ".repeat(length - packet.len())
    };
    baton_fed(["adapt"], padded(16 << 20).as_bytes()).exited(0);
    let ran = baton_fed(["adapt"], padded((16 << 20) + 1).as_bytes()).exited(1);
    assert_eq!(ran.lines(), [refused("measurement", "payload exceeds max_payload_bytes (16777216)")]);

    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let packet = |x: &str| packet(0).replacen('{', &format!("{{\"x\":{x},"), 1);
    baton_fed(["adapt"], packet(&nested(126)).as_bytes()).exited(0);
    let scalar = nested(126).replace("[]", "[1]");
    let ran = baton_fed(["adapt"], packet(&scalar).as_bytes()).exited(1);
    assert_eq!(ran.lines(), [refused("measurement", "payload exceeds max_json_depth (127)")]);
    baton_fed(["adapt"], packet(&format!("[{}0]", "0,".repeat(200_000))).as_bytes()).exited(0);
}

#[test]
fn attachments_are_kept_for_packets_that_converted_and_for_those_that_did_not() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("kept/here");
    let input = format!("{}\nnonsense\n{}\n{}\n", packet(0), packet(0), packet(1));
    let arguments =
        || ["adapt", "--ndjson", "--attachments"].map(OsStr::new).into_iter().chain([folder.as_os_str()]);
    let ran = baton_fed(arguments(), input.as_bytes()).exited(1);
    let kept: Vec<String> = ran
        .lines()
        .iter()
        .filter_map(|line| Some(line.pointer("/lossiness/raw_payload_ref/sha256")?.as_str()?.to_owned()))
        .collect();
    assert_eq!(kept.len(), 3);
    assert_eq!(kept[0], kept[1]);
    assert_eq!(fs::read_to_string(folder.join(&kept[0])).unwrap(), packet(0));
    assert_eq!(fs::read_to_string(folder.join(&kept[2])).unwrap(), packet(1));
    let all = names(&folder);
    assert_eq!(all.len(), 3, "two packets and the nonsense: {all:?}");
    assert!(all.iter().any(|name| fs::read(folder.join(name)).unwrap() == b"nonsense"));
    // Again: the same files.
    baton_fed(arguments(), input.as_bytes()).exited(1);
    assert_eq!(names(&folder), all);
    // Too large is not kept.
    let bound = ["--max-payload-bytes", "3"].map(OsStr::new);
    baton_fed(arguments().chain(bound), packet(7).as_bytes()).exited(1);
    assert_eq!(names(&folder), all);
}

#[test]
fn usage_and_io_errors_exit_2_with_one_line_on_stderr_and_nothing_on_stdout() {
    let root = tempfile::tempdir().unwrap();
    let (folder, missing, file) = (root.path(), root.path().join("missing"), root.path().join("file"));
    fs::write(&file, "x").unwrap();
    let path = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    for arguments in [
        vec!["adapt".into(), path(&missing)],
        vec!["adapt".into(), path(folder)],
        vec!["adapt".into(), "--ndjson".into(), path(folder)],
        vec!["adapt".into(), "--attachments".into(), path(&file), "-".into()],
    ] {
        let ran = baton(&arguments).exited(2);
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert!(ran.stderr.starts_with("baton: ") && ran.stderr.lines().count() == 1, "{}", ran.stderr);
        assert!(ran.stderr.contains(&path(folder)), "the name is printed: {}", ran.stderr);
    }
    for arguments in [
        &["adapt", "--mode", "sloppy"][..],
        &["adapt", "--max-json-depth", "-1"],
        &["adapt", "--max-payload-bytes", "many"],
        &["adapt", "one", "two"],
        &["adapt", "--no-such-option"],
    ] {
        let ran = baton(arguments).exited(2);
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_news() {
    let mut command = Command::new("sh");
    let command = command.args(["-c", "\"$0\" adapt --ndjson 2>&1 >/dev/full"]).arg(binary());
    let ran = run(command, |stdin| stdin.write_all(packets(100).as_bytes())).exited(2);
    assert!(
        ran.stdout.starts_with("baton: cannot write the output: "),
        "a full disk is news: {}",
        ran.stdout
    );

    let mut command = Command::new("sh");
    let piped = "{ \"$0\" adapt --ndjson; echo \"exit $?\" >&2; } | head -n 1";
    let command = command.args(["-c", piped]).arg(binary());
    let ran = run(command, |stdin| stdin.write_all(packets(5000).as_bytes())).exited(0);
    assert_eq!(ran.lines().len(), 1);
    assert_eq!(ran.stderr, "exit 2\n", "a reader that went away is not");
}

#[test]
fn a_long_file_draws_no_bar_where_there_is_no_terminal() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let blank = "\n".repeat(9 << 20);
    std::io::Write::write_all(&mut file, blank.as_bytes()).unwrap();
    let ran = baton(["adapt".as_ref(), "--ndjson".as_ref(), file.path().as_os_str()]).exited(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}

#[test]
fn help_repeats_the_guardrail() {
    let ran = baton(["adapt", "--help"]).exited(0);
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "");
    let guardrail = "is a bounded observed visibility flag only; none of them means that the handoff was valid, \
        authorised, complete, trusted or successful";
    assert!(text.contains(guardrail), "{text}");
}
