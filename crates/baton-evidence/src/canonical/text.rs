//! JSON text → canonical bytes in one strict pass: what RFC 8785 cannot tell apart (a repeated name, a lone
//! surrogate) and what a reader must bound (depth, names, string length) is refused on the way.

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

use super::{Frame, RepeatedName, Writer, number, string};

/// What a strict reader bounds inside one JSON text.
#[derive(Debug, Clone, Copy)]
pub struct Strictness {
    /// Containers inside one another, the outermost included.
    pub depth: usize,
    /// Names in one object.
    pub names: usize,
    /// Characters in one string.
    pub characters: usize,
}

/// A bound that a text crossed, or a repeated name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// Containers nest deeper than allowed.
    #[error("nested deeper than {0} containers")]
    Depth(usize),
    /// An object has more names than allowed.
    #[error("an object with more than {0} names")]
    Names(usize),
    /// A string is longer than allowed.
    #[error("a string of more than {0} characters")]
    Characters(usize),
    /// Two members of an object have the same name.
    #[error("an object names a member twice")]
    RepeatedName,
}

/// Why a text was not transcoded.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// A bound was crossed.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// It is not one JSON text.
    #[error("{0}")]
    Syntax(#[from] serde_json::Error),
}

/// Appends the canonical form of one JSON text to the writer.
pub fn transcode(writer: &mut Writer, text: &str, strictness: &Strictness) -> Result<(), TextError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut pass = Pass { writer, strictness, violation: None };
    let parsed = Value { pass: &mut pass, depth: 0 }.deserialize(&mut json);
    let violation = pass.violation;
    parsed.and_then(|()| json.end()).map_err(|error| match violation {
        Some(violation) => violation.into(),
        None => error.into(),
    })
}

/// What one parsing pass carries along. serde's errors are text, so the typed cause waits here.
pub(crate) struct Pass<'w> {
    pub(crate) writer: &'w mut Writer,
    pub(crate) strictness: &'w Strictness,
    pub(crate) violation: Option<Violation>,
}

impl Pass<'_> {
    pub(crate) fn refuse<E: serde::de::Error>(&mut self, violation: Violation) -> E {
        self.violation = Some(violation);
        E::custom(violation)
    }

    pub(crate) fn check_string<E: serde::de::Error>(&mut self, text: &str) -> Result<(), E> {
        let bound = self.strictness.characters;
        // Bytes bound characters from above, so most strings are never counted.
        if text.len() > bound && text.chars().count() > bound {
            return Err(self.refuse(Violation::Characters(bound)));
        }
        Ok(())
    }

    pub(crate) fn string<E: serde::de::Error>(&mut self, text: &str) -> Result<(), E> {
        self.check_string(text)?;
        string::write(&mut self.writer.out, text);
        Ok(())
    }
}

/// One value of any kind, inside `depth` open containers.
pub(crate) struct Value<'p, 'w> {
    pub(crate) pass: &'p mut Pass<'w>,
    pub(crate) depth: usize,
}

impl<'w> Value<'_, 'w> {
    fn child(&mut self) -> Value<'_, 'w> {
        Value { pass: self.pass, depth: self.depth }
    }

    fn enter<E: serde::de::Error>(&mut self) -> Result<(), E> {
        self.depth += 1;
        let bound = self.pass.strictness.depth;
        if self.depth > bound { Err(self.pass.refuse(Violation::Depth(bound))) } else { Ok(()) }
    }

    fn out(&mut self) -> &mut Vec<u8> {
        &mut self.pass.writer.out
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(mut self) -> Result<(), E> {
        self.out().extend_from_slice(b"null");
        Ok(())
    }

    fn visit_bool<E>(mut self, value: bool) -> Result<(), E> {
        self.out().extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn visit_u64<E>(mut self, value: u64) -> Result<(), E> {
        number::unsigned(self.out(), value);
        Ok(())
    }

    fn visit_i64<E>(mut self, value: i64) -> Result<(), E> {
        number::signed(self.out(), value);
        Ok(())
    }

    fn visit_f64<E>(mut self, value: f64) -> Result<(), E> {
        number::finite(self.out(), value); // a JSON text has no other doubles
        Ok(())
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.pass.string(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        self.enter()?;
        self.out().push(b'[');
        let mut after_first = false;
        loop {
            // The comma is written ahead of an item that may not come, and taken back then.
            let before = self.out().len();
            if after_first {
                self.out().push(b',');
            }
            if items.next_element_seed(self.child())?.is_none() {
                self.out().truncate(before);
                self.out().push(b']');
                return Ok(());
            }
            after_first = true;
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.enter()?;
        let mut frame = self.pass.writer.begin_object();
        let mut names = 0;
        while members.next_key_seed(Name { pass: self.pass, frame: &mut frame })?.is_some() {
            names += 1;
            let bound = self.pass.strictness.names;
            if names > bound {
                return Err(self.pass.refuse(Violation::Names(bound)));
            }
            members.next_value_seed(self.child())?;
        }
        match self.pass.writer.end_object(&frame) {
            Ok(()) => Ok(()),
            Err(RepeatedName) => Err(self.pass.refuse(Violation::RepeatedName)),
        }
    }
}

struct Name<'p, 'w> {
    pass: &'p mut Pass<'w>,
    frame: &'p mut Frame,
}

impl<'de> DeserializeSeed<'de> for Name<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<(), E> {
        self.pass.check_string(name)?;
        self.pass.writer.member(self.frame, name);
        Ok(())
    }
}
