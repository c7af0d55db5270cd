//! One reader per network for all who watch the whole of it: rows are read and printed once and handed to every
//! listener. Who cannot keep up reads for itself, with the same code, and slows nobody down.

use baton_core::{NetworkId, limits};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast::{Receiver, Sender, channel};
use tokio::time::{sleep, timeout};

use super::page;
use crate::hub::{Bell, Hub, Page};
use crate::service::Error;

/// A lost ring costs at most this.
const POLL: Duration = Duration::from_secs(limits::STREAM_COMMENT_SECONDS as u64);

/// Follows a network's feed from about now: the first page says from where.
pub(super) fn follow(hub: &Arc<Hub>, network_id: &NetworkId) -> Receiver<Arc<Page>> {
    let mut tails = hub.streams.tails.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pages) = tails.get(network_id) {
        return pages.subscribe();
    }
    let (pages, listener) = channel(limits::STREAM_PAGES_BEHIND_COUNT);
    tails.insert(network_id.clone(), pages.clone());
    let bell = hub.bells.listen_to_network(network_id);
    tokio::spawn(run(hub.clone(), network_id.clone(), bell, pages));
    listener
}

async fn run(hub: Arc<Hub>, network_id: NetworkId, mut bell: Bell, pages: Sender<Arc<Page>>) {
    let mut last = None;
    loop {
        match next_page(&hub, &network_id, last).await {
            Ok(page) => {
                let is_news = last.is_none() || !page.frames.is_empty();
                let is_full = page.is_full;
                last = Some(page.position);
                if is_news {
                    // A missing receiver is handled below.
                    let _ = pages.send(Arc::new(page));
                }
                if is_full {
                    continue;
                }
            }
            Err(Error::Store(baton_store::Error::Closed)) => return retire(&hub, &network_id),
            Err(error) => {
                tracing::warn!(%error, "a network's feed could not be read");
                sleep(limits::STORE_RETRY_AFTER).await;
                continue;
            }
        }
        tokio::select! {
            _ = timeout(POLL, bell.wait()) => {}
            () = pages.closed() => if retire_unheard(&hub, &network_id, &pages) { return },
            () = hub.shutdown.wait() => return retire(&hub, &network_id),
        }
    }
}

/// The next page; the first is empty and only gives the end of the feed, so that a stream before it reads on.
async fn next_page(hub: &Hub, network_id: &NetworkId, last: Option<i64>) -> Result<Page, Error> {
    match last {
        Some(last) => page::read(hub, network_id, None, last).await,
        None => {
            let network_id = network_id.clone();
            let (_, newest) =
                hub.store_of(&network_id).read(move |rows| rows.feed_range(&network_id)).await?;
            Ok(Page { after: newest, position: newest, frames: Default::default(), is_full: false })
        }
    }
}

fn retire(hub: &Hub, network_id: &NetworkId) {
    hub.streams.tails.lock().unwrap_or_else(PoisonError::into_inner).remove(network_id);
}

/// Retires unless somebody came meanwhile.
fn retire_unheard(hub: &Hub, network_id: &NetworkId, pages: &Sender<Arc<Page>>) -> bool {
    let mut tails = hub.streams.tails.lock().unwrap_or_else(PoisonError::into_inner);
    let is_unheard = pages.receiver_count() == 0;
    if is_unheard {
        tails.remove(network_id);
    }
    is_unheard
}
