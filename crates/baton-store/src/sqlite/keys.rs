//! Small numbers inside the store: a network's key, the places of tasks and deliveries, the ids of events. Callers never
//! see a key, and see places and ids only inside sealed cursors.

use baton_core::NetworkId;
use rusqlite::{Connection, params};

use super::columns::get;
use super::rows::Rows;
use crate::error::Error;

/// Stands for a network that has no key: nothing of it was ever written.
const NO_KEY: i64 = 0;

/// The newest numbers given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    place: i64,
    event: i64,
}

impl Numbers {
    pub(super) fn write(self, connection: &Connection) -> Result<(), Error> {
        let sql = "UPDATE numbers SET place = ?1, event = ?2 WHERE one = 1";
        connection.prepare_cached(sql)?.execute(params![self.place, self.event])?;
        Ok(())
    }
}

impl Rows<'_> {
    /// The key of a network; one that no row has if it has none.
    pub(super) fn key(&self, network: &NetworkId) -> Result<i64, Error> {
        if let Some(key) = self.keys.borrow().get(network) {
            return Ok(*key);
        }
        let sql = "SELECT key FROM network_keys WHERE network_id = ?1";
        let Some(key) = self.one(sql, [network.as_str()], |row| get::<i64>(row, "key"))? else {
            return Ok(NO_KEY);
        };
        self.keys.borrow_mut().insert(network.clone(), key);
        Ok(key)
    }

    /// The same, given out if it has none.
    pub(super) fn key_to_write(&self, network: &NetworkId) -> Result<i64, Error> {
        match self.key(network)? {
            NO_KEY => {
                self.execute("INSERT INTO network_keys (network_id) VALUES (?1)", [network.as_str()])?;
                self.key(network)
            }
            key => Ok(key),
        }
    }

    /// The next place of a task or a delivery.
    pub(super) fn next_place(&mut self) -> Result<i64, Error> {
        let numbers = self.numbers()?;
        let next = Numbers { place: numbers.place + 1, ..numbers };
        self.staged.counts.set_numbers(next);
        Ok(next.place)
    }

    /// The next id of a row of history.
    pub(super) fn next_event(&mut self) -> Result<i64, Error> {
        let numbers = self.numbers()?;
        let next = Numbers { event: numbers.event + 1, ..numbers };
        self.staged.counts.set_numbers(next);
        Ok(next.event)
    }

    fn numbers(&self) -> Result<Numbers, Error> {
        if let Some(known) = self.staged.counts.numbers().or(self.counted.numbers()) {
            return Ok(known);
        }
        // The right edges of three b-trees, once a batch: a row that came by another way has its number, too.
        let sql = "/* scans */ SELECT
                MAX(place, COALESCE((SELECT MAX(seq) FROM tasks), 0),
                    COALESCE((SELECT MAX(seq) FROM deliveries), 0)) AS place,
                MAX(event, COALESCE((SELECT MAX(id) FROM task_events), 0)) AS event
            FROM numbers WHERE one = 1";
        let read =
            self.one(sql, [], |row| Ok(Numbers { place: get(row, "place")?, event: get(row, "event")? }))?;
        read.ok_or_else(|| Error::Corrupt("nothing is numbered".into()))
    }
}
