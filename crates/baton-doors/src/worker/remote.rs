//! Works for remote agents: one loop per registered agent claims its tasks like any worker and runs a remote task for
//! each. Which loops run follows from the rows; adding or removing an agent rings.

mod agent;
mod deferred_cancels;
mod lease;
mod remote_task;
mod retry;
mod text;

use baton_core::{Alias, NetworkId, limits};
use baton_store::Work;
use baton_store::rows::RemoteRow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::{Id, JoinError, JoinSet};

use crate::hub::{Hub, Shutdown};
use crate::service::Error;

/// When a hub that cannot renew its leases of work stops working.
const LEASES_END: Duration = Duration::from_secs(limits::WORK_LEASE_SECONDS as u64 / 2);

/// A loop that runs, and its agent.
struct Running {
    id: Id,
    remote: RemoteRow,
    stop: Shutdown,
}

/// Runs until the hub stops. What is out then stays out, and is looked at again after the next start.
pub(super) async fn run(hub: Arc<Hub>) {
    let mut running: HashMap<(NetworkId, Alias), Running> = HashMap::new();
    let mut loops = JoinSet::new();
    let mut looked_at = Instant::now();
    loop {
        let began = Instant::now();
        let pause = match poll(&hub, &mut running, &mut loops).await {
            Ok(()) => {
                looked_at = began;
                limits::REMOTE_LOOK_EVERY
            }
            Err(error) => {
                tracing::warn!(worker = "remote", %error, "a look for agents failed and is tried again");
                // Another hub may work for them once the leases of this one are over.
                if hub.peers.is_some() && looked_at.elapsed() >= LEASES_END {
                    running.drain().for_each(|(_, one)| one.stop.begin());
                }
                limits::STORE_RETRY_AFTER
            }
        };
        tokio::select! {
            biased; // a hub that stops ends its loops itself
            () = hub.shutdown.wait() => break,
            () = hub.remotes_changed.notified() => {}
            Some(ended) = loops.join_next_with_id() => {
                if forget(&mut running, &ended) {
                    // The next look starts it again, and soon: but one that ends at once is not to spin.
                    hub.remotes_changed.notify_one();
                    tokio::time::sleep(limits::STORE_RETRY_AFTER).await;
                }
            }
            () = tokio::time::sleep(pause) => {}
        }
    }
    while loops.join_next().await.is_some() {}
}

/// Forgets a loop that ended; whether it was still wanted.
fn forget(running: &mut HashMap<(NetworkId, Alias), Running>, ended: &Result<(Id, ()), JoinError>) -> bool {
    let id = match ended {
        Ok((id, ())) => *id,
        Err(error) => error.id(),
    };
    let before = running.len();
    running.retain(|(network_id, alias), one| {
        if one.id == id {
            tracing::error!(worker = "remote", %network_id, %alias, ?ended, "an agent's loop ended and is started again");
        }
        one.id != id
    });
    running.len() < before
}

/// The work of a remote agent, of which only one hub does it at a time.
fn key_of(remote: &RemoteRow) -> String {
    format!("{}/{}", remote.network_id, remote.alias)
}

/// Starts and stops loops so that they are those of the rows that this hub works for.
async fn poll(
    hub: &Arc<Hub>,
    running: &mut HashMap<(NetworkId, Alias), Running>,
    loops: &mut JoinSet<()>,
) -> Result<(), Error> {
    let remotes = hub.store.read(|rows| -> Result<_, Error> { Ok(rows.all_remotes()?) }).await?;
    let keys = remotes.iter().map(key_of).collect();
    let owned = hub.own_work(Work::Errands, keys).await?;
    let mut wanted: HashMap<_, _> = remotes
        .into_iter()
        .filter(|remote| owned.contains(&key_of(remote)))
        .map(|remote| ((remote.network_id.clone(), remote.alias.clone()), remote))
        .collect();
    running.retain(|key, one| {
        // Each registration has a token of its own. Key and state of its card change under it, and no task is dropped for that.
        let stays = wanted.get(key).is_some_and(|row| row.token_id == one.remote.token_id);
        if stays {
            wanted.remove(key);
        } else {
            one.stop.begin();
        }
        stays
    });
    for (key, remote) in wanted {
        let stop = Shutdown::default();
        let id = loops.spawn(agent::run(hub.clone(), remote.clone(), stop.clone())).id();
        running.insert(key, Running { id, remote, stop });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{TestHub, network};
    use baton_core::{SystemRole, TokenId, UnixMillis};

    #[tokio::test]
    async fn a_loop_that_ended_is_forgotten_and_started_again_by_the_next_look() {
        let test = TestHub::start();
        test.person("alice", SystemRole::User, &[1]).await;
        let remote = RemoteRow {
            network_id: network(1),
            alias: Alias::parse("scout").unwrap(),
            card_url: "https://a.example/".into(),
            credential: None,
            token_id: TokenId::from_random([1; 6]),
            created_by: "alice".into(),
            created_at: UnixMillis::new(1),
            pinned_key: None,
            card_error: None,
        };
        test.write(move |tx| tx.insert_remote(&remote)).await;
        let (mut running, mut loops) = (HashMap::new(), JoinSet::new());
        poll(&test.hub, &mut running, &mut loops).await.unwrap();
        let first = running.values().next().unwrap().id;
        loops.abort_all(); // ends it as a panic would: without having been asked to
        let ended = loops.join_next_with_id().await.unwrap();
        assert!(forget(&mut running, &ended));
        poll(&test.hub, &mut running, &mut loops).await.unwrap();
        assert_ne!(running.values().next().unwrap().id, first);
        // One that was stopped because its agent was removed is nobody's loss.
        test.write(|tx| tx.delete_remote(&network(1), &Alias::parse("scout").unwrap()).map(drop)).await;
        poll(&test.hub, &mut running, &mut loops).await.unwrap();
        let ended = loops.join_next_with_id().await.unwrap();
        assert!(!forget(&mut running, &ended));
    }
}
