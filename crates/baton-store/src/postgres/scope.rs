//! What the use case that runs on a connection may do, and what it turns out to need. A use case cannot say beforehand which
//! networks and rows it needs, but it can be run again: where it asks for something that is not there yet it is stopped,
//! and what it asked for is noted here.

use baton_core::NetworkId;
use foldhash::{HashMap, HashSet};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::Row;

use super::parameter::Parameter;
use crate::error::Error;

/// How a use case runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It reads a snapshot.
    Read,
    /// Without a transaction, over what is known, to find out what it needs. It is stopped before it changes anything.
    Explore,
    /// In a batch, over rows in memory, under the locks of the networks that the batch was found to need.
    Batch,
    /// In a transaction of its own, by statements; under the locks of its networks.
    Alone,
    /// The same, with the whole database for itself.
    AloneWithAll,
}

/// Rows that a statement found.
pub(crate) type Found = Arc<Vec<Row>>;

/// A statement that was asked for and not answered.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) sql: String,
    pub(crate) parameters: Vec<Parameter>,
}

/// A statement and its parameters, as one key.
pub(crate) fn key_of(sql: &str, parameters: &[Parameter]) -> Vec<u8> {
    let mut key = Vec::with_capacity(sql.len() + 32);
    key.extend(sql.as_bytes());
    key.push(0);
    parameters.iter().for_each(|parameter| parameter.write_key(&mut key));
    key
}

/// What a use case was found to need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    /// The networks it reaches, in the order of their ids.
    pub(crate) networks: BTreeSet<NetworkId>,
    /// Those of them that it writes the first rows of.
    pub(crate) new: BTreeSet<NetworkId>,
    /// What it asked of the database.
    pub(crate) asks: Vec<Ask>,
    /// Whether it writes by statements, so that it needs a transaction of its own.
    pub(crate) alone: bool,
    /// Whether these concern more than the networks it reaches.
    pub(crate) all: bool,
    /// The locks of its own that it needs for them.
    pub(crate) guards: BTreeSet<Guard>,
    /// Whether it asked for the time, or for something that is known and may no longer hold.
    pub(crate) look: bool,
}

impl Needs {
    /// Whether it needs nothing of the database.
    pub(crate) fn is_nothing(&self) -> bool {
        self.networks.is_empty() && self.asks.is_empty() && !self.alone && !self.look
    }
}

/// The state of a connection between two ends of a transaction.
pub(crate) struct Scope {
    pub(crate) mode: Mode,
    /// The networks whose heads are locked, each with whether it has a head.
    pub(crate) locked: HashMap<NetworkId, bool>,
    /// The other locks that are held.
    pub(crate) guards: BTreeSet<Guard>,
    /// What the use case that runs needs.
    pub(crate) needs: Needs,
    /// Whether it was stopped for that.
    pub(crate) is_stopped: bool,
    /// Whether the transaction has given keys to networks. That is committed, whatever the use cases do: a key is nobody's
    /// row, and what is known of it holds then.
    pub(crate) has_new_keys: bool,
    /// The networks that it changes.
    pub(crate) changing: HashSet<NetworkId>,
    /// The networks that the transaction changes so far.
    pub(crate) changed: HashSet<NetworkId>,
    /// Whether commits of this server wait for a standby.
    pub(crate) is_replicated: bool,
    /// Whether a use case of the transaction is answered with success.
    pub(crate) has_done: bool,
    /// Statements that were answered together, before the use cases ran.
    pub(crate) answers: HashMap<Vec<u8>, Found>,
    /// Places and ids of events that can be given out in this transaction.
    pub(crate) places: VecDeque<i64>,
    pub(crate) events: VecDeque<i64>,
    /// The first error of this transaction. PostgreSQL undoes all of it then.
    pub(crate) failure: Option<Error>,
    /// How much longer statements may take.
    pub(crate) time_left: Option<Duration>,
    /// The command that begins the transaction, if it waits for the first statement to go with.
    pub(crate) begin: Option<&'static str>,
}

