//! Packets and conversions the other tests share.

use baton_adapter::{AdapterError, Converted, DigestOnly, Input, Mode, Options, convert};
use baton_evidence::canonical;
use baton_evidence::digest::Digest;
use serde::Serialize;

pub fn strict() -> Options {
    Options::default()
}

pub fn lenient() -> Options {
    Options { mode: Mode::Lenient, ..Options::default() }
}

pub fn convert_with<'a>(packet: &'a [u8], options: &Options) -> Result<Converted<'a>, AdapterError> {
    let input = Input { bytes: packet, media_type: "application/json", protocol_version: None };
    convert(input, options, &mut DigestOnly)
}

/// Bare hex of the canonical form, as the freeze's golden digests are given.
pub fn digest_of(value: &impl Serialize) -> String {
    Digest::of(&canonical::to_vec(value).unwrap()).hex()
}
