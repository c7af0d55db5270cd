//! Small numbers inside the store: a network's key, the places of tasks and deliveries, the ids of events. Callers never
//! see a key, and see places and ids only inside sealed cursors.

use baton_core::NetworkId;
use rusqlite::params;

use super::columns::get;
use super::known::Numbers;
use super::rows::{Database, Rows};
use crate::error::Error;
use crate::postgres::Mode;

/// Rows of history and of feeds are numbered within their network, and have both in one key: so many bits are the number.
/// Statements that put the two together say `<< 40`.
const NUMBER_BITS: u32 = 40; // not a limit: a stored form

/// The key of a row with this number in a network. No row has the highest number, which stands for all higher ones.
pub(crate) const fn numbered(network: i64, number: i64) -> i64 {
    const HIGHEST: i64 = (1 << NUMBER_BITS) - 1; // not a limit: a stored form
    let number = if number < 0 {
        0
    } else if number > HIGHEST {
        HIGHEST
    } else {
        number
    };
    network << NUMBER_BITS | number
}

/// Stands for a network that has no key: nothing of it was ever written.
const NO_KEY: i64 = 0; // not a limit: a stored value

impl Rows<'_> {
    /// The key of a network; one that no row has if it has none.
    pub(crate) fn key(&self, network: &NetworkId) -> Result<i64, Error> {
        self.reach(network)?;
        let known = self.work().and_then(|work| work.borrow().known.networks.get(network)?.key);
        if let Some(key) = known {
            return Ok(key);
        }
        if let Database::Postgres(session) = self.database
            && session.has_head(network) == Some(false)
            && session.mode() == Mode::Batch
        {
            return Ok(NO_KEY);
        }
        let sql = "SELECT key FROM network_keys WHERE network_id = ?1";
        let Some(key) = self.look_up(sql, [network.as_str()], |row| get::<i64>(row, "key"))? else {
            return Ok(NO_KEY);
        };
        if let Some(work) = self.work() {
            work.borrow_mut().known.network(network).key = Some(key);
        }
        Ok(key)
    }

    /// The same, given out if it has none.
    pub(crate) fn key_to_write(&self, network: &NetworkId) -> Result<i64, Error> {
        match self.key(network)? {
            NO_KEY => {
                if let Database::Postgres(session) = self.database
                    && session.mode() == Mode::Batch
                {
                    return Err(session.need_key(network));
                }
                self.execute("INSERT INTO network_keys (network_id) VALUES (?1)", [network.as_str()])?;
                self.key(network)
            }
            key => Ok(key),
        }
    }

    /// The next place of a task or a delivery.
    pub(crate) fn next_place(&mut self) -> Result<i64, Error> {
        match self.database {
            Database::Sqlite(_) => self.number(Numbers::next_place),
            Database::Postgres(session) => session.next_place(),
        }
    }

    /// The next id of a row of history.
    pub(crate) fn next_event(&mut self) -> Result<i64, Error> {
        match self.database {
            Database::Sqlite(_) => self.number(Numbers::next_event),
            Database::Postgres(session) => session.next_event(),
        }
    }

    /// Numbers that a refused use case took are not given out again: nobody minds a gap.
    fn number(&self, next: impl FnOnce(&mut Numbers) -> i64) -> Result<i64, Error> {
        let Some(work) = self.work() else { return Err(Error::Corrupt("a reader numbers nothing".into())) };
        if work.borrow().known.numbers.is_none() {
            let sql = "SELECT place, event FROM numbers WHERE one = 1";
            let read =
                |row: &super::columns::Row<'_>| Ok(Numbers::reserved(get(row, "place")?, get(row, "event")?));
            let numbers = self.look_up(sql, params![], read)?;
            let numbers = numbers.ok_or_else(|| Error::Corrupt("nothing is numbered".into()))?;
            work.borrow_mut().known.numbers = Some(numbers);
        }
        let mut work = work.borrow_mut();
        work.known.numbers.as_mut().map(next).ok_or_else(|| Error::Corrupt("nothing is numbered".into()))
    }
}
