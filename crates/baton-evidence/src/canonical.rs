//! Canonical JSON, RFC 8785: the only canonicaliser in the house. One sink, [`Writer`], and two ways into it:
//! typed values through [`serde::Serialize`] (`canonical/typed.rs`), and JSON text through a single parsing
//! pass (`canonical/text.rs`). Neither builds a tree.
//!
//! An object's members are written as they come; only an object that came out of order is rearranged when it
//! closes. Repeated names meet there too, as neighbours.

mod check;
mod number;
mod order;
mod string;
mod text;
mod typed;

pub use check::check;
pub(crate) use text::{Pass, Value};
pub use text::{Strictness, TextError, Violation, transcode};
pub use typed::Error;

use order::Prefix;
use std::ops::Range;

use crate::event_line::Stamp;

/// The canonical bytes of a typed value.
pub fn to_vec<T: serde::Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Error> {
    let mut writer = Writer::new();
    writer.value(value)?;
    Ok(writer.out)
}

/// The canonical order of two names.
pub(crate) fn compare_names(a: &str, b: &str) -> std::cmp::Ordering {
    order::utf16(a.as_bytes(), b.as_bytes())
}

/// Where canonical bytes are put together. Keep one and [`clear`](Writer::clear) it: it then allocates nothing.
#[derive(Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
    /// Open objects' members, innermost last.
    members: Vec<Member>,
    /// Names that had to be escaped, as they are compared: decoded, one after another.
    names: Vec<u8>,
    /// Where an object out of order is copied to while it is rearranged.
    spare: Vec<u8>,
}

#[derive(Debug)]
struct Member {
    /// Decides most comparisons without a look at the name.
    prefix: Prefix,
    name: Name,
    /// `"name":value` in `out`; the end is known once the next member or the object's end is.
    text: Range<usize>,
}

/// Where a member's decoded name stands.
#[derive(Debug, Clone)]
enum Name {
    /// In `out`, where it was written without an escape.
    Written(Range<usize>),
    /// In `names`.
    Decoded(Range<usize>),
}

/// An object being written; made by `begin_object`, given back to `end_object`.
#[derive(Debug)]
pub(crate) struct Frame {
    first_member: usize,
    names_before: usize,
    in_order: bool,
}

/// Two members of one object have the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RepeatedName;

impl Name {
    fn bytes<'w>(&self, out: &'w [u8], names: &'w [u8]) -> &'w [u8] {
        match self {
            Self::Written(range) => &out[range.clone()],
            Self::Decoded(range) => &names[range.clone()],
        }
    }
}

impl Writer {
    /// An empty writer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty writer with room for `bytes`.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        // An event has some forty members, at most fifteen of them open at once.
        Self { out: Vec::with_capacity(bytes), members: Vec::with_capacity(16), ..Self::default() }
    }

    /// Forgets what was written and keeps the memory.
    pub fn clear(&mut self) {
        self.out.clear();
        self.members.clear();
        self.names.clear();
    }

    /// What has been written.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.out
    }

    /// What has been written, taken out.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// Appends a typed value.
    pub fn value<T: serde::Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    /// Appends bytes that are canonical already.
    pub(crate) fn canonical(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Puts canonical bytes in the place of as many others.
    pub(crate) fn replace(&mut self, at: usize, bytes: &[u8]) {
        self.out[at..at + bytes.len()].copy_from_slice(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        string::write(&mut self.out, text);
    }

    pub(crate) fn unsigned(&mut self, number: u64) {
        number::unsigned(&mut self.out, number);
    }

    /// An event's id under a stamp: run id, a colon, the number.
    pub(crate) fn stamped_id(&mut self, stamp: Stamp<'_>) {
        self.text(stamp.run_id);
        self.out.pop(); // the closing quote
        self.out.push(b':');
        self.out.extend_from_slice(itoa::Buffer::new().format(stamp.seq).as_bytes());
        self.out.push(b'"');
    }

    pub(crate) fn begin_object(&mut self) -> Frame {
        self.out.push(b'{');
        Frame { first_member: self.members.len(), names_before: self.names.len(), in_order: true }
    }

    /// Starts a member; its value is to be written next.
    pub(crate) fn member(&mut self, frame: &mut Frame, name: &str) {
        if string::is_plain(name.as_bytes()) {
            return self.plain_member(frame, name);
        }
        let start = self.names.len();
        self.names.extend_from_slice(name.as_bytes());
        self.begin_member(frame, name, Name::Decoded(start..self.names.len()));
        string::write(&mut self.out, name);
        self.out.push(b':');
    }

    /// Starts a member whose name has nothing to escape, as the names of Rust's fields.
    #[inline]
    fn plain_member(&mut self, frame: &mut Frame, name: &str) {
        debug_assert!(string::is_plain(name.as_bytes()));
        let comma = usize::from(self.members.len() > frame.first_member);
        let start = self.out.len() + comma + 1;
        self.begin_member(frame, name, Name::Written(start..start + name.len()));
        self.out.reserve(name.len() + 3);
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    #[inline]
    fn begin_member(&mut self, frame: &mut Frame, name: &str, place: Name) {
        let prefix = Prefix::of(name);
        if let Some(previous) = self.members[frame.first_member..].last_mut() {
            previous.text.end = self.out.len();
            self.out.push(b',');
            frame.in_order &= prefix
                .cmp(&previous.prefix)
                .then_with(|| order::utf16(name.as_bytes(), previous.name.bytes(&self.out, &self.names)))
                .is_gt();
        }
        self.members.push(Member { prefix, name: place, text: self.out.len()..0 });
    }

    pub(crate) fn end_object(&mut self, frame: &Frame) -> Result<(), RepeatedName> {
        let closed = if frame.in_order { Ok(()) } else { self.rearrange(frame) };
        self.members.truncate(frame.first_member);
        self.names.truncate(frame.names_before);
        self.out.push(b'}');
        closed
    }

    /// Puts the members of the object that is about to close into order.
    fn rearrange(&mut self, frame: &Frame) -> Result<(), RepeatedName> {
        let Self { out, members, names, spare } = self;
        let members = &mut members[frame.first_member..];
        let body = members[0].text.start;
        if let Some(last) = members.last_mut() {
            last.text.end = out.len();
        }
        members.sort_unstable_by(|a, b| {
            a.prefix
                .cmp(&b.prefix)
                .then_with(|| order::utf16(a.name.bytes(out, names), b.name.bytes(out, names)))
        });
        let same = |a: &Member, b: &Member| a.name.bytes(out, names) == b.name.bytes(out, names);
        let repeated = members.windows(2).any(|pair| same(&pair[0], &pair[1]));
        spare.clear();
        spare.extend_from_slice(&out[body..]);
        out.truncate(body);
        for (i, member) in members.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            out.extend_from_slice(&spare[member.text.start - body..member.text.end - body]);
        }
        if repeated { Err(RepeatedName) } else { Ok(()) }
    }
}
