//! Push latency: from the moment a send is written to the moment its `new_task` frame arrives at a listener.
//! Every listener is open throughout; as many of them as there are connections are sent to, one task at a time.

use std::time::{Duration, Instant};
use tokio::time::timeout;

use super::connection::Connection;
use super::request::Address;
use super::send::task_to;
use super::stream::Stream;
use super::tally::{Tally, together};
use super::tenant::Tenant;
use super::trouble::Trouble;

/// Open streams during the measurement.
const LISTENERS: usize = 32;
/// A frame that takes longer is lost.
const FRAME_MAX_SECONDS: u64 = 10;

pub(super) async fn measure(
    address: &Address,
    tenant: &mut Tenant,
    connections: usize,
    length: Duration,
) -> Result<Tally, Trouble> {
    let sender = tenant.mint("bench-push-sender".into()).await?;
    let listeners = tenant.agents("push", LISTENERS).await?;
    let mut streams = Vec::with_capacity(LISTENERS);
    for listener in &listeners {
        streams.push(Stream::open(address, listener).await?);
    }
    let quiet = streams.split_off(connections.min(LISTENERS));
    let mut pushes = Vec::with_capacity(streams.len());
    for (stream, listener) in streams.into_iter().zip(&listeners) {
        let connection = Connection::open(address).await?;
        let request = task_to(address, &sender, &listener.alias);
        pushes.push(push(connection, stream, request, length));
    }
    let tally = together(pushes).await;
    drop(quiet);
    Ok(tally)
}

async fn push(mut connection: Connection, mut stream: Stream, request: Vec<u8>, length: Duration) -> Tally {
    let mut tally = Tally::default();
    let started = Instant::now();
    while started.elapsed() < length {
        let begun = Instant::now();
        let mut arrived = begun;
        let sent = async { connection.call("a send", &request).await.map(|_| ()) };
        let heard = async {
            let frame = timeout(Duration::from_secs(FRAME_MAX_SECONDS), stream.wait_for("new_task"));
            frame.await.map_err(|_| Trouble::NoFrame { seconds: FRAME_MAX_SECONDS })??;
            arrived = Instant::now();
            Ok(())
        };
        // The answer and the frame may come in either order; only the frame counts.
        let both = tokio::try_join!(sent, heard).map(|_| arrived - begun);
        if tally.note(both).is_break() {
            break;
        }
    }
    tally
}
