//! What a stream is about: somebody's events in a network, or all of a network's. Found from the path and the
//! token, and asked again whenever tokens or members change.

use baton_core::access::{self, authorize};
use baton_core::{
    Action, Alias, Caller, NetworkChoice, NetworkId, Principal, Refusal, Unnamed, choose_network,
};
use baton_store::Snapshot;
use unicode_normalization::UnicodeNormalization;

use crate::hub::Hub;
use crate::service::Error;

/// What the path asks for.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    /// `/events/:alias`, or `/events/me` with a user token.
    Somebody { name: String, network_id: Option<String> },
    /// `/events/network/:id`.
    Network { network_id: String },
}

/// What a stream tells of.
#[derive(Debug, Clone)]
pub(super) struct Channel {
    pub(super) network_id: NetworkId,
    /// Whose events; everybody's when there is none.
    pub(super) to: Option<Principal>,
    /// Who listens.
    pub(super) listener: Principal,
}

impl Channel {
    /// Finds the channel and asks whether the caller may listen, before anything of it is read.
    pub(super) async fn open(hub: &Hub, caller: &Caller, wanted: Wanted) -> Result<Self, Error> {
        let asking = caller.clone();
        let (channel, is_audited) = hub.store.read(move |rows| Self::find(rows, &asking, &wanted)).await?;
        if is_audited {
            channel.write_down(hub).await?;
        }
        Ok(channel)
    }

    fn find(rows: &dyn Snapshot, caller: &Caller, wanted: &Wanted) -> Result<(Self, bool), Error> {
        let (named, to) = match wanted {
            Wanted::Somebody { name, network_id } => (network_id.as_deref(), Some(somebody(caller, name)?)),
            Wanted::Network { network_id } => (Some(network_id.as_str()), None),
        };
        let channel = Self { network_id: network(rows, caller, named)?, to, listener: caller.principal()? };
        let is_audited = channel.authorize(rows, caller)?;
        Ok((channel, is_audited))
    }

    /// Asks whether the caller may listen; true when a system admin looks into a network of others.
    fn authorize(&self, rows: &dyn Snapshot, caller: &Caller) -> Result<bool, Error> {
        let role = rows.member_role(&self.network_id, caller.user_id())?;
        let action = self.to.as_ref().map_or(Action::WatchNetwork, Action::Listen);
        authorize(caller, &self.network_id, role, action)?;
        // An admin may look anywhere, but not where nothing is.
        if role.is_none() && rows.network(&self.network_id)?.is_none() {
            return Err(Refusal::NetworkNotFound.into());
        }
        Ok(access::is_audited(caller, role))
    }

    /// Whether whoever has this token may still listen.
    pub(super) async fn is_open_to(&self, hub: &Hub, bearer: &str) -> Result<(), Error> {
        let caller = hub.identity_of(bearer).await?.caller;
        let channel = self.clone();
        hub.store.read(move |rows| channel.authorize(rows, &caller).map(drop)).await
    }

    async fn write_down(&self, hub: &Hub) -> Result<(), Error> {
        let (now, actor, network) =
            (hub.clock.now(), self.listener.name().to_owned(), self.network_id.clone());
        hub.store
            .write(move |tx| {
                tx.audit(now, &actor, "network.read", Some(&network), network.as_str(), "events")
                    .map_err(Error::from)
            })
            .await
    }
}

/// Whose channel a name means: a person has their own, under `me` or their name.
fn somebody(caller: &Caller, name: &str) -> Result<Principal, Refusal> {
    match caller {
        Caller::User(user) if name == "me" || name == user.username.as_str() => {
            Ok(Principal::User(user.username.clone()))
        }
        _ => {
            let name: String = name.nfc().collect();
            Alias::parse(&name).map(Principal::Node).map_err(|_| Refusal::PermissionDenied)
        }
    }
}

/// The named network, or the only one.
fn network(rows: &dyn Snapshot, caller: &Caller, named: Option<&str>) -> Result<NetworkId, Error> {
    let named = match named {
        Some(text) => Some(NetworkId::parse(text).ok_or(Refusal::NetworkNotFound)?),
        None => None,
    };
    let memberships = match (caller, &named) {
        (Caller::User(user), None) => rows.memberships(&user.user_id)?,
        _ => Vec::new(),
    };
    let memberships: Vec<_> =
        memberships.into_iter().map(|membership| membership.network.network_id).collect();
    match choose_network(caller, named.as_ref(), &memberships, Unnamed::MeansTheOnlyOne)? {
        NetworkChoice::One(network_id) => Ok(network_id),
        NetworkChoice::AllMemberships => Err(Refusal::NetworkIdRequired.into()),
    }
}
