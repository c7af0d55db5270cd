//! Input nobody meant well with, and machines that fail: a clear error, bounded memory and time, nothing
//! half-written.

mod answers;
mod clock;
mod connections;
mod consent;
mod damage;
mod depth;
mod evidence;
mod exports;
mod fairness;
mod folder;
mod headers;
mod identity;
mod ids;
mod names;
mod quotas;
mod sign_in;
mod slow_readers;
mod walk;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use super::forge::hashed;
use super::program::{Ran, baton, baton_fed, binary, bundle, names, packet, packets, run};

/// A gibibyte of `[`, given as long as somebody takes it.
fn brackets(stdin: &mut dyn Write) -> std::io::Result<()> {
    let piece = vec![b'['; 1 << 20];
    (0..1024).try_for_each(|_| stdin.write_all(&piece))
}

/// Runs with this much address space, in KiB, so that memory that grows with the input ends the run.
fn within(kibibytes: u64, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(binary()).args(arguments);
    command
}

#[test]
fn a_gibibyte_of_brackets_is_refused_in_bounded_memory() {
    const ROOM: u64 = 512 << 10;
    let too_large = "payload exceeds max_payload_bytes (16777216)";
    for arguments in [&["adapt"][..], &["adapt", "--ndjson"]] {
        let ran = run(&mut within(ROOM, arguments), brackets).exited(1);
        assert_eq!(ran.lines()[0]["error"]["message"], too_large, "{arguments:?}");
    }
    let ran = run(&mut within(ROOM, &["evidence", "verify", "-"]), brackets).exited(2);
    assert!(ran.stderr.contains("integrity/gzip"), "{}", ran.stderr);

    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let ran =
        run(&mut within(ROOM, &["evidence", "bundle", "-", "-o", out.to_str().unwrap()]), brackets).exited(2);
    assert!(ran.stderr.contains("line 1: longer than"), "{}", ran.stderr);
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_packet_of_brackets_within_the_bound_is_refused_as_json() {
    for bracket in ["[", "{\"\":"] {
        let ran = baton_fed(["adapt"], bracket.repeat((16 << 20) / bracket.len()).as_bytes()).exited(1);
        let message = ran.lines()[0]["error"]["message"].to_string();
        assert!(message.contains("invalid A2A payload JSON: recursion limit"), "{message}");
    }
}

#[test]
fn a_packet_cut_anywhere_is_refused_or_whole() {
    let packet = packet(0);
    // In one run, one cut a line; cuts inside a character are no UTF-8.
    let cuts: Vec<u8> = (1..packet.len()).flat_map(|at| [&packet.as_bytes()[..at], b"\n"].concat()).collect();
    let ran = baton_fed(["adapt", "--ndjson", "--mode", "lenient"], &cuts).exited(1);
    let lines = ran.lines();
    assert_eq!(lines.len(), packet.len() - 1);
    for line in lines {
        assert_eq!(line["error"]["kind"], "measurement");
        assert!(
            line["error"]["message"].as_str().unwrap().starts_with("invalid A2A payload JSON: "),
            "{line}"
        );
    }
}

#[test]
fn a_bundle_cut_short_is_refused_and_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(bundle(folder.path(), 50)).unwrap();
    for eighths in 0..8 {
        let cut = &bytes[..bytes.len() * eighths / 8];
        let ran = baton_fed(["evidence", "verify", "-"], cut).exited(2);
        assert!(ran.stderr.contains("integrity/gzip at "), "{}", ran.stderr);
        fs::write(folder.path().join("cut"), cut).unwrap();
        let ran =
            baton(["evidence".as_ref(), "show".as_ref(), folder.path().join("cut").as_os_str()]).exited(2);
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn bytes_that_are_no_utf8_are_refused() {
    for bytes in
        [&b"\xff\xfe"[..], b"{\"protocol\":\"\xc3\x28\"}", b"\x00", b"\x1f\x8b\x08", b"\xef\xbb\xbf{}"]
    {
        let ran = baton_fed(["adapt"], bytes).exited(1);
        assert!(ran.stdout.contains("invalid A2A payload JSON: "), "{}", ran.stdout);
        baton_fed(["evidence", "verify", "-"], bytes).exited(2);
    }
}

#[test]
fn a_folder_or_nothing_given_as_a_file_is_told_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (out, missing) = (folder.path().join("out"), folder.path().join("missing"));
    for input in [folder.path(), &missing] {
        for arguments in [
            vec![OsStr::new("adapt"), input.as_os_str()],
            vec!["evidence".as_ref(), "verify".as_ref(), input.as_os_str()],
            vec!["evidence".as_ref(), "show".as_ref(), input.as_os_str()],
            vec!["evidence".as_ref(), "bundle".as_ref(), input.as_os_str(), "-o".as_ref(), out.as_os_str()],
        ] {
            let ran = baton(&arguments).exited(2);
            let told = format!("baton: cannot read {}: ", input.display());
            assert!(ran.stderr.starts_with(&told), "{arguments:?}: {}", ran.stderr);
            assert_eq!((ran.stdout.as_str(), ran.stderr.lines().count()), ("", 1), "{arguments:?}");
        }
    }
    assert!(names(folder.path()).is_empty());
}

fn pack_to(events: &Path, out: &OsStr) -> Ran {
    baton(["evidence".as_ref(), "bundle".as_ref(), events.as_os_str(), "-o".as_ref(), out])
}

#[test]
fn a_bundle_is_not_written_onto_a_folder_a_device_or_a_place_that_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let events = folder.path().join("events");
    fs::write(&events, hashed("t-0", 0, "{}")).unwrap();
    for out in [
        folder.path().as_os_str(),
        "/dev/null".as_ref(),
        "/dev/full".as_ref(),
        "/dev/stdout".as_ref(),
        "/proc/bundle".as_ref(),
        folder.path().join("no/folder").as_os_str(),
        events.join("below").as_os_str(),
    ] {
        let ran = pack_to(&events, out).exited(2);
        assert!(ran.stderr.starts_with("baton: cannot write "), "{out:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
    assert_eq!(names(folder.path()), ["events"]);
    assert!(!fs::symlink_metadata("/dev/null").unwrap().is_file());
}

#[test]
fn a_bundle_written_through_a_link_replaces_what_it_points_to() {
    let folder = tempfile::tempdir().unwrap();
    let (events, real, link) =
        (folder.path().join("events"), folder.path().join("real/out"), folder.path().join("link"));
    fs::write(&events, hashed("t-0", 0, "{}")).unwrap();
    fs::create_dir(folder.path().join("real")).unwrap();
    fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    pack_to(&events, link.as_os_str()).exited(0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "the link is still one");
    baton(["evidence".as_ref(), "verify".as_ref(), real.as_os_str()]).exited(0);
}

/// Runs with files that may not grow past this many blocks of 512 bytes: a disk that fills up, for one process.
/// The signal that goes with it is ignored, so that the write fails and no more.
pub(super) fn on_a_full_disk(blocks: u64, arguments: &[&OsStr], input: &str) -> Ran {
    let mut command = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(binary()).args(arguments);
    let input = input.to_owned();
    run(&mut command, move |stdin| stdin.write_all(input.as_bytes()))
}

#[test]
fn a_full_disk_under_the_attachments_ends_the_run_and_leaves_nothing_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().as_os_str();
    let large = packet(1).replacen('{', &format!("{{\"x\":\"{}\",", "y".repeat(4096)), 1);
    let input = format!("{}\n{large}\n{}\n", packet(0), packet(2));
    let ran =
        on_a_full_disk(4, &["adapt".as_ref(), "--ndjson".as_ref(), "--attachments".as_ref(), path], &input);
    let ran = ran.exited(2);
    let lines = ran.lines();
    assert_eq!(lines.len(), 2, "the first packet, and the refusal of the second");
    assert_eq!((&lines[0]["ok"], &lines[1]["error"]["kind"]), (&true.into(), &"infrastructure".into()));
    assert!(ran.stderr.starts_with("baton: the packet cannot be kept in "), "{}", ran.stderr);
    let kept = names(folder.path());
    assert_eq!(kept, [lines[0]["lossiness"]["raw_payload_ref"]["sha256"].as_str().unwrap()]);
    assert_eq!(fs::read_to_string(folder.path().join(&kept[0])).unwrap(), packet(0));
}

#[test]
fn a_full_disk_under_the_bundle_leaves_nothing_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.tar.gz");
    let events = baton_fed(["adapt", "--ndjson"], packets(2000).as_bytes()).exited(0).stdout;
    let whole = {
        pack_input(&out, &events).exited(0);
        let size = fs::metadata(&out).unwrap().len();
        fs::remove_file(&out).unwrap();
        size
    };
    assert!(whole > 8 << 10, "{whole}");
    // In blocks of 512 bytes: the spool is packed as it is written.
    for (what, blocks) in
        [("nothing fits", 0), ("a part of the events", whole / 2048), ("half", whole / 1024)]
    {
        let arguments =
            ["evidence".as_ref(), "bundle".as_ref(), OsStr::new("-"), "-o".as_ref(), out.as_os_str()];
        let ran = on_a_full_disk(blocks, &arguments, &events).exited(2);
        assert!(ran.stderr.starts_with("baton: cannot write "), "{what}: {}", ran.stderr);
        assert!(names(folder.path()).is_empty(), "{what}: {:?}", names(folder.path()));
    }
}

