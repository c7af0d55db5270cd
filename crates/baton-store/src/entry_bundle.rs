//! An entry bundle: 256 consecutive entries of a log, packed for the disk. Events and packets are two columns, so that
//! events are read without their packets. A column is laid out as C2SP tlog-tiles lays out an entry bundle, each entry a
//! big-endian uint16 length and its bytes, and is compressed with zlib, whose checksum names a damaged one.
//!
//! An event or packet of more than 16 KiB stays out: the entry has length 0 in both columns and keeps its row in the
//! tail. So every length fits, and however an entry bundle came about, it inflates to a few megabytes at most.

use baton_core::limits::{ENTRY_BUNDLE_COUNT, ENTRY_BUNDLED_MAX_BYTES};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use std::ops::Range;

use crate::error::Error;

/// The smallest result for which packing and checking an event take less than 15 µs of a core. Measured with zlib-rs
/// (`cargo bench -p baton-store`), bytes and time for an event with its packet, 1,735 bytes of the hub's own: level 1
/// gives 264 bytes in 3.4 µs, 2 gives 175 in 6.6, 6 gives 157 in 9.2, 8 gives 155 in 12.7; the check adds 2.7. One stream
/// of events and packets side by side is a fifth smaller at level 2, and events alone are then read a quarter slower.
const LEVEL: u32 = 6; // not a limit: a level of compression, measured
/// Bytes of a length.
const LENGTH: usize = 2; // not a limit: the format of an entry bundle
/// The most a column inflates to.
const COLUMN_MAX_BYTES: usize = ENTRY_BUNDLE_COUNT * (LENGTH + ENTRY_BUNDLED_MAX_BYTES);
/// What columns of the hub's own events shrink to at least: how much room inflating one begins with.
const USUAL_RATIO: usize = 12; // not a limit: an estimate

/// An entry of a log: a canonical event and the packet it was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The event.
    pub event: Vec<u8>,
    /// The packet.
    pub packet: Vec<u8>,
}

/// 256 entries, compressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryBundle {
    events: Vec<u8>,
    packets: Vec<u8>,
    count: usize,
}

impl EntryBundle {
    /// Packs entries; none stands for one that keeps its own row.
    pub fn pack(entries: &[Option<Entry>]) -> Result<Self, Error> {
        Self::pack_at(LEVEL, entries)
    }

    /// The same at another level of zlib: `benches/entry_bundle.rs` compares them. Readers accept all of them.
    pub fn pack_at(level: u32, entries: &[Option<Entry>]) -> Result<Self, Error> {
        let part = |of: fn(&Entry) -> &[u8]| {
            column(level, entries.iter().map(|entry| entry.as_ref().map_or(&[][..], of)))
        };
        if entries.iter().flatten().any(|entry| entry.event.is_empty()) {
            return Err(Error::Corrupt("an entry without an event".into()));
        }
        Ok(Self {
            events: part(|entry| &entry.event)?,
            packets: part(|entry| &entry.packet)?,
            count: entries.iter().flatten().count(),
        })
    }

    /// The column of events; [`Entries::unpack`] reads it.
    #[must_use]
    pub fn events(&self) -> &[u8] {
        &self.events
    }

    /// The column of packets.
    #[must_use]
    pub fn packets(&self) -> &[u8] {
        &self.packets
    }

    /// How many entries are in it, and do not keep rows of their own.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }
}

/// Lays out and compresses a column.
fn column<'e>(level: u32, parts: impl ExactSizeIterator<Item = &'e [u8]>) -> Result<Vec<u8>, Error> {
    if parts.len() != ENTRY_BUNDLE_COUNT {
        return Err(Error::Corrupt(format!("an entry bundle of {} entries", parts.len())));
    }
    let mut bytes = Vec::new();
    for part in parts {
        let length = u16::try_from(part.len()).ok().filter(|_| part.len() <= ENTRY_BUNDLED_MAX_BYTES);
        let length = length.ok_or_else(|| Error::Corrupt(format!("an entry of {} bytes", part.len())))?;
        bytes.extend(length.to_be_bytes());
        bytes.extend(part);
    }
    deflate(level, &bytes)
}

