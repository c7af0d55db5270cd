//! An entry bundle: 256 consecutive entries of a log, packed for the disk. Each entry is a big-endian uint16 length and the
//! event, and the same of its packet, so that what the two have in common lies close together; one zstd frame with a
//! checksum holds all of them.
//!
//! An event or packet of more than 16 KiB stays out: the entry has length 0 twice and keeps its row in the
//! tail. So every length fits, and however an entry bundle came about, it unpacks to a few megabytes at most.
//!
//! Bundles from before schema 35 are two columns, events and packets, each laid out as C2SP tlog-tiles lays out an entry
//! bundle and compressed with zlib (`zlib_column.rs`). They stay as they are, and are read here too.

use baton_core::limits::{ENTRY_BUNDLE_COUNT, ENTRY_BUNDLED_MAX_BYTES};
use std::ops::Range;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{find_frame_compressed_size, get_frame_content_size};

use crate::error::Error;
use crate::zlib_column;

/// The smallest result below level 7. Measured on events of the hub's own, 1,704 bytes with their packet: level 1 gives 116
/// bytes, 2 gives 117, 3 to 5 give 120 to 125, 6 gives 115 and 12 gives 110, each more slowly than the one before. Two
/// zlib columns at level 6 were 156.
const LEVEL: i32 = 1; // not a limit: a level of compression, measured
/// Bytes of a length.
pub(crate) const LENGTH: usize = 2; // not a limit: the format of an entry bundle
/// The most a bundle unpacks to.
const MAX_BYTES: usize = ENTRY_BUNDLE_COUNT * 2 * (LENGTH + ENTRY_BUNDLED_MAX_BYTES); // not a limit: the two it is made of are
/// How a zstd frame begins; a zlib stream never does.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd]; // not a limit: RFC 8878

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
    packed: Vec<u8>,
    count: usize,
}

impl EntryBundle {
    /// Packs entries; none stands for one that keeps its own row.
    pub fn pack(entries: &[Option<Entry>]) -> Result<Self, Error> {
        Self::pack_at(LEVEL, entries)
    }

    /// The same at another level of zstd: `benches/entry_bundle.rs` compares them. Readers accept all of them.
    pub fn pack_at(level: i32, entries: &[Option<Entry>]) -> Result<Self, Error> {
        let packed = compress(level, &laid_out(entries)?)?;
        Ok(Self { packed, count: entries.iter().flatten().count() })
    }

    /// What is stored in the column `events`. The column `packets` is empty: packets lie beside their events.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.packed
    }

    /// How many entries are in it, and do not keep rows of their own.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }
}

fn laid_out(entries: &[Option<Entry>]) -> Result<Vec<u8>, Error> {
    if entries.len() != ENTRY_BUNDLE_COUNT {
        return Err(Error::Corrupt(format!("an entry bundle of {} entries", entries.len())));
    }
    let mut bytes = Vec::new();
    for entry in entries {
        let (event, packet) =
            entry.as_ref().map_or((&[][..], &[][..]), |entry| (&entry.event, &entry.packet));
        if entry.is_some() && event.is_empty() {
            return Err(Error::Corrupt("an entry without an event".into()));
        }
        for part in [event, packet] {
            let length = u16::try_from(part.len()).ok().filter(|_| part.len() <= ENTRY_BUNDLED_MAX_BYTES);
            let length = length.ok_or_else(|| Error::Corrupt(format!("an entry of {} bytes", part.len())))?;
            bytes.extend(length.to_be_bytes());
            bytes.extend(part);
        }
    }
    Ok(bytes)
}

fn compress(level: i32, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let compressed = Compressor::new(level).and_then(|mut engine| {
        // The checksum names a bundle that was damaged.
        engine.include_checksum(true)?;
        engine.compress(bytes)
    });
    compressed.map_err(|error| Error::Corrupt(format!("an entry bundle: {error}")))
}

/// The entries of a bundle, unpacked.
#[derive(Debug)]
pub struct Entries {
    bytes: Vec<u8>,
    events: Vec<Range<usize>>,
    packets: Vec<Range<usize>>,
}

impl Entries {
    /// Unpacks the columns `events` and `packets` of a bundle; packets may be left out if nobody asks for them. A bundle that is
    /// damaged, or not of 256 entries, is refused; none takes more memory than the largest there can be.
    pub fn unpack(events: &[u8], packets: Option<&[u8]>) -> Result<Self, Error> {
        let unpacked = match events.starts_with(&ZSTD) {
            true => Self::of_frame(events, packets.unwrap_or_default()),
            false => Self::of_columns(events, packets),
        };
        unpacked.map_err(Error::Corrupt)
    }

    fn of_frame(frame: &[u8], packets: &[u8]) -> Result<Self, String> {
        if !packets.is_empty() {
            return Err(format!("{} bytes of packets stand beside it", packets.len()));
        }
        let bytes = decompress(frame)?;
        let parts = parts(&bytes, 2 * ENTRY_BUNDLE_COUNT)?;
        let every_other = |first: usize| parts.iter().skip(first).step_by(2).cloned().collect();
        Ok(Self { events: every_other(0), packets: every_other(1), bytes })
    }

