//! Which agents are online: open streams and waits, and the last call of each token. Kept in memory; the times are stored
//! in batches by a worker, never by a call itself. Who is connected is recorded for other hubs, with a time
//! until which it holds, and read from them.

use baton_core::{Alias, NetworkId, NodeCaller, Presence, TokenId, UnixMillis, limits};
use baton_store::SeenRow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Clock;

type Agent = (NetworkId, Alias);

/// Signs by network, alias and token. Nested, so that a call finds its own without a copy of their names.
type Agents = HashMap<NetworkId, HashMap<Alias, HashMap<TokenId, Activity>>>;

/// Signs of life of all agents, by the tokens that speak for them.
#[derive(Debug)]
pub struct Presences {
    clock: Clock,
    /// When this hub began to look: nobody was seen to be silent before.
    started_at: UnixMillis,
    agents: Mutex<Agents>,
    /// Calls not yet recorded.
    unwritten: Mutex<HashMap<TokenId, UnixMillis>>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Activity {
    connections: usize,
    last_call_at: Option<UnixMillis>,
    /// Until when it is recorded that there are connections.
    held_until: Option<UnixMillis>,
    /// Until when another hub says that it is connected there.
    elsewhere_until: Option<UnixMillis>,
}

impl Activity {
    fn is_connected(&self, now: UnixMillis) -> bool {
        self.connections > 0 || self.elsewhere_until.is_some_and(|until| until > now)
    }

    /// What is to be recorded now: connections that are new or not held for long any more, and that there are none.
    fn due(&self, now: UnixMillis) -> Option<UnixMillis> {
        let half = now.plus_seconds(limits::CONNECTED_HOLDS_SECONDS / 2);
        match self.held_until {
            Some(until) if self.connections > 0 && until > half => None,
            _ if self.connections > 0 => Some(now.plus_seconds(limits::CONNECTED_HOLDS_SECONDS)),
            Some(until) if until > now => Some(now),
            _ => None,
        }
    }
}

/// An open stream or wait; the agent is connected as long as this lives.
#[derive(Debug)]
pub struct Connected {
    presences: Arc<Presences>,
    agent: Agent,
    token: TokenId,
}

impl Presences {
    /// Nobody has been seen yet.
    pub fn new(clock: Clock) -> Self {
        Self { started_at: clock.now(), clock, agents: Mutex::default(), unwritten: Mutex::default() }
    }

    /// Notes a call of a token, and of the agent it speaks for.
    pub fn called(&self, token: &TokenId, agent: Option<(&NetworkId, &Alias)>, now: UnixMillis) {
        let mut unwritten = self.unwritten.lock().unwrap_or_else(PoisonError::into_inner);
        match unwritten.get_mut(token) {
            Some(called_at) => *called_at = now,
            None => drop(unwritten.insert(token.clone(), now)),
        }
        drop(unwritten);
        if let Some((network, alias)) = agent {
            let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
            let signs = match signs(&mut agents, (network, alias), token) {
                Some(signs) => signs,
                None => signs_of_any(&mut agents, (network.clone(), alias.clone()), token.clone()),
            };
            signs.last_call_at = Some(now);
        }
    }

    /// An agent opened a stream or waits for work; a token without an alias is nobody yet.
    pub fn connect(self: &Arc<Self>, node: &NodeCaller) -> Option<Connected> {
        let agent = (node.network_id.clone(), node.alias.clone()?);
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        signs_of_any(&mut agents, agent.clone(), node.token_id.clone()).connections += 1;
        Some(Connected { presences: self.clone(), agent, token: node.token_id.clone() })
    }

    /// What is known of an agent. Its leases, and when it was seen before this start, are the store's to say.
    pub fn of(
        &self,
        network: &NetworkId,
        alias: &Alias,
        holds_lease: bool,
        last_seen_at: Option<UnixMillis>,
    ) -> Presence {
        let agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        let tokens = agents.get(network).and_then(|aliases| aliases.get(alias));
        let signs = || tokens.into_iter().flat_map(HashMap::values);
        let now = self.clock.now();
        Presence {
            is_connected: signs().any(|signs| signs.is_connected(now)),
            holds_lease,
            last_call_at: signs().filter_map(|signs| signs.last_call_at).max().max(last_seen_at),
        }
    }

    /// The same for the question whether work was abandoned: a hub that has just started has seen nobody be silent.
    pub fn of_worker(&self, presence: Presence) -> Presence {
        Presence { last_call_at: presence.last_call_at.max(Some(self.started_at)), ..presence }
    }

    /// What is known of one token that speaks for an agent.
    pub fn of_token(
        &self,
        network: &NetworkId,
        alias: &Alias,
        token: &TokenId,
        last_seen_at: Option<UnixMillis>,
    ) -> Presence {
        let agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        let tokens = agents.get(network).and_then(|aliases| aliases.get(alias));
        let signs = tokens.and_then(|tokens| tokens.get(token));
        let signs = signs.copied().unwrap_or_default();
        Presence {
            is_connected: signs.is_connected(self.clock.now()),
            holds_lease: false,
            last_call_at: signs.last_call_at.max(last_seen_at),
        }
    }

