//! The suite calls every method of the seam: those of a [`Snapshot`](baton_store::Snapshot) and a
//! [`Transaction`](baton_store::Transaction), of the store, of a tenant and of a claim. A second engine that passes it
//! has had each of them run. The sources are read as text; what a test then makes of the answer is for its reader.

use std::fs;
use std::path::Path;

fn source(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn sources_in(folder: &str) -> Vec<(String, String)> {
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.map(|name| (name.clone(), source(&format!("{folder}/{name}")))).collect()
}

/// What stands in the braces after this heading.
fn block<'s>(source: &'s str, heading: &str) -> &'s str {
    let (_, rest) = source.split_once(heading).unwrap_or_else(|| panic!("no {heading:?}"));
    let (_, body) = rest.split_once("{\n").unwrap();
    body.split_once("\n}\n").unwrap().0
}

/// The methods of a block whose line begins with one of these.
fn methods<'s>(block: &'s str, beginnings: &[&str]) -> Vec<&'s str> {
    let of_line = |line: &'s str| {
        let rest = beginnings.iter().find_map(|beginning| line.strip_prefix(beginning))?;
        rest.split(['(', '<']).next()
    };
    block.lines().filter_map(of_line).collect()
}

/// The traits that a snapshot and a transaction are made of.
fn traits(rows: &str) -> Vec<&str> {
    let parts = ["pub trait Snapshot:", "pub trait Transaction:"].into_iter().flat_map(|heading| {
        let (_, rest) = rows.split_once(heading).unwrap();
        rest.split_once('{').unwrap().0.split('+').map(str::trim)
    });
    parts.filter(|part| *part != "Snapshot").collect()
}

/// Every call in the suite, without spaces and comments.
fn suite() -> String {
    let mut files = sources_in("tests/it/contract");
    files.retain(|(name, _)| name != "every_method.rs");
    files.push(("fixtures.rs".into(), source("tests/it/fixtures.rs")));
    let code = files.iter().flat_map(|(_, text)| text.lines()).map(|line| line.split("//").next().unwrap());
    code.flat_map(|line| line.chars().chain(['\n'])).collect::<String>().split_whitespace().collect()
}

/// Methods, each with the names that what it is called on goes by in the suite; none for any.
fn seam() -> Vec<(String, &'static [&'static str])> {
    let (in_trait, in_impl) = (["    fn "], ["    pub fn ", "    pub const fn ", "    pub async fn "]);
    let (rows, store, tenant) = (source("src/rows.rs"), source("src/store.rs"), source("src/tenant.rs"));
    let nouns: String = sources_in("src/rows").into_iter().map(|(_, text)| text).collect();
    let (of_rows, of_store): (&[&str], &[&str]) = (&["tx", "rows", "read"], &["store"]);
    let mut seam = Vec::new();
    let mut add = |names: Vec<&str>, on| seam.extend(names.into_iter().map(|name| (name.to_owned(), on)));
    for name in traits(&rows) {
        let found = methods(block(&nouns, &format!("pub trait {name} ")), &in_trait);
        assert!(!found.is_empty(), "no method of {name} was found");
        add(found, of_rows);
    }
    add(methods(block(&rows, "pub trait Transaction:"), &in_trait), of_rows);
    add(methods(block(&store, "pub trait Store:"), &in_trait), of_store);
    add(methods(block(&store, "impl dyn Store "), &in_impl), of_store);
    add(methods(block(&tenant, "impl<'s> Tenant<'s> "), &in_impl), &[]);
    add(methods(block(&tenant, "impl<T, E: From<Error>> Claim<T, E> "), &in_impl), &[]);
    seam
}

#[test]
fn the_suite_calls_every_method_of_the_seam() {
    let (suite, seam) = (suite(), seam());
    let is_called = |name: &str, on: &[&str]| match on {
        [] => suite.contains(&format!(".{name}(")),
        on => on.iter().any(|on| suite.contains(&format!("{on}.{name}("))),
    };
    let missing: Vec<_> =
        seam.iter().filter(|(name, on)| !is_called(name, on)).map(|(name, _)| &**name).collect();
    assert!(seam.len() > 150, "only {} methods were found", seam.len());
    assert!(
        missing.is_empty(),
        "{} of {} methods are called by no contract test: {missing:?}",
        missing.len(),
        seam.len()
    );
}
