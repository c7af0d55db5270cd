//! What the two engines spell differently. Statements are written once, for SQLite; here a text becomes PostgreSQL's. Only
//! spelling is changed: parameters, blobs, hints at indexes, and lists that come as JSON. Functions that SQLite has and
//! PostgreSQL has not are made by the migrations.

use std::fmt::Write;

/// A statement as PostgreSQL reads it.
pub(crate) fn translate(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len() + 16);
    let mut highest = 0;
    let mut rest = sql;
    while let Some(at) = rest.find(['?', '\'', 'x', 'I', 'j', 'C']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        rest = one(from, &mut out, &mut highest, before.chars().last());
    }
    out.push_str(rest);
    out
}

/// Translates what begins here; answers what comes after it.
fn one<'s>(from: &'s str, out: &mut String, highest: &mut usize, before: Option<char>) -> &'s str {
    let is_in_word = before.is_some_and(|char| char.is_alphanumeric() || char == '_');
    if let Some(rest) = from.strip_prefix('?') {
        return parameter(rest, out, highest);
    }
    if let Some(text) = from.strip_prefix('\'') {
        let end = text.find('\'').map_or(from.len(), |end| end + 2);
        out.push_str(&from[..end]);
        return &from[end..];
    }
    if let Some(hex) = from.strip_prefix("x'").filter(|_| !is_in_word)
        && let Some((hex, rest)) = hex.split_once('\'')
    {
        // A String takes whatever is written.
        let _ = write!(out, "'\\x{hex}'::bytea");
        return rest;
    }
    if let Some(rest) = from.strip_prefix("INDEXED BY ").filter(|_| !is_in_word) {
        let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(rest.len());
        return &rest[end..];
    }
    if let Some(rest) = from.strip_prefix("json_each(").filter(|_| !is_in_word)
        && let Some((list, rest)) = rest.split_once(')')
    {
        out.push_str("json_array_elements_text((");
        out.push_str(&translate(list));
        out.push_str(")::json) AS json_each");
        return rest;
    }
    // SQLite joins in this order then, and takes a condition; PostgreSQL finds the order itself.
    if let Some(rest) = from.strip_prefix("CROSS JOIN ").filter(|_| !is_in_word)
        && rest.split_whitespace().take(3).any(|word| word == "ON")
    {
        out.push_str("JOIN ");
        return rest;
    }
    let mut chars = from.chars();
    out.extend(chars.next());
    chars.as_str()
}

/// `?3` is the third; `?` is the one after the highest so far.
fn parameter<'s>(rest: &'s str, out: &mut String, highest: &mut usize) -> &'s str {
    let end = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..end].parse().unwrap_or(*highest + 1);
    *highest = number.max(*highest);
    let _ = write!(out, "${number}");
    &rest[end..]
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn only_the_spelling_changes() {
        for (sqlite, postgres) in [
            ("SELECT a FROM b WHERE c = ?1 AND d = ?12", "SELECT a FROM b WHERE c = $1 AND d = $12"),
            (
                "UPDATE a SET b = ?2, c = ?, d = ? WHERE e = ?1",
                "UPDATE a SET b = $2, c = $3, d = $4 WHERE e = $1",
            ),
            (
                "SELECT '?1', x'' AS p, x'0aff', max'",
                "SELECT '?1', '\\x'::bytea AS p, '\\x0aff'::bytea, max'",
            ),
            ("SELECT a FROM t INDEXED BY t_by_b WHERE b = ?1", "SELECT a FROM t  WHERE b = $1"),
            ("SELECT 1 FROM a CROSS JOIN b x ON x.c = a.c", "SELECT 1 FROM a JOIN b x ON x.c = a.c"),
            ("SELECT 1 FROM a CROSS JOIN b WHERE c = 1", "SELECT 1 FROM a CROSS JOIN b WHERE c = 1"),
            (
                "SELECT 1 FROM json_each(?2) CROSS JOIN t WHERE h = unhex(json_each.value)",
                "SELECT 1 FROM json_array_elements_text(($2)::json) AS json_each CROSS JOIN t WHERE h = unhex(json_each.value)",
            ),
        ] {
            assert_eq!(translate(sqlite), postgres);
        }
    }
}
