//! The modules of the crates that make the hub import each other in one direction: no module, over whatever others, needs
//! itself. A request walks door → service → core → store and never back, and a reader can start at the bottom. Between
//! crates the compiler holds it; within one it is held here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A module, and whom it imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn modules_import_each_other_in_one_direction() {
    let mut imports = Imports::new();
    for name in ["baton-service", "baton-doors", "baton"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
        read(&source, &source, &mut imports);
    }
    assert!(imports["service"].contains("hub"), "the imports were not found: {imports:?}");
    let mut left = imports.clone();
    // Whoever imports nobody that is left goes; what cannot go is a circle, or needs one.
    while let Some(free) = left.iter().find(|(_, to)| to.is_empty()).map(|(name, _)| name.clone()) {
        left.remove(&free);
        for to in left.values_mut() {
            to.remove(&free);
        }
    }
    assert!(left.is_empty(), "these modules import each other in a circle: {left:#?}");
}

fn read(source: &Path, folder: &Path, imports: &mut Imports) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(source, &path, imports);
            continue;
        }
        let name = path.strip_prefix(source).unwrap().to_string_lossy().into_owned();
        let module = name.split('/').next().unwrap().trim_end_matches(".rs").to_owned();
        // A root names every module and is named by none; what tests need is not what the product needs.
        if ["main", "lib", "fixture", "foreign_and_missing", "after_commit"].contains(&module.as_str())
            || name.contains("tests")
        {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let text = text.split("#[cfg(test)]\npub mod tests").next().unwrap();
        let named = imported(text).into_iter().filter(|other| *other != module);
        imports.entry(module.clone()).or_default().extend(named);
    }
}

/// What stands after `crate::` in code, also in a list of imports.
fn imported(text: &str) -> BTreeSet<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = code.map(|line| format!("{line}\n")).collect();
    let mut found = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            None => found.extend(first_word(after)),
            Some(list) => found.extend(members(list).iter().filter_map(|member| first_word(member))),
        }
    }
    found.retain(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit()));
    found
}

fn first_word(text: &str) -> Option<String> {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

/// The members of a list that has begun, without what is inside of lists within.
fn members(list: &str) -> Vec<String> {
    let (mut depth, mut all, mut member) = (1, Vec::new(), String::new());
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => all.push(std::mem::take(&mut member)),
            _ => {}
        }
        if depth == 0 {
            all.push(member);
            break;
        }
        if depth == 1 && c != ',' {
            member.push(c);
        }
    }
    all
}
