//! Commands that cannot be run here (systemd, containers, a certificate of one's own): each call of the binary in them is
//! one the binary knows, and each `make` names a target there is.

use std::collections::BTreeMap;

use super::page::{Role, files, pages, root};
use crate::it::hub::baton;

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
fn every_call_in_a_block_that_is_not_run_is_one_of_the_binarys() {
    let wrong = baton().args(["hub", "start", "--nonsense", "--help"]).output().unwrap();
    assert!(!wrong.status.success());
    let mut looked_at = 0;
    for page in pages() {
        for block in page.blocks.iter().filter(|block| block.role == Role::NotRun) {
            for line in block.text.replace("\\\n", " ").lines() {
                for mut call in calls(line.trim_start_matches("$ ")) {
                    // The arguments are read up to it, and a wrong one is reported first.
                    let end = call.iter().position(|word| word == "--").unwrap_or(call.len());
                    call.insert(end, "--help".into());
                    let output = baton().args(&call).output().unwrap();
                    assert!(output.status.success(), "{}: {line}\n{output:?}", page.name);
                    looked_at += 1;
                }
            }
        }
    }
    assert!(looked_at > 5, "{looked_at}");
}

/// The commands in a page's `code` within sentences: they have placeholders, so it is looked at what they name.
fn mentioned(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("```"));
    let code = lines.flat_map(|line| line.split('`').skip(1).step_by(2));
    code.filter_map(|code| code.strip_prefix("baton "))
}

#[test]
fn every_command_and_option_a_sentence_mentions_is_one_of_the_binarys() {
    let mut helps = BTreeMap::new();
    let mut wrong = Vec::new();
    for file in files() {
        for code in mentioned(&std::fs::read_to_string(&file).unwrap()) {
            let ours = code.split(" -- ").next().unwrap_or_default();
            let is_word = |word: &&str| {
                word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-')
            };
            let words: Vec<&str> = ours.split_whitespace().take_while(is_word).collect();
            let help = helps.entry(words.join(" ")).or_insert_with(|| {
                let output = baton().args(&words).arg("--help").output().unwrap();
                output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
            });
            let options = ours.split(|c: char| !(c.is_ascii_lowercase() || c == '-'));
            let options = options.filter(|word| word.starts_with("--") && word.len() > 2);
            let is_known = |option: &str| {
                let help = help.as_deref().unwrap_or_default();
                help.split(|c: char| !(c.is_ascii_lowercase() || c == '-')).any(|word| word == option)
            };
            if help.is_none() || options.into_iter().any(|option| !is_known(option)) {
                wrong.push(format!("{}: baton {code}", file.display()));
            }
        }
    }
    assert!(helps.len() > 30, "{}", helps.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_make_target_the_pages_name_is_there() {
    let makefile = std::fs::read_to_string(root().join("Makefile")).unwrap();
    let is_target = |name: &str| makefile.lines().any(|line| line.starts_with(&format!("{name}:")));
    assert!(is_target("test") && !is_target("nonsense"));
    let mut named = 0;
    for file in files() {
        let text = std::fs::read_to_string(&file).unwrap();
        // At the beginning of a line of shell, or of `code`.
        let beginnings = text.split(['\n', '`']).map(|part| part.trim_start().trim_start_matches("sudo "));
        for words in beginnings.filter_map(|part| part.strip_prefix("make ")) {
            let target = words.split_whitespace().next().unwrap_or_default();
            let is_name = !target.is_empty() && target.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            // A sentence may continue with "make a …" at the beginning of a line.
            if is_name
                && (text.contains(&format!("`make {target}")) || text.contains(&format!("\nmake {target} ")))
            {
                assert!(is_target(target), "{}: make {target}", file.display());
                named += 1;
            }
        }
    }
    assert!(named > 10, "{named}");
}
