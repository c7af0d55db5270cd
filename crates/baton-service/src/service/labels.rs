//! Free texts of accounts, sessions and workers: names and descriptions, trimmed and of bounded length.

use baton_core::{Text, check_network_name, limits};

use super::Error;

type Label = Text<0, { limits::LABEL_MAX_CHARS }>;
type NetworkName = Text<1, { limits::NETWORK_NAME_MAX_CHARS }>;

/// A display name, an email or a description, if given.
pub(super) fn label(field: &'static str, text: Option<&str>) -> Result<Option<String>, Error> {
    let parse = |text: &str| Label::parse(field, text.trim()).map_err(Error::of_argument);
    Ok(text.map(parse).transpose()?.map(|label| label.as_str().to_owned()))
}

/// A text that may not be longer than this.
pub(super) fn at_most(field: &'static str, text: &str, max: usize) -> Result<(), Error> {
    if text.chars().nth(max).is_some() {
        return Err(Error::argument(field, format!("must be at most {max} characters")));
    }
    Ok(())
}

/// The name of a new or renamed network.
pub(super) fn network_name(text: &str) -> Result<String, Error> {
    let name = NetworkName::parse("name", text.trim()).map_err(Error::of_argument)?;
    check_network_name("name", name.as_str()).map_err(Error::of_argument)?;
    Ok(name.as_str().to_owned())
}
