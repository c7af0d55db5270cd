//! Pages: limits within their bounds, and cursors. Every cursor of every list is made and read here. Where a page ends could
//! reveal how much other networks do, so a cursor is encrypted: callers cannot read it, change it, or use it for another
//! list or user.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use baton_core::{Alias, Caller, NetworkId, hex, limits};
use baton_store::rows::PageBounds;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use utoipa::IntoParams;

use super::Error;
use crate::hub::{CursorKey, Hub};

const TAG_BYTES: usize = 16; // not a limit: the format of a cursor
/// The list of a user's networks, which several answers begin.
pub const NETWORKS: &str = "networks";

/// Which page of a list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageArgs {
    /// 500 by default
    #[param(value_type = Option<u32>)]
    pub limit: Option<String>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
}

impl PageArgs {
    /// How large the page may get.
    pub fn bounds(&self) -> Result<PageBounds, Error> {
        let limit = limit_text(self.limit.as_deref(), limits::OTHER_PAGE_MAX, limits::OTHER_PAGE_MAX)?;
        Ok(PageBounds::rows(limit))
    }

    /// Where it begins.
    pub fn place<K: CursorPosition>(&self, cursors: &Cursors) -> Result<Option<K>, Error> {
        cursors.open(self.cursor.as_deref())
    }
}

/// A limit from 1 to `max`; `default` when none is named.
pub fn limit(asked: Option<i64>, default: usize, max: usize) -> Result<usize, Error> {
    asked.map_or(Ok(default), |asked| within("limit", asked, max))
}

/// A count from 1 to `max`, of a named argument.
fn within(field: &'static str, asked: i64, max: usize) -> Result<usize, Error> {
    match usize::try_from(asked) {
        Ok(count) if (1..=max).contains(&count) => Ok(count),
        _ => Err(Error::argument(field, format!("must be 1 to {max}"))),
    }
}

/// The same from a query, where everything is text.
pub fn limit_text(asked: Option<&str>, default: usize, max: usize) -> Result<usize, Error> {
    count_text("limit", asked, default, max)
}

/// Any count from a query, from 1 to `max`; `default` when none is named.
pub fn count_text(
    field: &'static str,
    asked: Option<&str>,
    default: usize,
    max: usize,
) -> Result<usize, Error> {
    match asked {
        None | Some("") => Ok(default),
        Some(text) => within(field, text.parse().unwrap_or(0), max),
    }
}

/// The cursors of one list for one user.
#[derive(Clone, Debug)]
pub struct Cursors(CursorKey);

/// The cursors that `list` gives this caller's user.
pub fn cursors(hub: &Hub, caller: &Caller, list: &'static str) -> Cursors {
    let CursorKey(key) = &hub.cursor_key;
    Cursors(CursorKey(
        key.clone().chain_update(list).chain_update([0]).chain_update(caller.user_id().as_str()),
    ))
}

impl Cursors {
    /// The cursor of the page after one that ends at this place.
    pub fn next<K: CursorPosition>(&self, place: Option<K>) -> Option<String> {
        place.map(|place| self.seal(&place))
    }

    /// The place a page continues from; none is the beginning.
    pub fn open<K: CursorPosition>(&self, cursor: Option<&str>) -> Result<Option<K>, Error> {
        let open = |cursor| {
            self.opened(cursor).ok_or_else(|| Error::argument("cursor", "is not one that was given out"))
        };
        cursor.filter(|cursor| !cursor.is_empty()).map(open).transpose()
    }

    fn seal<K: CursorPosition>(&self, place: &K) -> String {
        let place = place.write().into_bytes();
        let tag = self.tag(&place);
        let mut sealed = tag.to_vec();
        sealed.extend(self.masked(tag, place));
        BASE64_URL_SAFE_NO_PAD.encode(sealed)
    }

    /// The place in a cursor, if it is one of this list and user.
    pub fn opened<K: CursorPosition>(&self, cursor: &str) -> Option<K> {
        let sealed = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (tag, masked) = sealed.split_first_chunk::<TAG_BYTES>()?;
        let place = self.masked(*tag, masked.to_vec());
        self.mac("tag", &place).verify_truncated_left(tag).ok()?;
        K::read(std::str::from_utf8(&place).ok()?)
    }

    fn tag(&self, place: &[u8]) -> [u8; TAG_BYTES] {
        let mut tag = [0; TAG_BYTES];
        tag.copy_from_slice(&self.mac("tag", place).finalize().into_bytes()[..TAG_BYTES]);
        tag
    }

