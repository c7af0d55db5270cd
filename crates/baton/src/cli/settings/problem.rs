//! Why a setting is refused, in one line: where it stands, what it says, what is allowed.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem(String);

impl Problem {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What clap has against a value, without the option and the value, which are named elsewhere.
pub(super) fn rule(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::InvalidValue
        && let Some(ContextValue::Strings(allowed)) = error.get(ContextKind::ValidValue)
        && !allowed.is_empty()
    {
        return format!("must be {}", one_of(allowed));
    }
    match error.source() {
        Some(source) => plain(&source.to_string()),
        None => error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned(),
    }
}

/// The words of Rust's number parsers, for people.
fn plain(text: &str) -> String {
    if let Some((_, range)) = text.split_once(" is not in ") {
        let (least, most) = range.split_once("..").unwrap_or((range, ""));
        return match most.trim_start_matches('=') {
            "" => format!("must be at least {least}"),
            most => format!("must be from {least} to {most}"),
        };
    }
    match text {
        "invalid digit found in string" => "must be a whole number".into(),
        "invalid float literal" => "must be a number".into(),
        other => other.into(),
    }
}

fn one_of(allowed: &[String]) -> String {
    match allowed {
        [.., last] if allowed.len() > 1 => {
            let others = &allowed[..allowed.len() - 1];
            format!("{} or {last}", others.join(", "))
        }
        _ => allowed.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_in_plain_words() {
        assert_eq!(plain("70000 is not in 0..=65535"), "must be from 0 to 65535");
        assert_eq!(plain("0 is not in 1.."), "must be at least 1");
        assert_eq!(plain("invalid digit found in string"), "must be a whole number");
        assert_eq!(one_of(&["human".into(), "json".into()]), "human or json");
    }
}
