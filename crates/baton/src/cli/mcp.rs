//! `baton mcp`: the hub's tools for clients that only speak MCP over standard input and output. Every message is
//! passed on to the hub's own door, and its answer back; the bridge has no tools and no state of its own. What is sent from within
//! a task of `baton work` becomes part of that task, and of its trace.

mod bridge;
mod door;
mod message;
mod route;

pub(crate) use door::Door;
pub(crate) use message::Message;

use baton_core::Alias;
use clap::Args;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};

use super::connection::Connection;
use super::failure::Failure;
use super::runtime;
use super::work::alias;
use route::Route;

/// Serves the hub's MCP tools on standard input and output.
///
/// With --alias the client speaks as that agent: by the node token given, or, with a user's token, by one minted
/// for this run. If the hub is unreachable, the call gets an error, and the next call finds it when it is back.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// The agent that the client acts as
    #[arg(long, env = "BATON_ALIAS", hide_env_values = true, value_parser = alias)]
    alias: Option<Alias>,
    /// The task that tasks sent with these tools are part of
    #[arg(long, value_name = "ID", env = "BATON_PARENT_TASK_ID", hide_env_values = true)]
    parent: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Mcp {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        runtime::block_on(async {
            let parent = self.parent.clone().filter(|parent| !parent.is_empty());
            let route = Arc::new(Route::new(self.connection.clone(), self.alias.clone(), parent));
            let mut terminate = signal(SignalKind::terminate()).map_err(Failure::System)?;
            let bridged = tokio::select! {
                bridged = bridge::run(&route, tokio::io::stdin(), tokio::io::stdout()) => bridged,
                _ = terminate.recv() => Ok(()),
                _ = tokio::signal::ctrl_c() => Ok(()),
            };
            route.close().await;
            bridged.map_err(Failure::stdout)?;
            Ok(ExitCode::SUCCESS)
        })
    }
}