fn deflate(level: u32, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut engine = Compress::new(Compression::new(level), true);
    let mut out = Vec::with_capacity(bytes.len() / USUAL_RATIO + 1024);
    loop {
        let read = usize::try_from(engine.total_in()).unwrap_or(usize::MAX);
        let rest = bytes.get(read..).unwrap_or_default();
        let status = engine.compress_vec(rest, &mut out, FlushCompress::Finish);
        match status.map_err(|error| Error::Corrupt(format!("an entry bundle: {error}")))? {
            Status::StreamEnd => return Ok(out),
            Status::Ok | Status::BufError => out.reserve(out.capacity()),
        }
    }
}

/// One column of an entry bundle, inflated.
#[derive(Debug)]
pub struct Entries {
    bytes: Vec<u8>,
    parts: Vec<Range<usize>>,
}

impl Entries {
    /// Inflates a column. One that is damaged, or not of 256 entries, is refused; none takes more memory than the largest
    /// column there can be.
    pub fn unpack(packed: &[u8]) -> Result<Self, Error> {
        let bytes = inflate(packed).map_err(Error::Corrupt)?;
        let mut parts = Vec::with_capacity(ENTRY_BUNDLE_COUNT);
        let mut at = 0;
        while at < bytes.len() {
            if parts.len() == ENTRY_BUNDLE_COUNT {
                return Err(Error::Corrupt(format!("it has more than {ENTRY_BUNDLE_COUNT} entries")));
            }
            let length = bytes.get(at..at + LENGTH).and_then(|length| <[u8; LENGTH]>::try_from(length).ok());
            let length = length.map(|length| usize::from(u16::from_be_bytes(length)));
            let part = length.map(|length| at + LENGTH..at + LENGTH + length);
            let part = part.filter(|part| part.end <= bytes.len() && part.len() <= ENTRY_BUNDLED_MAX_BYTES);
            let part = part.ok_or_else(|| Error::Corrupt(format!("its entry {} is cut", parts.len())))?;
            at = part.end;
            parts.push(part);
        }
        match parts.len() {
            ENTRY_BUNDLE_COUNT => Ok(Self { bytes, parts }),
            count => Err(Error::Corrupt(format!("it has {count} entries, not {ENTRY_BUNDLE_COUNT}"))),
        }
    }

    /// The entry of this number, from 0; empty if it keeps a row of its own, or if there is none.
    #[must_use]
    pub fn get(&self, number: usize) -> &[u8] {
        self.parts.get(number).and_then(|part| self.bytes.get(part.clone())).unwrap_or_default()
    }
}

