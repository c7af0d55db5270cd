//! A task's kind: its form, and the rule that a delegation goes from one node to another (section 6).
//! The other kinds are words of the senders; the hub gives them no meaning.

use crate::alias::Alias;
use crate::limits::KIND_MAX_CHARS;
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::wire::wire_text;

const DELEGATION: &str = "delegation";
const REQUEST: &str = "request";

wire_text!(
    /// What sort of work a task is; the words are the senders', but for `delegation`.
    Kind
);

impl Kind {
    /// Takes 1–64 of `a-z0-9._-`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let fits = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
        if (1..=KIND_MAX_CHARS).contains(&text.len()) && text.bytes().all(fits) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Refusal::invalid(
                "kind",
                format!("must be 1 to {KIND_MAX_CHARS} of a-z, 0-9, '.', '_' and '-'"),
            ))
        }
    }

    /// The kind of a task from `from` to `to`: what was asked for, else what the two ends make it.
    pub fn of_task(asked: Option<&Self>, from: &Principal, to: &Alias) -> Result<Self, Refusal> {
        let kind = match asked {
            Some(kind) => kind.clone(),
            None if may_delegate(from, to) => Self(DELEGATION.to_owned()),
            None => Self(REQUEST.to_owned()),
        };
        kind.check_ends(from, to)?;
        Ok(kind)
    }

    /// Refuses a delegation that is not from one node to another.
    pub(crate) fn check_ends(&self, from: &Principal, to: &Alias) -> Result<(), Refusal> {
        if self.0 == DELEGATION && !may_delegate(from, to) {
            return Err(Refusal::invalid("kind", "a delegation goes from one node to another node"));
        }
        Ok(())
    }
}

fn may_delegate(from: &Principal, to: &Alias) -> bool {
    matches!(from, Principal::Node(alias) if alias != to)
}