    /// Takes in what other hubs have seen.
    pub fn seen_elsewhere(&self, seen: Vec<SeenRow>) {
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        for row in seen {
            let signs = signs_of_any(&mut agents, (row.network_id, row.alias), row.token_id);
            signs.last_call_at = signs.last_call_at.max(row.last_used_at);
            // What this hub wrote itself says nothing of others.
            signs.elsewhere_until = row.connected_until.filter(|until| Some(*until) != signs.held_until);
        }
    }

    /// Forgets tokens that have been silent for longer than any rule asks about.
    pub fn forget_silent(&self) {
        let now = self.clock.now();
        let is_silent = |signs: &Activity| {
            let kept = |at: UnixMillis| now < at.plus_seconds(limits::WORK_ABANDONED_AFTER_SECONDS);
            !signs.is_connected(now) && !signs.last_call_at.is_some_and(kept)
        };
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        agents.retain(|_, aliases| {
            aliases.retain(|_, tokens| {
                tokens.retain(|_, signs| !is_silent(signs));
                !tokens.is_empty()
            });
            !aliases.is_empty()
        });
    }

    /// Takes what is to be recorded: until when tokens count as connected. If it is not written after all, what holds is
    /// renewed in half its time, and what ended lapses.
    pub fn take_connected(&self) -> Vec<(TokenId, UnixMillis)> {
        let now = self.clock.now();
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        let due = agents.values_mut().flat_map(HashMap::values_mut).flatten().filter_map(|(token, signs)| {
            let until = signs.due(now)?;
            signs.held_until = Some(until);
            Some((token.clone(), until))
        });
        due.take(limits::CONNECTED_WRITTEN_MAX_COUNT).collect()
    }

    /// Takes what is to be recorded: when tokens were last used.
    pub fn take_unwritten(&self) -> Vec<(TokenId, UnixMillis)> {
        std::mem::take(&mut *self.unwritten.lock().unwrap_or_else(PoisonError::into_inner))
            .into_iter()
            .collect()
    }
}

/// The signs of a token that speaks for an agent.
fn signs<'a>(
    agents: &'a mut Agents,
    (network, alias): (&NetworkId, &Alias),
    token: &TokenId,
) -> Option<&'a mut Activity> {
    agents.get_mut(network)?.get_mut(alias)?.get_mut(token)
}

/// The same for one that may not have been seen yet.
fn signs_of_any(agents: &mut Agents, (network, alias): Agent, token: TokenId) -> &mut Activity {
    agents.entry(network).or_default().entry(alias).or_default().entry(token).or_default()
}

impl Drop for Connected {
    fn drop(&mut self) {
        let mut agents = self.presences.agents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(signs) = signs(&mut agents, (&self.agent.0, &self.agent.1), &self.token) {
            signs.connections -= 1;
            // A stream that ends was a sign of life until now.
            signs.last_call_at = Some(self.presences.clock.now());
            let mut unwritten = self.presences.unwritten.lock().unwrap_or_else(PoisonError::into_inner);
            unwritten.insert(self.token.clone(), self.presences.clock.now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_core::{TokenScope, UserId};

    fn node(n: u16) -> NodeCaller {
        let mut bytes = [0; 6];
        bytes[..2].copy_from_slice(&n.to_be_bytes());
        NodeCaller {
            token_id: TokenId::from_random(bytes),
            user_id: UserId::from_random([1; 6]),
            network_id: NetworkId::from_random([1; 6]),
            alias: Alias::parse(&format!("worker{n}")).ok(),
            scope: TokenScope::Node,
        }
    }

    #[test]
    fn who_is_connected_is_written_at_once_renewed_in_half_its_time_and_ended() {
        let clock = Clock::start();
        let presences = Arc::new(Presences::new(clock.clone()));
        let due = || presences.take_connected().into_iter().map(|(_, until)| until.get() - clock.now().get());
        assert_eq!(due().count(), 0);
        let (stream, wait) = (presences.connect(&node(1)), presences.connect(&node(1)));
        let held = || due().filter(|left| *left > 30_000).count();
        assert_eq!(held(), 1, "once for both");
        assert_eq!(due().count(), 0, "it holds");
        clock.put_ahead(20_000);
        assert_eq!(due().count(), 0);
        clock.put_ahead(11_000);
        assert_eq!(held(), 1, "renewed");
        drop(stream);
        assert_eq!(due().count(), 0, "one connection is left");
        drop(wait);
        assert_eq!(due().filter(|left| *left <= 0).count(), 1, "ended");
        assert_eq!(due().count(), 0);
        let _again = presences.connect(&node(1));
        assert_eq!(held(), 1);
    }

    #[test]
    fn many_connections_are_written_in_rounds_and_none_is_left_out() {
        let presences = Arc::new(Presences::new(Clock::start()));
        let most = limits::CONNECTED_WRITTEN_MAX_COUNT;
        let _open: Vec<_> = (0..most as u16 + 5).map(|n| presences.connect(&node(n))).collect();
        let mut written = presences.take_connected();
        assert_eq!(written.len(), most);
        written.extend(presences.take_connected());
        written.sort_unstable_by(|one, other| one.0.as_str().cmp(other.0.as_str()));
        written.dedup_by(|one, other| one.0 == other.0);
        assert_eq!((written.len(), presences.take_connected().len()), (most + 5, 0));
    }
}
