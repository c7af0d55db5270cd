//! The page on security names the tests that show what it says: each of them is there. The changelog has the version that
//! the manifests say. That the commands of all pages do what the pages say is looked at in `docs`.

use std::path::{Path, PathBuf};

use super::files::{read, root};

#[test]
fn every_test_the_security_page_names_is_there() {
    let mut code = String::new();
    for file in rust_files(&root().join("crates")) {
        code += &std::fs::read_to_string(file).unwrap();
    }
    let text = read("docs/security.md");
    let mut named = 0;
    for row in text.lines().filter(|line| line.starts_with("| ")) {
        let Some(tests) = row.split('|').nth(3) else { continue };
        for test in tests.split('`').skip(1).step_by(2) {
            assert!(code.contains(&format!("fn {test}(")), "{test}");
            named += 1;
        }
    }
    assert!(named > 20, "{named}");
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
