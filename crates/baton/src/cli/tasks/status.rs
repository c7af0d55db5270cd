//! `baton status`: the hub, the user, the counts, and the agents: what they work on and how they did.

use clap::Args;
use serde_json::json;
use std::process::ExitCode;

use super::view;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::screen::Screen;
use crate::service::{agents, stats, statuses};

#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    connection: Connection,
}

impl Status {
    pub(super) async fn show(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let client = &link.client;
        let (health, who) = (client.health().await?, client.me().await?);
        let network_id = link.network().await?;
        let counts = client.stats(&stats::QueryArgs { network_id: network_id.clone() }).await?;
        let agents = client.agents(&agents::QueryArgs::of(network_id.clone())).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            let sessions = client.sessions(&statuses::QueryArgs::of(network_id)).await?;
            screen.json(&json!({
                "ok": true, "hub": health.text(), "me": who.text(), "stats": counts.text(), "status": sessions.text(),
                "agents": agents.text(),
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        #[allow(clippy::cast_possible_truncation)] // whole seconds
        let up = moment::seconds(health.uptime as i64);
        screen.print(&format!("hub      {}, version {}, up {up}", client.hub(), health.version))?;
        let name = who.alias.as_deref().unwrap_or(&who.user.username);
        let current = who.current_network.as_ref().or(network_id.as_ref());
        let network = who.networks.iter().find(|network| Some(&network.network_id) == current);
        let place = match network {
            Some(network) => format!("in {} ({})", network.network_name, network.network_id),
            None => current.map_or_else(|| "in all your networks".into(), |id| format!("in {id}")),
        };
        screen.print(&format!("you      {name} {place}"))?;
        screen.print(&format!("tasks    {}", view::counts(&counts.tasks.by_status)))?;
        let online = agents.agents.iter().filter(|agent| agent.status != "offline").count();
        screen.print(&format!("agents   {} with a token, {online} online", counts.nodes.total))?;
        if !agents.agents.is_empty() {
            screen.print("")?;
            screen.table(&view::agents(&agents.agents))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
