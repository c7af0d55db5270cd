//! Works for agents of others: one loop per registered agent claims its tasks like any worker and runs an errand for
//! each. Which loops run follows from the rows; adding or removing an agent rings.

mod agent;
mod errand;
mod insist;
mod keeping;
mod wording;

use baton_core::{Alias, NetworkId};
use baton_store::rows::RemoteRow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

use crate::hub::{Hub, Shutdown};
use crate::service::Error;

/// However a ring was lost, a change is found within this time.
const LOOK: Duration = Duration::from_secs(10);
/// After a look that failed.
const RETRY: Duration = Duration::from_secs(1);

/// A loop that runs, and for whom.
struct Running {
    remote: RemoteRow,
    stop: Shutdown,
}

/// Runs until the hub stops. What is out then stays out, and is looked at again after the next start.
pub(super) async fn run(hub: Arc<Hub>) {
    let mut running: HashMap<(NetworkId, Alias), Running> = HashMap::new();
    let mut loops = JoinSet::new();
    loop {
        let pause = match look(&hub, &mut running, &mut loops).await {
            Ok(()) => LOOK,
            Err(error) => {
                tracing::warn!(worker = "remote", %error, "a look for agents failed and is tried again");
                RETRY
            }
        };
        while loops.try_join_next().is_some() {}
        tokio::select! {
            () = hub.remotes_changed.notified() => {}
            () = tokio::time::sleep(pause) => {}
            () = hub.shutdown.wait() => break,
        }
    }
    while loops.join_next().await.is_some() {}
}

/// Starts and stops loops so that they are those of the rows.
async fn look(
    hub: &Arc<Hub>,
    running: &mut HashMap<(NetworkId, Alias), Running>,
    loops: &mut JoinSet<()>,
) -> Result<(), Error> {
    let remotes = hub.store.read(|rows| -> Result<_, Error> { Ok(rows.all_remotes()?) }).await?;
    let mut wanted: HashMap<_, _> = remotes
        .into_iter()
        .map(|remote| ((remote.network_id.clone(), remote.alias.clone()), remote))
        .collect();
    running.retain(|key, one| {
        let stays = wanted.get(key) == Some(&one.remote);
        if stays {
            wanted.remove(key);
        } else {
            one.stop.begin();
        }
        stays
    });
    for (key, remote) in wanted {
        let stop = Shutdown::default();
        loops.spawn(agent::run(hub.clone(), remote.clone(), stop.clone()));
        running.insert(key, Running { remote, stop });
    }
    Ok(())
}
