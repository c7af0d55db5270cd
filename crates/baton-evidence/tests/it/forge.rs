//! Makes bundles of any kind, good and bad, independently of the crate's own writer.

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io::Write;

/// One event line, not canonical, under run `run`.
pub(super) fn event_with(subject: &str, seq: u64, data: &str) -> String {
    format!(
        r#"{{"specversion":"1.0","type":"assay.adapter.a2a.task.requested","source":"urn:assay:adapter:a2a","id":"run:{seq}","time":"2026-03-04T05:06:07Z","datacontenttype":"application/json","subject":"{subject}","assayrunid":"run","assayseq":{seq},"assayproducer":"forge","assayproducerversion":"1","assaygit":"unknown","assaypii":false,"assaysecrets":false,"data":{data}}}"#
    )
}

/// SHA-256 with its tag.
pub(super) fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().fold("sha256:".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

/// A bundle's parts, each open to damage before it is packed.
#[derive(Clone)]
pub(super) struct Forged {
    pub(super) manifest: Value,
    pub(super) events: Vec<u8>,
}

impl Forged {
    /// A good bundle of `count` events.
    pub(super) fn good(count: u64) -> Self {
        let data: Vec<String> = (0..count).map(|seq| format!(r#"{{"n":{seq}}}"#)).collect();
        Self::of(
            &data.iter().enumerate().map(|(seq, data)| hashed("t-0", seq as u64, data)).collect::<Vec<_>>(),
        )
    }

    /// A bundle of these lines, its manifest in step with them.
    pub(super) fn of(lines: &[String]) -> Self {
        let mut forged = Self { manifest: Value::Null, events: Vec::new() };
        for line in lines {
            forged.events.extend_from_slice(line.as_bytes());
            forged.events.push(b'\n');
        }
        forged.sealed()
    }

    /// The manifest recreated for the events as they are now.
    pub(super) fn sealed(mut self) -> Self {
        let mut roots = String::new();
        let mut count = 0;
        for line in self.events.split(|byte| *byte == b'\n') {
            let line: Value = serde_json::from_slice(line).unwrap_or_default();
            if let Some(hash) = line["assaycontenthash"].as_str() {
                roots.push_str(hash);
                roots.push('\n');
                count += 1;
            }
        }
        let root = sha256(roots.as_bytes());
        self.manifest = json!({
            "schema_version": 1, "bundle_id": root, "producer": {"name": "forge", "version": "1"}, "run_id": "run",
            "event_count": count, "run_root": root,
            "algorithms": {"canon": "jcs-rfc8785", "hash": "sha256", "root": "sha256(concat(content_hash + \"\\n\"))"},
            "files": {"events.ndjson": {"path": "events.ndjson", "sha256": sha256(&self.events), "bytes": self.events.len()}},
        });
        self
    }

    pub(super) fn tar(&self) -> Vec<u8> {
        let manifest = serde_json::to_vec_pretty(&self.manifest).unwrap();
        archive(&[member("manifest.json", &manifest), member("events.ndjson", &self.events)])
    }

    pub(super) fn packed(&self) -> Vec<u8> {
        gzip(&self.tar())
    }
}

/// An event line with its content hash.
pub(super) fn hashed(subject: &str, seq: u64, data: &str) -> String {
    let bound = format!(
        r#"{{"data":{data},"datacontenttype":"application/json","specversion":"1.0","subject":"{subject}","type":"assay.adapter.a2a.task.requested"}}"#
    );
    let hash = sha256(bound.as_bytes());
    event_with(subject, seq, data).replace(r#","data":"#, &format!(r#","assaycontenthash":"{hash}","data":"#))
}

/// A tar member: header, bytes, padding.
pub(super) fn member(name: &str, bytes: &[u8]) -> Vec<u8> {
    member_with(name, bytes, |_| {})
}

pub(super) fn member_with(name: &str, bytes: &[u8], change: impl FnOnce(&mut tar::Header)) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_entry_type(tar::EntryType::Regular);
    change(&mut header);
    header.set_cksum();
    let mut member = header.as_bytes().to_vec();
    member.extend_from_slice(bytes);
    member.resize(member.len().next_multiple_of(512), 0);
    member
}

pub(super) fn archive(members: &[Vec<u8>]) -> Vec<u8> {
    let mut archive = members.concat();
    archive.extend_from_slice(&[0; 1024]);
    archive
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn gzip_named(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzBuilder::new().filename("bundle.tar").mtime(7).write(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