impl Scope {
    pub(crate) fn new(mode: Mode) -> Self {
        Self {
            mode,
            locked: HashMap::default(),
            guards: BTreeSet::new(),
            needs: Needs::default(),
            is_stopped: false,
            has_new_keys: false,
            changing: HashSet::default(),
            changed: HashSet::default(),
            is_replicated: false,
            has_done: false,
            answers: HashMap::default(),
            places: VecDeque::new(),
            events: VecDeque::new(),
            failure: None,
            time_left: None,
            begin: None,
        }
    }

    /// A use case begins, of which this is known.
    pub(crate) fn begin_use_case(&mut self, needs: Needs) {
        (self.needs, self.is_stopped) = (needs, false);
        self.changing.clear();
    }

    /// Whether an answer may rest on a commit that no standby has yet.
    pub(crate) fn confirms(&self) -> bool {
        self.is_replicated && self.has_done
    }

    /// Stops the use case that runs: what it asked for is noted, and it is run again.
    pub(crate) fn stop(&mut self) -> Error {
        self.is_stopped = true;
        Error::Conflict
    }

    /// A use case reads or changes something of a network.
    pub(crate) fn reach(&mut self, network: &NetworkId) -> Result<(), Error> {
        match self.mode {
            Mode::Read | Mode::AloneWithAll => Ok(()),
            Mode::Explore => {
                self.needs.networks.insert(network.clone());
                Ok(())
            }
            Mode::Batch | Mode::Alone if self.locked.contains_key(network) => Ok(()),
            Mode::Batch | Mode::Alone => {
                self.needs.networks.insert(network.clone());
                Err(self.stop())
            }
        }
    }

    /// A use case is about to change rows in memory.
    pub(crate) fn begin_change(&mut self, network: &NetworkId) -> Result<(), Error> {
        self.reach(network)?;
        if self.mode == Mode::Explore {
            // It has its first rows from then on.
            self.needs.new.insert(network.clone());
            return Err(self.stop());
        }
        if !self.changing.contains(network) {
            self.changing.insert(network.clone());
        }
        Ok(())
    }

    /// A use case is about to write by a statement: of one network, of anything, or only what it has in memory.
    pub(crate) fn begin_statement(&mut self, of: &Extent<'_>) -> Result<(), Error> {
        if let Extent::Network(network) | Extent::Beside(network) = of {
            self.reach(network)?;
        }
        if let Extent::Network(network) = of {
            self.changing.insert((*network).clone());
        }
        let needs_all = matches!(of, Extent::Everything);
        let guard = match of {
            Extent::Guarded(guard) => Some(*guard),
            Extent::Own | Extent::Network(_) | Extent::Beside(_) | Extent::Everything => None,
        };
        match self.mode {
            Mode::AloneWithAll => Ok(()),
            Mode::Alone if !needs_all && guard.is_none_or(|guard| self.guards.contains(&guard)) => Ok(()),
            Mode::Alone | Mode::Explore | Mode::Batch => {
                self.needs.alone = true;
                self.needs.all |= needs_all;
                self.needs.guards.extend(guard);
                Err(self.stop())
            }
            Mode::Read => Err(Error::Corrupt("a reader writes nothing".into())),
        }
    }
}

/// A lock for rows that belong to no network. Whoever holds it may hold the heads of networks too, which come after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Guard {
    /// Failed logins and tries of invite codes. Anybody can cause such writes, so they must not disturb those of networks.
    Attempts,
}

impl Guard {
    /// Its number among PostgreSQL's advisory locks.
    pub(crate) const fn number(self) -> i64 {
        match self {
            Self::Attempts => 0x6261_746f_6e01, // not a limit: "baton" and its place
        }
    }
}

/// What a statement that writes may concern.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent<'a> {
    /// What the use case itself has in memory, or rows by which nothing is decided: last calls, connections.
    Own,
    /// Rows of one network, of which nobody who does not hold its lock makes anything.
    Network(&'a NetworkId),
    /// The same for rows that no lane keeps in memory (tiles, bundles, checkpoints, receivers, workers): what is known of the
    /// network holds on.
    Beside(&'a NetworkId),
    /// Rows of no network that a lock of their own guards, and that no lane keeps in memory.
    Guarded(Guard),
    /// Any rows.
    Everything,
}
