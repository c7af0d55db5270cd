//! Strings as RFC 8785 section 3.2.2.2 prints them: the two-letter escapes where JSON has one, `\u00xx` in
//! lower case for other control characters, everything else as it is.

/// For each byte: 0 = copy, `u` = `\u00xx`, other = the letter after the backslash.
const ESCAPE: [u8; 256] = {
    let mut table = [0; 256];
    let mut control = 0;
    while control < 0x20 {
        table[control] = b'u';
        control += 1;
    }
    table[0x08] = b'b';
    table[0x09] = b't';
    table[0x0A] = b'n';
    table[0x0C] = b'f';
    table[0x0D] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};

#[inline]
pub(super) fn write(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    if is_plain(bytes) {
        out.extend_from_slice(bytes);
    } else {
        write_escaped(out, bytes);
    }
    out.push(b'"');
}

/// Whether nothing needs escaping: eight bytes at a time.
#[inline]
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101; // not a limit: a bit pattern
    const HIGH: u64 = 0x8080_8080_8080_8080; // not a limit: a bit pattern
    // Some byte of `x` is below `n` (n ≤ 128) — exact as a yes or no, which is all that is asked.
    let below = |x: u64, n: u64| x.wrapping_sub(ONES * n) & !x & HIGH;
    let (words, rest) = bytes.as_chunks::<8>();
    let words_plain = words.iter().all(|word| {
        let x = u64::from_le_bytes(*word);
        let quote = x ^ (ONES * u64::from(b'"'));
        let backslash = x ^ (ONES * u64::from(b'\\'));
        (below(x, 0x20) | below(quote, 1) | below(backslash, 1)) == 0
    });
    words_plain && rest.iter().all(|&byte| ESCAPE[usize::from(byte)] == 0)
}

fn write_escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut copied = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let letter = ESCAPE[usize::from(byte)];
        if letter == 0 {
            continue;
        }
        out.extend_from_slice(&bytes[copied..at]);
        copied = at + 1;
        if letter == b'u' {
            let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
        } else {
            out.extend_from_slice(&[b'\\', letter]);
        }
    }
    out.extend_from_slice(&bytes[copied..]);
}
