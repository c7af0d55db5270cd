//! Text that is given as an argument, in a file, or as `-` on standard input; bounded, because the hub would refuse more.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::failure::Failure;

const MAX_BYTES: u64 = baton_core::limits::TEXT_MAX_BYTES as u64;

/// The text, or what standard input holds, without the line break at its end.
pub(crate) fn text(argument: &str) -> Result<String, Failure> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    read("standard input", io::stdin().lock())
}

/// The text of a file, or of standard input for `-`, without the line break at its end.
pub(crate) fn file(path: &Path) -> Result<String, Failure> {
    if path == Path::new("-") {
        return text("-");
    }
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| Failure::Read { name: name.clone(), error })?;
    read(&name, file)
}

fn read(name: &str, from: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let failed = |error| Failure::Read { name: name.into(), error };
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::usage(format!(
            "{name} is larger than {MAX_BYTES} bytes, the limit of a text; send it as a file with --file"
        )));
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::usage(format!("{name} is not UTF-8 text")))?;
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}
