//! `baton evidence verify` on exports of a log: a bundle and its side file, good and tampered with. What is changed
//! how, the adapter's `export` tests say in full; here are the program's words and exit codes.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

use super::exporter::{Export, Log, hub_key, hub_packet};
use super::program::{Ran, baton};

/// An export in a folder of its own.
struct Written {
    _folder: TempDir,
    bundle: PathBuf,
    side_file: PathBuf,
}

fn written(export: &Export) -> Written {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("task.tar.gz");
    let side_file = folder.path().join("task.tar.gz.proof.json");
    fs::write(&bundle, export.bundle()).unwrap();
    fs::write(&side_file, export.side_file()).unwrap();
    Written { _folder: folder, bundle, side_file }
}

fn verify(bundle: &Path, more: &[&str]) -> Ran {
    let more = more.iter().map(OsStr::new);
    baton([OsStr::new("evidence"), "verify".as_ref(), bundle.as_ref()].into_iter().chain(more))
}

fn key() -> String {
    hub_key().verifier_key().to_string()
}

fn log() -> Log {
    let mut log = Log::observed("net-1", 6);
    log.append([(
        hub_packet(0),
        r#""batonorigin":"reported","batonreporter":"mallory\u001b[31m""#.to_owned(),
    )]);
    log
}

#[test]
fn what_was_checked_and_what_not_is_said_in_words() {
    let files = written(&log().export(0..7, 7));
    let ran = verify(&files.bundle, &["--key", &key()]).exited(0);
    assert_eq!(ran.stderr, "");
    let text = &ran.stdout;
    for told in [
        "ok: 7 events, run root sha256:",
        "\nlog: baton/net-1, 7 events, root ",
        &format!("\nsigned by: {}\n", key()),
        "\nthese events: from index 0 to 6, without a gap\n",
        "\nobserved by the hub: 6 events, a handoff visible on 3\n",
        "\nreported to the hub, not observed by it: 1 events, a handoff visible on 1\n",
        "\n  by mallory\\u{1b}[31m: 1\n",
        "\n  - that key is the one you gave\n",
        "\n  - these are all events of the log up to the checkpoint\n",
        "\nnot checked:\n  - that what the events say is so: no file can show that\n",
        "\nWithout an outside witness a log shows consistency, not honesty: ",
        "\nEvery handoff flag is a bounded observed visibility flag only; none of them means that\n",
    ] {
        assert!(text.contains(told), "{told} is not in:\n{text}");
    }
    for word in ["verified", "valid handoff", "trusted handoff", "successful handoff"] {
        assert!(!text.contains(word), "{word}");
    }
}

#[test]
fn without_a_key_or_a_side_file_it_says_what_is_missing() {
    let files = written(&log().export([1, 3], 7));
    let text = verify(&files.bundle, &[]).exited(0).stdout;
    assert!(text.contains("with others between them"), "{text}");
    assert!(text.contains("  - whose key it is: it came along with the side file, so the signature only shows consistency with it"), "{text}");
    assert!(text.contains("  - that no event of the log was left out of this export"), "{text}");

    fs::remove_file(&files.side_file).unwrap();
    let text = verify(&files.bundle, &[]).exited(0).stdout;
    assert!(text.starts_with("ok: 2 events, run root sha256:"), "{text}");
    assert_eq!(text.matches("there is no side file").count(), 3, "{text}");
    assert!(!text.contains("observed by the hub"), "only a log binds who observed: {text}");
    // A key that nothing was checked with would be a false comfort.
    let ran = verify(&files.bundle, &["--key", &key()]).exited(2);
    assert!(ran.stderr.contains("has none; pass it with --proof"), "{}", ran.stderr);
}

