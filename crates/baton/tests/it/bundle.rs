//! `baton evidence`: from packets to a bundle, its check and its list.

use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::damage;
use super::forge::{Forged, hashed};
use super::program::{Ran, baton, baton_fed, binary, bundle, names, packet, packets, run};

fn evidence<'a>(
    command: &'a str,
    arguments: impl IntoIterator<Item = &'a (impl AsRef<OsStr> + ?Sized + 'a)>,
) -> Ran {
    let arguments = arguments.into_iter().map(AsRef::as_ref);
    baton(["evidence", command].into_iter().map(OsStr::new).chain(arguments))
}

fn pack(input: &Path, output: &Path, more: &[&str]) -> Ran {
    let more = more.iter().map(OsStr::new);
    evidence("bundle", [input.as_os_str(), "-o".as_ref(), output.as_os_str()].into_iter().chain(more))
}

#[test]
fn packets_become_a_bundle_that_verifies_and_lists() {
    let folder = tempfile::tempdir().unwrap();
    let adapted = baton_fed(["adapt", "--ndjson"], packets(3).as_bytes()).exited(0);
    let (events, out) = (folder.path().join("events.ndjson"), folder.path().join("out.tar.gz"));
    fs::write(&events, &adapted.stdout).unwrap();
    let packed = pack(&events, &out, &[]).exited(0);
    let root = packed.stdout.strip_prefix("3 events packed, run root ").unwrap().trim_end().to_owned();
    assert!(root.starts_with("sha256:") && root.len() == 71, "{root}");

    let expected = format!("ok: 3 events, run root {root}\n");
    let verified = evidence("verify", [&out]).exited(0);
    assert!(verified.stdout.starts_with(&expected), "{}", verified.stdout);
    assert_eq!(verified.stderr, "");
    let piped = baton_fed(["evidence", "verify", "-"], &fs::read(&out).unwrap()).exited(0);
    assert_eq!(piped.stdout, verified.stdout);

    let shown = evidence("show", [out.as_os_str(), "--json".as_ref()]).exited(0).lines();
    let lines = adapted.lines();
    for (seq, (shown, adapted)) in shown.iter().zip(&lines).enumerate() {
        let adapted = &adapted["event"];
        assert_eq!(shown["assayseq"], seq);
        assert_eq!(shown["id"], format!("{}:{seq}", shown["assayrunid"].as_str().unwrap()));
        assert!(!shown["assayrunid"].as_str().unwrap().contains(':'), "{shown}");
        for name in ["type", "source", "time", "subject", "assaycontenthash", "assayproducer"] {
            assert_eq!(shown[name], adapted[name], "{name}");
        }
        assert_eq!(shown["data"]["handoff"], adapted["data"]["handoff"]);
    }
    assert_eq!(shown.len(), 3);
}

#[test]
fn the_same_events_make_the_same_bundle_whether_wrapped_or_bare_from_a_file_or_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let adapted = baton_fed(["adapt", "--ndjson"], packets(2).as_bytes()).exited(0);
    let bare: String = adapted.lines().iter().map(|line| format!("{}\n", line["event"])).collect();
    fs::write(path("wrapped"), &adapted.stdout).unwrap();
    fs::write(path("bare"), bare.trim_end()).unwrap();
    pack(&path("wrapped"), &path("1"), &[]).exited(0);
    pack(&path("wrapped"), &path("2"), &[]).exited(0);
    pack(&path("bare"), &path("3"), &[]).exited(0);
    let arguments =
        ["evidence".as_ref(), "bundle".as_ref(), OsStr::new("-"), "-o".as_ref(), path("4").as_os_str()]
            .map(OsStr::to_owned);
    baton_fed(arguments, adapted.stdout.as_bytes()).exited(0);
    let first = fs::read(path("1")).unwrap();
    for other in ["2", "3", "4"] {
        assert!(fs::read(path(other)).unwrap() == first, "{other}");
    }
    assert_eq!(names(folder.path()), ["1", "2", "3", "4", "bare", "wrapped"], "and nothing else is left");
}

