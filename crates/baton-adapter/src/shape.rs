//! How deep a packet is and how long its arrays are. While a packet is read, [`Measure`] keeps the two maxima,
//! which costs next to nothing. Only a packet that may be over a bound is walked again by [`check`], which
//! decides: it knows that of two members with the same key only the last is part of the document.

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;

use baton_evidence::text::Text;

use crate::error::AdapterError;
use crate::options::Options;

/// The maxima seen so far.
#[derive(Debug, Default)]
pub(crate) struct Measure {
    deepest: Cell<usize>,
    longest: Cell<usize>,
}

/// A value's place in the packet: its depth, the root's being 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nesting<'s> {
    measure: &'s Measure,
    depth: usize,
}

impl Measure {
    pub(crate) fn root(&self) -> Nesting<'_> {
        Nesting { measure: self, depth: 1 }
    }

    pub(crate) fn may_exceed(&self, options: &Options) -> bool {
        // The root is at depth 1 whether or not anything is inside.
        options.max_json_depth.is_some_and(|bound| self.deepest.get().max(1) > bound)
            || options.max_array_length.is_some_and(|bound| self.longest.get() > bound)
    }
}

impl Nesting<'_> {
    /// The level of what this container holds. Asked once more than there are items, so a measure may be one
    /// too deep for an empty container: that only means a closer look.
    pub(crate) fn inside(self) -> Self {
        let depth = self.depth + 1;
        self.measure.deepest.set(self.measure.deepest.get().max(depth));
        Self { depth, ..self }
    }

    pub(crate) fn array(self, length: usize) {
        self.measure.longest.set(self.measure.longest.get().max(length));
    }
}

/// Walks a packet that parses, depth first in document order; the first value over a bound refuses it.
pub(crate) fn check(text: &str, options: &Options) -> Result<(), AdapterError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let first = Walk { options, depth: 1 }.deserialize(&mut json);
    let first =
        first.map_err(|error| AdapterError::measurement(format!("invalid A2A payload JSON: {error}")))?;
    match first {
        None => Ok(()),
        Some(Excess::Depth(bound)) => {
            Err(AdapterError::measurement(format!("payload exceeds max_json_depth ({bound})")))
        }
        Some(Excess::Array(bound)) => {
            Err(AdapterError::measurement(format!("payload exceeds max_array_length ({bound})")))
        }
    }
}

/// The first thing in a value that is over a bound.
#[derive(Debug, Clone, Copy)]
enum Excess {
    Depth(usize),
    Array(usize),
}

#[derive(Clone, Copy)]
struct Walk<'o> {
    options: &'o Options,
    depth: usize,
}

impl Walk<'_> {
    fn inside(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    fn too_deep(self) -> Option<Excess> {
        self.options.max_json_depth.filter(|bound| self.depth > *bound).map(Excess::Depth)
    }

    fn too_long(self, length: usize) -> Option<Excess> {
        self.options.max_array_length.filter(|bound| length > *bound).map(Excess::Array)
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = Option<Excess>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Option<Excess>, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = Option<Excess>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Option<Excess>, E> {
        Ok(self.too_deep())
    }
    fn visit_bool<E>(self, _: bool) -> Result<Option<Excess>, E> {
        Ok(self.too_deep())
    }
    fn visit_u64<E>(self, _: u64) -> Result<Option<Excess>, E> {
        Ok(self.too_deep())
    }
    fn visit_i64<E>(self, _: i64) -> Result<Option<Excess>, E> {
        Ok(self.too_deep())
    }
    fn visit_f64<E>(self, _: f64) -> Result<Option<Excess>, E> {
        Ok(self.too_deep())
    }
    fn visit_str<E>(self, _: &str) -> Result<Option<Excess>, E> {
        Ok(self.too_deep())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<Excess>, A::Error> {
        let (mut length, mut within) = (0, None);
        while let Some(item) = items.next_element_seed(self.inside())? {
            length += 1;
            within = within.or(item);
        }
        Ok(self.too_deep().or(self.too_long(length)).or(within))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Option<Excess>, A::Error> {
        let mut last: HashMap<Cow<'de, str>, (usize, Option<Excess>)> = HashMap::new();
        let mut position = 0;
        while let Some(Text(key)) = members.next_key()? {
            last.insert(key, (position, members.next_value_seed(self.inside())?));
            position += 1;
        }
        let over = last.into_values().filter_map(|(position, excess)| Some((position, excess?)));
        let within = over.min_by_key(|(position, _)| *position).map(|(_, excess)| excess);
        Ok(self.too_deep().or(within))
    }
}
