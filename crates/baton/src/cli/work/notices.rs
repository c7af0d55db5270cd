//! The agent's stream: notifies running tasks at once that they were cancelled or reassigned.

use crate::client::{Channel, Client, Error, HubEvent, StreamEvent};

use super::running::{Notice, Running};

/// Passes notices on until the hub refuses. The stream comes back by itself; what it may have missed is asked for.
pub(super) async fn listen(client: &Client, alias: &str, running: &Running) -> Error {
    let mut follower = client.follow(Channel::Alias(alias.to_owned()), None);
    loop {
        match follower.next().await {
            Some(Ok(StreamEvent::HubEvent { news, .. })) => pass_on(running, news),
            Some(Ok(StreamEvent::Lost(error))) => tracing::debug!("the stream broke: {error}"),
            Some(Err(error)) => return error,
            None => std::future::pending().await,
        }
    }
}

fn pass_on(running: &Running, news: HubEvent) {
    match news {
        HubEvent::TaskCancelled { task_id, .. } => running.notice(&task_id, Notice::Cancelled),
        HubEvent::TaskReassigned { task_id } => running.notice(&task_id, Notice::Reassigned),
        HubEvent::Connected { .. } | HubEvent::Reset => running.notice_all(),
        _ => {}
    }
}
