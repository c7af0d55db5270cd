//! Phrases that are not used any more, because they puzzled readers, and what to write instead. Everything a person
//! reads is checked: documents, comments and texts in the code, the dashboard, the clients, scripts, and the help of
//! every command. Line breaks inside a phrase do not hide it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::words::{gather, helps};

/// A phrase in lower case, and its replacement.
const RETIRED: &[(&str, &str)] = &[
    ("agents of others", "remote agents"),
    ("agent of others", "remote agent"),
    ("is told", "is notified, gets, receives (or active: \"the hub reports …\")"),
    ("are told", "are notified, get, receive"),
    ("be told", "be notified, be reported, be distinguished"),
    ("been told", "been notified"),
    ("was told", "was notified, was reported"),
    ("were told", "were notified"),
    ("is said", "is reported, is printed, is returned"),
    ("are said", "are reported, are printed"),
    ("be said", "be reported, be printed"),
    ("was said", "was reported; \"the messages\" of a task"),
    ("hears", "receives"),
    ("anew", "again; recreated, restarted, reset"),
    ("in vain", "without success"),
    ("for ever", "forever"),
    ("lately", "recently"),
    ("called off", "cancelled"),
    ("call off", "cancel"),
    ("calls off", "cancels"),
    ("says no", "refuses"),
    ("said no", "refused"),
    ("say no", "refuse"),
    ("under way", "in progress"),
    ("written down", "recorded"),
    ("writes down", "records"),
    ("write down", "record"),
    ("in good order", "cleanly"),
    ("is not meant", "is exclusive"),
    ("what others wrote", "texts of other users"),
    ("said on the way", "messages"),
    ("there is no more of", "there is no further"),
    ("have not exactly one network", "you belong to several networks; pass `network_id`"),
    ("password to be changed is another", "the current password is wrong"),
    ("no database of a hub", "not a Baton database"),
    ("is really there", "resident memory"),
    ("the time before the hub", "while the hub starts"),
    ("half end within", "p50 duration"),
    ("95 of 100 within", "p95 duration"),
    ("authorities whose certificates", "extra CA certificates"),
    ("takes {} characters", "must be at most {} characters"),
    ("whatever he may", "(say what exactly)"),
    ("whatever she may", "(say what exactly)"),
    ("whatever they may", "(say what exactly)"),
    ("whereof", "of which"),
    ("hitherto", "so far"),
    ("to whom it may", "(say who)"),
];

/// Where to look, below the root of the repository.
const FOLDERS: [&str; 8] = ["crates", "docs", "clients", "scripts", "packaging", "proof", "tests", "fuzz"];
const ENDINGS: [&str; 13] =
    ["rs", "md", "js", "mjs", "ts", "html", "css", "py", "sh", "toml", "service", "conf", "yaml"];
/// Built or installed, recorded, or history that is never changed.
const NOT_OURS: [&str; 6] = ["target", "node_modules", "dist", "migrations", "vendor.js", "benchmarks.md"];

/// One word, the line it stands on, and whether a sentence ends with it.
struct Word {
    text: String,
    line: usize,
    ends_sentence: bool,
}

fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start().trim_start_matches(['/', '!', '#', '*']);
        for word in line.split_whitespace() {
            let inner = word.trim_matches(|c: char| !c.is_alphanumeric() && !"{}".contains(c));
            let ends_sentence =
                word.trim_end_matches(['"', '\'', ')', '`']).ends_with(['.', ';', ':', '!', '?', '|']);
            words.push(Word { text: inner.to_lowercase(), line: at + 1, ends_sentence });
        }
    }
    words
}

/// Every retired phrase of a text, with its line.
fn retired(text: &str) -> Vec<(usize, &'static str, &'static str)> {
    static BY_FIRST_WORD: LazyLock<HashMap<&str, Vec<&(&str, &str)>>> = LazyLock::new(|| {
        let mut by_first_word: HashMap<_, Vec<_>> = HashMap::new();
        for entry in RETIRED {
            by_first_word.entry(entry.0.split(' ').next().unwrap()).or_default().push(entry);
        }
        by_first_word
    });
    let words = words(text);
    let mut found = Vec::new();
    for start in 0..words.len() {
        for (phrase, instead) in BY_FIRST_WORD.get(words[start].text.as_str()).into_iter().flatten() {
            let count = phrase.split(' ').count();
            let Some(here) = words.get(start..start + count) else { continue };
            let is_one_sentence = !here[..count - 1].iter().any(|word| word.ends_sentence);
            if is_one_sentence && phrase.split(' ').eq(here.iter().map(|word| word.text.as_str())) {
                found.push((here[0].line, *phrase, *instead));
            }
        }
    }
    found
}

#[test]
fn a_phrase_is_found_across_lines_and_a_sentence_ends_it() {
    assert_eq!(retired("fine\n    /// The sender is\n    /// told so.").len(), 1);
    assert_eq!(retired("fine\n    /// The sender is\n    /// told so.")[0].0, 2);
    assert_eq!(retired("An error \"is no database of a hub\", and `Agents of\nothers`.").len(), 2);
    assert_eq!(retired("This is how it is. Told once").len(), 0);
    assert_eq!(retired("takes {} characters").len(), 1);
}

#[test]
fn nothing_people_read_uses_a_retired_phrase() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut files: Vec<PathBuf> =
        ["Makefile", "Dockerfile", ".ci/run"].iter().map(|name| root.join(name)).collect();
    gather(&root, &["md", "toml"], false, &mut files);
    for folder in FOLDERS {
        gather(&root.join(folder), &ENDINGS, true, &mut files);
    }
    files.retain(|file| {
        let is_ours = !file.components().any(|part| NOT_OURS.iter().any(|name| part.as_os_str() == *name));
        let is_hidden = file
            .strip_prefix(&root)
            .unwrap()
            .components()
            .any(|part| part.as_os_str().to_string_lossy().starts_with(".venv"));
        // The changelog is history, and this file is the list.
        is_ours
            && !is_hidden
            && !file.ends_with("CHANGELOG.md")
            && !file.ends_with(Path::new(file!()).file_name().unwrap())
    });
    assert!(files.len() > 900, "{} files", files.len());
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        found.extend(
            retired(&text)
                .into_iter()
                .map(|(line, phrase, instead)| format!("{name}:{line}: {phrase:?} → {instead}")),
        );
    }
    for help in helps(&[]) {
        let usage = help.lines().find(|line| line.starts_with("Usage")).unwrap_or_default().to_owned();
        found.extend(
            retired(&help)
                .into_iter()
                .map(|(line, phrase, instead)| format!("help, {usage}, line {line}: {phrase:?} → {instead}")),
        );
    }
    assert!(found.is_empty(), "write it in plain words:\n{}", found.join("\n"));
}
