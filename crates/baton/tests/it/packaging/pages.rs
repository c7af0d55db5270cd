//! The pages on security and on A2A name the tests that show what they say: each of them is there. The changelog has the version that
//! the manifests say. That the commands of all pages do what the pages say is looked at in `docs`.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::files::{read, root};

#[test]
fn every_test_the_security_page_names_is_there() {
    let page = read("docs/security.md");
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let named = rows.filter_map(|row| row.split('|').nth(3)).flat_map(quoted);
    assert!(all_are_there(named) > 20);
}

/// What the A2A project's compatibility kit expects, which no registry has, and what shows it here.
#[test]
fn every_expectation_of_the_a2a_kit_has_its_tests() {
    let page = read("docs/a2a.md");
    let (_, table) = page.split_once("| what the kit expects | tests |").unwrap();
    let rows: Vec<&str> = table.lines().skip(2).collect();
    for row in &rows {
        let tests = row.split('|').nth(2).unwrap_or_default();
        assert!(all_are_there(quoted(tests)) > 0, "{row}");
    }
    // A behaviour without a row would be missed by nobody.
    for kept in [
        "304",
        "content type",
        "`contextId` begins",
        "closes at INPUT_REQUIRED",
        "to a parked task",
        "bare message",
        "REJECTED",
        "AUTH_REQUIRED",
        "`append`",
        "also of a failed task",
    ] {
        assert!(rows.iter().any(|row| row.contains(kept)), "no row has {kept}");
    }
}

/// Names in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// How many tests are named; each is in the code.
fn all_are_there<'a>(named: impl Iterator<Item = &'a str>) -> usize {
    static CODE: LazyLock<String> = LazyLock::new(|| {
        let files = rust_files(&root().join("crates"));
        files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
    });
    named.inspect(|test| assert!(CODE.contains(&format!("fn {test}(")), "there is no test {test}")).count()
}

/// As Keep a Changelog asks: what is not released yet on top, and a date for what is.
#[test]
fn the_changelog_has_a_section_for_this_version() {
    let text = read("CHANGELOG.md");
    let sections: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(sections[0], "## [Unreleased]");
    let beginning = format!("## [{}] - ", env!("CARGO_PKG_VERSION"));
    let date = sections.iter().find_map(|line| line.strip_prefix(&beginning)).expect(&beginning);
    assert!(chrono::NaiveDate::parse_from_str(date, "%Y-%m-%d").is_ok(), "{date}");
    let released = &text[text.find(&beginning).unwrap()..];
    for section in released.lines().filter(|line| line.starts_with("### ")) {
        let kinds = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
        assert!(kinds.contains(&&section[4..]), "{section}");
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}