/// Inflates a whole stream with nothing after it, up to the largest column.
fn inflate(packed: &[u8]) -> Result<Vec<u8>, String> {
    let mut engine = Decompress::new(true);
    let mut out = Vec::with_capacity(packed.len().saturating_mul(USUAL_RATIO).min(COLUMN_MAX_BYTES));
    loop {
        let read = usize::try_from(engine.total_in()).unwrap_or(usize::MAX);
        let rest = packed.get(read..).unwrap_or_default();
        let before = (engine.total_in(), out.len());
        let status = engine.decompress_vec(rest, &mut out, FlushDecompress::None);
        let status = status.map_err(|error| format!("it cannot be inflated: {error}"))?;
        if out.len() > COLUMN_MAX_BYTES {
            return Err(format!("it inflates to more than {COLUMN_MAX_BYTES} bytes"));
        }
        if status == Status::StreamEnd {
            let left = packed.len() as u64 - engine.total_in();
            return if left == 0 { Ok(out) } else { Err(format!("{left} bytes follow its end")) };
        }
        let is_full = out.len() == out.capacity();
        if !is_full && before == (engine.total_in(), out.len()) {
            return Err("it cannot be inflated: it is cut short".into());
        }
        if is_full {
            // One byte past the bound is how a stream shows that it continues.
            out.reserve_exact(out.len().max(4096).min(COLUMN_MAX_BYTES + 1 - out.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Option<Entry>> {
        let entry = |n: usize| Entry {
            event: format!("event {n} ").repeat(n % 7 + 1).into_bytes(),
            packet: format!("packet {n}").into_bytes(),
        };
        (0..ENTRY_BUNDLE_COUNT).map(|n| (n % 50 != 3).then(|| entry(n))).collect()
    }

    fn laid_out(parts: &[&[u8]]) -> Vec<u8> {
        parts.iter().flat_map(|part| [&(part.len() as u16).to_be_bytes()[..], part].concat()).collect()
    }

    fn why(packed: &[u8]) -> String {
        Entries::unpack(packed).unwrap_err().cause()
    }

    #[test]
    fn entries_come_back_byte_for_byte_and_those_with_rows_of_their_own_are_empty() {
        let entries = entries();
        let packed = EntryBundle::pack(&entries).unwrap();
        assert_eq!(packed.count(), 250);
        let (events, packets) =
            (Entries::unpack(&packed.events).unwrap(), Entries::unpack(&packed.packets).unwrap());
        for (n, entry) in entries.iter().enumerate() {
            assert_eq!(events.get(n), entry.as_ref().map_or(&[][..], |entry| &entry.event));
            assert_eq!(packets.get(n), entry.as_ref().map_or(&[][..], |entry| &entry.packet));
        }
        assert_eq!(events.get(ENTRY_BUNDLE_COUNT), b"");
    }

    #[test]
    fn the_longest_entries_of_random_bytes_fit_and_longer_ones_are_refused() {
        let noise = |n: usize| {
            (0..ENTRY_BUNDLED_MAX_BYTES).map(|i| ((i * i * 31 + i * n + n * n * 7) >> 3) as u8).collect()
        };
        let full: Vec<_> =
            (0..ENTRY_BUNDLE_COUNT).map(|n| Some(Entry { event: noise(n), packet: noise(n + 1) })).collect();
        let packed = EntryBundle::pack(&full).unwrap();
        assert_eq!(Entries::unpack(&packed.events).unwrap().get(255), noise(255));
        let mut long = entries();
        long[9] = Some(Entry { event: b"e".to_vec(), packet: vec![0; ENTRY_BUNDLED_MAX_BYTES + 1] });
        assert!(EntryBundle::pack(&long).is_err());
        long[9] = Some(Entry { event: Vec::new(), packet: b"p".to_vec() });
        assert!(EntryBundle::pack(&long).is_err());
        assert!(EntryBundle::pack(&entries()[1..]).is_err());
    }

    #[test]
    fn a_damaged_column_is_refused_with_its_reason() {
        let packed = EntryBundle::pack(&entries()).unwrap().events;
        for cut in [0, 1, packed.len() / 2, packed.len() - 1] {
            assert!(why(&packed[..cut]).contains("cut short"), "{cut}: {}", why(&packed[..cut]));
        }
        assert_eq!(why(&[&packed[..], b"x"].concat()), "1 bytes follow its end");
        let whole = Entries::unpack(&packed).unwrap().bytes;
        for at in 0..packed.len() {
            let mut flipped = packed.clone();
            flipped[at] ^= 0x10;
            // A repetition may be copied from elsewhere; other bytes never pass the checksum.
            assert!(Entries::unpack(&flipped).map_or(true, |entries| entries.bytes == whole), "byte {at}");
        }
        let few = deflate(LEVEL, &laid_out(&[b"one", b"two"])).unwrap();
        assert_eq!(why(&few), "it has 2 entries, not 256");
        let many = deflate(LEVEL, &laid_out(&[&b"x"[..]; ENTRY_BUNDLE_COUNT + 1])).unwrap();
        assert_eq!(why(&many), "it has more than 256 entries");
        let torn = deflate(LEVEL, &[laid_out(&[b"one"]), vec![0, 9, b'x']].concat()).unwrap();
        assert_eq!(why(&torn), "its entry 1 is cut");
    }

    #[test]
    fn a_column_that_inflates_without_end_is_stopped_at_the_bound() {
        let bomb = deflate(LEVEL, &vec![0; 64 << 20]).unwrap();
        assert!(bomb.len() < 100_000, "{}", bomb.len());
        assert_eq!(why(&bomb), format!("it inflates to more than {COLUMN_MAX_BYTES} bytes"));
        let full = deflate(LEVEL, &vec![0; COLUMN_MAX_BYTES]).unwrap();
        assert_eq!(why(&full), "it has more than 256 entries", "the bound itself is allowed");
    }
}
