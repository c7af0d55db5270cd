//! Which changes of networks this hub has heard of. Every commit that changes a network raises the version in its head by
//! one and is announced once, so a network whose version has grown by more than was heard has lost an announcement:
//! a hub was killed between its commit and its announcement. Whoever listens to that network looks then.

use baton_core::{NetworkId, limits};
use foldhash::HashMap;

/// What was heard, by network.
#[derive(Debug, Default)]
pub(super) struct Heard {
    networks: HashMap<NetworkId, Network>,
}

#[derive(Debug)]
struct Network {
    /// The version the network has if nothing was lost.
    version: i64,
    /// The version in its head when that was last looked at; none before the first look.
    looked: Option<i64>,
    /// Looks since something was heard or found.
    quiet: u32,
}

impl Heard {
    /// A commit was announced that gave a network this version.
    pub(super) fn hear(&mut self, network: &NetworkId, version: i64) {
        if let Some(known) = self.networks.get_mut(network) {
            (known.version, known.quiet) = (known.version + 1, 0);
        } else if self.networks.len() < limits::POSTGRES_NETWORKS_HEARD_MAX_COUNT {
            self.networks.insert(network.clone(), Network { version, looked: None, quiet: 0 });
        }
        // Of more networks the next look finds out.
    }

    /// Compares with the versions of all networks that changed recently: the networks of which something may have been lost.
    /// One that is behind has until the next look, because announcements arrive a little later than commits.
    pub(super) fn look(&mut self, heads: &[(NetworkId, i64)]) -> Vec<NetworkId> {
        let mut lost = Vec::new();
        for known in self.networks.values_mut() {
            known.quiet += 1;
        }
        for (network, version) in heads {
            let known = self.networks.entry(network.clone()).or_insert(Network {
                version: *version,
                looked: None,
                quiet: 0,
            });
            match known.looked {
                // What was heard before the first look may have been preceded by something that was lost.
                None => lost.push(network.clone()),
                Some(looked) if known.version < looked => {
                    lost.push(network.clone());
                    known.version = *version;
                }
                Some(_) => {}
            }
            if known.looked != Some(*version) {
                known.quiet = 0;
            }
            (known.version, known.looked) = (known.version.min(*version), Some(*version));
        }
        self.networks.retain(|_, known| known.quiet < limits::POSTGRES_NETWORKS_HEARD_LOOKS_COUNT);
        lost
    }

    /// Nothing that was heard counts any more.
    pub(super) fn clear(&mut self) {
        self.networks.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(n: u8) -> NetworkId {
        NetworkId::from_random([n; 6])
    }

    fn look(heard: &mut Heard, version: i64) -> usize {
        heard.look(&[(network(1), version)]).len()
    }

    #[test]
    fn a_network_of_which_everything_was_heard_is_not_looked_at_again() {
        let mut heard = Heard::default();
        heard.hear(&network(1), 7);
        assert_eq!(look(&mut heard, 7), 1, "nobody knows what came before");
        for version in 8..12 {
            heard.hear(&network(1), version);
            assert_eq!(look(&mut heard, version), 0);
        }
        assert_eq!(look(&mut heard, 11), 0);
    }

    #[test]
    fn an_announcement_that_is_late_is_waited_for_and_one_that_is_lost_is_found() {
        let mut heard = Heard::default();
        assert_eq!(look(&mut heard, 7), 1);
        assert_eq!(look(&mut heard, 9), 0, "two are on their way");
        heard.hear(&network(1), 8);
        heard.hear(&network(1), 9);
        assert_eq!(look(&mut heard, 9), 0);
        heard.hear(&network(1), 11); // and 10 never comes
        assert_eq!(look(&mut heard, 11), 0);
        assert_eq!(look(&mut heard, 11), 1);
        assert_eq!(look(&mut heard, 11), 0, "found once");
    }

    #[test]
    fn quiet_networks_are_forgotten() {
        let mut heard = Heard::default();
        heard.hear(&network(1), 1);
        for _ in 0..=limits::POSTGRES_NETWORKS_HEARD_LOOKS_COUNT {
            heard.look(&[]);
        }
        assert!(heard.networks.is_empty());
    }
}