    fn of_columns(events: &[u8], packets: Option<&[u8]>) -> Result<Self, String> {
        let mut bytes = zlib_column::inflate(events).map_err(|error| format!("its events: {error}"))?;
        let events = parts(&bytes, ENTRY_BUNDLE_COUNT).map_err(|error| format!("its events: {error}"))?;
        let Some(packets) = packets else { return Ok(Self { bytes, events, packets: Vec::new() }) };
        let column = zlib_column::inflate(packets).map_err(|error| format!("its packets: {error}"))?;
        let packets = parts(&column, ENTRY_BUNDLE_COUNT).map_err(|error| format!("its packets: {error}"))?;
        let start = bytes.len();
        bytes.extend(column);
        let packets = packets.into_iter().map(|part| start + part.start..start + part.end).collect();
        Ok(Self { bytes, events, packets })
    }

    /// The event of this number, from 0; empty if its entry keeps a row of its own, or if there is none.
    #[must_use]
    pub fn event(&self, number: usize) -> &[u8] {
        self.part(&self.events, number)
    }

    /// The packet of this number.
    #[must_use]
    pub fn packet(&self, number: usize) -> &[u8] {
        self.part(&self.packets, number)
    }

    fn part(&self, parts: &[Range<usize>], number: usize) -> &[u8] {
        parts.get(number).and_then(|part| self.bytes.get(part.clone())).unwrap_or_default()
    }
}

/// Where parts with their lengths in front lie; there have to be this many.
fn parts(bytes: &[u8], count: usize) -> Result<Vec<Range<usize>>, String> {
    let mut parts = Vec::with_capacity(count);
    let mut at = 0;
    while at < bytes.len() {
        if parts.len() == count {
            return Err(format!("more follows its {ENTRY_BUNDLE_COUNT} entries"));
        }
        let length = bytes.get(at..at + LENGTH).and_then(|length| <[u8; LENGTH]>::try_from(length).ok());
        let length = length.map(|length| usize::from(u16::from_be_bytes(length)));
        let part = length.map(|length| at + LENGTH..at + LENGTH + length);
        let part = part.filter(|part| part.end <= bytes.len() && part.len() <= ENTRY_BUNDLED_MAX_BYTES);
        let part =
            part.ok_or_else(|| format!("its entry {} is cut", parts.len() * ENTRY_BUNDLE_COUNT / count))?;
        at = part.end;
        parts.push(part);
    }
    match parts.len() {
        found if found == count => Ok(parts),
        found => {
            Err(format!("it has {} entries, not {ENTRY_BUNDLE_COUNT}", found * ENTRY_BUNDLE_COUNT / count))
        }
    }
}

