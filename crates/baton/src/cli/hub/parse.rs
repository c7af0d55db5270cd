//! Values of options, parsed first so that a wrong one is reported before anything is touched.

use baton_core::limits;
use clap::ValueEnum;
use ipnet::IpNet;
use percent_encoding::percent_decode_str;
use reqwest::header::{HeaderName, HeaderValue};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use crate::objects::Bucket;
use crate::trace::Sampler;

/// An IP address, or `localhost`.
pub(super) fn host(text: &str) -> Result<IpAddr, &'static str> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    text.parse().map_err(|_| "give an IP address such as 127.0.0.1 or 0.0.0.0, or localhost")
}

/// Where clients reach the hub; without the slash at its end.
pub(super) fn public_url(text: &str) -> Result<String, &'static str> {
    let url = reqwest::Url::parse(text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    });
    match url {
        Some(url) => Ok(url.as_str().trim_end_matches('/').to_owned()),
        None => Err("give a URL such as https://hub.example.org, without a query"),
    }
}

/// An OpenID Connect issuer, as it writes itself.
pub(super) fn issuer(text: &str) -> Result<String, &'static str> {
    public_url(text)
        .map(|_| text.to_owned())
        .map_err(|_| "give a URL such as https://login.example.org, without a query")
}

/// A name and an address in cards.
#[derive(Debug, Clone)]
pub(super) struct Provider(pub(super) String, pub(super) String);

/// Who runs the hub.
pub(super) fn provider(text: &str) -> Result<Provider, &'static str> {
    let rule = "give a name and a URL, such as 'Example Ltd=https://example.org'; the name has at most 200 characters";
    let (name, url) = text.split_once('=').ok_or(rule)?;
    let name = name.trim();
    let is_name = !name.is_empty()
        && name.chars().count() <= limits::CARD_PROVIDER_MAX_CHARS
        && !name.chars().any(char::is_control);
    if is_name { Ok(Provider(name.to_owned(), card_url(url).map_err(|_| rule)?)) } else { Err(rule) }
}

/// An address that a card names: a client may show it as a link or load it.
pub(super) fn card_url(text: &str) -> Result<String, &'static str> {
    let url = reqwest::Url::parse(text.trim()).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.as_str().len() <= limits::CARD_URL_MAX_BYTES
    });
    url.map(String::from)
        .ok_or("give an http or https URL such as https://example.org/docs, without a password")
}

/// What browsers send as `Origin`: scheme, host and port, no path.
pub(super) fn origin(text: &str) -> Result<String, &'static str> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    match host {
        Some(host) if !host.is_empty() && host.bytes().all(is_host_byte) => Ok(text.into()),
        _ => Err("give an origin such as https://example.org or http://localhost:3000, without a path"),
    }
}

/// A range of addresses, or one address.
pub(super) fn range(text: &str) -> Result<IpNet, &'static str> {
    let range = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    range.map_err(|_| "give a range such as 10.0.0.0/8 or fd00::/8, or one address")
}

/// How long something is kept: days or hours.
pub(super) fn keep(text: &str) -> Result<Duration, &'static str> {
    let read =
        |number: &str, unit_seconds: u64| number.parse().ok().and_then(|n: u64| n.checked_mul(unit_seconds));
    let seconds = match text.split_at_checked(text.len().saturating_sub(1)) {
        Some((days, "d")) => read(days, 86_400),
        Some((hours, "h")) => read(hours, 3_600),
        _ => None,
    };
    let range = u64::from(limits::KEEP_TASKS_MIN_SECONDS)..=u64::from(limits::KEEP_TASKS_MAX_SECONDS);
    match seconds {
        Some(seconds) if range.contains(&seconds) => Ok(Duration::from_secs(seconds)),
        _ => Err("give days or hours such as 90d or 36h, from 1d to 3650d"),
    }
}

/// A bucket for the bytes of artifacts.
pub(super) fn bucket(text: &str) -> Result<Bucket, &'static str> {
    text.parse()
}

/// A number of bytes, with a unit if there is one.
pub(super) fn size(text: &str) -> Result<i64, &'static str> {
    let at = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let unit: Option<i64> = match unit.to_ascii_lowercase().trim() {
        "" | "b" => Some(1),
        "kib" | "k" => Some(1 << 10),
        "mib" | "m" => Some(1 << 20),
        "gib" | "g" => Some(1 << 30),
        "tib" | "t" => Some(1 << 40),
        _ => None,
    };
    let bytes = number.parse::<i64>().ok().zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
    match bytes {
        Some(bytes) if (0..=limits::ARTIFACT_BYTES_MAX).contains(&bytes) => Ok(bytes),
        _ => Err("give a size such as 10GiB, 500MiB or a number of bytes, at most 1024TiB"),
    }
}

/// Time between two checks for damage; none if they are off. A type of its own: clap reads an `Option` as an option
/// that may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CheckEvery(pub(super) Option<Duration>);

/// A number with a unit, or `off`.
pub(super) fn check_every(text: &str) -> Result<CheckEvery, &'static str> {
    if matches!(text, "off" | "0") {
        return Ok(CheckEvery(None));
    }
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).unwrap_or_default();
    let unit_seconds = match unit {
        "d" => 86_400,
        "h" => 3_600,
        "m" => 60,
        "s" => 1,
        _ => 0,
    };
    let seconds = number.parse().ok().and_then(|number: u64| number.checked_mul(unit_seconds));
    match seconds {
        Some(seconds) if (1..=u64::from(limits::CHECK_EVERY_MAX_SECONDS)).contains(&seconds) => {
            Ok(CheckEvery(Some(Duration::from_secs(seconds))))
        }
        _ => Err("give a time such as 24h, 7d, 30m or 90s, up to 365d, or off"),
    }
}

/// A header, `name=value`, with the value percent-encoded as in OpenTelemetry's variables.
pub(super) fn header(text: &str) -> Result<(HeaderName, HeaderValue), &'static str> {
    let rule = "give NAME=VALUE, such as authorization=Bearer%20KEY";
    let (name, value) = text.split_once('=').ok_or(rule)?;
    let name = name.trim().parse().map_err(|_| rule)?;
    let value = percent_decode_str(value.trim()).decode_utf8().map_err(|_| rule)?;
    let mut value: HeaderValue = value.parse().map_err(|_| rule)?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// A share of a whole.
pub(super) fn ratio(text: &str) -> Result<f64, &'static str> {
    let ratio = text.parse().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
    ratio.ok_or("must be a number from 0 to 1")
}

/// Samplers by the names of OpenTelemetry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum SamplerName {
    AlwaysOn,
    AlwaysOff,
    Traceidratio,
    ParentbasedAlwaysOn,
    ParentbasedAlwaysOff,
    ParentbasedTraceidratio,
}

impl SamplerName {
    pub(super) const fn with(self, ratio: f64) -> Sampler {
        let (follows_parent, ratio) = match self {
            Self::AlwaysOn => (false, 1.0),
            Self::AlwaysOff => (false, 0.0),
            Self::Traceidratio => (false, ratio),
            Self::ParentbasedAlwaysOn => (true, 1.0),
            Self::ParentbasedAlwaysOff => (true, 0.0),
            Self::ParentbasedTraceidratio => (true, ratio),
        };
        Sampler { follows_parent, ratio }
    }
}

fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'[' | b']')
}
