//! `baton watch`: the network on one screen, drawn again when something happens. Where there is no terminal, lines.

use baton_core::limits;
use clap::Args;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep_until};

use super::logs::{self, Log};
use super::view;
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::plain;
use crate::cli::screen::{Color, Screen};
use crate::client::{Error, Follower};
use crate::service::{agents, list_tasks};

#[derive(Debug, Args)]
pub(crate) struct Watch {
    #[command(flatten)]
    connection: Connection,
}

impl Watch {
    pub(super) async fn watch(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let screen = Screen::stdout();
        if !screen.is_terminal() || self.connection.is_json() {
            let mut log = Log::open(&link, self.connection.is_json(), None).await?;
            log.note_following();
            loop {
                log.next().await?;
            }
        }
        let network_id = link.the_network().await?;
        let follower = link.client.follow(logs::channel(&link, &network_id).await?, None);
        let networks = link.client.networks().await?.into_value().networks;
        let named = networks.into_iter().find(|network| network.network_id == network_id);
        let name = named.map_or_else(|| network_id.clone(), |network| network.network_name);
        let mut picture = WatchView { link: &link, network_id, name, follower };
        // Errors at the start are printed before the screen is taken over.
        let first = picture.render().await?;
        screen.take_over(true)?;
        let ended = picture.live(first).await;
        screen.take_over(false)?;
        ended.map(|()| ExitCode::SUCCESS)
    }
}

struct WatchView<'a> {
    link: &'a Link,
    network_id: String,
    name: String,
    follower: Follower,
}

impl WatchView<'_> {
    /// Draws until Ctrl-C or an error that does not pass.
    async fn live(&mut self, mut text: String) -> Result<(), Failure> {
        let mut interrupt = signal(SignalKind::interrupt()).map_err(Failure::System)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(Failure::System)?;
        loop {
            Screen::stdout().draw(&text)?;
            tokio::select! {
                changed = self.change() => changed?,
                _ = interrupt.recv() => return Ok(()),
                _ = terminate.recv() => return Ok(()),
            }
            match self.render().await {
                Ok(new) => text = new,
                Err(Failure::Client(error)) if !error.is_final() => text = away(&text, &error),
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Waits until there is something new, and then a moment for more of it.
    async fn change(&mut self) -> Result<(), Failure> {
        let (soon, late) =
            (Instant::now() + limits::WATCH_PAUSE_MIN, Instant::now() + limits::WATCH_PAUSE_MAX);
        let mut until = late;
        loop {
            tokio::select! {
                heard = self.follower.next() => match heard {
                    Some(Ok(_)) => until = soon,
                    Some(Err(error)) => return Err(error.into()),
                    None => return Err(Failure::StreamEnded),
                },
                () = sleep_until(until) => return Ok(()),
            }
        }
    }

    async fn render(&self) -> Result<String, Failure> {
        let screen = Screen::stdout();
        let client = &self.link.client;
        let network_id = Some(self.network_id.clone());
        let agents = client.agents(&agents::QueryArgs::of(network_id.clone())).await?;
        let limit = Some(limits::TASK_PAGE_DEFAULT.to_string());
        let page = client.tasks(&list_tasks::QueryArgs { network_id, limit, ..Default::default() }).await?;
        let time = moment::clock(moment::now().into());
        let title = plain::line(&format!("{} on {}, {time}", self.name, client.hub()));
        let counts = plain::line(&format!("tasks: {}", view::counts(&page.stats)));
        let mut text = format!("{}\n{counts}\n", screen.colored(Color::Heading, &title));
        if !agents.agents.is_empty() {
            text.push_str(&format!("\n{}", view::agents(&agents.agents).render(&screen)));
        }
        text.push_str(&format!("\n{}", view::tasks(&page.tasks, true).render(&screen)));
        Ok(fit(&text, screen.lines()))
    }
}

/// The last picture, under the news that it is old.
fn away(text: &str, error: &Error) -> String {
    let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    let first = plain::line(&format!("waiting for the hub: {error}"));
    format!("{}\n{rest}", plain::cut(&first, Screen::stdout().columns().unwrap_or(usize::MAX)))
}

/// As many lines as the screen has, without the break after the last.
fn fit(text: &str, lines: Option<usize>) -> String {
    let shown: Vec<&str> = text.lines().take(lines.unwrap_or(usize::MAX)).collect();
    shown.join("\n")
}