#[test]
fn the_side_file_and_the_key_may_be_files_elsewhere() {
    let files = written(&log().export([1, 3], 7));
    let elsewhere = tempfile::tempdir().unwrap();
    let (proof, key_file) = (elsewhere.path().join("proof"), elsewhere.path().join("key"));
    fs::rename(&files.side_file, &proof).unwrap();
    fs::write(&key_file, format!("{}\n", key())).unwrap();
    let arguments = ["--proof", proof.to_str().unwrap(), "--key", key_file.to_str().unwrap()];
    let text = verify(&files.bundle, &arguments).exited(0).stdout;
    assert!(text.contains("that key is the one you gave"), "{text}");

    for (key, told) in [("nonsense", "not a key of the form"), ("/nowhere/key", "not a key of the form")] {
        let ran = verify(&files.bundle, &["--proof", proof.to_str().unwrap(), "--key", key]).exited(2);
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
    let ran = verify(&files.bundle, &["--proof", "/nowhere/proof"]).exited(2);
    assert!(ran.stderr.starts_with("baton: cannot read /nowhere/proof: "), "{}", ran.stderr);
}

#[test]
fn for_programs_there_is_one_json_object() {
    let files = written(&log().export([1, 3, 6], 7));
    let found = &verify(&files.bundle, &["--json", "--key", &key()]).exited(0).lines()[0];
    assert_eq!(found["ok"], true);
    assert_eq!(found["events"], 3);
    assert_eq!(
        found["checked"],
        serde_json::json!(["bundle", "signature", "known_key", "inclusion", "rerun"])
    );
    assert_eq!(found["not_checked"], serde_json::json!(["completeness"]));
    let log = &found["log"];
    assert_eq!(
        (&log["origin"], &log["size"], &log["key_from"]),
        (&"baton/net-1".into(), &7.into(), &"caller".into())
    );
    assert_eq!(
        (&log["first_index"], &log["last_index"], &log["gapless"]),
        (&1.into(), &6.into(), &false.into())
    );
    assert_eq!(log["observed_by_hub"], serde_json::json!({"events": 2, "handoffs_visible": 0}));
    assert_eq!(log["reported"], serde_json::json!({"events": 1, "handoffs_visible": 1}));

    fs::remove_file(&files.side_file).unwrap();
    let found = &verify(&files.bundle, &["--json"]).exited(0).lines()[0];
    assert_eq!(
        (&found["checked"], &found["log"]),
        (&serde_json::json!(["bundle"]), &serde_json::Value::Null)
    );
}

#[test]
fn tampering_is_refused_by_name_with_exit_code_2() {
    let good = log().export([1, 3, 6], 7);
    let tampered = |change: &dyn Fn(&mut Export)| {
        let mut export = good.clone();
        change(&mut export);
        export
    };
    for (code, export) in [
        ("proof/inclusion at event 2: log index 3: ", tampered(&|export| export.lines.swap(1, 2))),
        (
            "proof/inclusion at event 3: ",
            tampered(&|export| {
                export.lines[2] = export.lines[2].replace("\"reported\"", "\"hub\"");
            }),
        ),
        ("proof/missing at event 3: ", tampered(&|export| drop(export.entries.pop()))),
        ("proof/extra at event 3: ", tampered(&|export| drop(export.lines.pop()))),
        (
            "note/signature at the checkpoint: ",
            tampered(&|export| export.note = export.note.replace("\n7\n", "\n8\n")),
        ),
        (
            "rerun/data at event 1: data.agent differs",
            tampered(&|export| {
                export.entries[0].packet =
                    export.entries[0].packet.replace("\"id\":\"planner\"", "\"id\":\"plotter\"");
            }),
        ),
    ] {
        let files = written(&export);
        for more in [&["--key", &key()][..], &["--json"]] {
            let ran = verify(&files.bundle, more).exited(2);
            let told = format!("baton: {} is refused: {code}", files.bundle.display());
            assert!(ran.stderr.starts_with(&told), "{told} is not: {}", ran.stderr);
            assert_eq!((ran.stdout.as_str(), ran.stderr.lines().count()), ("", 1));
        }
    }
    let files = written(&good);
    let other = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    let ran = verify(&files.bundle, &["--key", other]).exited(2);
    assert!(ran.stderr.contains(" is refused: note/key at the checkpoint: "), "{}", ran.stderr);
    let whole = fs::read(&files.side_file).unwrap();
    fs::write(&files.side_file, &whole[..whole.len() / 2]).unwrap();
    let ran = verify(&files.bundle, &[]).exited(2);
    assert!(ran.stderr.contains(" is refused: side_file/truncated at event "), "{}", ran.stderr);
}
