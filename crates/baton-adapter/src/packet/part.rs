//! The parts of a packet and their leaves.

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use baton_evidence::text::Text;

use super::skip::{self, Skip};
use crate::shape::Nesting;

/// `agent`.
#[derive(Debug, Default)]
pub(crate) struct Agent<'a> {
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) name: Option<Cow<'a, str>>,
    pub(crate) role: Option<Cow<'a, str>>,
    pub(crate) capabilities: Option<Vec<Cow<'a, str>>>,
}

/// `task`.
#[derive(Debug, Default)]
pub(crate) struct Task<'a> {
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) status: Option<Cow<'a, str>>,
    pub(crate) kind: Option<Cow<'a, str>>,
}

/// `artifact`.
#[derive(Debug, Default)]
pub(crate) struct Artifact<'a> {
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) name: Option<Cow<'a, str>>,
    pub(crate) media_type: Option<Cow<'a, str>>,
}

/// `message`.
#[derive(Debug, Default)]
pub(crate) struct Message<'a> {
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) role: Option<Cow<'a, str>>,
}

/// Where a member of a part goes.
pub(super) enum Slot<'p, 'a> {
    Leaf(&'p mut Option<Cow<'a, str>>),
    Strings(&'p mut Option<Vec<Cow<'a, str>>>),
    Nowhere,
}

/// A part that knows its members by name.
pub(super) trait Named<'a>: Default {
    fn slot(&mut self, name: &str) -> Slot<'_, 'a>;
}

impl<'a> Named<'a> for Agent<'a> {
    fn slot(&mut self, name: &str) -> Slot<'_, 'a> {
        match name {
            "id" => Slot::Leaf(&mut self.id),
            "name" => Slot::Leaf(&mut self.name),
            "role" => Slot::Leaf(&mut self.role),
            "capabilities" => Slot::Strings(&mut self.capabilities),
            _ => Slot::Nowhere,
        }
    }
}

impl<'a> Named<'a> for Task<'a> {
    fn slot(&mut self, name: &str) -> Slot<'_, 'a> {
        match name {
            "id" => Slot::Leaf(&mut self.id),
            "status" => Slot::Leaf(&mut self.status),
            "kind" => Slot::Leaf(&mut self.kind),
            _ => Slot::Nowhere,
        }
    }
}

impl<'a> Named<'a> for Artifact<'a> {
    fn slot(&mut self, name: &str) -> Slot<'_, 'a> {
        match name {
            "id" => Slot::Leaf(&mut self.id),
            "name" => Slot::Leaf(&mut self.name),
            "media_type" => Slot::Leaf(&mut self.media_type),
            _ => Slot::Nowhere,
        }
    }
}

impl<'a> Named<'a> for Message<'a> {
    fn slot(&mut self, name: &str) -> Slot<'_, 'a> {
        match name {
            "id" => Slot::Leaf(&mut self.id),
            "role" => Slot::Leaf(&mut self.role),
            _ => Slot::Nowhere,
        }
    }
}

/// Reads a part; anything but an object is an empty one.
pub(super) struct Part<'s, P>(Nesting<'s>, PhantomData<P>);

impl<'s, P> Part<'s, P> {
    pub(super) fn new(level: Nesting<'s>) -> Self {
        Self(level, PhantomData)
    }
}

impl<'de, P: Named<'de>> DeserializeSeed<'de> for Part<'_, P> {
    type Value = P;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<P, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de, P: Named<'de>> Visitor<'de> for Part<'_, P> {
    type Value = P;

    skip::other_than_a_map!(P);

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<P, A::Error> {
        let inside = self.0.inside();
        let mut part = P::default();
        while let Some(Text(name)) = members.next_key()? {
            match part.slot(&name) {
                Slot::Leaf(leaf) => *leaf = members.next_value_seed(Leaf(inside))?,
                Slot::Strings(strings) => *strings = members.next_value_seed(Strings(inside))?,
                Slot::Nowhere => members.next_value_seed(Skip(inside))?,
            }
        }
        Ok(part)
    }
}

/// Reads a leaf; anything but a string is absent.
pub(super) struct Leaf<'s>(pub(super) Nesting<'s>);

impl<'de> DeserializeSeed<'de> for Leaf<'_> {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Leaf<'_> {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    skip::scalars_are_nothing!(Option<Cow<'de, str>>);
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        skip::skip_seq(self.0, items)?;
        Ok(None)
    }
    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        skip::skip_map(self.0, members)?;
        Ok(None)
    }
}

/// Reads an array's strings, sorted by bytes; anything but an array is absent.
struct Strings<'s>(Nesting<'s>);

impl<'de> DeserializeSeed<'de> for Strings<'_> {
    type Value = Option<Vec<Cow<'de, str>>>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strings<'_> {
    type Value = Option<Vec<Cow<'de, str>>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    skip::scalars_are_nothing!(Option<Vec<Cow<'de, str>>>);
    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let (mut length, mut strings) = (0, Vec::new());
        while let Some(item) = items.next_element_seed(Leaf(self.0.inside()))? {
            length += 1;
            strings.extend(item);
        }
        self.0.array(length);
        strings.sort_unstable(); // `str` compares by bytes
        Ok(Some(strings))
    }
    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        skip::skip_map(self.0, members)?;
        Ok(None)
    }
}
