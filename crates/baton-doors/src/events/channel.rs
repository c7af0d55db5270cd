//! What a stream is about: somebody's events in a network, or all of a network's. Found from the path and the
//! token, and asked again whenever tokens or members change.

use baton_core::access::{self, authorize};
use baton_core::{Action, Caller, NetworkId, Principal, Refusal};
use baton_store::Snapshot;

use crate::hub::Hub;
use crate::service::audit;
use crate::service::network_ref::{NetworkRef, role_in};
use crate::service::{Error, names};

/// What the path asks for.
#[derive(Debug, Clone)]
pub(super) enum RequestedChannel {
    /// `/events/:alias`, or `/events/me` with a user token.
    Somebody { name: String, network_id: Option<String> },
    /// `/events/network/:id`.
    Network { network_id: String },
}

/// What a stream reports.
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
    pub(super) async fn open(hub: &Hub, caller: &Caller, wanted: RequestedChannel) -> Result<Self, Error> {
        let asking = caller.clone();
        let (channel, is_audited) =
            hub.store_for(caller).read(move |rows| Self::find(rows, &asking, &wanted)).await?;
        if is_audited {
            audit::network_read(hub, caller, channel.network_id.clone(), "events").await?;
        }
        Ok(channel)
    }

    fn find(rows: &dyn Snapshot, caller: &Caller, wanted: &RequestedChannel) -> Result<(Self, bool), Error> {
        let (named, to) = match wanted {
            RequestedChannel::Somebody { name, network_id } => {
                (network_id.as_deref(), Some(somebody(caller, name)?))
            }
            RequestedChannel::Network { network_id } => (Some(network_id.as_str()), None),
        };
        let channel = Self {
            network_id: NetworkRef::of_write(named).network(rows, caller, None)?,
            to,
            listener: caller.principal()?,
        };
        let is_audited = channel.authorize(rows, caller)?;
        Ok((channel, is_audited))
    }

    /// Asks whether the caller may listen; true when a system admin looks into a network of others.
    fn authorize(&self, rows: &dyn Snapshot, caller: &Caller) -> Result<bool, Error> {
        let role = role_in(rows, caller, &self.network_id)?;
        let action = self.to.as_ref().map_or(Action::WatchNetwork, Action::Listen);
        authorize(caller, &self.network_id, role, action)?;
        // An admin may look anywhere, but not where nothing is.
        if role.is_none() && rows.network(&self.network_id)?.is_none() {
            return Err(Refusal::NetworkNotFound.into());
        }
        Ok(access::is_audited(caller, role))
    }

    /// Whether the owner of this token may still listen.
    pub(super) async fn is_open_to(&self, hub: &Hub, bearer: &str) -> Result<(), Error> {
        let caller = hub.identity_of(bearer).await?.caller.clone();
        let channel = self.clone();
        hub.store_for(&caller).read(move |rows| channel.authorize(rows, &caller).map(drop)).await
    }
}

/// Whose channel a name means: a user has their own, under `me` or their name.
fn somebody(caller: &Caller, name: &str) -> Result<Principal, Refusal> {
    match caller {
        Caller::User(user) if name == "me" || name == user.username.as_str() => {
            Ok(Principal::User(user.username.clone()))
        }
        _ => names::alias(name).map(Principal::Node).map_err(|_| Refusal::PermissionDenied),
    }
}
