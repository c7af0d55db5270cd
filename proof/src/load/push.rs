//! Push latency: from the moment a send is written to the moment its `new_task` frame arrives at a listener.
//! Listeners may be at another hub than senders. Every listener is open throughout; as many of them as there are connections are sent to, one task at a time.

use std::time::{Duration, Instant};
use tokio::time::timeout;

use crate::lives::hub_client::Client;
use crate::request::Address;
use crate::stream::Stream;
use crate::tally::{Tally, together};
use crate::tenant::Tenant;
use crate::trouble::Trouble;

/// Open streams during the measurement.
const LISTENERS: usize = 32;
/// A frame that takes longer is lost.
const FRAME_MAX_SECONDS: u64 = 10;

pub(crate) async fn measure(
    address: &Address,
    listen_at: &Address,
    tenant: &mut Tenant,
    connections: usize,
    length: Duration,
) -> Result<Tally, Trouble> {
    let sender = tenant.mint("bench-push-sender".into()).await?;
    let listeners = tenant.agents("push", LISTENERS).await?;
    let mut streams = Vec::with_capacity(LISTENERS);
    for listener in &listeners {
        streams.push(Stream::open(listen_at, listener).await?);
    }
    let quiet = streams.split_off(connections.min(LISTENERS));
    let mut pushes = Vec::with_capacity(streams.len());
    for (stream, listener) in streams.into_iter().zip(&listeners) {
        pushes.push(push(Client::open(address, &sender, listener).await?, stream, length));
    }
    let tally = together(pushes).await;
    drop(quiet);
    Ok(tally)
}

async fn push(mut client: Client, mut stream: Stream, length: Duration) -> Tally {
    let mut tally = Tally::default();
    let started = Instant::now();
    while started.elapsed() < length {
        let begun = Instant::now();
        let mut arrived = begun;
        let heard = async {
            let frame = timeout(Duration::from_secs(FRAME_MAX_SECONDS), stream.wait_for("new_task"));
            frame.await.map_err(|_| Trouble::NoFrame { seconds: FRAME_MAX_SECONDS })??;
            arrived = Instant::now();
            Ok(())
        };
        // The answer and the frame may come in either order; only the frame counts.
        let both = tokio::try_join!(client.send(), heard).map(|_| arrived - begun);
        if tally.note(both).is_break() {
            break;
        }
    }
    tally
}
