//! Finds receivers that failed and are to be tried again, a page of each network at a look. It continues where it
//! stopped, so that neither a network nor a host with thousands of them keeps others from being found.

use baton_core::{NetworkId, limits};
use baton_store::rows::PushConfigRow;
use std::collections::HashMap;

use super::registry::PushRegistry;
use crate::hub::Hub;
use crate::service::Error;

/// Where the walk is.
#[derive(Debug, Default)]
pub(super) struct Due {
    /// The network after which it continues.
    network: String,
    /// In each network the receiver after which it continues; none: the one that is due longest.
    receivers: HashMap<NetworkId, PushConfigRow>,
}

impl Due {
    /// Takes what is due to the desk.
    pub(super) async fn take(&mut self, hub: &Hub, registry: &mut PushRegistry) -> Result<(), Error> {
        let now = hub.clock.now_without_jumps();
        let (first, from) = (std::mem::take(&mut self.network), self.receivers.clone());
        let found = hub.store.read(move |rows| -> Result<_, Error> {
            let mut after = first.clone();
            let mut pages = Vec::new();
            while pages.len() < limits::PUSH_NETWORKS_COUNT {
                let Some(network) = rows.network_with_failing_pushes(&after)? else { break };
                network.as_str().clone_into(&mut after);
                let page =
                    rows.due_pushes(&network, now, from.get(&network), limits::PUSH_RECEIVERS_COUNT)?;
                pages.push((network, page));
            }
            Ok(pages)
        });
        let pages = found.await?;
        match pages.last() {
            Some((last, _)) if pages.len() == limits::PUSH_NETWORKS_COUNT => {
                last.as_str().clone_into(&mut self.network);
            }
            _ => {}
        }
        for (network, page) in pages {
            match page.last() {
                Some(last) if page.len() == limits::PUSH_RECEIVERS_COUNT => {
                    self.receivers.insert(network, last.clone())
                }
                _ => self.receivers.remove(&network),
            };
            super::owned(hub, page).await?.into_iter().for_each(|config| registry.take(config));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{TestHub, network, node, user_id};
    use baton_core::{SystemRole, TaskId, UnixMillis};
    use baton_store::rows::{PushFailures, PushSecrets};

    const LONG_AGO: UnixMillis = UnixMillis::new(1);

    fn failing(in_network: u8, n: u16) -> PushConfigRow {
        PushConfigRow {
            task_id: TaskId::new(LONG_AGO, [in_network; 10]),
            config_id: format!("{n:05}"),
            network_id: network(in_network),
            owner: node("lead"),
            user_id: user_id("alice"),
            token_id: None,
            url: "https://hangs.example/".into(),
            secrets: PushSecrets::default(),
            created_at: LONG_AGO,
            delivered: 0,
            trouble: PushFailures { failures: 1, failing_since: Some(LONG_AGO), next_at: Some(LONG_AGO) },
            is_open: true,
        }
    }

    #[tokio::test]
    async fn every_network_is_looked_at_and_each_look_goes_on_where_the_last_stopped() {
        let test = TestHub::start();
        test.person("alice", SystemRole::User, &[1, 2]).await;
        test.write(|tx| {
            let many = (0..limits::PUSH_RECEIVERS_COUNT as u16 * 2 + 1).map(|n| failing(1, n));
            many.chain([failing(2, 0)]).try_for_each(|config| tx.put_push_config(&config))
        })
        .await;
        let (mut due, mut registry) = (Due::default(), PushRegistry::default());
        let mut found = Vec::new();
        for _ in 0..3 {
            due.take(&test.hub, &mut registry).await.unwrap();
            found.push(registry.taken().len());
        }
        assert_eq!(
            found,
            [
                limits::PUSH_RECEIVERS_COUNT + 1,
                2 * limits::PUSH_RECEIVERS_COUNT + 1,
                2 * limits::PUSH_RECEIVERS_COUNT + 2
            ],
            "though nobody was notified meanwhile"
        );
        assert!(due.receivers.is_empty(), "and from the beginning again");
    }
}
