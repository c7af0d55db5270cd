//! W3C Trace Context: the `traceparent` a sender came with. A value that does not follow the specification is as good
//! as none (4.3: "the vendor creates a new traceparent"), and one of a later version is read as far as version 00 goes.

use std::fmt;

/// `00-` trace id `-` parent id `-` flags.
const LENGTH: usize = 55; // not a limit: the W3C format
const SAMPLED: u8 = 1;

/// Which span of which trace something belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceParent {
    trace_id: [u8; 16],
    span_id: [u8; 8],
    flags: u8,
}

impl TraceParent {
    /// A span of a trace; none of zeros, which name nothing.
    pub fn new(trace_id: [u8; 16], span_id: [u8; 8], is_sampled: bool) -> Option<Self> {
        let names_something = trace_id != [0; 16] && span_id != [0; 8];
        names_something.then_some(Self { trace_id, span_id, flags: u8::from(is_sampled) * SAMPLED })
    }

    /// Reads a header's value.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let [version] = lower_hex(bytes.get(..2)?)?;
        let rest = bytes.get(LENGTH..)?;
        let ends_well = match version {
            0 => rest.is_empty(),
            0xff => false,
            // 3.2.4: of a later version more may follow, after a dash.
            _ => rest.first().is_none_or(|next| *next == b'-'),
        };
        let has_dashes = [2, 35, 52].iter().all(|place| bytes[*place] == b'-');
        if !ends_well || !has_dashes {
            return None;
        }
        let [flags] = lower_hex(&bytes[53..LENGTH])?;
        let read = Self::new(lower_hex(&bytes[3..35])?, lower_hex(&bytes[36..52])?, false)?;
        // Flags of a later version may mean anything but this one.
        Some(Self { flags: if version == 0 { flags } else { flags & SAMPLED }, ..read })
    }

    /// The trace.
    pub const fn trace_id(&self) -> [u8; 16] {
        self.trace_id
    }

    /// The span within it.
    pub const fn span_id(&self) -> [u8; 8] {
        self.span_id
    }

    /// Whether the creator of the trace records it.
    pub const fn is_sampled(&self) -> bool {
        self.flags & SAMPLED != 0
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (trace, span) = (crate::hex::encode(&self.trace_id), crate::hex::encode(&self.span_id));
        write!(f, "00-{trace}-{span}-{:02x}", self.flags)
    }
}

/// So many bytes; the specification takes lower case only.
fn lower_hex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut read = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in read.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn what_follows_the_specification_is_read_and_written_alike() {
        for text in [EXAMPLE, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"] {
            let read = TraceParent::parse(text).unwrap();
            assert_eq!(read.to_string(), text);
            assert_eq!(read.is_sampled(), text == EXAMPLE);
        }
    }

    #[test]
    fn a_later_version_is_read_as_far_as_the_first_goes() {
        for text in [EXAMPLE.replacen("00", "cc", 1), format!("{}-more", EXAMPLE.replacen("00", "01", 1))] {
            assert_eq!(TraceParent::parse(&text).unwrap().to_string(), EXAMPLE, "{text}");
        }
    }

    #[test]
    fn what_does_not_follow_it_is_nothing() {
        for text in [
            "",
            "00",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.more",
            "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
            " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0\u{e4}",
        ] {
            assert_eq!(TraceParent::parse(text), None, "{text:?}");
        }
    }
}
