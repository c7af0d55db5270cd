//! Finds receivers that failed and are to be tried again, a page of each network at a look. It goes on where it
//! stopped, so that neither a network nor a host with thousands of them keeps others from being found.

use baton_core::NetworkId;
use baton_store::rows::PushConfigRow;
use std::collections::HashMap;

use super::desk::Desk;
use crate::hub::Hub;
use crate::service::Error;

/// Receivers of one network read at a look.
const PAGE: usize = 100;
/// Networks looked at at a look.
const NETWORKS: usize = 50;

/// Where the walk is.
#[derive(Debug, Default)]
pub(super) struct Due {
    /// The network after which it goes on.
    network: String,
    /// In each network the receiver after which it goes on; none: the one that is due longest.
    receivers: HashMap<NetworkId, PushConfigRow>,
}

impl Due {
    /// Takes what is due to the desk.
    pub(super) async fn take(&mut self, hub: &Hub, desk: &mut Desk) -> Result<(), Error> {
        let now = hub.clock.now();
        let (mut after, from) = (std::mem::take(&mut self.network), self.receivers.clone());
        let found = hub.store.read(move |rows| -> Result<_, Error> {
            let mut pages = Vec::new();
            while pages.len() < NETWORKS {
                let Some(network) = rows.network_with_failing_pushes(&after)? else { break };
                network.as_str().clone_into(&mut after);
                let page = rows.due_pushes(&network, now, from.get(&network), PAGE)?;
                pages.push((network, page));
            }
            Ok(pages)
        });
        let pages = found.await?;
        match pages.last() {
            Some((last, _)) if pages.len() == NETWORKS => last.as_str().clone_into(&mut self.network),
            _ => {}
        }
        for (network, page) in pages {
            match page.last() {
                Some(last) if page.len() == PAGE => self.receivers.insert(network, last.clone()),
                _ => self.receivers.remove(&network),
            };
            page.into_iter().for_each(|config| desk.take(config));
        }
        Ok(())
    }
}
