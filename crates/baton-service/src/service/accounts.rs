//! Accounts: users and their sessions and tokens, networks and who is in them, and how much each may have. One file per
//! noun; each has its verbs as functions, with their arguments and answers.

pub mod aliases;
pub mod audit_log;
pub mod invitations;
pub mod invites;
pub mod members;
pub mod networks;
pub mod passwords;
pub mod quotas;
pub mod registration;
pub mod remote_keys;
pub mod remotes;
pub mod removal;
pub mod sessions;
pub mod tokens;
pub mod users;

use baton_core::{Action, Caller, NetworkId, UserCaller};
use baton_store::Snapshot;
use baton_store::rows::PageBounds;

use super::page::{self, Cursors, PageArgs};
use super::{Error, permit};
use crate::hub::Hub;

/// A page of a list that belongs to a network, as a user asks for it; node tokens are turned away.
struct NetworkList<K> {
    user: UserCaller,
    network: NetworkId,
    cursors: Cursors,
    bounds: PageBounds,
    /// Where the page begins.
    after: Option<K>,
}

impl<K: page::CursorPosition> NetworkList<K> {
    fn read(
        hub: &Hub,
        caller: &Caller,
        network_id: &str,
        args: &PageArgs,
        list: &'static str,
    ) -> Result<Self, Error> {
        let user = permit::account(caller)?.clone();
        let network = permit::network_id(network_id)?;
        let cursors = page::cursors(hub, caller, list);
        let (bounds, after) = (args.bounds()?, args.place(&cursors)?);
        Ok(Self { user, network, cursors, bounds, after })
    }

    fn permit(&self, rows: &dyn Snapshot, action: Action<'_>) -> Result<(), Error> {
        permit::user_in(rows, &self.user, &self.network, action).map(drop)
    }

    /// The cursor of the page after one that ends here.
    fn next(&self, place: Option<K>) -> Option<String> {
        self.cursors.next(place)
    }
}
