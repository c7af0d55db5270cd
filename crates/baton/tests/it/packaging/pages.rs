//! The guides to installing, security and migrating: each command they print is one of the binary's, each test they
//! name is there, each page they link to exists.

use std::path::{Path, PathBuf};

use super::files::{read, root};
use crate::it::hub::baton;

const PAGES: [&str; 3] = ["docs/install.md", "docs/security.md", "docs/migration.md"];

/// The lines in a page's blocks of code.
fn code(page: &str) -> Vec<String> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// The arguments of each call of the binary in a line of shell; what is quoted is one word, whatever it says.
fn calls(line: &str) -> Vec<Vec<String>> {
    let line = line.split(" # ").next().unwrap_or_default();
    let unquoted: Vec<&str> =
        line.split('"').enumerate().map(|(n, part)| if n % 2 == 0 { part } else { "QUOTED" }).collect();
    let unquoted = unquoted.concat();
    let pieces = unquoted.split(['|', '&', ';', '(', ')']);
    let called = pieces.filter_map(|piece| {
        let words: Vec<&str> = piece.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "baton" || word.ends_with("/bin/baton"))?;
        // `-u baton` names the hub's user.
        let at = if at > 0 && words[at - 1] == "-u" { at + 1 } else { at };
        let ends = words.iter().position(|word| word.starts_with(['>', '<'])).unwrap_or(words.len());
        let arguments = words.get(at + 1..ends)?;
        Some(arguments.iter().map(|word| (*word).to_owned()).collect())
    });
    called.collect()
}

#[test]
fn calls_are_found_where_a_shell_would_find_them() {
    let line =
        "sudo -u baton baton hub check --data-dir DIR && x | /usr/bin/baton send a \"b c\" > out # baton no";
    let found = calls(line).iter().map(|call| call.join(" ")).collect::<Vec<_>>();
    assert_eq!(found, ["hub check --data-dir DIR", "send a QUOTED"]);
    assert!(calls("docker run baton-image").is_empty());
}

#[test]
fn every_command_of_the_guides_is_one_of_the_binarys() {
    let wrong = baton().args(["hub", "start", "--nonsense", "--help"]).output().unwrap();
    assert!(!wrong.status.success());
    let mut looked_at = 0;
    for page in PAGES {
        for line in code(&read(page)) {
            for mut call in calls(&line) {
                // The arguments are read up to it, and a wrong one is told first.
                let end = call.iter().position(|word| word == "--").unwrap_or(call.len());
                call.insert(end, "--help".into());
                let output = baton().args(&call).output().unwrap();
                assert!(output.status.success(), "{page}: {line}\n{output:?}");
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 20, "{looked_at}");
}

#[test]
fn every_page_the_guides_link_to_is_there() {
    for page in PAGES {
        let text = read(page);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            if !link.contains("://") && !file.is_empty() {
                assert!(root().join("docs").join(file).exists(), "{page} links to {link}");
            }
        }
    }
}

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