/// Unpacks a whole frame with nothing after it, up to the largest bundle. The frame says how much it unpacks to, and gets
/// no more room than that.
fn decompress(frame: &[u8]) -> Result<Vec<u8>, String> {
    let broken = |what: &str| format!("it cannot be unpacked: {what}");
    let size =
        get_frame_content_size(frame).ok().flatten().ok_or_else(|| broken("its beginning is damaged"))?;
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if size > MAX_BYTES {
        return Err(format!("it unpacks to more than {MAX_BYTES} bytes"));
    }
    match find_frame_compressed_size(frame) {
        Ok(length) if length < frame.len() => {
            return Err(format!("{} bytes follow its end", frame.len() - length));
        }
        Ok(_) => {}
        Err(_) => return Err(broken("it is cut short or damaged")),
    }
    let unpacked = Decompressor::new().and_then(|mut engine| engine.decompress(frame, size));
    unpacked.map_err(|error| broken(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zlib_column::deflate;

    fn entries() -> Vec<Option<Entry>> {
        let entry = |n: usize| Entry {
            event: format!("event {n} ").repeat(n % 7 + 1).into_bytes(),
            packet: format!("packet {n}").into_bytes(),
        };
        (0..ENTRY_BUNDLE_COUNT).map(|n| (n % 50 != 3).then(|| entry(n))).collect()
    }

    fn with_lengths<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> Vec<u8> {
        parts.into_iter().flat_map(|part| [&(part.len() as u16).to_be_bytes()[..], part].concat()).collect()
    }

    fn frame(bytes: &[u8]) -> Vec<u8> {
        compress(LEVEL, bytes).unwrap()
    }

    fn why(events: &[u8], packets: &[u8]) -> String {
        Entries::unpack(events, Some(packets)).unwrap_err().cause()
    }

    fn assert_same(unpacked: &Entries, entries: &[Option<Entry>]) {
        for (n, entry) in entries.iter().enumerate() {
            assert_eq!(unpacked.event(n), entry.as_ref().map_or(&[][..], |entry| &entry.event));
            assert_eq!(unpacked.packet(n), entry.as_ref().map_or(&[][..], |entry| &entry.packet));
        }
        assert_eq!(unpacked.event(ENTRY_BUNDLE_COUNT), b"");
    }

    #[test]
    fn entries_come_back_byte_for_byte_and_those_with_rows_of_their_own_are_empty() {
        let entries = entries();
        let packed = EntryBundle::pack(&entries).unwrap();
        assert_eq!(packed.count(), 250);
        assert_same(&Entries::unpack(packed.bytes(), Some(b"")).unwrap(), &entries);
        assert_same(&Entries::unpack(packed.bytes(), None).unwrap(), &entries);
    }

    #[test]
    fn a_bundle_of_two_zlib_columns_is_read_as_it_always_was() {
        let entries = entries();
        let column = |of: fn(&Entry) -> &[u8]| {
            deflate(&with_lengths(entries.iter().map(|entry| entry.as_ref().map_or(&[][..], of))))
        };
        let (events, packets) = (column(|entry| &entry.event), column(|entry| &entry.packet));
        assert_same(&Entries::unpack(&events, Some(&packets)).unwrap(), &entries);
        let without = Entries::unpack(&events, None).unwrap();
        assert_eq!((without.event(1), without.packet(1)), (&b"event 1 event 1 "[..], &b""[..]));
        assert!(why(&events[..9], &packets).contains("its events: it cannot be inflated: it is cut short"));
        assert!(why(&events, &packets[..9]).contains("its packets: it cannot be inflated: it is cut short"));
        assert_eq!(why(&events, &[&packets[..], b"x"].concat()), "its packets: 1 bytes follow its end");
        let few = deflate(&with_lengths([&b"one"[..], b"two"]));
        assert_eq!(why(&few, &packets), "its events: it has 2 entries, not 256");
        let many = deflate(&with_lengths([&b"x"[..]; ENTRY_BUNDLE_COUNT + 1]));
        assert_eq!(why(&many, &packets), "its events: more follows its 256 entries");
    }

    #[test]
    fn the_longest_entries_of_random_bytes_fit_and_longer_ones_are_refused() {
        let noise = |n: usize| {
            (0..ENTRY_BUNDLED_MAX_BYTES).map(|i| ((i * i * 31 + i * n + n * n * 7) >> 3) as u8).collect()
        };
        let full: Vec<_> =
            (0..ENTRY_BUNDLE_COUNT).map(|n| Some(Entry { event: noise(n), packet: noise(n + 1) })).collect();
        assert_eq!(laid_out(&full).unwrap().len(), MAX_BYTES);
        let packed = EntryBundle::pack(&full).unwrap();
        assert_same(&Entries::unpack(packed.bytes(), None).unwrap(), &full);
        let mut long = entries();
        long[9] = Some(Entry { event: b"e".to_vec(), packet: vec![0; ENTRY_BUNDLED_MAX_BYTES + 1] });
        assert!(EntryBundle::pack(&long).is_err());
        long[9] = Some(Entry { event: Vec::new(), packet: b"p".to_vec() });
        assert!(EntryBundle::pack(&long).is_err());
        assert!(EntryBundle::pack(&entries()[1..]).is_err());
    }

    #[test]
    fn a_damaged_bundle_is_refused_with_its_reason() {
        let packed = EntryBundle::pack(&entries()).unwrap().packed;
        for cut in [4, 8, packed.len() / 2, packed.len() - 1] {
            assert!(why(&packed[..cut], b"").contains("it cannot be unpacked: "), "{cut}");
        }
        assert!(why(b"", b"").contains("it cannot be inflated"));
        assert_eq!(why(&[&packed[..], b"x"].concat(), b""), "1 bytes follow its end");
        let twice = [&packed[..], &packed].concat();
        assert_eq!(why(&twice, b""), format!("{} bytes follow its end", packed.len()));
        assert_eq!(why(&packed, b"abc"), "3 bytes of packets stand beside it");
        let whole = Entries::unpack(&packed, None).unwrap().bytes;
        for at in 0..packed.len() {
            let mut flipped = packed.clone();
            flipped[at] ^= 0x10;
            // A repetition may be copied from elsewhere; other bytes never pass the checksum.
            assert!(
                Entries::unpack(&flipped, None).map_or(true, |entries| entries.bytes == whole),
                "byte {at}"
            );
        }
        assert_eq!(why(&frame(&with_lengths([&b"one"[..], b"two"])), b""), "it has 1 entries, not 256");
        let many = frame(&with_lengths([&b"x"[..]; 2 * ENTRY_BUNDLE_COUNT + 1]));
        assert_eq!(why(&many, b""), "more follows its 256 entries");
        let torn = frame(&[with_lengths([&b"one"[..], b"1", b"two"]), vec![0, 9, b'x']].concat());
        assert_eq!(why(&torn, b""), "its entry 1 is cut");
    }

    #[test]
    fn a_bundle_that_unpacks_without_end_is_stopped_at_the_bound() {
        let bomb = frame(&vec![0; 64 << 20]);
        assert!(bomb.len() < 100_000, "{}", bomb.len());
        assert_eq!(why(&bomb, b""), format!("it unpacks to more than {MAX_BYTES} bytes"));
        let full = frame(&vec![0; MAX_BYTES]);
        assert_eq!(why(&full, b""), "more follows its 256 entries", "the bound itself is allowed");
    }
}
