//! Values nobody reads: parsed in full, kept nowhere. serde's own `IgnoredAny` will not do: it lets lone
//! surrogates and numbers out of range pass, which a parse into a document refuses.

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::shape::Nesting;

/// Skips one value.
pub(super) struct Skip<'s>(pub(super) Nesting<'s>);

impl<'de> DeserializeSeed<'de> for Skip<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Skip<'_> {
    type Value = ();

    other_than_a_map!(());

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
        skip_map(self.0, members)
    }
}

pub(super) fn skip_map<'de, A: MapAccess<'de>>(level: Nesting<'_>, mut members: A) -> Result<(), A::Error> {
    while members.next_key_seed(Skip(level))?.is_some() {
        members.next_value_seed(Skip(level.inside()))?;
    }
    Ok(())
}

pub(super) fn skip_seq<'de, A: SeqAccess<'de>>(level: Nesting<'_>, mut items: A) -> Result<(), A::Error> {
    let mut length = 0;
    while items.next_element_seed(Skip(level.inside()))?.is_some() {
        length += 1;
    }
    level.array(length);
    Ok(())
}

/// The visitor methods of something that reads objects: every other value is skipped and stands for nothing,
/// that is, for the type's default.
macro_rules! other_than_a_map {
    ($value:ty) => {
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a JSON value")
        }
        $crate::packet::skip::scalars_are_nothing!($value);
        fn visit_str<E>(self, _: &str) -> Result<$value, E> {
            Ok(<$value>::default())
        }
        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, items: A) -> Result<$value, A::Error> {
            $crate::packet::skip::skip_seq(self.0, items)?;
            Ok(<$value>::default())
        }
    };
}

macro_rules! scalars_are_nothing {
    ($value:ty) => {
        fn visit_unit<E>(self) -> Result<$value, E> {
            Ok(<$value>::default())
        }
        fn visit_bool<E>(self, _: bool) -> Result<$value, E> {
            Ok(<$value>::default())
        }
        fn visit_u64<E>(self, _: u64) -> Result<$value, E> {
            Ok(<$value>::default())
        }
        fn visit_i64<E>(self, _: i64) -> Result<$value, E> {
            Ok(<$value>::default())
        }
        fn visit_f64<E>(self, _: f64) -> Result<$value, E> {
            Ok(<$value>::default())
        }
    };
}

pub(super) use {other_than_a_map, scalars_are_nothing};
