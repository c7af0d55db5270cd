//! Pages: limits within their bounds, and cursors. Where a page ends is a row's number among those of all networks, so
//! a cursor is sealed: callers cannot read it, change it, or use one of another list or user.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use baton_core::Caller;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::fmt;

use super::Error;
use crate::hub::Hub;

const TAG_BYTES: usize = 16;
const PLACE_BYTES: usize = 8;

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

/// The hub's secret that cursors are sealed with.
#[derive(Clone)]
pub(crate) struct CursorKey(Hmac<Sha256>);

impl CursorKey {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        // HMAC pads a short key with zeros: this is the block it would make of it.
        let mut block = hmac::digest::Key::<Hmac<Sha256>>::default();
        block[..key.len()].copy_from_slice(key);
        Self(Hmac::new(&block))
    }
}

impl fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CursorKey(…)")
    }
}

/// The cursors of one list for one user.
#[derive(Clone, Debug)]
pub(crate) struct Cursors(CursorKey);

/// The cursors that `list` gives this caller's user.
pub(crate) fn cursors(hub: &Hub, caller: &Caller, list: &'static str) -> Cursors {
    let CursorKey(key) = &hub.cursor_key;
    Cursors(CursorKey(
        key.clone().chain_update(list).chain_update([0]).chain_update(caller.user_id().as_str()),
    ))
}

impl Cursors {
    /// The cursor of a page that ends at this place.
    pub(crate) fn seal(&self, place: i64) -> String {
        let place = place.to_be_bytes();
        let tag = self.tag(place);
        let mut sealed = tag.to_vec();
        sealed.extend_from_slice(&self.mask(tag, place));
        BASE64_URL_SAFE_NO_PAD.encode(sealed)
    }

    /// The place a page continues from; none is the beginning.
    pub(crate) fn open(&self, cursor: Option<&str>) -> Result<Option<i64>, Error> {
        let open = |cursor| {
            self.opened(cursor).ok_or_else(|| Error::argument("cursor", "is not one that was given out"))
        };
        cursor.filter(|cursor| !cursor.is_empty()).map(open).transpose()
    }

    /// The place in a cursor, if it is one of this list and user.
    pub(crate) fn opened(&self, cursor: &str) -> Option<i64> {
        let sealed = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (tag, masked) = sealed.split_first_chunk::<TAG_BYTES>()?;
        let place = self.mask(*tag, masked.try_into().ok()?);
        self.mac("tag", &place).verify_truncated_left(tag).ok()?;
        Some(i64::from_be_bytes(place))
    }

    fn tag(&self, place: [u8; PLACE_BYTES]) -> [u8; TAG_BYTES] {
        let mut tag = [0; TAG_BYTES];
        tag.copy_from_slice(&self.mac("tag", &place).finalize().into_bytes()[..TAG_BYTES]);
        tag
    }

    /// Hides a place, or shows it again: the tag, which differs from place to place, selects the mask.
    fn mask(&self, tag: [u8; TAG_BYTES], mut place: [u8; PLACE_BYTES]) -> [u8; PLACE_BYTES] {
        let mask = self.mac("mask", &tag).finalize().into_bytes();
        place.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
        place
    }

    fn mac(&self, what: &str, bytes: &[u8]) -> Hmac<Sha256> {
        let CursorKey(key) = &self.0;
        key.clone().chain_update([0]).chain_update(what).chain_update([0]).chain_update(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursors(list: &str) -> Cursors {
        let CursorKey(key) = CursorKey::new(&[7; 32]);
        Cursors(CursorKey(key.chain_update(list)))
    }

    #[test]
    fn a_cursor_opens_where_it_was_sealed_and_nowhere_else() {
        let tasks = cursors("tasks");
        for place in [0, 1, 41, 42, i64::MAX, i64::MIN] {
            let cursor = tasks.seal(place);
            assert_eq!(tasks.opened(&cursor), Some(place));
            assert_eq!(cursors("tokens").opened(&cursor), None);
        }
    }

    #[test]
    fn a_changed_or_made_up_cursor_does_not_open() {
        let tasks = cursors("tasks");
        let cursor = tasks.seal(41);
        for at in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(tasks.opened(std::str::from_utf8(&changed).unwrap()), None, "byte {at}");
        }
        for made_up in ["", "41", "-1", "AAAA", "é", &cursor[1..], &format!("{cursor}AA"), &"A".repeat(32)] {
            assert_eq!(tasks.opened(made_up), None, "{made_up:?}");
        }
    }

    #[test]
    fn neighbours_have_nothing_in_common() {
        let tasks = cursors("tasks");
        let same = |a: &str, b: &str| a.bytes().zip(b.bytes()).filter(|(a, b)| a == b).count();
        assert!(same(&tasks.seal(41), &tasks.seal(42)) < 8);
    }
}
