//! How deep JSON that is taken in may nest. Every door asks here before it parses: one pass over the bytes that counts
//! brackets outside strings. What is stored is passed on inside answers, so it must leave room for their own nesting;
//! parsers commonly stop at 128 levels.

use baton_core::limits;

/// The answer to the caller.
pub fn message() -> String {
    format!("arrays and objects nest more than {} levels deep; send flatter JSON", limits::JSON_DEPTH_MAX)
}

/// Whether arrays and objects nest deeper than the limit. For bytes that are not JSON either answer is possible: the parser
/// refuses them.
pub fn is_exceeded(bytes: &[u8]) -> bool {
    let (mut depth, mut rest) = (0_usize, bytes);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'"' => rest = after_string(after),
            b'[' | b'{' => {
                depth += 1;
                if depth > limits::JSON_DEPTH_MAX {
                    return true;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// What comes after a string whose opening quote was read; nothing if it does not end.
fn after_string(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest) {
        match rest[at] {
            b'"' => return &rest[at + 1..],
            // Whatever follows a backslash is text.
            _ => rest = rest.get(at + 2..).unwrap_or_default(),
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> String {
        format!("{}{}", "[".repeat(depth), "]".repeat(depth))
    }

    #[test]
    fn nesting_is_counted_outside_strings_and_not_by_how_many_there_are() {
        let most = limits::JSON_DEPTH_MAX;
        assert!(!is_exceeded(nested(most).as_bytes()));
        assert!(is_exceeded(nested(most + 1).as_bytes()));
        let mixed = format!("{}1{}", "{\"a\":[".repeat(most / 2), "]}".repeat(most / 2));
        assert!(!is_exceeded(mixed.as_bytes()));
        assert!(is_exceeded(format!("[{mixed}]").as_bytes()));
        let many = format!("[{}]", vec!["[]"; 10 * most].join(","));
        assert!(!is_exceeded(many.as_bytes()), "one beside the other is not deep");
        let said = serde_json::to_string(&["[".repeat(99), "\\\"[{".repeat(99)]).unwrap();
        assert!(!is_exceeded(said.as_bytes()), "brackets in strings are text");
    }
}
