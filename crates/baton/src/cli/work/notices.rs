//! The agent's stream: tells running tasks at once that they were cancelled or given to another.

use crate::client::{Channel, Client, Error, Heard, News};

use super::running::{Notice, Running};

/// Passes notices on until the hub says no. The stream comes back by itself; what it may have missed is asked for.
pub(super) async fn listen(client: &Client, alias: &str, running: &Running) -> Error {
    let mut follower = client.follow(Channel::Alias(alias.to_owned()), None);
    loop {
        match follower.next().await {
            Some(Ok(Heard::News { news, .. })) => pass_on(running, news),
            Some(Ok(Heard::Lost(error))) => tracing::debug!("the stream broke: {error}"),
            Some(Err(error)) => return error,
            None => std::future::pending().await,
        }
    }
}

fn pass_on(running: &Running, news: News) {
    match news {
        News::TaskCancelled { task_id, .. } => running.notice(&task_id, Notice::Cancelled),
        News::TaskReassigned { task_id } => running.notice(&task_id, Notice::Reassigned),
        News::Connected { .. } | News::Reset => running.notice_all(),
        _ => {}
    }
}