#[test]
fn a_run_id_can_be_given_and_has_no_colon() {
    let folder = tempfile::tempdir().unwrap();
    let (events, out) = (folder.path().join("events"), folder.path().join("out"));
    fs::write(&events, hashed("t-0", 7, "{}")).unwrap();
    pack(&events, &out, &["--run-id", "mine"]).exited(0);
    let shown = evidence("show", [out.as_os_str(), "--json".as_ref()]).exited(0).lines();
    assert_eq!((&shown[0]["assayrunid"], &shown[0]["id"]), (&Value::from("mine"), &Value::from("mine:0")));
    fs::remove_file(&out).unwrap();
    for id in ["a:b", ""] {
        pack(&events, &out, &["--run-id", id]).exited(2);
        assert_eq!(names(folder.path()), ["events"]);
    }
}

#[test]
fn lines_that_are_no_events_are_refused_by_their_number_and_leave_no_bundle() {
    let folder = tempfile::tempdir().unwrap();
    let (events, out) = (folder.path().join("events"), folder.path().join("out"));
    let good = hashed("t-0", 0, "{}");
    let refused = baton_fed(["adapt"], b"{}").exited(1).stdout;
    for (line, told) in [
        ("nonsense", "expected"),
        ("{}", "assaygit is missing"),
        (refused.trim_end(), "a packet that was refused; leave the line out to pack the rest"),
        (&good.replace("\"data\":{}", "\"data\":[]"), "integrity/event_hash"),
        (&good.replace("urn:assay", "urn:other"), "contract/invalid_event"),
        (&hashed("t-0", 0, &format!("{}{}", "[".repeat(64), "]".repeat(64))), "nested deeper than 64"),
        (&hashed("t-0", 0, &format!("\"{}\"", "a".repeat(1 << 20))), "limits/line_bytes"),
        (&"a".repeat(3 << 20), "longer than 1048576 bytes"),
    ] {
        fs::write(&events, format!("{good}\n{line}\n{good}\n")).unwrap();
        let ran = pack(&events, &out, &[]).exited(2);
        assert_eq!(ran.stdout, "");
        assert!(
            ran.stderr.contains("events line 2: ") && ran.stderr.contains(told),
            "{told}: {}",
            ran.stderr
        );
        assert_eq!(names(folder.path()), ["events"], "{told}");
    }
    fs::write(&events, b"\xFF\n").unwrap();
    assert!(pack(&events, &out, &[]).exited(2).stderr.contains("line 1: not UTF-8"));
    fs::write(&events, "").unwrap();
    assert!(pack(&events, &out, &[]).exited(2).stderr.contains("there are no events"));
    assert_eq!(names(folder.path()), ["events"]);
}

#[test]
fn an_older_bundle_is_replaced_whole_and_stays_if_the_new_one_fails() {
    let folder = tempfile::tempdir().unwrap();
    let out = bundle(folder.path(), 2);
    let (before, events) = (fs::read(&out).unwrap(), folder.path().join("events.ndjson"));
    fs::write(&events, "nonsense\n").unwrap();
    pack(&events, &out, &[]).exited(2);
    assert!(fs::read(&out).unwrap() == before);
    fs::write(&events, hashed("t-0", 0, "{}")).unwrap();
    pack(&events, &out, &[]).exited(0);
    assert!(fs::read(&out).unwrap() != before);
    assert_eq!(names(folder.path()), ["bundle.tar.gz", "events.ndjson"]);
}

#[test]
fn a_bundle_is_written_into_the_folder_one_is_in() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("events"), hashed("t-0", 0, "{}")).unwrap();
    let mut command = Command::new(binary());
    let command = command.args(["evidence", "bundle", "events", "-o", "out"]).current_dir(folder.path());
    run(command, |_| Ok(())).exited(0);
    assert_eq!(names(folder.path()), ["events", "out"]);
}

#[test]
fn the_bundle_may_be_written_over_its_own_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events");
    fs::write(&path, hashed("t-0", 0, "{}")).unwrap();
    pack(&path, &path, &[]).exited(0);
    evidence("verify", [&path]).exited(0);
}

