//! Pages: limits within their bounds, and cursors.

use super::Error;

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
pub(crate) fn cursor(text: Option<&str>) -> Result<Option<i64>, Error> {
    let parse =
        |text: &str| text.parse().map_err(|_| Error::argument("cursor", "is not one that was given out"));
    text.filter(|text| !text.is_empty()).map(parse).transpose()
}
