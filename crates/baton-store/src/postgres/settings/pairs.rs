//! The two forms of a connection string, taken apart into options and their values. A URL has the same options: its parts
//! are `user`, `password`, `host`, `port` and `dbname`, and the others follow its question mark.

use super::SettingsError;

/// An option and its value.
pub(super) type Pair = (String, String);

pub(super) fn read(text: &str) -> Result<Vec<Pair>, SettingsError> {
    let text = text.trim();
    match text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://")) {
        Some(url) => read_url(url),
        None if text.contains("://") => Err(SettingsError::Form("a URL begins with postgres://")),
        None => read_pairs(text),
    }
}

/// `[user[:password]@][host[:port][,…]][/database][?option=value[&…]]`
fn read_url(url: &str) -> Result<Vec<Pair>, SettingsError> {
    let (place, query) = url.split_once('?').unwrap_or((url, ""));
    let (place, database) = place.split_once('/').unwrap_or((place, ""));
    let (account, hosts) = place.rsplit_once('@').unwrap_or(("", place));
    let mut pairs = Vec::new();
    let mut add = |key: &str, value: &str| {
        if !value.is_empty() {
            pairs.push((key.to_owned(), decoded(value)?));
        }
        Ok(())
    };
    let (user, password) = account.split_once(':').unwrap_or((account, ""));
    add("user", user)?;
    add("password", password)?;
    add("dbname", database)?;
    if !hosts.is_empty() {
        let (hosts, ports): (Vec<_>, Vec<_>) =
            hosts.split(',').map(host_and_port).collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        add("host", &hosts.join(","))?;
        if ports.iter().any(|port| !port.is_empty()) {
            add("port", &ports.join(","))?;
        }
    }
    for option in query.split('&').filter(|option| !option.is_empty()) {
        let (key, value) =
            option.split_once('=').ok_or(SettingsError::Form("an option after `?` has no value"))?;
        pairs.push((decoded(key)?, decoded(value)?));
    }
    Ok(pairs)
}

/// An IPv6 address stands in brackets.
fn host_and_port(place: &str) -> Result<(&str, &str), SettingsError> {
    match place.strip_prefix('[') {
        Some(rest) => {
            let (host, port) =
                rest.split_once(']').ok_or(SettingsError::Form("an IPv6 address has no closing bracket"))?;
            Ok((host, port.strip_prefix(':').unwrap_or_default()))
        }
        None => Ok(place.split_once(':').unwrap_or((place, ""))),
    }
}

fn decoded(text: &str) -> Result<String, SettingsError> {
    let bad = SettingsError::Form(
        "a `%` in a URL must be followed by two hexadecimal digits; write `%` itself as %25",
    );
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let decoded = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        bytes
            .push(decoded.and_then(|digits| u8::from_str_radix(digits, 16).ok()).ok_or_else(|| bad.clone())?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).map_err(|_| bad)
}

/// `key = value`, values with spaces in single quotes, `\` before a quote or itself.
fn read_pairs(text: &str) -> Result<Vec<Pair>, SettingsError> {
    let mut pairs = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (key, after) =
            rest.split_once('=').ok_or(SettingsError::Form("it is not a list of key=value pairs"))?;
        let key = key.trim();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return Err(SettingsError::Form("it is not a list of key=value pairs"));
        }
        let (value, after) = value(after.trim_start())?;
        pairs.push((key.to_owned(), value));
        rest = after.trim_start();
    }
    match pairs.is_empty() {
        true => Err(SettingsError::Form("it is empty")),
        false => Ok(pairs),
    }
}

/// A value, and what follows it.
fn value(text: &str) -> Result<(String, &str), SettingsError> {
    let (text, is_quoted) = text.strip_prefix('\'').map_or((text, false), |text| (text, true));
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\'' if is_quoted => return Ok((value, &text[at + 1..])),
            '\\' => value.extend(chars.next().map(|(_, char)| char)),
            char if char.is_whitespace() && !is_quoted => return Ok((value, &text[at..])),
            char => value.push(char),
        }
    }
    match is_quoted {
        true => Err(SettingsError::Form("a quoted value does not end")),
        false => Ok((value, "")),
    }
}