#[test]
fn every_kind_of_damage_is_refused_with_its_class_and_code() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.tar.gz");
    for damage::Damaged { what, code, bytes } in damage::all() {
        fs::write(&path, bytes).unwrap();
        let ran = evidence("verify", [&path]).exited(2);
        assert_eq!(ran.stdout, "", "{what}");
        let told = format!("baton: {} is refused: {code} at ", path.display());
        assert!(ran.stderr.starts_with(&told), "{what} is not {code}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{what}: {}", ran.stderr);
        let shown = evidence("show", [path.as_os_str()]).exited(2);
        assert_eq!((shown.stdout.as_str(), shown.stderr.as_str()), ("", ran.stderr.as_str()), "{what}");
    }
    let good = Forged::good(3).packed();
    let ran = baton_fed(["evidence", "verify", "-"], &good[..good.len() - 1]).exited(2);
    assert!(ran.stderr.starts_with("baton: standard input is refused: integrity/gzip at "), "{}", ran.stderr);
}

#[test]
fn the_list_is_a_table_that_a_terminal_survives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b");
    // Written as canonical JSON writes it, so that the hash is right: an escape sequence, a bell, a C1 control,
    // and a mark that turns the text around.
    let evil = "\\u001b]0;owned\\u0007\u{9b}31m\u{202e}txt";
    fs::write(&path, Forged::of(&[hashed(evil, 0, "{}")]).packed()).unwrap();
    let ran = evidence("show", [&path]).exited(0);
    assert!(ran.stdout.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", ran.stdout);
    assert!(ran.stdout.starts_with("1 events of run run, run root sha256:"), "{}", ran.stdout);
    let shown = "\\u{1b}]0;owned\\u{7}\\u{9b}31m\\u{202e}txt";
    assert!(ran.stdout.contains(shown), "{:?}", ran.stdout);
}

#[test]
fn the_list_says_what_was_visible_and_carries_the_guardrail() {
    let folder = tempfile::tempdir().unwrap();
    let out = bundle(folder.path(), 2);
    let ran = evidence("show", [&out]).exited(0);
    assert_eq!(ran.stdout.matches("  visible  ").count(), 2, "{}", ran.stdout);
    assert!(ran.stdout.contains("task.requested") && ran.stdout.contains("task-1"), "{}", ran.stdout);
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.ends_with(
        "Every handoff flag is a bounded observed visibility flag only; none of them means that the handoff was \
         valid, authorised, complete, trusted or successful."
    ));
    for word in ["verified", "ok"] {
        assert!(!ran.stdout.contains(word), "the list claims nothing: {word}");
    }
}

#[test]
fn a_packet_that_nests_deeper_than_a_bundle_allows_is_adapted_and_not_packed() {
    let folder = tempfile::tempdir().unwrap();
    let (events, out) = (folder.path().join("events"), folder.path().join("out"));
    // Section C: depth 64 in a bundle leaves 62 containers for attributes.
    for (containers, code) in [(62, 0), (63, 2)] {
        let nested = format!("\"attributes\":{}{}", "[".repeat(containers), "]".repeat(containers));
        let at = packet(0).find("\"attributes\"").unwrap();
        let packet = format!("{}{nested}}}", &packet(0)[..at]);
        fs::write(&events, baton_fed(["adapt"], packet.as_bytes()).exited(0).stdout).unwrap();
        pack(&events, &out, &[]).exited(code);
    }
}

#[test]
fn each_command_says_what_it_does_and_what_it_does_not() {
    let list = baton(["evidence", "--help"]).exited(0).stdout;
    for (command, short, long) in [
        ("bundle", "Pack events into a bundle", "its content and so its content hash stay"),
        (
            "verify",
            "Check that a bundle's bytes agree with each other",
            "does not show that what the events say is so",
        ),
        ("show", "List the contents of a bundle, after checking it", "--json"),
    ] {
        assert!(list.contains(&format!("  {command}  ")) && list.contains(short), "{list}");
        let help = baton(["evidence", command, "--help"]).exited(0).stdout;
        assert!(help.starts_with(short), "{help}");
        assert!(help.split_whitespace().collect::<Vec<_>>().join(" ").contains(long), "{help}");
    }
}
