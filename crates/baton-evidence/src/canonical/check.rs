//! A JSON text held to the rules of the strict pass (`canonical/text.rs`) and not written: for texts whose
//! canonical form nobody needs. What is held in memory is the names of the objects open at once, and those that
//! have no escapes only by reference, so that a hostile text does not cost a multiple of itself.

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use super::text::{Strictness, TextError, Violation};
use crate::text::Text;

/// Checks one JSON text; refuses what [`transcode`](super::transcode) refuses.
pub fn check(text: &str, strictness: &Strictness) -> Result<(), TextError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let violation = Cell::new(None);
    let checked = Check { strictness, violation: &violation, depth: 0 }.deserialize(&mut json);
    checked.and_then(|()| json.end()).map_err(|error| match violation.get() {
        Some(violation) => violation.into(),
        None => error.into(),
    })
}

/// One value of any kind, inside `depth` open containers.
#[derive(Clone, Copy)]
struct Check<'c> {
    strictness: &'c Strictness,
    /// serde's errors are text, so the typed cause waits here.
    violation: &'c Cell<Option<Violation>>,
    depth: usize,
}

impl Check<'_> {
    fn refuse<E: serde::de::Error>(self, violation: Violation) -> E {
        self.violation.set(Some(violation));
        E::custom(violation)
    }

    fn inside<E: serde::de::Error>(self) -> Result<Self, E> {
        let (depth, bound) = (self.depth + 1, self.strictness.depth);
        if depth > bound { Err(self.refuse(Violation::Depth(bound))) } else { Ok(Self { depth, ..self }) }
    }

    fn string<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        let bound = self.strictness.characters;
        // Bytes bound characters from above, so most strings are never counted.
        if text.len() > bound && text.chars().count() > bound {
            return Err(self.refuse(Violation::Characters(bound)));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Check<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Check<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.string(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let inside = self.inside()?;
        while items.next_element_seed(inside)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let inside = self.inside()?;
        let mut names = Names::default();
        while let Some(Text(name)) = members.next_key()? {
            self.string(&name)?;
            if names.count() == self.strictness.names {
                return Err(self.refuse(Violation::Names(self.strictness.names)));
            }
            names.add(name);
            members.next_value_seed(inside)?;
        }
        if names.repeat() { Err(self.refuse(Violation::RepeatedName)) } else { Ok(()) }
    }
}

/// The names of one object.
#[derive(Default)]
struct Names<'de> {
    borrowed: Vec<&'de str>,
    decoded: Vec<Box<str>>,
}

impl<'de> Names<'de> {
    fn count(&self) -> usize {
        self.borrowed.len() + self.decoded.len()
    }

    fn add(&mut self, name: Cow<'de, str>) {
        match name {
            Cow::Borrowed(name) => self.borrowed.push(name),
            Cow::Owned(name) => self.decoded.push(name.into()),
        }
    }

    /// Whether any of them stands twice.
    fn repeat(&mut self) -> bool {
        self.borrowed.sort_unstable();
        self.decoded.sort_unstable();
        self.borrowed.windows(2).any(|pair| pair[0] == pair[1])
            || self.decoded.windows(2).any(|pair| pair[0] == pair[1])
            || self.decoded.iter().any(|name| self.borrowed.binary_search(&&**name).is_ok())
    }
}
