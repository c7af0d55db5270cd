//! The tar inside a bundle. Readers of tar disagree on nearly everything beyond a plain header (PAX and GNU
//! records, prefixes, odd size fields), so only headers on which they cannot differ are taken or written.

use std::io::{self, Read, Write};
use std::path::{Component, Path};

use super::limits;
use super::refusal::{Code, Place, Refusal};
use super::{EVENTS, MANIFEST};

/// Which of the two members a header names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum File {
    Manifest,
    Events,
}

/// Reads a plain header: the member it names and that member's size.
pub(super) fn read_header(header: &tar::Header, place: Place) -> Result<(File, u64), Refusal> {
    if let Some(reason) = not_plain(header) {
        return Err(Refusal::new(Code::Tar, place, reason));
    }
    let name = header.path_bytes();
    if name.len() > limits::NAME_BYTES {
        let message = format!("the name is longer than {} bytes", limits::NAME_BYTES);
        return Err(Refusal::new(Code::NameBytes, place, message));
    }
    let size = header.size().map_err(|_| Refusal::new(Code::Tar, place, "the size is not a number"))?;
    let name = std::str::from_utf8(&name).unwrap_or_default(); // no allowed name: refused below
    let bound = if name == MANIFEST { limits::MANIFEST_BYTES } else { limits::EVENTS_BYTES };
    if size > bound {
        return Err(Refusal::new(Code::FileBytes, place, format!("larger than {bound} bytes")));
    }
    if Path::new(name).components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(Refusal::new(Code::Path, place, "the name leads out of its folder"));
    }
    match name {
        MANIFEST => Ok((File::Manifest, size)),
        EVENTS => Ok((File::Events, size)),
        _ => {
            Err(Refusal::new(Code::UnexpectedFile, place, "only manifest.json and events.ndjson belong here"))
        }
    }
}

fn not_plain(header: &tar::Header) -> Option<&'static str> {
    let bytes = header.as_bytes();
    if !matches!(bytes[156], b'0' | b'\0') {
        return Some("not a plain file");
    }
    if bytes[157..257].iter().chain(&bytes[345..]).any(|&byte| byte != 0) {
        return Some("the header carries a link name or a name prefix");
    }
    if header.path_bytes().ends_with(b"/") {
        return Some("the name ends in a slash");
    }
    let size = &bytes[124..136];
    if !size[..11].iter().all(|digit| (b'0'..=b'7').contains(digit)) || !matches!(size[11], b'\0' | b' ') {
        return Some("the size is not eleven octal digits");
    }
    None
}

/// A member's bytes, all that its header announced: an archive that ends before is an error, not an end.
#[derive(Debug)]
pub(super) struct Announced<R> {
    member: R,
    left: u64,
}

impl<R: Read> Announced<R> {
    pub(super) fn new(member: R, size: u64) -> Self {
        Self { member, left: size }
    }
}

impl<R: Read> Read for Announced<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.member.read(buffer)?;
        if count == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= count as u64; // the archive reader gives no more than the header announced
        Ok(count)
    }
}

/// Starts a member: its header. Its bytes and the padding are to follow.
pub(super) fn write_header(out: &mut impl Write, name: &str, size: u64) -> io::Result<()> {
    let mut header = tar::Header::new_ustar();
    header.set_path(name)?;
    header.set_size(size);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_entry_type(tar::EntryType::Regular);
    header.set_cksum();
    out.write_all(header.as_bytes())
}

/// Fills a member of `size` bytes up to the next block.
pub(super) fn write_padding(out: &mut impl Write, size: u64) -> io::Result<()> {
    let short = (512 - size % 512) % 512;
    out.write_all(&[0; 512][..short as usize])
}

/// The two empty blocks that end an archive.
pub(super) fn write_end(out: &mut impl Write) -> io::Result<()> {
    out.write_all(&[0; END_BYTES as usize])
}

/// Blocks that a member of this size takes, its header among them, in bytes.
pub(super) const fn member_bytes(size: u64) -> u64 {
    512 + size.next_multiple_of(512)
}

/// Whether an archive of this many bytes, whose members end at `end`, is whole: POSIX (pax, "ustar Interchange Format")
/// ends an archive with two empty blocks, and without them it may have been cut. More empty blocks may follow.
pub(super) const fn is_ended(end: u64, bytes: u64) -> bool {
    bytes >= end + END_BYTES && bytes.is_multiple_of(512)
}

const END_BYTES: u64 = 1024; // not a limit: the format of tar
