//! Which receiver is next: networks take turns, and within a network its hosts. A network gets some of all pushes
//! in progress and a host some of its network's, one while it fails, so that nobody waits for receivers of others.

use baton_core::{NetworkId, TaskId, limits};
use std::collections::{HashMap, VecDeque};

/// A receiver: of a task, by its name there.
pub(super) type Key = (TaskId, String);

/// A receiver and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueuedReceiver {
    pub(super) network: NetworkId,
    /// Scheme, name and port.
    pub(super) host: String,
    pub(super) key: Key,
}

/// Everybody who waits.
#[derive(Debug, Default)]
pub(super) struct Queue {
    lanes: HashMap<NetworkId, Lane>,
    /// All lanes, the next one first.
    turns: VecDeque<NetworkId>,
}

/// One network's.
#[derive(Debug, Default)]
struct Lane {
    hosts: HashMap<String, Host>,
    /// All hosts, the next one first.
    turns: VecDeque<String>,
    under_way: usize,
}

#[derive(Debug, Default)]
struct Host {
    waiting: VecDeque<Key>,
    under_way: usize,
    is_failing: bool,
}

impl Queue {
    /// Lines somebody up.
    pub(super) fn push(&mut self, QueuedReceiver { network, host, key }: QueuedReceiver) {
        if !self.lanes.contains_key(&network) {
            self.turns.push_back(network.clone());
        }
        self.lanes.entry(network).or_default().push(host, key);
    }

    /// Who is next, if anybody may be; from now on in progress.
    pub(super) fn next(&mut self) -> Option<QueuedReceiver> {
        for _ in 0..self.turns.len() {
            let network = self.turns.pop_front()?;
            let next = self.lanes.get_mut(&network).and_then(Lane::next);
            self.turns.push_back(network.clone());
            if let Some((host, key)) = next {
                return Some(QueuedReceiver { network, host, key });
            }
        }
        None
    }

    /// Somebody who was in progress is done.
    pub(super) fn done(&mut self, place: &QueuedReceiver, has_failed: bool) {
        let Some(lane) = self.lanes.get_mut(&place.network) else { return };
        lane.done(&place.host, has_failed);
        if lane.hosts.is_empty() {
            self.lanes.remove(&place.network);
            self.turns.retain(|network| *network != place.network);
        }
    }
}

impl Lane {
    fn push(&mut self, host: String, key: Key) {
        if !self.hosts.contains_key(&host) {
            self.turns.push_back(host.clone());
        }
        self.hosts.entry(host).or_default().waiting.push_back(key);
    }

    fn next(&mut self) -> Option<(String, Key)> {
        if self.under_way >= limits::PUSHES_PER_NETWORK_AT_ONCE {
            return None;
        }
        for _ in 0..self.turns.len() {
            let name = self.turns.pop_front()?;
            let next = self.hosts.get_mut(&name).and_then(Host::next);
            self.turns.push_back(name.clone());
            if let Some(key) = next {
                self.under_way += 1;
                return Some((name, key));
            }
        }
        None
    }

    fn done(&mut self, name: &str, has_failed: bool) {
        let Some(host) = self.hosts.get_mut(name) else { return };
        self.under_way -= 1;
        host.under_way -= 1;
        host.is_failing = has_failed;
        if host.under_way == 0 && host.waiting.is_empty() {
            self.hosts.remove(name);
            self.turns.retain(|other| other != name);
        }
    }
}

impl Host {
    fn next(&mut self) -> Option<Key> {
        let most = if self.is_failing { 1 } else { limits::PUSHES_PER_HOST_AT_ONCE };
        if self.under_way >= most {
            return None;
        }
        let key = self.waiting.pop_front()?;
        self.under_way += 1;
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_core::UnixMillis;

    fn place(network: u8, host: &str, n: u16) -> QueuedReceiver {
        let mut random = [0; 10];
        random[..2].copy_from_slice(&n.to_be_bytes());
        QueuedReceiver {
            network: NetworkId::from_random([network; 6]),
            host: host.into(),
            key: (TaskId::new(UnixMillis::new(0), random), "a".into()),
        }
    }

    fn drain(queue: &mut Queue) -> Vec<QueuedReceiver> {
        std::iter::from_fn(|| queue.next()).collect()
    }

    #[test]
    fn a_network_with_thousands_waiting_delays_another_by_one_turn() {
        let mut queue = Queue::default();
        for n in 0..5_000 {
            queue.push(place(1, &format!("https://{n}.example"), n));
        }
        queue.push(place(2, "https://b.example", 1));
        let first: Vec<_> = (0..2).filter_map(|_| queue.next()).map(|place| place.network).collect();
        assert_eq!(first, [place(1, "", 0).network, place(2, "", 0).network]);
        let rest = drain(&mut queue);
        assert_eq!(rest.len(), limits::PUSHES_PER_NETWORK_AT_ONCE - 1, "a network gets some of all");
        // One done gives its network one more, and a newcomer is next anyway.
        queue.done(&rest[0], true);
        queue.push(place(3, "https://c.example", 1));
        let next: Vec<_> = drain(&mut queue).into_iter().map(|place| place.network).collect();
        assert_eq!(next.len(), 2);
        assert!(next.contains(&place(3, "", 0).network));
    }

    #[test]
    fn networks_and_hosts_take_turns() {
        let mut queue = Queue::default();
        for n in 0..2 {
            for network in [1, 2] {
                for host in ["a", "b"] {
                    queue.push(place(network, host, n));
                }
            }
        }
        let order = drain(&mut queue);
        let order: Vec<_> =
            order.iter().map(|next| (next.network == place(1, "", 0).network, &*next.host)).collect();
        let round = [(true, "a"), (false, "a"), (true, "b"), (false, "b")];
        assert_eq!(order, [round, round].concat());
    }

    #[test]
    fn a_host_gets_a_few_at_once_and_one_while_it_fails() {
        let mut queue = Queue::default();
        for n in 0..20 {
            queue.push(place(1, "a", n));
        }
        let under_way = drain(&mut queue);
        assert_eq!(under_way.len(), limits::PUSHES_PER_HOST_AT_ONCE);
        under_way.iter().for_each(|one| queue.done(one, true));
        let again = drain(&mut queue);
        assert_eq!(again.len(), 1);
        // The same host of another network is another matter.
        queue.push(place(2, "a", 0));
        assert_eq!(drain(&mut queue).len(), 1);
        queue.done(&again[0], false);
        assert_eq!(drain(&mut queue).len(), limits::PUSHES_PER_HOST_AT_ONCE);
    }

    #[test]
    fn who_is_done_leaves_nothing_behind() {
        let mut queue = Queue::default();
        queue.push(place(1, "a", 0));
        let next = queue.next().unwrap();
        queue.done(&next, false);
        assert!(queue.lanes.is_empty() && queue.turns.is_empty());
    }
}
