//! Writes when tokens were used, when agents were seen and which are connected: one write for all since the last round.

use baton_core::limits;

use crate::hub::Hub;
use crate::service::Error;

pub(super) async fn round(hub: &Hub) -> Result<usize, Error> {
    hub.presences.forget_silent();
    let (used, held) = (hub.presences.take_unwritten(), hub.presences.take_connected());
    let count = used.len() + held.len();
    if count == 0 {
        return learn(hub).await.map(|()| 0);
    }
    // If this fails these times are lost, and the next call of the same token writes a newer one.
    let write = hub.store.write(move |tx| -> Result<(), Error> {
        tx.use_tokens(&used)?;
        tx.see_sessions(&used)?;
        tx.hold_connected(&held)?;
        Ok(())
    });
    write.await?;
    learn(hub).await?;
    Ok(count)
}

/// Learns whom other hubs have seen since about the last round.
async fn learn(hub: &Hub) -> Result<(), Error> {
    if let Some(peers) = hub.peers.as_ref().filter(|_| hub.alive_count() > 1) {
        let since = hub.clock.now().plus_millis(-i64::from(limits::SEEN_LOOKED_BACK_MILLIS));
        hub.presences.seen_elsewhere(peers.seen_since(since).await?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{TestHub, network};
    use baton_core::{Alias, Caller, SystemRole};

    #[tokio::test]
    async fn another_hub_sees_who_is_connected_and_that_it_has_ended() {
        let test = TestHub::start();
        test.person("ada", SystemRole::User, &[1]).await;
        let token = test.agent("ada", 1, "coder").await;
        let until = async || {
            let coder = Alias::parse("coder").unwrap();
            test.hub.store.read(move |rows| rows.connected_until(&network(1), &coder)).await.unwrap()
        };
        let Caller::Node(node) = test.hub.identify(&token).await.unwrap().caller.clone() else {
            panic!("a node")
        };
        round(&test.hub).await.unwrap();
        assert_eq!(until().await, None, "a call alone is no connection");
        let connected = test.hub.presences.connect(&node);
        round(&test.hub).await.unwrap();
        assert!(until().await.unwrap() > test.hub.clock.now());
        drop(connected);
        round(&test.hub).await.unwrap();
        assert!(until().await.unwrap() <= test.hub.clock.now());
    }
}
