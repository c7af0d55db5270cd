//! `baton logs`: what happens in a network, a line each, until it is stopped.

use baton_core::{UnixMillis, limits};
use clap::Args;
use std::process::ExitCode;
use tokio::time::{Instant, sleep_until};

use super::history::{History, NewRows};
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::screen::{Screen, note};
use crate::client::tasks::TaskEvent;
use crate::client::{Channel, Error, Follower, HubEvent, StreamEvent, Token};

/// Prints what happens in the network, a line each, until Ctrl-C.
#[derive(Debug, Args)]
pub(crate) struct Logs {
    /// Begin with what has happened since then: 90s, 10m, 2h or 3d ago, or a time such as 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = moment::since)]
    since: Option<UnixMillis>,
    /// Exit after that instead of following
    #[arg(long, requires = "since")]
    no_follow: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Logs {
    pub(super) async fn follow(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let mut log = Log::open(&link, self.connection.is_json(), self.since).await?;
        if self.no_follow {
            return Ok(ExitCode::SUCCESS);
        }
        log.note_following();
        loop {
            log.next().await?;
        }
    }
}

/// The channel on which a token receives most: a user the whole network, an agent what is for it.
pub(super) async fn channel(link: &Link, network_id: &str) -> Result<Channel, Failure> {
    match link.client.token() {
        Some(Token::Node(_)) => {
            let alias = link.client.me().await?.into_value().alias;
            let unnamed = || {
                Failure::usage(
                    "this token has no alias yet, so it has no events to follow; call report_status first, or pass the token of an agent",
                )
            };
            alias.map(Channel::Alias).ok_or_else(unnamed)
        }
        _ => Ok(Channel::Network(network_id.to_owned())),
    }
}

/// An open log, printed as it comes.
pub(super) struct Log<'a> {
    link: &'a Link,
    network_id: String,
    screen: Screen,
    is_json: bool,
    history: History,
    follower: Follower,
    is_away: bool,
    looked: Instant,
    look_at: Instant,
}

impl<'a> Log<'a> {
    /// A log from now on; with a time in the past, from then on, and what has happened since is printed.
    pub(super) async fn open(
        link: &'a Link,
        is_json: bool,
        since: Option<UnixMillis>,
    ) -> Result<Self, Failure> {
        let network_id = link.the_network().await?;
        let follower = link.client.follow(channel(link, &network_id).await?, None);
        let (history, past) = match since {
            Some(since) => {
                let (history, past) =
                    History::of_network_since(&link.client, network_id.clone(), since).await?;
                (history, Some(past))
            }
            None => {
                let mut history = History::of_network(network_id.clone());
                history.look(&link.client).await?;
                (history, None)
            }
        };
        let (looked, look_at) = (Instant::now(), Instant::now() + limits::LOGS_LOOK_EVERY);
        let log = Self {
            link,
            network_id,
            screen: Screen::stdout(),
            is_json,
            history,
            follower,
            is_away: false,
            looked,
            look_at,
        };
        if let Some(past) = past {
            log.print(&past)?;
        }
        Ok(log)
    }

    /// Everything from here on is printed: a script that starts something now sees all of it.
    pub(super) fn note_following(&self) {
        note(&format!("following {} on {}", self.network_id, self.link.client.hub()));
    }

    /// Waits for something and prints it.
    pub(super) async fn next(&mut self) -> Result<(), Failure> {
        let heard = tokio::select! {
            heard = self.follower.next() => heard,
            () = sleep_until(self.look_at) => {
                (self.looked, self.look_at) = (Instant::now(), Instant::now() + limits::LOGS_LOOK_EVERY);
                return self.look().await;
            }
        };
        self.look_at = self.look_at.min(self.looked + limits::LOGS_PAUSE);
        match heard {
            Some(Ok(StreamEvent::HubEvent { news, json })) => self.print_event(&news, &json),
            Some(Ok(StreamEvent::Lost(error))) => {
                self.lost(&error);
                Ok(())
            }
            Some(Err(error)) => Err(error.into()),
            None => Err(Failure::StreamEnded),
        }
    }

    async fn look(&mut self) -> Result<(), Failure> {
        match self.history.look(&self.link.client).await {
            Ok(fresh) => {
                if std::mem::take(&mut self.is_away) {
                    note("the hub is back");
                }
                self.print(&fresh)
            }
            Err(error) if !error.is_final() => {
                self.lost(&error);
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Said once, no matter how often it is tried.
    fn lost(&mut self, error: &Error) {
        if !std::mem::replace(&mut self.is_away, true) {
            note(&format!("waiting for the hub: {error}"));
        }
    }

    fn print(&self, fresh: &NewRows) -> Result<(), Failure> {
        if fresh.has_gap {
            note("more happened at once than the hub returns; some lines are missing here");
        }
        for event in &fresh.events {
            if self.is_json {
                self.screen.json(event)?;
                continue;
            }
            let TaskEvent { task_id, to_status, actor, detail, created_at, .. } = event;
            let time = moment::clock(*created_at);
            self.screen
                .print(&format!("{time}  {task_id}  {:<13}  {actor}: {detail}", to_status.as_str()))?;
        }
        Ok(())
    }

    /// What has no row in a task's history.
    fn print_event(&self, news: &HubEvent, json: &serde_json::value::RawValue) -> Result<(), Failure> {
        let words = match news {
            HubEvent::NewMessage { from, .. } => format!("message from {from}"),
            HubEvent::NewReply { from, in_reply_to: None, .. } => format!("reply from {from}"),
            HubEvent::Broadcast { from, .. } => format!("broadcast from {from}"),
            HubEvent::StatusUpdate { alias, status, progress } => {
                let progress = progress.map(|percent| format!(", {percent} %")).unwrap_or_default();
                format!("{alias} is {status}{progress}")
            }
            _ => return Ok(()),
        };
        if self.is_json {
            return self.screen.json(json);
        }
        self.screen.print(&format!("{}  {words}", moment::clock(moment::now().into())))
    }
}
