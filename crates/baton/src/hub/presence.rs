//! Who is there: open streams and waits, and the last call of each agent. Kept in memory; the times are written
//! down in batches by a worker, never by a call itself.

use baton_core::{Alias, NetworkId, Presence, TokenId, UnixMillis};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

type Agent = (NetworkId, Alias);

/// Signs of life of all agents.
#[derive(Debug, Default)]
pub(crate) struct Presences {
    agents: Mutex<HashMap<Agent, Signs>>,
    /// Calls not yet written down.
    tokens: Mutex<HashMap<TokenId, UnixMillis>>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Signs {
    connections: usize,
    last_call_at: Option<UnixMillis>,
    unwritten: bool,
}

/// An open stream or wait; the agent is connected as long as this lives.
#[derive(Debug)]
pub(crate) struct Connected {
    presences: Arc<Presences>,
    agent: Agent,
}

impl Presences {
    /// Notes a call of a token, and of the agent behind it.
    pub(crate) fn called(&self, token: &TokenId, agent: Option<(&NetworkId, &Alias)>, now: UnixMillis) {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).insert(token.clone(), now);
        if let Some((network, alias)) = agent {
            let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
            let signs = agents.entry((network.clone(), alias.clone())).or_default();
            signs.last_call_at = Some(now);
            signs.unwritten = true;
        }
    }

    /// An agent opened a stream or waits for work.
    pub(crate) fn connect(self: &Arc<Self>, network: &NetworkId, alias: &Alias) -> Connected {
        let agent = (network.clone(), alias.clone());
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        agents.entry(agent.clone()).or_default().connections += 1;
        Connected { presences: self.clone(), agent }
    }

    /// What is known of an agent; `holds_lease` and the last call before this start are the store's to say.
    pub(crate) fn of(
        &self,
        network: &NetworkId,
        alias: &Alias,
        holds_lease: bool,
        last_seen_at: Option<UnixMillis>,
    ) -> Presence {
        let agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        let signs = agents.get(&(network.clone(), alias.clone())).copied().unwrap_or_default();
        Presence {
            is_connected: signs.connections > 0,
            holds_lease,
            last_call_at: signs.last_call_at.max(last_seen_at),
        }
    }

    /// Takes what is to be written down: when tokens were used and agents were seen.
    pub(crate) fn take_unwritten(&self) -> (Vec<(TokenId, UnixMillis)>, Vec<(NetworkId, Alias, UnixMillis)>) {
        let tokens = std::mem::take(&mut *self.tokens.lock().unwrap_or_else(PoisonError::into_inner));
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = Vec::new();
        for ((network, alias), signs) in agents.iter_mut() {
            if let Some(at) = signs.last_call_at.filter(|_| signs.unwritten) {
                seen.push((network.clone(), alias.clone(), at));
                signs.unwritten = false;
            }
        }
        (tokens.into_iter().collect(), seen)
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        let mut agents = self.presences.agents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(signs) = agents.get_mut(&self.agent) {
            signs.connections -= 1;
        }
    }
}