fn pack_input(out: &Path, events: &str) -> Ran {
    baton_fed(
        ["evidence".as_ref(), "bundle".as_ref(), OsStr::new("-"), "-o".as_ref(), out.as_os_str()],
        events.as_bytes(),
    )
}

/// A file system of its own for one run: `mount` options, then a script that sees it as `$1` and the binary as
/// `$2`. `None` where the machine does not let us have one.
pub(super) fn on_its_own_disk(options: &str, script: &str, input: &str) -> Option<Ran> {
    let folder = tempfile::tempdir().unwrap();
    let mounted = format!("mount -t tmpfs -o {options} none \"$1\" 2>/dev/null || exit 77; {script}");
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &mounted, "sh"]).arg(folder.path()).arg(binary());
    let input = input.to_owned();
    let ran = run(&mut command, move |stdin| stdin.write_all(input.as_bytes()));
    let refused = ran.code == Some(77) || ran.stderr.starts_with("unshare: ");
    (!refused).then_some(ran)
}

pub(super) const NO_DISK: &str =
    "skipped: this user cannot mount a file system; the limit on file sizes above covers the code";

#[test]
fn a_disk_that_is_really_full_or_read_only_is_told_and_left_clean() {
    let events = baton_fed(["adapt", "--ndjson"], packets(2000).as_bytes()).exited(0).stdout;
    let left = "code=$?; ls -A \"$1\"; exit $code";
    let pack = format!("\"$2\" evidence bundle - -o \"$1/out\"; {left}");
    let Some(ran) = on_its_own_disk("size=4k", &pack, &events) else { return eprintln!("{NO_DISK}") };
    let ran = ran.exited(2);
    assert!(ran.stderr.contains("No space left on device"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");

    let keep = format!("\"$2\" adapt --attachments \"$1\" >/dev/null; {left}");
    let large = packet(0).replacen('{', &format!("{{\"x\":\"{}\",", "y".repeat(100_000)), 1);
    let ran = on_its_own_disk("size=64k", &keep, &large).unwrap().exited(2);
    assert!(ran.stderr.contains("No space left on device"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");

    let ran = on_its_own_disk("ro", &pack, &events).unwrap().exited(2);
    assert!(ran.stderr.contains("Read-only file system"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
    let ran = on_its_own_disk("ro", &keep, &large).unwrap().exited(2);
    assert!(ran.stderr.contains("Read-only file system"), "{}", ran.stderr);
}
