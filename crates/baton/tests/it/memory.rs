//! The most memory a verify ever holds, however large the bundle or odd its shape: under 64 MiB. The figure is
//! the kernel's own high-water mark of the process, asked for by the process that waited for it.

use std::fs;
use std::process::Command;
use std::time::Instant;

use super::exporter::Log;
use super::forge::{Forged, archive, gzip, hashed, member};
use super::program::{Ran, binary, run};

const BOUND_KIB: u64 = 64 << 10;

/// `baton evidence verify` and its peak of resident memory in KiB.
fn verify(bundle: &[u8], side_file: Option<&[u8]>) -> (Ran, u64) {
    const WAIT: &str = "import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bundle.tar.gz");
    fs::write(&file, bundle).unwrap();
    if let Some(side_file) = side_file {
        fs::write(folder.path().join("bundle.tar.gz.proof.json"), side_file).unwrap();
    }
    let mut command = Command::new("python3");
    command.args(["-c", WAIT]).arg(binary()).args(["evidence", "verify"]).arg(file);
    let ran = run(&mut command, |_| Ok(()));
    let peak = ran.stderr.lines().last().unwrap().parse().unwrap();
    (ran, peak)
}

#[track_caller]
fn stays_small(what: &str, bundle: &[u8], code: i32) {
    checked_small(what, bundle, None, code);
}

#[track_caller]
fn checked_small(what: &str, bundle: &[u8], side_file: Option<&[u8]>, code: i32) {
    let (ran, peak) = verify(bundle, side_file);
    println!("{what}: {peak} KiB, exit {:?} {}", ran.code, ran.stdout.lines().next().unwrap_or_default());
    let ran = ran.exited(code);
    assert!(peak < BOUND_KIB, "{what} took {peak} KiB: {ran:?}");
}

