//! An agent as outsiders address it: a network and an alias there; and what it says of itself, for its card.

use baton_core::{Action, Alias, Caller, NetworkId, Refusal, UnixMillis, access};
use baton_store::Snapshot;
use baton_store::rows::SessionRow;

use super::network_ref::known_role;
use super::skills::{self, Skill};
use super::{Error, audit, capabilities, names};
use crate::hub::Hub;

/// Where an agent is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentAddress {
    pub network_id: NetworkId,
    pub alias: Alias,
}

impl AgentAddress {
    /// Reads the two names of a path; names of another form name nobody.
    pub fn parse(network_id: &str, alias: &str) -> Option<Self> {
        Some(Self { network_id: NetworkId::parse(network_id)?, alias: names::alias(alias).ok()? })
    }

    /// An agent's token opens its own network; every other network does not exist for it.
    pub fn check_reach(&self, caller: &Caller) -> Result<(), Refusal> {
        match caller {
            Caller::Node(node) if node.network_id != self.network_id => Err(Refusal::NetworkNotFound),
            _ => Ok(()),
        }
    }
}

/// What an agent says of itself.
#[derive(Debug, Clone)]
pub struct Profile {
    pub description: Option<String>,
    pub version: Option<String>,
    pub skills: Vec<Skill>,
    /// Nothing of it has changed since.
    pub changed_at: UnixMillis,
}

/// What anybody may know, with or without a token: of a network that shows its cards everybody, else its members.
pub async fn profile(hub: &Hub, caller: Option<&Caller>, agent: &AgentAddress) -> Result<Profile, Error> {
    let wanted = agent.clone();
    let store = caller.map_or_else(|| hub.store_for_anybody(), |caller| hub.store_for(caller));
    let public = store.read(move |rows| -> Result<_, Error> {
        match rows.network(&wanted.network_id)? {
            Some(network) if network.public_cards => read(rows, &wanted).map(Some),
            _ => Ok(None),
        }
    });
    match (public.await?, caller) {
        (Some(profile), _) => Ok(profile),
        (None, Some(caller)) => profile_for_member(hub, caller, agent).await,
        (None, None) => Err(Refusal::Unauthorized.into()),
    }
}

/// What any reader of the network may know.
pub async fn profile_for_member(hub: &Hub, caller: &Caller, agent: &AgentAddress) -> Result<Profile, Error> {
    agent.check_reach(caller)?;
    let (asker, wanted) = (caller.clone(), agent.clone());
    let read = hub.store_for(caller).read(move |rows| -> Result<_, Error> {
        let role = known_role(rows, &asker, &wanted.network_id)?;
        access::authorize(&asker, &wanted.network_id, role, Action::ReadNetwork)?;
        Ok((role, read(rows, &wanted)?))
    });
    let (role, profile) = read.await?;
    audit::foreign_read(hub, caller, role, &agent.network_id, "card").await?;
    Ok(profile)
}

fn read(rows: &dyn Snapshot, agent: &AgentAddress) -> Result<Profile, Error> {
    let AgentAddress { network_id, alias } = agent;
    if !rows.alias_exists(network_id, alias)? {
        return Err(Refusal::AliasNotFound.into());
    }
    let (session, kept) = (rows.session(network_id, alias)?, rows.alias_profile(network_id, alias)?);
    let skills = skills::of_row(capabilities::skills_of(session.as_ref(), &kept))?;
    let changed_at = changed_at(rows, agent, session.as_ref())?;
    let (description, version) =
        session.map_or((None, None), |session| (session.description, session.version));
    Ok(Profile { description: description.or(kept.description), version, skills, changed_at })
}

/// When the last writer of an agent's description was seen: its session, a worker, its network's owner.
fn changed_at(
    rows: &dyn Snapshot,
    agent: &AgentAddress,
    session: Option<&SessionRow>,
) -> Result<UnixMillis, Error> {
    let AgentAddress { network_id, alias } = agent;
    let network = rows.network(network_id)?.ok_or(Refusal::NetworkNotFound)?;
    let worker = rows.workers(network_id, alias, 1)?.first().map(|worker| worker.last_seen_at);
    let reported = session.map(|session| session.updated_at);
    Ok([worker, reported].into_iter().flatten().fold(network.updated_at, Ord::max))
}
