//! Text that is given as an argument, or as `-` on standard input; bounded, because the hub would refuse more.

use std::io::{self, Read};

use super::failure::Failure;

/// More bytes than any text of a task or a reply may have.
const MAX_BYTES: u64 = 4 * baton_core::limits::TASK_TEXT_MAX_CHARS as u64;

/// The text, or what standard input holds, without the line break at its end.
pub(crate) fn text(argument: &str) -> Result<String, Failure> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let failed = |error| Failure::Read { name: "standard input".into(), error };
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::usage(format!("standard input holds more than {MAX_BYTES} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::usage("standard input is no UTF-8 text"))?;
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}
