//! Packets and conversions the other tests share.

use baton_adapter::{AdapterError, Converted, DigestOnly, ErrorKind, Input, Mode, Options, Payload, convert};
use baton_evidence::canonical;
use baton_evidence::digest::Digest;
use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) fn strict() -> Options {
    Options::default()
}

pub(super) fn lenient() -> Options {
    Options { mode: Mode::Lenient, ..Options::default() }
}

pub(super) fn convert_with<'a>(packet: &'a [u8], options: &Options) -> Result<Converted<'a>, AdapterError> {
    convert_hinted(packet, options, None)
}

pub(super) fn convert_hinted<'a>(
    packet: &'a [u8],
    options: &Options,
    protocol_version: Option<&'a str>,
) -> Result<Converted<'a>, AdapterError> {
    let input = Input { bytes: packet, media_type: "application/json", protocol_version };
    convert(input, options, &mut DigestOnly)
}

/// What the packet was refused with.
#[track_caller]
pub(super) fn refusal(packet: &str, options: &Options) -> (ErrorKind, String) {
    match convert_with(packet.as_bytes(), options) {
        Err(error) => (error.kind, error.message.into_owned()),
        Ok(converted) => panic!("{packet} gave {converted:?}"),
    }
}

/// The handoff object of a packet that converts in lenient mode.
#[track_caller]
pub(super) fn handoff_of(packet: &Value) -> Value {
    let packet = packet.to_string();
    match convert_with(packet.as_bytes(), &lenient()) {
        Ok(converted) => serde_json::to_value(converted.event.data.handoff).unwrap(),
        Err(error) => panic!("{packet}: {error}"),
    }
}

/// The payload as another release would have emitted it: goldens outlive the version number.
pub(super) fn as_version<'a>(payload: &Payload<'a>, adapter_version: &'static str) -> Payload<'a> {
    Payload { adapter_version, ..payload.clone() }
}

/// Bare hex of the canonical form, as the freeze's golden digests are given.
pub(super) fn digest_of(value: &impl Serialize) -> String {
    Digest::of(&canonical::to_vec(value).unwrap()).hex()
}

pub(super) fn fixtures_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Every fixture packet, by name, in order.
pub(super) fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = fs::read_dir(fixtures_folder().join("packets")).unwrap();
    let mut packets: Vec<(String, Vec<u8>)> = folder
        .map(|file| file.unwrap().path())
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
        .collect();
    packets.sort();
    packets
}
