//! The hub's agents whose cards a caller may see: of the networks that show their cards to everybody, and of its own. In the
//! order of networks and aliases, a page at a time.

use baton_core::{Alias, Caller, NetworkId, limits};
use baton_store::Snapshot;

use super::Error;
use super::agent::AgentAddress;
use super::network_ref::VisibleNetworks;
use crate::hub::Hub;

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// After this agent.
    After(AgentAddress),
    /// After all agents of this network.
    Past(NetworkId),
}

impl Place {
    /// As it is printed: `NETWORK/ALIAS`, or `NETWORK/`.
    fn parse(text: &str) -> Option<Self> {
        let (network, alias) = text.split_once('/')?;
        match alias {
            "" => NetworkId::parse(network).map(Self::Past),
            alias => AgentAddress::parse(network, alias).map(Self::After),
        }
    }

    fn print(&self) -> String {
        match self {
            Self::After(agent) => format!("{}/{}", agent.network_id, agent.alias),
            Self::Past(network) => format!("{network}/"),
        }
    }

    fn network(&self) -> &NetworkId {
        match self {
            Self::After(agent) => &agent.network_id,
            Self::Past(network) => network,
        }
    }

    /// Whether a network may have agents after this place.
    fn is_before(&self, network: &NetworkId) -> bool {
        match self {
            Self::After(agent) => network.as_str() >= agent.network_id.as_str(),
            Self::Past(past) => network.as_str() > past.as_str(),
        }
    }
}

/// How much a page may take.
#[derive(Clone, Copy)]
struct Bounds {
    agents: usize,
    /// Networks with public cards.
    networks: usize,
    /// Networks and aliases.
    examined: usize,
}

const PAGE: Bounds = Bounds {
    agents: limits::CATALOG_PAGE_COUNT,
    networks: limits::CATALOG_NETWORKS_COUNT,
    examined: limits::CATALOG_EXAMINED_COUNT,
};

/// A page of agents.
#[derive(Debug, Default)]
pub struct Catalog {
    pub agents: Vec<AgentAddress>,
    /// What the next page is asked for with; a page may be short, or empty, and still have one.
    pub next: Option<String>,
}

/// A page, beginning where `after` says.
pub async fn page(hub: &Hub, caller: Option<&Caller>, after: Option<&str>) -> Result<Catalog, Error> {
    let rule = "must be the `after` of a page's `next`";
    let place =
        after.map(|after| Place::parse(after).ok_or_else(|| Error::argument("after", rule))).transpose()?;
    let asker = caller.cloned();
    let store = caller.map_or_else(|| hub.store_for_anybody(), |caller| hub.store_for(caller));
    let found = store.read(move |rows| read(rows, asker.as_ref(), place.as_ref(), PAGE)).await?;
    Ok(Catalog { agents: found.agents, next: found.next.map(|next| next.print()) })
}

/// The one agent that everybody may see; none if there are none or several, or if there is too much to look through.
pub async fn only_public(hub: &Hub) -> Result<Option<AgentAddress>, Error> {
    only_public_within(hub, Bounds { agents: 2, ..PAGE }, limits::CATALOG_ROOT_PAGES_COUNT).await
}

async fn only_public_within(hub: &Hub, bounds: Bounds, pages: usize) -> Result<Option<AgentAddress>, Error> {
    let (mut only, mut place) = (None, None);
    for _ in 0..pages {
        let found =
            hub.store_for_anybody().read(move |rows| read(rows, None, place.as_ref(), bounds)).await?;
        for agent in found.agents {
            if only.replace(agent).is_some() {
                return Ok(None);
            }
        }
        match found.next {
            Some(next) => place = Some(next),
            None => return Ok(only),
        }
    }
    Ok(None)
}

/// What a page has so far.
struct Found {
    agents: Vec<AgentAddress>,
    next: Option<Place>,
    bounds: Bounds,
    /// Networks and aliases that may still be examined.
    left: usize,
}

fn read(
    rows: &dyn Snapshot,
    caller: Option<&Caller>,
    place: Option<&Place>,
    bounds: Bounds,
) -> Result<Found, Error> {
    // One more than are looked at shows whether there are more; the place's own network may be among them.
    let mut networks = rows.public_networks(place.map(Place::network), bounds.networks + 2)?;
    networks.retain(|network| place.is_none_or(|place| place.is_before(network)));
    // Of more public networks than are looked at here, those after them are the next page's, and so are the caller's.
    let last = (networks.len() > bounds.networks).then(|| networks[bounds.networks - 1].clone());
    if let Some(caller) = caller {
        let own = VisibleNetworks::of_status(rows, caller, None)?.networks.into_iter();
        networks.extend(own.map(|(network, _)| network));
    }
    networks.retain(|network| {
        place.is_none_or(|place| place.is_before(network))
            && last.as_ref().is_none_or(|last| network.as_str() <= last.as_str())
    });
    networks.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
    networks.dedup();
    let mut found = Found { agents: Vec::new(), next: None, bounds, left: bounds.examined };
    for network in networks {
        let after = match place {
            Some(Place::After(agent)) if agent.network_id == network => Some(agent.alias.clone()),
            _ => None,
        };
        found.add(rows, &network, after)?;
        if found.next.is_some() {
            return Ok(found);
        }
    }
    found.next = last.map(Place::Past);
    Ok(found)
}

