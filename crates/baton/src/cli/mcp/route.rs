//! The way to the hub's door, found when the first message needs it: a client starts its servers when it likes,
//! whether a hub is there or not.

use baton_core::Alias;
use tokio::sync::OnceCell;
use tokio::sync::mpsc::Sender;

use super::door::{Door, send_line};
use super::message::Message;
use crate::cli::agent_token::AgentLink;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;

/// How to come to the hub.
#[derive(Debug)]
pub(super) struct Route {
    connection: Connection,
    /// Whom to speak as; without one the token is used as it is.
    alias: Option<Alias>,
    /// The task that this program works for, if it was started by `baton work`.
    parent: Option<String>,
    found: OnceCell<(Door, Option<AgentLink>)>,
}

impl Route {
    pub(super) fn new(connection: Connection, alias: Option<Alias>, parent: Option<String>) -> Self {
        Self { connection, alias, parent, found: OnceCell::new() }
    }

    /// Passes a message on; without a way there the answer says why.
    pub(super) async fn pass(&self, message: Message, answers: &Sender<String>) {
        let message = &message.under(self.parent.as_deref());
        match self.found.get_or_try_init(|| self.find()).await {
            Ok((door, _)) => door.pass(message, answers).await,
            Err(failure) => {
                if let Some(failed) = message.failed(&failure.to_string()) {
                    send_line(answers, failed).await;
                }
            }
        }
    }

    /// Ends what was made for this run.
    pub(super) async fn close(&self) {
        if let Some((_, Some(agent))) = self.found.get() {
            agent.close().await;
        }
    }

    async fn find(&self) -> Result<(Door, Option<AgentLink>), Failure> {
        let link = self.connection.open()?;
        let Some(alias) = &self.alias else { return Ok((Door::new(link.client), None)) };
        let agent = AgentLink::open(link, alias).await?;
        Ok((Door::new(agent.client.clone()), Some(agent)))
    }
}
