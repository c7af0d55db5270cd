//! What a subscription may watch, and which bells ring for it: a task, the caller's own inbox, the agents of its networks. Who
//! may not look at something may not watch it either.

use baton_core::{Action, Caller, NetworkId, Refusal, TaskId, limits};
use std::sync::Arc;
use tokio::sync::broadcast::Receiver;

use super::network_ref::{NetworkRef, VisibleNetworks};
use super::permit::{self, Permitted};
use super::{Error, audit, follow_task};
use crate::hub::{Bell, Hub};

/// Something that can be watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watchable {
    Task(TaskId),
    /// The caller's own.
    Inbox {
        network_id: Option<String>,
    },
    /// Of one network, or of all that the caller reads.
    Agents {
        network_id: Option<String>,
    },
}

/// What rings when it changed, and the network it is in.
#[derive(Debug)]
pub struct WatchBells {
    pub network: NetworkId,
    pub bells: Vec<Bell>,
    /// Reports of agents, which ring no bell.
    pub passing: Vec<Receiver<Arc<str>>>,
}

/// Whether the caller's token still counts.
pub async fn check_token(hub: &Hub, caller: &Caller) -> Result<(), Error> {
    let asker = caller.clone();
    hub.store_for(caller).read(move |rows| permit::token_stands(rows, &asker)).await
}

/// Begins to listen, for a caller that may look.
pub async fn listen(hub: &Hub, caller: &Caller, what: &Watchable) -> Result<WatchBells, Error> {
    match what {
        Watchable::Task(task) => {
            let network = follow_task::open(hub, caller, task).await?;
            Ok(WatchBells { network, bells: vec![hub.bells.listen_to_task(task)], passing: Vec::new() })
        }
        Watchable::Inbox { network_id } => {
            let (place, asker) = (NetworkRef::of_write(network_id.as_deref()), caller.clone());
            let read = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
                let (stand, owner) = (place.known(rows, &asker)?, asker.principal()?);
                let permitted = Permitted::ask(&asker, stand, Action::ReadInbox(owner.name()))?;
                let is_audited = permitted.is_audited();
                let network = permitted.into_network();
                Ok((is_audited.then(|| network.clone()), network, owner))
            });
            let (audited, network, owner) = read.await?;
            audit::network_read(hub, caller, audited, "inbox").await?;
            let bells = vec![hub.bells.listen(&network, &owner)];
            Ok(WatchBells { network, bells, passing: Vec::new() })
        }
        Watchable::Agents { network_id } => {
            let (network_id, asker) = (network_id.clone(), caller.clone());
            let reach = hub
                .store_for(caller)
                .read(move |rows| VisibleNetworks::of(rows, &asker, network_id.as_deref()))
                .await?;
            reach.write_down(hub, caller, "agents").await?;
            let networks = reach.networks.iter().map(|(network, _)| network);
            let networks: Vec<_> = networks.take(limits::MCP_SUBSCRIBED_MAX_COUNT).collect();
            Ok(WatchBells {
                network: (*networks.first().ok_or(Refusal::NetworkNotFound)?).clone(),
                bells: networks.iter().map(|network| hub.bells.listen_to_network(network)).collect(),
                passing: networks.iter().map(|network| hub.bells.transient_frames.listen(network)).collect(),
            })
        }
    }
}
