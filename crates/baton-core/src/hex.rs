//! Lower-case hexadecimal, the alphabet of every id and secret.
//! Upper-case digits are not hex here: one value has one spelling.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Two digits a byte.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 0x0f)]));
    }
    text
}

/// Whether the text is nothing but lower-case digits; true of an empty text.
pub(crate) fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| DIGITS.contains(&byte))
}
