//! One `subscriptions/listen`: the client is notified that a resource it named has changed, and reads it if it wants to know
//! how. The bells are those of the event streams, and like those a subscription ends with its token, with the hub or when the
//! client leaves. A resource the caller may not see is acknowledged as any other and never changes.

use baton_core::{Caller, Quota, limits};
use futures_util::future::{BoxFuture, FutureExt, select_all};
use rmcp::ErrorData;
use rmcp::service::{SubscriptionContext, SubscriptionSink};
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::sleep;

use super::resource;
use crate::hub::{Hub, Identity};
use crate::service::Error;
use crate::service::watched::{self, WatchBells};

/// A resource that is watched.
struct Watched {
    uri: String,
    bells: WatchBells,
}

/// Why a wait ended.
enum WakeReason {
    Changed(usize),
    Due,
    Over,
}

/// Notifies until the subscription is over.
pub(super) async fn run(
    hub: &Arc<Hub>,
    who: &Identity,
    context: SubscriptionContext,
) -> Result<(), ErrorData> {
    let failed = |error: Error| resource::failed("subscription", &error);
    let _seat = hub.streams.take_seat(&who.token_id).map_err(|refusal| failed(refusal.into()))?;
    let mut epoch = hub.store.access_epoch();
    let named = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let mut watched = listen_to_all(hub, &who.caller, named).await.map_err(failed)?;
    let _occupied = match watched.first() {
        Some(first) => Some(hub.occupy(Quota::Streams, &first.bells.network).await.map_err(failed)?),
        None => None,
    };
    // The acknowledgment went out before the bells were listened to: changes in between are reported like this.
    notify_all(context.sink(), &watched).await;
    loop {
        let place = match wait(hub, &context, &mut watched).await {
            WakeReason::Over => return Ok(()),
            WakeReason::Changed(place) => Some(place),
            WakeReason::Due => None,
        };
        if hub.has_expired(who) {
            return Ok(());
        }
        let now = hub.store.access_epoch();
        if now != epoch {
            // Tokens, members or an assignee changed: what may not be seen any more is watched no longer.
            let uris = watched.into_iter().map(|watched| watched.uri).collect();
            watched = match listen_to_all(hub, &who.caller, uris).await {
                Ok(watched) => watched,
                Err(error) => {
                    tracing::debug!(%error, "a subscription ends");
                    return Ok(());
                }
            };
            epoch = now;
            notify_all(context.sink(), &watched).await;
        } else if let Some(changed) = place.and_then(|place| watched.get(place)) {
            notify(context.sink(), changed).await;
        } else {
            continue;
        }
        // Changes that come in meanwhile are reported once.
        tokio::select! {
            () = sleep(limits::MCP_UPDATES_EVERY) => {}
            () = context.cancelled() => return Ok(()),
        }
    }
}

async fn wait(hub: &Hub, context: &SubscriptionContext, watched: &mut [Watched]) -> WakeReason {
    tokio::select! {
        place = rung(watched) => WakeReason::Changed(place),
        () = sleep(hub.streams.intervals.access) => WakeReason::Due,
        () = hub.shutdown.wait() => WakeReason::Over,
        () = context.cancelled() => WakeReason::Over,
    }
}

/// Listens to every resource that the caller may see; refused only if its token counts no more.
async fn listen_to_all(hub: &Hub, caller: &Caller, uris: Vec<String>) -> Result<Vec<Watched>, Error> {
    watched::check_token(hub, caller).await?;
    let mut all = Vec::with_capacity(uris.len());
    for uri in uris {
        let Some(what) = resource::parse(&uri) else { continue };
        match watched::listen(hub, caller, &what).await {
            Ok(bells) => all.push(Watched { uri, bells }),
            Err(Error::Refused(_) | Error::Argument { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

/// The place of one that changed; never, if there is none.
async fn rung(watched: &mut [Watched]) -> usize {
    let mut rings: Vec<BoxFuture<'_, usize>> = Vec::new();
    for (place, watched) in watched.iter_mut().enumerate() {
        let WatchBells { bells, passing, .. } = &mut watched.bells;
        rings.extend(bells.iter_mut().map(|bell| bell.wait().map(move |()| place).boxed()));
        rings.extend(passing.iter_mut().map(|passing| {
            async move {
                match passing.recv().await {
                    Ok(_) | Err(RecvError::Lagged(_)) => place,
                    Err(RecvError::Closed) => std::future::pending().await,
                }
            }
            .boxed()
        }));
    }
    if rings.is_empty() {
        return std::future::pending().await;
    }
    select_all(rings).await.0
}

async fn notify_all(sink: &SubscriptionSink, watched: &[Watched]) {
    for watched in watched {
        notify(sink, watched).await;
    }
}

async fn notify(sink: &SubscriptionSink, watched: &Watched) {
    if let Err(error) = sink.notify_resource_updated(watched.uri.as_str()).await {
        tracing::debug!(%error, "a subscription could not be notified");
    }
}
