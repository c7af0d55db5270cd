//! Every number that bounds something stands in `limits`, so that changing one is a change of one file: the sources of
//! all crates are read for numbers elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

/// The types a limit has. No limit is a `u8` or a fraction.
const TYPES: [&str; 8] = ["usize", "u16", "u32", "u64", "i32", "i64", "Duration", "[Duration"];
/// Says in the line of a constant why it may stand outside.
const MARK: &str = "// not a limit: ";

/// The files that may hold limits or anything else: tests, and a tool that measures.
fn is_left_out(path: &Path) -> bool {
    let part = |name: &str| path.components().any(|part| part.as_os_str() == name);
    let name = path.file_name().unwrap().to_str().unwrap();
    let is_test = part("tests") || name == "tests.rs" || name.starts_with("fixture") || part("fixture");
    is_test || name == "limits.rs" || part("limits") || part("bench")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") && !is_left_out(&path) {
            found.push(path);
        }
    }
}

fn has_number(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = text.as_bytes();
    (0..bytes.len()).any(|at| bytes[at].is_ascii_digit() && (at == 0 || !is_word(bytes[at - 1])))
}

/// Whether a line of code sets a number of its own that bounds something.
fn sets_a_limit(line: &str) -> bool {
    let inline = ["Duration::from_secs(", "Duration::from_millis("].iter().any(|call| {
        line.split(call).nth(1).is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    });
    let constant = line.split_once("const ").and_then(|(_, rest)| rest.split_once(": "));
    let is_limit = constant.and_then(|(_, rest)| rest.split_once(" = ")).is_some_and(|(kind, value)| {
        let is_typed =
            TYPES.iter().any(|name| kind == *name || (name.starts_with('[') && kind.starts_with(name)));
        is_typed && has_number(value) && !value.contains("limits::")
    });
    (inline || is_limit) && !line.contains(MARK)
}

#[test]
fn no_limit_stands_outside_the_limits() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for entry in fs::read_dir(&crates).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut files);
    }
    assert!(files.len() > 500, "only {} files were found", files.len());
    let mut outside = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let lines = code.lines().enumerate().filter(|(_, line)| sets_a_limit(line));
        outside.extend(lines.map(|(at, line)| format!("{}:{}: {}", file.display(), at + 1, line.trim())));
    }
    assert!(
        outside.is_empty(),
        "move these to baton_core::limits, or end the line with `{MARK}reason`:\n{}",
        outside.join("\n")
    );
}

#[test]
fn a_number_of_its_own_is_told_from_one_that_follows_from_a_limit() {
    for line in [
        "const PAGE: usize = 100;",
        "pub(super) const EVERY: Duration = Duration::from_secs(5);",
        "const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(2)];",
        "    sleep(Duration::from_millis(10)).await;",
    ] {
        assert!(sets_a_limit(line), "{line}");
    }
    for line in [
        "const KEEP: Duration = Duration::from_secs(limits::REMOTE_LEASE_SECONDS as u64 / 3);",
        "const COUNT: u64 = ENTRY_BUNDLE_COUNT as u64;",
        "const PLACE: &[u8] = b\"{task}\";",
        "const HASH: usize = 32; // not a limit: the format of a hash",
    ] {
        assert!(!sets_a_limit(line), "{line}");
    }
}
