//! Our bundles before another reader: `tests/bundle_checker.py`, written from section C alone. What we pack it
//! accepts with the same count and root; what it refuses we refuse, with the same class.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::damage;
use super::forge::{Forged, gzip_named, hashed};
use super::program::{Ran, baton, baton_fed, bundle, run};

/// One run over many bundles: most of a run is the interpreter's start.
fn checker<P: AsRef<Path>>(bundles: impl IntoIterator<Item = P>) -> Ran {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/bundle_checker.py");
    let mut command = Command::new("python3");
    command.arg(script).args(bundles.into_iter().map(|path| path.as_ref().to_owned()));
    run(&mut command, |_| Ok(()))
}

fn verify(bundle: &Path) -> Ran {
    baton(["evidence".as_ref(), "verify".as_ref(), bundle.as_os_str()])
}

#[track_caller]
fn both_accept(what: &str, path: &Path) {
    let (theirs, ours) = (checker([path]), verify(path));
    assert_eq!((theirs.code, ours.code), (Some(0), Some(0)), "{what}: {theirs:?}, {ours:?}");
    assert!(theirs.stdout.starts_with("ok: "), "{what}: {theirs:?}");
    assert_eq!(theirs.stdout.lines().next(), ours.stdout.lines().next(), "{what}");
}

#[test]
fn bundles_of_ours_are_accepted_with_the_same_count_and_root() {
    let folder = tempfile::tempdir().unwrap();
    for count in [1, 2, 300] {
        both_accept("packets", &bundle(folder.path(), count));
    }
    // Every fixture at once: every event type, odd attributes, times outside four-digit years.
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../baton-adapter/tests/fixtures/packets");
    let mut lines = String::new();
    for file in fs::read_dir(fixtures).unwrap() {
        let file = file.unwrap().path();
        lines += &baton(["adapt".as_ref(), "--mode".as_ref(), "lenient".as_ref(), file.as_os_str()])
            .exited(0)
            .stdout;
    }
    let (events, out) = (folder.path().join("events.ndjson"), folder.path().join("bundle.tar.gz"));
    fs::write(&events, lines).unwrap();
    baton(["evidence".as_ref(), "bundle".as_ref(), events.as_os_str(), "-o".as_ref(), out.as_os_str()])
        .exited(0);
    both_accept("fixtures", &out);
}

#[test]
fn numbers_names_and_times_are_read_and_hashed_alike() {
    let folder = tempfile::tempdir().unwrap();
    let (events, out) = (folder.path().join("events.ndjson"), folder.path().join("bundle.tar.gz"));
    let numbers = "0,-0,1,-1,1.0,1.5,0.1,1e21,1e20,123456789012345680000,1e-6,1e-7,5e-324,1.7976931348623157e308,\
        9007199254740993,18446744073709551615,-9223372036854775808,295147905179352825856,333333333.33333329,\
        4.35,0.000001,0.0000012345,123e-20,100,1E2,2.2250738585072014e-308,9.999999999999997e22";
    let names = r#"{"\ud83d\ude00":1,"\uff5e":2,"\u20ac":3,"\r":4,"1":5,"\u0080":6,"\u00f6":7,"":8,"\ufb33":9,"a\"b":10,"\\":11,"\u007f":12,"\u2028":13}"#;
    let packet = format!(
        r#"{{"protocol":"a2a","version":"0.2","timestamp":"9999-12-31T23:59:60-12:00","agent":{{"id":"\u0000é"}},"attributes":{{"n":[{numbers}],"o":{names}}}}}"#
    );
    fs::write(&events, baton_fed(["adapt", "--mode", "lenient"], packet.as_bytes()).exited(0).stdout)
        .unwrap();
    baton(["evidence".as_ref(), "bundle".as_ref(), events.as_os_str(), "-o".as_ref(), out.as_os_str()])
        .exited(0);
    both_accept("numbers and names", &out);
}

#[test]
fn forms_only_a_reader_allows_are_accepted_by_both() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bundle.tar.gz");
    let good = Forged::good(3);
    let mut crlf = good.clone();
    crlf.events = String::from_utf8(crlf.events).unwrap().replace('\n', "\r\n").into_bytes();
    let mut unended = good.clone();
    unended.events.pop();
    let mut bare = good.clone();
    let hash = bare.manifest["files"]["events.ndjson"]["sha256"].as_str().unwrap()[7..].to_owned();
    bare.manifest["files"]["events.ndjson"]["sha256"] = hash.into();
    let late = hashed("t-0", 0, "null").replace("2026-03-04T05:06:07Z", "1999-12-31 23:59:60.5+05:30");
    let forms = [
        ("lines that are not canonical, a pretty manifest", good.packed()),
        ("a gzip name and time", gzip_named(&good.tar())),
        ("one CR before LF", crlf.sealed().packed()),
        ("no final newline", unended.sealed().packed()),
        ("a bare file hash", bare.packed()),
        ("another offset, any data", Forged::of(&[late]).packed()),
    ];
    for (what, bytes) in forms {
        fs::write(&path, bytes).unwrap();
        both_accept(what, &path);
    }
}

#[test]
fn every_kind_of_damage_is_refused_by_both_with_the_same_class() {
    let (folder, damaged) = (tempfile::tempdir().unwrap(), damage::all());
    let paths: Vec<_> = (0..damaged.len()).map(|number| folder.path().join(number.to_string())).collect();
    for (path, damaged) in paths.iter().zip(&damaged) {
        fs::write(path, &damaged.bytes).unwrap();
    }
    let theirs = checker(&paths).exited(2);
    let reasons: Vec<&str> = theirs.stdout.lines().collect();
    assert_eq!(reasons.len(), damaged.len(), "{theirs:?}");
    for ((path, reason), damage::Damaged { what, code, .. }) in paths.iter().zip(reasons).zip(damaged) {
        let class = code.split('/').next().unwrap();
        assert!(reason.starts_with(&format!("{class}: ")), "{what} is {code}: {reason}");
        let ours = verify(path).exited(2);
        assert!(ours.stderr.contains(&format!(" is refused: {class}/")), "{what} is {code}: {ours:?}");
    }
}
