//! A packet's `attributes`: any JSON, normalised as it is read. Keys are sorted by bytes at every depth, an
//! array made only of strings is sorted, other arrays keep their order.

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

use baton_evidence::text::Text;

use crate::shape::Nesting;

/// A normalised JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer from 0 up.
    Unsigned(u64),
    /// An integer below 0.
    Signed(i64),
    /// Any other number.
    Double(f64),
    /// A string.
    Text(Cow<'a, str>),
    /// An array.
    Array(Vec<Attribute<'a>>),
    /// An object, sorted by the bytes of its keys.
    Object(Vec<(Cow<'a, str>, Attribute<'a>)>),
}

impl<'a> Attribute<'a> {
    /// The member of this name, if this is an object that has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        let found = members.binary_search_by(|(key, _)| key.as_bytes().cmp(name.as_bytes()));
        found.ok().map(|index| &members[index].1)
    }

    fn text_order(&self) -> &str {
        if let Self::Text(text) = self { text } else { "" }
    }

    fn array(mut items: Vec<Self>) -> Self {
        if items.iter().all(|item| matches!(item, Self::Text(_))) {
            items.sort_by(|a, b| a.text_order().as_bytes().cmp(b.text_order().as_bytes()));
        }
        Self::Array(items)
    }

    /// Sorts; of members with the same key the last one stays.
    fn object(mut members: Vec<(Cow<'a, str>, Self)>) -> Self {
        let in_order = |members: &[(Cow<'a, str>, Self)]| members.is_sorted_by(|(a, _), (b, _)| a < b);
        if !in_order(&members) {
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            members.reverse();
            members.dedup_by(|(later, _), (kept, _)| later == kept);
            members.reverse();
        }
        Self::Object(members)
    }
}

impl Serialize for Attribute<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Unsigned(value) => serializer.serialize_u64(*value),
            Self::Signed(value) => serializer.serialize_i64(*value),
            Self::Double(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(members) => serializer.collect_map(members.iter().map(|(key, value)| (key, value))),
        }
    }
}

/// Reads one attribute value at a level of the packet.
pub(crate) struct Read<'s>(pub(crate) Nesting<'s>);

impl<'de> DeserializeSeed<'de> for Read<'_> {
    type Value = Attribute<'de>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Attribute<'de>, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Read<'_> {
    type Value = Attribute<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Attribute<'de>, E> {
        Ok(Attribute::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Attribute<'de>, E> {
        Ok(Attribute::Bool(value))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Attribute<'de>, E> {
        Ok(Attribute::Unsigned(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Attribute<'de>, E> {
        Ok(Attribute::Signed(value))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Attribute<'de>, E> {
        Ok(Attribute::Double(value))
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Attribute<'de>, E> {
        Ok(Attribute::Text(Cow::Borrowed(text)))
    }
    fn visit_str<E>(self, text: &str) -> Result<Attribute<'de>, E> {
        Ok(Attribute::Text(Cow::Owned(text.to_owned())))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Attribute<'de>, A::Error> {
        let mut read = Vec::new();
        while let Some(item) = items.next_element_seed(Read(self.0.inside()))? {
            read.push(item);
        }
        self.0.array(read.len());
        Ok(Attribute::array(read))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Attribute<'de>, A::Error> {
        let mut read = Vec::new();
        while let Some(Text(key)) = members.next_key()? {
            read.push((key, members.next_value_seed(Read(self.0.inside()))?));
        }
        Ok(Attribute::object(read))
    }
}
