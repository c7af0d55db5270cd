//! What a page shows of a command's output, compared with the real output. `…` stands for anything within a line, a line of
//! `…` alone for any lines, and spaces are as wide as a table needs.

/// The first shown line that was not printed, in order.
pub(super) fn missing<'a>(shown: &'a [String], said: &str) -> Option<&'a str> {
    let mut said = said.lines().map(words);
    shown.iter().map(String::as_str).find(|line| {
        let line = words(line);
        line != "…" && !line.is_empty() && !said.by_ref().any(|said| is_like(&said, &line))
    })
}

fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_like(said: &str, shown: &str) -> bool {
    let parts: Vec<&str> = shown.split('…').collect();
    let [first, .., last] = parts[..] else { return said == shown };
    let Some(mut rest) = said.strip_prefix(first) else { return false };
    for part in &parts[1..parts.len() - 1] {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[test]
fn a_shown_line_is_found_by_its_fixed_parts_and_in_its_order() {
    let said = "ID     STATUS\n01a1  replied   0 s ago\nend\n";
    let missing = |shown: &str| {
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        missing(&shown, said).map(str::to_owned)
    };
    assert_eq!(missing("ID STATUS\n…  replied  …\nend"), None);
    assert_eq!(missing("…\n\nend"), None);
    assert_eq!(missing("end\nID STATUS"), Some("ID STATUS".into()));
    assert_eq!(missing("… failed …"), Some("… failed …".into()));
    assert_eq!(missing("01a1 replied"), Some("01a1 replied".into()));
    assert_eq!(missing("…ago…replied…"), Some("…ago…replied…".into()));
}
