//! Entry bundles of a log, as a test meets them in the database: waiting for them, and changing them behind the hub's back.

use baton_store::{Entries, Entry, EntryBundle};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, params};
use std::io::Write;
use std::path::Path;

use super::work::worker::eventually;

/// Entries of a bundle.
pub(crate) const COUNT: usize = 256;

/// How many entries of a network's log are in bundles.
pub(crate) fn bundled(folder: &Path, network: &str) -> i64 {
    let database = Connection::open(folder.join("hub.db")).unwrap();
    let sql = "SELECT COALESCE(MAX(bundled), 0) FROM logs WHERE network_id = ?1";
    database.query_row(sql, [network], |row| row.get(0)).unwrap()
}

/// Waits until so many are; a hub moves them in the background.
pub(crate) fn wait_until_bundled(folder: &Path, network: &str, count: i64) {
    eventually("an entry bundle", || (bundled(folder, network) >= count).then_some(()));
}

/// The entries of the bundle at this place; none for one that keeps a row of its own.
pub(crate) fn entries(database: &Connection, first: i64) -> Vec<Option<Entry>> {
    let sql = "SELECT events, packets FROM entry_bundles WHERE first = ?1";
    let columns = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let (events, packets): (Vec<u8>, Vec<u8>) = database.query_row(sql, [first], columns).unwrap();
    let entries = Entries::unpack(&events, Some(&packets)).unwrap();
    let entry = |n| Entry { event: entries.event(n).to_vec(), packet: entries.packet(n).to_vec() };
    (0..COUNT).map(|n| (!entries.event(n).is_empty()).then(|| entry(n))).collect()
}

/// Packs a bundle again after a change to its entries.
pub(crate) fn repack(database: &Connection, first: i64, change: impl FnOnce(&mut Vec<Option<Entry>>)) {
    let mut changed = entries(database, first);
    change(&mut changed);
    let bundle = EntryBundle::pack(&changed).unwrap();
    let sql = "UPDATE entry_bundles SET events = ?2, packets = x'' WHERE first = ?1";
    assert_eq!(database.execute(sql, params![first, bundle.bytes()]).unwrap(), 1);
}

/// A column of as many entries as there are, as bundles had two of before schema 35.
pub(crate) fn column<'e>(parts: impl IntoIterator<Item = &'e [u8]>) -> Vec<u8> {
    let mut column = ZlibEncoder::new(Vec::new(), Compression::fast());
    for part in parts {
        column.write_all(&u16::try_from(part.len()).unwrap().to_be_bytes()).unwrap();
        column.write_all(part).unwrap();
    }
    column.finish().unwrap()
}

/// Rewrites a bundle as hubs before schema 35 stored it: events and packets in columns of their own.
pub(crate) fn as_columns(database: &Connection, first: i64) {
    let entries = entries(database, first);
    let part =
        |of: fn(&Entry) -> &[u8]| column(entries.iter().map(|entry| entry.as_ref().map_or(&[][..], of)));
    let sql = "UPDATE entry_bundles SET events = ?2, packets = ?3 WHERE first = ?1";
    let columns = params![first, part(|entry| &entry.event), part(|entry| &entry.packet)];
    assert_eq!(database.execute(sql, columns).unwrap(), 1);
}