#[test]
fn a_bundle_of_as_many_events_as_one_may_hold() {
    let note = "the quick brown fox jumps over the lazy dog, ".repeat(10);
    let lines: Vec<String> = (0..100_000)
        .map(|seq| hashed("t-0", seq, &format!(r#"{{"n":{seq},"note":"{note}{seq}"}}"#)))
        .collect();
    stays_small("100 000 events", &Forged::of(&lines).packed(), 0);
}

#[test]
fn an_export_of_as_many_events_as_a_bundle_may_hold_with_its_side_file() {
    let export = Log::observed("net-1", 100_000).export(0..100_000, 100_000);
    let (bundle, side_file) = (export.bundle(), export.side_file());
    drop(export);
    println!("bundle {} bytes, side file {} bytes", bundle.len(), side_file.len());
    let started = Instant::now();
    checked_small("100 000 events with proofs and packets", &bundle, Some(&side_file), 0);
    println!("verify: {:.1} seconds", started.elapsed().as_secs_f64());
}

#[test]
fn side_files_of_odd_shapes() {
    let export = Log::observed("net-1", 1).export([0], 1);
    let (bundle, side_file) = (export.bundle(), String::from_utf8(export.side_file()).unwrap());
    let (head, _) = side_file.split_once('[').unwrap();
    let spaces = " ".repeat(128 << 20);
    for (what, file, code) in [
        ("spaces between entries", side_file.replace("}]}", &format!("}}{spaces}]}}")), 0),
        ("spaces in an entry", side_file.replace("\"proof\"", &format!("{spaces}\"proof\"")), 2),
        ("braces", format!("{head}[{}", "{".repeat(128 << 20)), 2),
        ("a string without end", format!("{head}[{{\"{}", "x".repeat(128 << 20)), 2),
        ("a checkpoint without end", format!("{{\"checkpoint\":\"{}", "x".repeat(128 << 20)), 2),
        ("a proof of small things", format!("{head}[{{\"proof\":[{}", "1,".repeat(64 << 20)), 2),
    ] {
        checked_small(what, &bundle, Some(file.as_bytes()), code);
    }
}

#[test]
fn lines_of_a_mebibyte() {
    let room = (1 << 20) - 1000;
    let zeros = format!("[{}0]", "0,".repeat(room / 2));
    let objects = format!("[{}{{}}]", "{},".repeat(room / 3));
    let strings = format!("[{}\"\"]", "\"\",".repeat(room / 3));
    let nested = format!("[{}0]", format!("{}{},", "[".repeat(60), "]".repeat(60)).repeat(room / 121));
    let escapes = format!("\"{}\"", "\\u0001".repeat(room / 6));
    for (what, data) in [
        ("zeros", zeros),
        ("objects", objects),
        ("strings", strings),
        ("nests", nested),
        ("escapes", escapes),
    ] {
        let line = hashed("t-0", 0, &data);
        assert!(line.len() <= 1 << 20, "{what}: {}", line.len());
        stays_small(what, &Forged::of(&[line]).packed(), 0);
    }
    // Names out of order at every level, as many open at once as the line has room for.
    for (prefix, width) in [("", 2400), ("\\n", 1700)] {
        let line = hashed("t-0", 0, &nested_objects(60, width, prefix));
        assert!(line.len() <= 1 << 20, "{}", line.len());
        stays_small("names", &Forged::of(&[line]).packed(), 2); // hashed as it is, not in its canonical form
    }
}

/// `depth` objects inside one another, each with `width` members before the next.
fn nested_objects(depth: usize, width: usize, prefix: &str) -> String {
    let letters = || (b'0'..b'[').chain(b'a'..b'{').map(char::from);
    let names = letters().flat_map(|a| letters().map(move |b| format!("{a}{b}")));
    let names = names.chain((0..).map(|number: usize| format!("{number:04x}"))).take(width);
    let names: Vec<String> = names.collect();
    let members: String = names.iter().rev().map(|name| format!("\"{prefix}{name}\":0,")).collect();
    format!("{}0{}", format!("{{{members}\"z\":").repeat(depth), "}".repeat(depth))
}

#[test]
fn manifests_of_ten_mebibytes() {
    const ROOM: usize = (10 << 20) - 4096;
    let with = |extra: &str| {
        let manifest = Forged::good(1).manifest.to_string();
        let manifest = format!("{},\"x\":{extra}}}", manifest.strip_suffix('}').unwrap());
        assert!(manifest.len() <= 10 << 20, "{}", manifest.len());
        gzip(&archive(&[
            member("manifest.json", manifest.as_bytes()),
            member("events.ndjson", &Forged::good(1).events),
        ]))
    };
    stays_small("spaces", &with(&format!("{}0", " ".repeat(ROOM))), 0);
    stays_small("zeros", &with(&format!("[{}0]", "0,".repeat(ROOM / 2))), 0);
    stays_small("objects", &with(&format!("[{}0]", "{},".repeat(ROOM / 3))), 0);
    let string = format!("\"{}\",", "😀".repeat(1 << 18));
    stays_small("strings", &with(&format!("[{}0]", string.repeat(ROOM / string.len()))), 0);
    let escapes = format!("\"{}\",", "\\n".repeat(1 << 18));
    stays_small("escapes", &with(&format!("[{}0]", escapes.repeat(ROOM / escapes.len()))), 0);
    // As many names open at once as the bounds on depth and names allow, all out of order, all with an escape.
    stays_small("names", &with(&nested_objects(62, 9_999, "\\nxxxxxx")), 0);
    let entry = r#"{"path":"a","sha256":"b","bytes":1}"#;
    let entries: String = (0..9_999).map(|name| format!(",\"{name:0990}\":{entry}")).collect();
    let files = Forged::good(1).manifest["files"].to_string();
    let many = Forged::good(1)
        .manifest
        .to_string()
        .replace(&files, &format!("{}{entries}}}", files.strip_suffix('}').unwrap()));
    assert!(many.len() <= 10 << 20, "{}", many.len());
    let bundle = gzip(&archive(&[
        member("manifest.json", many.as_bytes()),
        member("events.ndjson", &Forged::good(1).events),
    ]));
    stays_small("files", &bundle, 0);
}

#[test]
fn padding_without_end() {
    let mut tar = Forged::good(1).tar();
    tar.resize(128 << 20, 0);
    stays_small("padding", &gzip(&tar), 0);
}
