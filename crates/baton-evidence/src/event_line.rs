//! One event as it stands in a bundle or a file: read in a single strict pass, its known members typed, every
//! member kept in canonical form. So the content hash, a restamp and the canonical line need no tree.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::canonical::{self, Pass, Strictness, TextError, Value, Violation, Writer};
use crate::digest::Digest;
use crate::text::Text;
use crate::time::Time;

/// What a reader of events bounds inside one line.
pub const STRICTNESS: Strictness = Strictness { depth: 64, names: 10_000, characters: 1_048_576 };

/// The members a content hash binds, in canonical order. Not bound: id, run, sequence number, source, time.
const BOUND: [&str; 5] = ["data", "datacontenttype", "specversion", "subject", "type"];

/// An event that was read.
#[derive(Debug)]
pub struct EventLine<'a> {
    /// `type`.
    pub kind: Cow<'a, str>,
    /// `source`.
    pub source: Cow<'a, str>,
    /// `id`.
    pub id: Cow<'a, str>,
    /// `time`.
    pub time: Time,
    /// `specversion`.
    pub specversion: Cow<'a, str>,
    /// `subject`, unless it is absent or null.
    pub subject: Option<Cow<'a, str>>,
    /// `assayrunid`.
    pub run_id: Cow<'a, str>,
    /// `assayseq`.
    pub seq: u64,
    /// `assaycontenthash` as it stands, if it does.
    pub content_hash: Option<Cow<'a, str>>,
    /// In canonical order.
    members: Vec<Member<'a>>,
    /// The members' values, canonical, one after another.
    values: &'a [u8],
}

#[derive(Debug)]
struct Member<'a> {
    name: Cow<'a, str>,
    value: Range<usize>,
}

/// Why a line is not an event.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// It is not one JSON text within bounds, or a known member has the wrong type.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A required member is not there.
    #[error("the member {0} is missing")]
    Missing(&'static str),
    /// `time` is not a time.
    #[error("time is not an RFC 3339 timestamp")]
    Time,
}

/// The numbers a host gives an event: the run it belongs to and its place there.
#[derive(Debug, Clone, Copy)]
pub struct Stamp<'a> {
    /// Without a colon.
    pub run_id: &'a str,
    /// From 0.
    pub seq: u64,
}

impl fmt::Display for Stamp<'_> {
    /// The event's id under this stamp.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.run_id, self.seq)
    }
}

impl<'a> EventLine<'a> {
    /// Reads one line; the canonical values are put into `writer`, which is cleared first.
    pub fn read(writer: &'a mut Writer, line: &'a str) -> Result<Self, LineError> {
        writer.clear();
        let mut json = serde_json::Deserializer::from_str(line);
        let mut pass = Pass { writer, strictness: &STRICTNESS, violation: None };
        let mut found = ParsedMembers::default();
        let parsed = (&mut json).deserialize_map(Members { pass: &mut pass, found: &mut found });
        let violation = pass.violation;
        parsed.and_then(|()| json.end()).map_err(|error| match violation {
            Some(violation) => TextError::from(violation),
            None => TextError::from(error),
        })?;
        found.into_event(pass.writer.bytes())
    }

    /// The content hash, computed.
    #[must_use]
    pub fn compute_content_hash(&self) -> Digest {
        let mut hasher = Sha256::new();
        let mut before: &[u8] = b"{\"";
        for member in self.members.iter().filter(|member| self.binds(&member.name)) {
            hasher.update(before);
            hasher.update(member.name.as_bytes()); // plain names: nothing to escape
            hasher.update(b"\":");
            hasher.update(&self.values[member.value.clone()]);
            before = b",\"";
        }
        hasher.update(b"}");
        hasher.into()
    }

    fn binds(&self, name: &str) -> bool {
        // A null subject is an absent one.
        BOUND.contains(&name) && (name != "subject" || self.subject.is_some())
    }

    /// The canonical bytes of `data`.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        self.member("data").unwrap_or_default()
    }

    /// The canonical bytes of a member's value, of members that are not known too.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&[u8]> {
        let member = self.members.iter().find(|member| member.name == name)?;
        Some(&self.values[member.value.clone()])
    }

    /// Whether a handoff was visible; `None` on events of other makers, which may have no such flag. It is a
    /// bounded observed visibility flag only, and does not mean that the handoff was valid, authorised, complete,
    /// trusted or successful.
    #[must_use]
    pub fn handoff_visible(&self) -> Option<bool> {
        #[derive(Deserialize)]
        struct Data {
            handoff: Handoff,
        }
        #[derive(Deserialize)]
        struct Handoff {
            visible: bool,
        }
        serde_json::from_slice(self.data()).ok().map(|data: Data| data.handoff.visible)
    }

    /// Appends the canonical line of this event, without a line feed.
    pub fn write(&self, line: &mut Writer) {
        self.write_members(line, |_, _| false);
    }

    /// The same under other numbers and with this content hash, whether or not it had one.
    pub fn write_restamped(&self, line: &mut Writer, stamp: Stamp<'_>, content_hash: &Digest) {
        self.write_members(line, |line, name| {
            match name {
                "assaycontenthash" => line.text(content_hash.tagged().as_str()),
                "assayrunid" => line.text(stamp.run_id),
                "assayseq" => line.unsigned(stamp.seq),
                "id" => line.stamped_id(stamp),
                _ => return false,
            }
            true
        });
    }

    /// Writes every member; `instead` may write a value of its own and say so.
    fn write_members(&self, line: &mut Writer, instead: impl Fn(&mut Writer, &str) -> bool) {
        let mut object = line.begin_object();
        for member in &self.members {
            line.member(&mut object, &member.name);
            if !instead(line, &member.name) {
                line.canonical(&self.values[member.value.clone()]);
            }
        }
        let _ = line.end_object(&object); // names were checked for repetition when the line was read
    }
}

