//! A token that speaks as an alias: the one that was given, if it is a node's; with a user's token, one that is
//! minted for this run and revoked at its end. So a profile is all an agent needs, and no file holds its token.

use baton_core::Alias;
use std::path::PathBuf;

use super::connection::Link;
use super::failure::Failure;
use crate::client::{Client, Token, TokenSource};
use crate::service::accounts::tokens;

/// A client that speaks as an agent.
#[derive(Debug)]
pub(crate) struct AgentLink {
    pub(crate) client: Client,
    /// Whether the token has yet to be bound to its alias, by the agent's first report.
    pub(crate) is_unbound: bool,
    /// The file of the hub's private CA.
    pub(crate) ca: Option<PathBuf>,
    minted: Option<MintedToken>,
}

#[derive(Debug)]
struct MintedToken {
    person: Client,
    token_id: String,
}

impl AgentLink {
    /// Finds out whose token it is, and mints one if it is a user's. Asks the hub.
    pub(crate) async fn open(link: Link, alias: &Alias) -> Result<Self, Failure> {
        let who = link.client.me().await?.into_value();
        if who.current_network.is_none() {
            return Self::mint(link, alias).await;
        }
        match who.alias {
            Some(other) if other != alias.as_str() => Err(Failure::usage(format!(
                "this token belongs to the alias {other}, not to {alias}; pass --alias {other}, or a token from `baton node create {alias}`"
            ))),
            bound => Ok(Self { client: link.client, is_unbound: bound.is_none(), ca: link.ca, minted: None }),
        }
    }

    async fn mint(link: Link, alias: &Alias) -> Result<Self, Failure> {
        let network_id = Some(link.the_network().await?);
        let args = tokens::NewNodeToken {
            network_id,
            node_name: Some(alias.to_string()),
            scope: None,
            expires_in_seconds: None,
        };
        let minted = link.client.mint_node_token(&args).await?.into_value();
        let token = Token::parse(&minted.token);
        let client = token
            .clone()
            .map_or_else(|| link.client.clone(), |token| link.client.with_token(token, TokenSource::Run));
        let minted = Some(MintedToken { person: link.client, token_id: minted.token_id });
        let opened = Self { client, is_unbound: false, ca: link.ca, minted };
        if token.is_none() {
            opened.close().await;
            return Err(Failure::usage(
                "the hub answered with a token that this version of baton does not know; is the hub newer?",
            ));
        }
        Ok(opened)
    }

    /// Ends a token that was minted for this run. If it cannot be, the token stays in `baton token ls`.
    pub(crate) async fn close(&self) {
        if let Some(minted) = &self.minted
            && let Err(error) = minted.person.revoke_token(&minted.token_id).await
        {
            tracing::warn!("the run's token {} could not be revoked: {error}", minted.token_id);
        }
    }
}
