//! Numbers as RFC 8785 section 3.2.2.3 prints them: every number is an IEEE double, printed as ECMAScript does.

/// Up to here every integer is a double of its own, so its digits are its ECMAScript form.
const EXACT: u64 = 1 << 53; // not a limit: the precision of a double

pub(super) fn unsigned(out: &mut Vec<u8>, number: u64) {
    if number <= EXACT {
        out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    } else {
        finite(out, number as f64);
    }
}

pub(super) fn signed(out: &mut Vec<u8>, number: i64) {
    if number.unsigned_abs() <= EXACT {
        out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    } else {
        finite(out, number as f64);
    }
}

/// A finite double; the caller has refused NaN and the infinities.
pub(super) fn finite(out: &mut Vec<u8>, number: f64) {
    out.extend_from_slice(ryu_js::Buffer::new().format_finite(number).as_bytes());
}