/// Members as they are met.
#[derive(Default)]
struct ParsedMembers<'a> {
    kind: Option<Cow<'a, str>>,
    source: Option<Cow<'a, str>>,
    id: Option<Cow<'a, str>>,
    time: Option<Cow<'a, str>>,
    specversion: Option<Cow<'a, str>>,
    subject: Option<Cow<'a, str>>,
    run_id: Option<Cow<'a, str>>,
    seq: Option<u64>,
    content_hash: Option<Cow<'a, str>>,
    members: Vec<Member<'a>>,
}

/// Required members that are only passed on, in canonical order: they must be there, and be of their type.
const PASSED_ON: [&str; 7] = [
    "assaygit",
    "assaypii",
    "assayproducer",
    "assayproducerversion",
    "assaysecrets",
    "data",
    "datacontenttype",
];

impl<'a> ParsedMembers<'a> {
    fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.name == name)
    }

    fn into_event(self, values: &'a [u8]) -> Result<EventLine<'a>, LineError> {
        // Both lists are in canonical order: one walk along the members finds all.
        let mut names = self.members.iter().map(|member| &*member.name);
        if let Some(missing) = PASSED_ON.into_iter().find(|required| !names.any(|name| name == *required)) {
            return Err(LineError::Missing(missing));
        }
        let time = self.time.ok_or(LineError::Missing("time"))?;
        Ok(EventLine {
            kind: self.kind.ok_or(LineError::Missing("type"))?,
            source: self.source.ok_or(LineError::Missing("source"))?,
            id: self.id.ok_or(LineError::Missing("id"))?,
            time: Time::parse_loosely(&time).ok_or(LineError::Time)?,
            specversion: self.specversion.ok_or(LineError::Missing("specversion"))?,
            subject: self.subject,
            run_id: self.run_id.ok_or(LineError::Missing("assayrunid"))?,
            seq: self.seq.ok_or(LineError::Missing("assayseq"))?,
            content_hash: self.content_hash,
            members: self.members,
            values,
        })
    }
}

/// Reads the members of the event itself: the outermost object.
struct Members<'p, 'w, 'de> {
    pass: &'p mut Pass<'w>,
    found: &'p mut ParsedMembers<'de>,
}

impl<'de> Members<'_, '_, 'de> {
    fn text<A: MapAccess<'de>>(&mut self, members: &mut A) -> Result<Option<Cow<'de, str>>, A::Error> {
        let Text(text) = members.next_value()?;
        self.pass.string(&text)?;
        Ok(Some(text))
    }

    fn value<A: MapAccess<'de>>(&mut self, name: &str, members: &mut A) -> Result<(), A::Error> {
        match name {
            "type" => self.found.kind = self.text(members)?,
            "source" => self.found.source = self.text(members)?,
            "id" => self.found.id = self.text(members)?,
            "time" => self.found.time = self.text(members)?,
            "specversion" => self.found.specversion = self.text(members)?,
            "assayrunid" => self.found.run_id = self.text(members)?,
            "assayproducer" | "assayproducerversion" | "assaygit" | "datacontenttype" => {
                self.text(members)?;
            }
            "subject" => self.found.subject = self.optional_text(members)?,
            "assaycontenthash" => self.found.content_hash = self.optional_text(members)?,
            "assaypii" | "assaysecrets" => {
                let flag: bool = members.next_value()?;
                self.pass.writer.canonical(if flag { b"true" } else { b"false" });
            }
            "assayseq" => {
                let seq = members.next_value()?;
                self.pass.writer.unsigned(seq);
                self.found.seq = Some(seq);
            }
            _ => members.next_value_seed(Value { pass: self.pass, depth: 1 })?,
        }
        Ok(())
    }

    fn optional_text<A: MapAccess<'de>>(
        &mut self,
        members: &mut A,
    ) -> Result<Option<Cow<'de, str>>, A::Error> {
        match members.next_value()? {
            Some(Text(text)) => {
                self.pass.string(&text)?;
                Ok(Some(text))
            }
            None => {
                self.pass.writer.canonical(b"null");
                Ok(None)
            }
        }
    }
}

impl<'de> Visitor<'de> for Members<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event, a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.found.members.reserve(20);
        while let Some(Text(name)) = members.next_key()? {
            let bound = self.pass.strictness.names;
            if self.found.members.len() == bound {
                return Err(self.pass.refuse(Violation::Names(bound)));
            }
            self.pass.check_string(&name)?;
            let start = self.pass.writer.bytes().len();
            self.value(&name, &mut members)?;
            self.found.members.push(Member { name, value: start..self.pass.writer.bytes().len() });
        }
        if self.found.content_hash.is_none() && !self.found.has("assaycontenthash") {
            // An event without a hash has a place for one, so that a restamp can fill it.
            self.pass.writer.canonical(b"null");
            let end = self.pass.writer.bytes().len();
            self.found.members.push(Member { name: "assaycontenthash".into(), value: end - 4..end });
        }
        self.found.members.sort_by(|a, b| canonical::compare_names(&a.name, &b.name));
        if self.found.members.windows(2).any(|pair| pair[0].name == pair[1].name) {
            return Err(self.pass.refuse(Violation::RepeatedName));
        }
        Ok(())
    }
}
