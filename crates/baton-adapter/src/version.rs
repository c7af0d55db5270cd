//! Which protocol versions are spoken: `>=0.2 <1.0`, judged by the first two dot-parts alone.

use crate::error::{AdapterError, ErrorKind};

/// `0.2.garbage` passes, `0.2-rc1` does not: a part must be a number as [`u64::from_str`](std::str::FromStr)
/// reads it, and what follows the second part is not looked at.
pub(crate) fn check(version: &str) -> Result<(), AdapterError> {
    let mut parts = version.split('.').map(|part| part.parse::<u64>().ok());
    let major = parts.next().flatten();
    let minor = parts.next().flatten();
    if major == Some(0) && minor.is_some_and(|minor| minor >= 2) {
        return Ok(());
    }
    let message = format!("unsupported A2A version: {version}");
    Err(AdapterError::new(ErrorKind::UnsupportedProtocolVersion, message))
}
