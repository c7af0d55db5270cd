//! Honest words: whatever a user reads says of a handoff that it is visible, observed, recorded, and never that it
//! was right. Looked at: every document, the command line's help, the schemas, the routes, and every text in the code.

use std::path::{Path, PathBuf};

use crate::it::hub::baton;

/// What no sentence may say of a handoff, by how the word begins.
const JUDGEMENTS: [&str; 11] = [
    "verified",
    "verifies",
    "trust",
    "valid",
    "authoris",
    "authoriz",
    "correct",
    "success",
    "complete",
    "legitimate",
    "approved",
];
/// The guardrail, and the other sentences that deny a judgement.
const DENIALS: [&str; 5] = [
    "none of these fields mean", // the freeze's own sentence, on the work graph
    "none of them means",
    "does not mean that the handoff was",
    "never verified, trusted, valid, authorised",
    "a flag never means",
];

/// The sentences of a text that judge a handoff.
fn judgements(text: &str) -> Vec<String> {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let sentences = joined.split(['.', ';', '|', '#', '{', '}']).map(str::trim);
    let about = sentences.filter(|sentence| sentence.contains("handoff") || sentence.contains("hand-off"));
    about
        .filter(|sentence| {
            let mut words = sentence.split(|character: char| !character.is_alphanumeric());
            words.any(|word| JUDGEMENTS.iter().any(|judgement| word.starts_with(judgement)))
        })
        .filter(|sentence| !DENIALS.iter().any(|denial| sentence.contains(denial)))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_judging_sentence_is_found_and_a_denying_one_is_not() {
    assert_eq!(judgements("Fine words. The handoff was\nverified by the hub; done.").len(), 1);
    assert_eq!(judgements("A trusted handoff.").len(), 1);
    assert_eq!(judgements("The handoff was verified and never lost.").len(), 1);
    assert_eq!(judgements("none of them means that the handoff was valid").len(), 0);
    assert_eq!(judgements("The signature is valid. The handoff is visible.").len(), 0);
}

#[test]
fn no_text_for_people_judges_a_handoff() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for (folder, endings) in [
        (root.clone(), &["md"][..]),
        (root.join("docs"), &["md"]),
        (root.join("schemas"), &["json"]),
        (root.join("crates"), &["rs", "json", "sql", "html", "js"]),
    ] {
        gather(&folder, endings, folder != root, &mut files);
    }
    assert!(files.len() > 200, "{} files", files.len());
    let mut found = Vec::new();
    for file in files {
        // Tests plant such words to see them found.
        if file.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let text = text.replace("//!", " ").replace("///", " ").replace("//", " ");
        found.extend(judgements(&text).into_iter().map(|said| format!("{}: {said}", file.display())));
    }
    for help in helps(&[]) {
        found.extend(judgements(&help));
    }
    assert!(found.is_empty(), "{found:#?}");
}

pub(super) fn gather(folder: &Path, endings: &[&str], is_deep: bool, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if path.is_dir() {
            if is_deep {
                gather(&path, endings, true, files);
            }
        } else if endings.contains(&ending) {
            files.push(path);
        }
    }
}

/// The help of a command and of all below it.
pub(super) fn helps(command: &[String]) -> Vec<String> {
    let output = baton().args(command).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let below = help.split("Commands:").nth(1).unwrap_or_default();
    let names = below.lines().skip(1).take_while(|line| line.starts_with("  ")).filter_map(|line| {
        let is_name = line.starts_with("  ") && !line.starts_with("   ");
        is_name.then(|| line.split_whitespace().next().unwrap_or_default().to_owned())
    });
    let names: Vec<String> = names.filter(|name| name != "help").collect();
    let mut all = vec![help];
    for name in names {
        let command: Vec<String> = command.iter().cloned().chain([name]).collect();
        all.extend(helps(&command));
    }
    all
}
