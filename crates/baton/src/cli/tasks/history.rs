//! New rows of history, each printed once: of one task or of a network. A stream says when to read; reading is what
//! counts, so a stream that misses something delays a line and loses none.

use baton_core::{UnixMillis, limits};

use crate::client::tasks::TaskEvent;
use crate::client::{Client, Error};
use crate::service::task_events::QueryArgs;

/// Where the reading stands.
#[derive(Debug)]
pub(super) struct History {
    task_id: Option<String>,
    network_id: Option<String>,
    /// The newest row that was printed.
    last: Option<i64>,
}

/// Rows that were not printed yet, oldest first.
#[derive(Debug)]
pub(super) struct NewRows {
    pub(super) events: Vec<TaskEvent>,
    /// More happened than the hub returns at once: some rows are missing before these.
    pub(super) has_gap: bool,
}

impl History {
    /// All of a task's history.
    pub(super) fn of_task(task_id: String) -> Self {
        Self { task_id: Some(task_id), network_id: None, last: Some(0) }
    }

    /// A network's history from the first look on.
    pub(super) fn of_network(network_id: String) -> Self {
        Self { task_id: None, network_id: Some(network_id), last: None }
    }

    /// A network's history from a time on: what happened since then comes with the first look.
    pub(super) async fn of_network_since(
        client: &Client,
        network_id: String,
        since: UnixMillis,
    ) -> Result<(Self, NewRows), Error> {
        let mut args = QueryArgs {
            network_id: Some(network_id.clone()),
            limit: Some(limits::EVENT_PAGE_MAX.to_string()),
            ..QueryArgs::default()
        };
        let mut events: Vec<TaskEvent> = Vec::new();
        // The wire's times are whole seconds.
        let since = since.get() / 1000 * 1000;
        let has_gap = loop {
            let page = client.task_events(&args).await?.into_value();
            let is_older = page.events.last().is_none_or(|oldest| oldest.created_at.0.get() < since);
            events.extend(page.events.into_iter().filter(|event| event.created_at.0.get() >= since));
            args.cursor = page.next_cursor.filter(|_| !is_older);
            match &args.cursor {
                None => break false,
                Some(_) if events.len() >= limits::HISTORY_SHOWN_COUNT => break true,
                Some(_) => {}
            }
        };
        // The newest of all, also where nothing has happened since then.
        let mut history = Self { task_id: None, network_id: Some(network_id), last: None };
        match events.first() {
            Some(newest) => history.last = Some(newest.id),
            None => drop(history.look(client).await?),
        }
        events.reverse();
        Ok((history, NewRows { events, has_gap }))
    }

    /// Looks for rows that are new.
    pub(super) async fn look(&mut self, client: &Client) -> Result<NewRows, Error> {
        let args = QueryArgs {
            task_id: self.task_id.clone(),
            network_id: self.network_id.clone(),
            limit: Some(if self.last.is_some() { limits::EVENT_PAGE_MAX } else { 1 }.to_string()),
            cursor: None,
        };
        let events = client.task_events(&args).await?.into_value().events;
        let newest = events.first().map(|event| event.id);
        let Some(last) = self.last else {
            // The first look says where the history ends today.
            self.last = Some(newest.unwrap_or(0));
            return Ok(NewRows { events: Vec::new(), has_gap: false });
        };
        let is_full = events.len() == limits::EVENT_PAGE_MAX;
        let has_gap = is_full && last > 0 && events.last().is_some_and(|oldest| oldest.id > last);
        let mut events: Vec<_> = events.into_iter().filter(|event| event.id > last).collect();
        events.reverse();
        self.last = Some(newest.unwrap_or(last).max(last));
        Ok(NewRows { events, has_gap })
    }
}
