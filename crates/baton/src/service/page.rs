//! Pages: limits within their bounds, and cursors. Every cursor of every list is written and read here.

use baton_core::{Alias, NetworkId, hex, limits};
use baton_store::rows::PageBounds;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::Error;

/// Which page of a list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageArgs {
    /// 500 by default
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    pub(crate) limit: Option<String>,
    /// `next_cursor` of the page before
    pub(crate) cursor: Option<String>,
}

impl PageArgs {
    /// How large the page may get.
    pub(crate) fn bounds(&self) -> Result<PageBounds, Error> {
        let limit = limit_text(self.limit.as_deref(), limits::OTHER_PAGE_MAX, limits::OTHER_PAGE_MAX)?;
        Ok(PageBounds::rows(limit))
    }

    /// Where it begins.
    pub(crate) fn place<K: Place>(&self) -> Result<Option<K>, Error> {
        cursor(self.cursor.as_deref())
    }
}

/// A limit from 1 to `max`; `default` when none is named.
pub(crate) fn limit(asked: Option<i64>, default: usize, max: usize) -> Result<usize, Error> {
    let Some(asked) = asked else { return Ok(default) };
    match usize::try_from(asked) {
        Ok(limit) if (1..=max).contains(&limit) => Ok(limit),
        _ => Err(Error::argument("limit", format!("must be 1 to {max}"))),
    }
}

/// The same from a query, where everything is text.
pub(crate) fn limit_text(asked: Option<&str>, default: usize, max: usize) -> Result<usize, Error> {
    match asked {
        None | Some("") => Ok(default),
        Some(text) => limit(Some(text.parse().unwrap_or(0)), default, max),
    }
}

/// The place a page goes on from.
pub(crate) fn cursor<K: Place>(text: Option<&str>) -> Result<Option<K>, Error> {
    let read =
        |text: &str| K::read(text).ok_or_else(|| Error::argument("cursor", "is not one that was given out"));
    text.filter(|text| !text.is_empty()).map(read).transpose()
}

/// The cursor of the next page.
pub(crate) fn next<K: Place>(place: Option<K>) -> Option<String> {
    place.map(|place| place.write())
}

/// A place in a list, as a cursor has it.
pub(crate) trait Place: Sized {
    /// The cursor's text.
    fn write(&self) -> String;
    /// The place of a cursor that was given out.
    fn read(text: &str) -> Option<Self>;
}

impl Place for i64 {
    fn write(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Place for String {
    fn write(&self) -> String {
        self.clone()
    }

    fn read(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl Place for Alias {
    fn write(&self) -> String {
        self.as_str().to_owned()
    }

    fn read(text: &str) -> Option<Self> {
        Self::parse(text).ok()
    }
}

impl Place for NetworkId {
    fn write(&self) -> String {
        self.as_str().to_owned()
    }

    fn read(text: &str) -> Option<Self> {
        Self::parse(text)
    }
}

/// The beginning of an invite's hash.
impl Place for [u8; 8] {
    fn write(&self) -> String {
        hex::encode(self)
    }

    fn read(text: &str) -> Option<Self> {
        let number = u64::from_str_radix(text, 16).ok()?;
        Some(number.to_be_bytes())
    }
}

/// The first of the two never has a dot in it.
impl<A: Place, B: Place> Place for (A, B) {
    fn write(&self) -> String {
        format!("{}.{}", self.0.write(), self.1.write())
    }

    fn read(text: &str) -> Option<Self> {
        let (first, second) = text.split_once('.')?;
        Some((A::read(first)?, B::read(second)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_read_back<K: Place + PartialEq>(place: K) -> bool {
        let text = next(Some(place)).unwrap();
        let read = cursor::<K>(Some(&text)).unwrap().unwrap();
        next(Some(read)) == Some(text)
    }

    #[test]
    fn every_cursor_is_read_back_and_others_are_refused() {
        let network = NetworkId::from_random([7; 6]);
        assert!(is_read_back(-5_i64));
        assert!(is_read_back((1_i64, 2_i64)));
        assert!(is_read_back((1_i64, String::from("u_x"))));
        assert!(is_read_back((1_i64, [0xab_u8; 8])));
        assert!(is_read_back((network, Alias::parse("a.b-c").unwrap())));
        for text in ["x", "1", "1.", ".1", "1.x"] {
            assert!(cursor::<(i64, i64)>(Some(text)).is_err(), "{text}");
        }
        assert_eq!(cursor::<i64>(Some("")).unwrap(), None);
    }
}
