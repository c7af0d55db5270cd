//! Lower-case hexadecimal, the alphabet of every id and secret.
//! Upper-case digits are not hex here: one value has one spelling.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Two digits a byte.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    bytes.iter().for_each(|byte| push(&mut text, *byte));
    text
}

/// Writes the two digits of a byte.
fn push(text: &mut String, byte: u8) {
    text.push(char::from(DIGITS[usize::from(byte >> 4)]));
    text.push(char::from(DIGITS[usize::from(byte & 0x0f)]));
}

/// Whether the text is nothing but lower-case digits; true of an empty text.
pub(crate) fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The bytes of lower-case hex digits; none if it is anything else.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}
