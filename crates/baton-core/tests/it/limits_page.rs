//! docs/reference/limits.md: every constant of `limits` with its value and its doc comment. Made from the sources here, and
//! compared with the page; `BATON_BLESS=1` writes it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const HEAD: &str = "\
# Limits

*Reference*, generated from the code: `BATON_BLESS=1 cargo nextest run -p baton-hub-core limits_page` writes it.

Everything in Baton has a bound. These are the built-in numbers, by the file of `crates/baton-core/src/limits/` that has them. Limits that an operator
or an admin can change are [quotas](../accounts.md#quotas) and options of `baton hub start`; the numbers here are their defaults.
Characters are Unicode scalar values.
";

/// The files that have limits, in the order of the page.
const FILES: [&str; 13] = [
    "tasks",
    "artifacts",
    "agents",
    "accounts",
    "oauth",
    "pages",
    "http",
    "evidence",
    "outbound",
    "background",
    "store",
    "postgres",
    "tools",
];

#[derive(Debug, PartialEq, Eq)]
struct Limit {
    name: String,
    value: String,
    text: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/limits")
}

/// The constants of a source file, each with its doc comment.
fn limits(source: &str) -> Vec<Limit> {
    let mut found = Vec::new();
    let mut text = String::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if let Some(comment) = line.strip_prefix("/// ") {
            text = format!("{text} {comment}").trim().to_owned();
        } else if let Some(rest) = line.strip_prefix("pub const ") {
            let mut rest = rest.to_owned();
            while !rest.trim_end().ends_with(';') {
                rest += lines.next().expect("a constant ends with a semicolon").trim();
            }
            let (name, rest) = rest.split_once(": ").expect("a constant has a type");
            let (_, value) = rest.split_once(" = ").expect("a constant has a value");
            let value = value.split(';').next().unwrap_or_default().trim().to_owned();
            found.push(Limit { name: name.to_owned(), value, text: std::mem::take(&mut text) });
        } else if line.is_empty() {
            text.clear();
        }
    }
    found
}

/// The number an expression of constants stands for.
fn number(expression: &str, known: &BTreeMap<String, String>) -> Option<u128> {
    let mut words = expression.split_whitespace();
    let term = |word: &str| -> Option<u128> {
        let digits = word.replace('_', "");
        digits.parse().ok().or_else(|| number(known.get(word)?, known))
    };
    let mut value = term(words.next()?)?;
    while let Some(operator) = words.next() {
        let right = words.next()?;
        value = match operator {
            "*" => value * term(right)?,
            "/" => value / term(right)?,
            "+" => value + term(right)?,
            "-" => value.checked_sub(term(right)?)?,
            "<<" => value << u32::try_from(term(right)?).ok()?,
            "as" => value,
            _ => return None,
        };
    }
    Some(value)
}

fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn seconds(number: u128) -> String {
    match number {
        0 => "0 s".into(),
        _ if number.is_multiple_of(86_400) => format!("{} d", grouped(number / 86_400)),
        _ if number.is_multiple_of(3_600) => format!("{} h", number / 3_600),
        _ if number.is_multiple_of(60) && number > 60 => format!("{} min", number / 60),
        _ => format!("{} s", grouped(number)),
    }
}

fn millis(number: u128) -> String {
    if number >= 1_000 && number.is_multiple_of(1_000) {
        seconds(number / 1_000)
    } else {
        format!("{} ms", grouped(number))
    }
}

fn bytes(number: u128) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let fits = units.into_iter().find(|(_, shift)| number > 0 && number.is_multiple_of(1 << shift));
    fits.map_or_else(
        || format!("{} bytes", grouped(number)),
        |(unit, shift)| format!("{} {unit}", grouped(number >> shift)),
    )
}

/// A value as people read it: its unit is in its type or in its name.
fn shown(name: &str, value: &str, known: &BTreeMap<String, String>) -> Option<String> {
    if let Some(list) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let parts: Option<Vec<_>> = list.split(", ").map(|part| shown(name, part, known)).collect();
        return Some(parts?.join(", "));
    }
    let within = |call: &str| value.strip_prefix(call)?.strip_suffix(')');
    if let Some(inner) = within("Duration::from_secs(") {
        return Some(seconds(number(inner, known)?));
    }
    if let Some(inner) = within("Duration::from_millis(") {
        return Some(millis(number(inner, known)?));
    }
    if let Some(inner) = within("Duration::from_micros(") {
        return Some(format!("{} µs", grouped(number(inner, known)?)));
    }
    let number = number(value, known)?;
    Some(match name {
        _ if name.ends_with("BYTES_PER_SECOND") => format!("{}/s", bytes(number)),
        _ if name.contains("BYTES") => bytes(number),
        _ if name.ends_with("_KIB") => bytes(number << 10),
        _ if name.contains("MILLIS") => millis(number),
        _ if name.contains("PER_SECOND") => format!("{} a second", grouped(number)),
        _ if name.contains("SECONDS") => seconds(number),
        _ if name.ends_with("_CHARS") => format!("{} characters", grouped(number)),
        _ if name.ends_with("_PERCENT") => format!("{number} %"),
        _ => grouped(number),
    })
}

fn page() -> String {
    let sources = FILES.map(|file| fs::read_to_string(folder().join(format!("{file}.rs"))).unwrap());
    let all = sources.iter().flat_map(|source| limits(source));
    let known: BTreeMap<String, String> = all.map(|limit| (limit.name, limit.value)).collect();
    let mut page = String::from(HEAD);
    for (file, source) in FILES.iter().zip(&sources) {
        let said = source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
        let said = said.collect::<Vec<_>>().join(" ");
        let title = file[..1].to_uppercase() + &file[1..];
        let _ = write!(page, "\n## {title}\n\n{said}\n\n| limit | value | constant |\n|---|---|---|\n");
        for Limit { name, value, text } in limits(source) {
            let value = shown(&name, &value, &known).unwrap_or_else(|| format!("`{value}`"));
            let text = text.replace(" (ours)", "").replace('|', "\\|");
            let _ = writeln!(page, "| {} | {value} | `{name}` |", text.trim_end_matches('.'));
        }
    }
    page
}

#[test]
fn the_page_of_limits_has_every_constant_of_the_sources() {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    files.sort();
    let mut listed: Vec<_> = FILES.map(str::to_owned).to_vec();
    listed.sort();
    assert_eq!(files, listed);

    let made = page();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/limits.md");
    if std::env::var_os("BATON_BLESS").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let page = fs::read_to_string(&path).unwrap();
    assert!(page == made, "docs/reference/limits.md is not what the code says; BATON_BLESS=1 writes it");
}

#[test]
fn a_value_is_shown_in_the_unit_of_its_name() {
    let known = BTreeMap::from([("A".to_owned(), "2 * 1024".to_owned())]);
    for (name, value, expected) in [
        ("X_MAX_BYTES", "8 * A", "16 KiB"),
        ("X_BYTES", "1 << 20", "1 MiB"),
        ("X_SECONDS", "7 * 86_400", "7 d"),
        ("X_SECONDS", "90", "90 s"),
        ("X_MILLIS", "500", "500 ms"),
        ("X_MAX_COUNT", "10_000", "10,000"),
        ("X_EVERY", "Duration::from_millis(2_000)", "2 s"),
        ("X_PAUSES", "[Duration::from_millis(500), Duration::from_secs(2)]", "500 ms, 2 s"),
        ("X_CHARS", "80", "80 characters"),
    ] {
        assert_eq!(shown(name, value, &known).as_deref(), Some(expected), "{name} {value}");
    }
    assert_eq!(shown("X", "some()", &known), None);
}