impl Found {
    /// Adds a network's agents after this one. If the page ends among them, `next` says where.
    fn add(
        &mut self,
        rows: &dyn Snapshot,
        network: &NetworkId,
        mut after: Option<Alias>,
    ) -> Result<(), Error> {
        let address = |alias: Alias| AgentAddress { network_id: network.clone(), alias };
        loop {
            let most = self.left.min(limits::OTHER_PAGE_MAX);
            let aliases = rows.agents(network, after.as_ref(), most + 1)?;
            let has_more = aliases.len() > most;
            for row in aliases.into_iter().take(most) {
                // An alias of the past has no card.
                if rows.alias_exists(network, &row.alias)? {
                    if self.agents.len() == self.bounds.agents {
                        self.next = self.agents.last().cloned().map(Place::After);
                        return Ok(());
                    }
                    self.agents.push(address(row.alias.clone()));
                }
                self.left -= 1;
                after = Some(row.alias);
            }
            if !has_more {
                break;
            }
            if self.left == 0 {
                // There is one: the network before ends the page itself if it uses up what is left.
                self.next = after.map(|alias| Place::After(address(alias)));
                return Ok(());
            }
        }
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.next = Some(Place::Past(network.clone()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use baton_core::{SystemRole, UnixMillis};

    use super::*;
    use crate::fixture::{TestHub, network};

    /// Ada's networks of these numbers, each with so many agents, in the catalog's order; and her token.
    async fn networks(test: &TestHub, numbers: &[u8], agents: usize) -> (Vec<u8>, String) {
        let token = test.person("ada", SystemRole::User, numbers).await;
        for number in numbers {
            for agent in 0..agents {
                test.agent("ada", *number, &format!("agent-{agent}")).await;
            }
        }
        let mut numbers = numbers.to_vec();
        numbers.sort_unstable_by_key(|number| network(*number).as_str().to_owned());
        (numbers, token)
    }

    async fn publish(test: &TestHub, numbers: &[u8]) {
        let numbers = numbers.to_vec();
        let all = move |tx: &mut dyn baton_store::Transaction| {
            numbers
                .iter()
                .try_for_each(|number| tx.publish_cards(&network(*number), true, UnixMillis::new(1)))
        };
        test.write(all).await;
    }

    /// All agents, page by page, and how many pages there were.
    async fn all(test: &TestHub, caller: Option<&Caller>, bounds: Bounds) -> (Vec<String>, usize) {
        let (mut agents, mut place, mut pages) = (Vec::new(), None, 0);
        loop {
            let (asker, from) = (caller.cloned(), place.take());
            let read = move |rows: &dyn Snapshot| read(rows, asker.as_ref(), from.as_ref(), bounds);
            let found = test.hub.store.read(read).await.unwrap();
            assert!(found.agents.len() <= bounds.agents);
            agents.extend(found.agents.iter().map(|agent| format!("{}/{}", agent.network_id, agent.alias)));
            pages += 1;
            match found.next {
                Some(next) => place = Some(next),
                None => return (agents, pages),
            }
        }
    }

    #[tokio::test]
    async fn every_agent_that_a_caller_may_see_is_on_exactly_one_page_however_the_pages_end() {
        let test = TestHub::start();
        let (order, ada) = networks(&test, &[1, 2, 3, 4, 5, 6], 3).await;
        // The caller's own lie before, between and after the public ones.
        publish(&test, &[order[1], order[3]]).await;
        let expected = |places: &[usize]| -> Vec<String> {
            let of = |place: &usize| {
                let network = network(order[*place]);
                (0..3).map(move |agent| format!("{network}/agent-{agent}"))
            };
            places.iter().flat_map(of).collect()
        };
        let caller = test.hub.identify(&ada).await.unwrap().caller.clone();
        for networks in 1..=3 {
            for agents in [1, 2, 3, 100] {
                for examined in [1, 2, 3, 4, 100] {
                    let bounds = Bounds { agents, networks, examined };
                    let what = format!("{networks} networks, {agents} agents, {examined} examined");
                    let (seen, _) = all(&test, Some(&caller), bounds).await;
                    assert_eq!(seen, expected(&[0, 1, 2, 3, 4, 5]), "{what}");
                    let (seen, pages) = all(&test, None, bounds).await;
                    assert_eq!(seen, expected(&[1, 3]), "{what}");
                    assert!(pages * examined >= 6, "{what}: {pages} pages");
                }
            }
        }
    }

    #[tokio::test]
    async fn the_only_public_agent_is_found_behind_networks_that_have_none() {
        let test = TestHub::start();
        let (order, _) = networks(&test, &[1, 2, 3, 4, 5], 0).await;
        publish(&test, &order).await;
        let bounds = Bounds { agents: 2, networks: 2, examined: 100 };
        assert_eq!(only_public_within(&test.hub, bounds, 3).await.unwrap(), None);
        test.agent("ada", order[4], "only").await;
        let only = only_public_within(&test.hub, bounds, 3).await.unwrap().unwrap();
        assert_eq!((only.network_id, only.alias.as_str()), (network(order[4]), "only"));
        assert_eq!(only_public_within(&test.hub, bounds, 2).await.unwrap(), None, "too much to look through");
        test.agent("ada", order[0], "another").await;
        assert_eq!(only_public_within(&test.hub, bounds, 3).await.unwrap(), None, "one of two");
    }

    #[test]
    fn a_place_is_read_as_it_was_printed() {
        for text in ["net_0123456789ab/worker", "net_0123456789ab/"] {
            assert_eq!(Place::parse(text).unwrap().print(), text);
        }
        for text in ["", "/", "net_0123456789ab", "x/worker", "net_0123456789ab/b@d"] {
            assert_eq!(Place::parse(text), None, "{text}");
        }
    }
}
