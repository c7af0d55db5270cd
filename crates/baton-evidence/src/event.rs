//! The evidence event, a CloudEvent: its members in the order they are printed, and its content hash. What it
//! carries as `data` is the business of who makes it.

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;

use crate::canonical::{Error, Writer};
use crate::digest::{Digest, TAGGED_LENGTH};
use crate::event_line::Stamp;
use crate::time::Time;

/// The CloudEvents version of every event.
pub const SPEC_VERSION: &str = "1.0";
/// The media type of every event's `data`.
pub const DATA_CONTENT_TYPE: &str = "application/json";

/// One evidence event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event<'a, D> {
    /// Always [`SPEC_VERSION`].
    pub specversion: &'static str,
    /// What kind of thing was observed.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Who phrased the event, a URI.
    pub source: &'static str,
    /// Run id, a colon, the sequence number.
    pub id: String,
    /// The time, if the packet has one.
    pub time: Time,
    /// Always [`DATA_CONTENT_TYPE`].
    pub datacontenttype: &'static str,
    /// What the event is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<Cow<'a, str>>,
    /// The run the event belongs to.
    pub assayrunid: String,
    /// The event's place in its run, from 0.
    pub assayseq: u64,
    /// The program that made the event.
    pub assayproducer: &'static str,
    /// That program's version.
    pub assayproducerversion: &'static str,
    /// The commit it was built from, `unknown` unless the build gave one.
    pub assaygit: &'static str,
    /// Whether personal data is known to be inside.
    pub assaypii: bool,
    /// Whether secrets are known to be inside.
    pub assaysecrets: bool,
    /// The content hash, once it was computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assaycontenthash: Option<Digest>,
    /// In a network's log: whether its hub saw this itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batonorigin: Option<Origin>,
    /// In a network's log: who handed in what the hub did not see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batonreporter: Option<Cow<'a, str>>,
    /// The payload.
    pub data: D,
}

/// How an event came into a network's log. Bound by the log's leaf, not by the content hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The hub saw it happen and phrased it itself.
    Hub,
    /// Somebody handed the packet in; the hub saw nothing but that.
    Reported,
}

/// The name every event of this program gives as its producer.
pub const PRODUCER: &str = "baton";
/// This program's version.
pub const PRODUCER_VERSION: &str = env!("CARGO_PKG_VERSION");
/// The commit this program was built from, if the build gave one.
pub const PRODUCER_GIT: &str = match option_env!("BATON_GIT_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

impl<D: Serialize> Event<'_, D> {
    /// The content hash: over the content of the event, not over its time, place or number.
    pub fn content_hash(&self, writer: &mut Writer) -> Result<Digest, Error> {
        #[derive(Serialize)]
        struct Bound<'a, D> {
            data: &'a D,
            datacontenttype: &'a str,
            specversion: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            subject: Option<&'a str>,
            #[serde(rename = "type")]
            kind: &'a str,
        }
        writer.clear();
        writer.value(&Bound {
            data: &self.data,
            datacontenttype: self.datacontenttype,
            specversion: self.specversion,
            subject: self.subject.as_deref(),
            kind: self.kind,
        })?;
        Ok(Digest::of(writer.bytes()))
    }

    /// Writes the canonical event under these numbers and with its content hash, after clearing the writer. The same
    /// bytes as those of an event whose members are set so; but what it says is written once, and hashed where it
    /// stands. Members are in canonical order.
    pub fn write_stamped(&self, writer: &mut Writer, stamp: Stamp<'_>) -> Result<(), Error> {
        writer.clear();
        writer.canonical(br#"{"assaycontenthash":""#);
        let hash = writer.bytes().len();
        writer.canonical(&[b' '; TAGGED_LENGTH]); // known once the rest is there
        writer.canonical(br#"","assaygit":"#);
        writer.text(self.assaygit);
        writer.canonical(br#","assaypii":"#);
        writer.value(&self.assaypii)?;
        writer.canonical(br#","assayproducer":"#);
        writer.text(self.assayproducer);
        writer.canonical(br#","assayproducerversion":"#);
        writer.text(self.assayproducerversion);
        writer.canonical(br#","assayrunid":"#);
        writer.text(stamp.run_id);
        writer.canonical(br#","assaysecrets":"#);
        writer.value(&self.assaysecrets)?;
        writer.canonical(br#","assayseq":"#);
        writer.unsigned(stamp.seq);
        if let Some(origin) = self.batonorigin {
            writer.canonical(br#","batonorigin":"#);
            writer.value(&origin)?;
        }
        if let Some(reporter) = &self.batonreporter {
            writer.canonical(br#","batonreporter":"#);
            writer.text(reporter);
        }
        writer.canonical(b",");
        let content_hash = self.write_from_data(writer, stamp)?;
        writer.replace(hash, content_hash.tagged().as_str().as_bytes());
        Ok(())
    }

    /// The members from `data` on, which hold all that the content hash binds; answers that hash.
    fn write_from_data(&self, writer: &mut Writer, stamp: Stamp<'_>) -> Result<Digest, Error> {
        let mut hasher = Sha256::new_with_prefix(b"{");
        let mut from = writer.bytes().len();
        writer.canonical(br#""data":"#);
        writer.value(&self.data)?;
        writer.canonical(br#","datacontenttype":"#);
        writer.text(self.datacontenttype);
        hasher.update(&writer.bytes()[from..]);
        writer.canonical(br#","id":"#);
        writer.stamped_id(stamp);
        writer.canonical(br#","source":"#);
        writer.text(self.source);
        from = writer.bytes().len();
        writer.canonical(br#","specversion":"#);
        writer.text(self.specversion);
        if let Some(subject) = &self.subject {
            writer.canonical(br#","subject":"#);
            writer.text(subject);
        }
        hasher.update(&writer.bytes()[from..]);
        writer.canonical(br#","time":"#);
        writer.value(&self.time)?;
        from = writer.bytes().len();
        writer.canonical(br#","type":"#);
        writer.text(self.kind);
        writer.canonical(b"}");
        hasher.update(&writer.bytes()[from..]);
        Ok(hasher.into())
    }
}