    /// Hides a place, or shows it again: the tag, which differs from place to place, selects the mask.
    fn masked(&self, tag: [u8; TAG_BYTES], mut place: Vec<u8>) -> Vec<u8> {
        for (number, block) in (0_u64..).zip(place.chunks_mut(32)) {
            let mask = self.mac("mask", &tag).chain_update(number.to_be_bytes()).finalize().into_bytes();
            block.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
        }
        place
    }

    fn mac(&self, what: &str, bytes: &[u8]) -> Hmac<Sha256> {
        let CursorKey(key) = &self.0;
        key.clone().chain_update([0]).chain_update(what).chain_update([0]).chain_update(bytes)
    }
}

/// A place in a list, as a cursor has it.
pub trait CursorPosition: Sized {
    /// The cursor's text.
    fn write(&self) -> String;
    /// The place of a cursor that was given out.
    fn read(text: &str) -> Option<Self>;
}

/// Of fixed length, so that the length of a cursor says nothing about the number in it.
impl CursorPosition for i64 {
    fn write(&self) -> String {
        format!("{self:+020}")
    }

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl CursorPosition for String {
    fn write(&self) -> String {
        self.clone()
    }

    fn read(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl CursorPosition for Alias {
    fn write(&self) -> String {
        self.as_str().to_owned()
    }

    fn read(text: &str) -> Option<Self> {
        Self::parse(text).ok()
    }
}

impl CursorPosition for NetworkId {
    fn write(&self) -> String {
        self.as_str().to_owned()
    }

    fn read(text: &str) -> Option<Self> {
        Self::parse(text)
    }
}

/// The beginning of an invite's hash.
impl CursorPosition for [u8; 8] {
    fn write(&self) -> String {
        hex::encode(self)
    }

    fn read(text: &str) -> Option<Self> {
        let number = u64::from_str_radix(text, 16).ok()?;
        Some(number.to_be_bytes())
    }
}

/// The first of the two never has a dot in it.
impl<A: CursorPosition, B: CursorPosition> CursorPosition for (A, B) {
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

    fn cursors(list: &str) -> Cursors {
        let CursorKey(key) = CursorKey::new(&[7; 32]);
        Cursors(CursorKey(key.chain_update(list)))
    }

    fn is_read_back<K: CursorPosition + PartialEq>(place: K) -> bool {
        let cursor = cursors("list").seal(&place);
        cursors("list").opened::<K>(&cursor) == Some(place)
    }

    #[test]
    fn every_kind_of_place_is_read_back() {
        let network = NetworkId::from_random([7; 6]);
        assert!(is_read_back(-5_i64) && is_read_back(i64::MAX) && is_read_back(i64::MIN));
        assert!(is_read_back((1_i64, 2_i64)));
        assert!(is_read_back((1_i64, String::from("u_x"))));
        assert!(is_read_back((1_i64, [0xab_u8; 8])));
        assert!(is_read_back((network, Alias::parse(&"a.b-c".repeat(30)).unwrap())));
    }

    #[test]
    fn a_cursor_opens_in_its_own_list_and_as_its_own_kind_only() {
        let tasks = cursors("tasks");
        let cursor = tasks.seal(&41_i64);
        assert_eq!(tasks.opened(&cursor), Some(41_i64));
        assert_eq!(cursors("tokens").opened::<i64>(&cursor), None);
        assert_eq!(tasks.opened::<(i64, i64)>(&cursor), None);
        assert_eq!(tasks.open::<i64>(Some("")).unwrap(), None);
    }

    #[test]
    fn a_changed_or_made_up_cursor_does_not_open() {
        let tasks = cursors("tasks");
        let cursor = tasks.seal(&41_i64);
        for at in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(tasks.opened::<i64>(std::str::from_utf8(&changed).unwrap()), None, "byte {at}");
        }
        for made_up in ["41", "-1", "AAAA", "é", &cursor[1..], &format!("{cursor}AA"), &"A".repeat(32)] {
            assert_eq!(tasks.opened::<i64>(made_up), None, "{made_up:?}");
        }
    }

    #[test]
    fn neighbours_have_nothing_in_common() {
        let tasks = cursors("tasks");
        let same = |a: &str, b: &str| a.bytes().zip(b.bytes()).filter(|(a, b)| a == b).count();
        assert!(same(&tasks.seal(&41_i64), &tasks.seal(&42_i64)) < 8);
    }
}
