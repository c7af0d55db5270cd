//! `baton inbox wait`: blocks until something new is in an inbox, then prints one line and exits with 2. That is how a hook
//! of Claude Code wakes an idle session, and one of Codex has a session continue, so nothing else ends with that code. It acknowledges nothing; what it has reported to a
//! session of is remembered in `~/.baton/inbox`, so that deliveries which are left there do not wake it again.

use baton_core::{Alias, limits};
use baton_evidence::digest::Digest;
use baton_evidence::whole_file::WholeFile;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::{Instant, interval, sleep, timeout_at};

use crate::cli::agent_token::AgentLink;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::screen::{Screen, note};
use crate::cli::work::alias;
use crate::client::tasks::Inbox;
use crate::client::{Channel, Client, Follower, HubEvent, HubResponse, StreamEvent};
use crate::data_folder::DataFolder;
use crate::service::inbox::QueryArgs;

/// Something waits.
const NEWS: u8 = 2;
/// It could not be found out whether something does.
const FAILED: u8 = 1;

/// Waits until something new is in an inbox, prints it on standard error and exits with 2.
///
/// Exits with 0 if nothing came in time, and with 1 if it could not wait. Nothing is acknowledged.
#[derive(Debug, Args)]
pub(super) struct InboxWait {
    /// The agent whose inbox it is; without one your own
    #[arg(long, env = "BATON_ALIAS", hide_env_values = true, value_parser = alias)]
    alias: Option<Alias>,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = limits::INBOX_WAIT_DEFAULT_SECONDS, value_parser = clap::value_parser!(u32).range(1..=i64::from(limits::INBOX_WAIT_MAX_SECONDS)))]
    timeout: u32,
    /// Look once and do not wait
    #[arg(long, conflicts_with = "timeout")]
    now: bool,
    /// Standard input is what a client passes to its hooks: its session is notified of each delivery once
    #[arg(long)]
    hook: bool,
    #[command(flatten)]
    connection: Connection,
}

impl InboxWait {
    /// Waits; a failure never has the exit code that wakes a session.
    pub(super) async fn run(&self) -> ExitCode {
        match self.wait().await {
            Ok(is_woken) => ExitCode::from(if is_woken { NEWS } else { 0 }),
            Err(failure) => {
                failure.print();
                ExitCode::from(FAILED)
            }
        }
    }

    async fn wait(&self) -> Result<bool, Failure> {
        let deadline = Instant::now() + Duration::from_secs(self.timeout.into());
        let session = if self.hook { session_of(io::stdin())? } else { None };
        let link = self.connection.open()?;
        let hub = link.client.hub().to_string();
        let Some(alias) = &self.alias else {
            let network_id = link.network().await?;
            let channel = Channel::Me { network_id: network_id.clone() };
            let told = ReportedDeliveries::open(session, &hub, network_id.as_deref().unwrap_or_default())?;
            return self.follow(&link.client, channel, network_id, told, deadline).await;
        };
        let told = ReportedDeliveries::open(session, &hub, alias.as_str())?;
        let agent = AgentLink::open(link, alias).await?;
        let channel = Channel::Alias(alias.to_string());
        let waited = self.follow(&agent.client, channel, None, told, deadline).await;
        agent.close().await;
        waited
    }

    async fn follow(
        &self,
        client: &Client,
        channel: Channel,
        network_id: Option<String>,
        mut told: ReportedDeliveries,
        deadline: Instant,
    ) -> Result<bool, Failure> {
        if self.now {
            return self.look(client, network_id, &mut told).await;
        }
        let mut follower = client.follow(channel, None);
        let parent = rustix::process::getppid();
        let mut check = interval(limits::INBOX_WAIT_PARENT_CHECKED_EVERY);
        loop {
            let heard = tokio::select! {
                heard = timeout_at(deadline, news(&mut follower)) => heard,
                // The parent process has exited, so nobody can be woken.
                () = orphaned(&mut check, parent) => return Ok(false),
            };
            match heard {
                Err(_) => return Ok(false),
                Ok(heard) => heard?,
            }
            // A burst of deliveries is reported once.
            sleep(limits::INBOX_WAIT_GATHERED_FOR).await;
            if self.look(client, network_id.clone(), &mut told).await? {
                return Ok(true);
            }
        }
    }

    /// Looks into the inbox, and prints what is new there.
    async fn look(
        &self,
        client: &Client,
        network_id: Option<String>,
        told: &mut ReportedDeliveries,
    ) -> Result<bool, Failure> {
        let limit = Some(limits::INBOX_PAGE_MAX.to_string());
        let inbox = client.inbox(&QueryArgs { limit, network_id, cursor: None }).await?;
        let is_news = told.is_news(&inbox)?;
        if is_news {
            self.print(&inbox)?;
        }
        Ok(is_news)
    }

    fn print(&self, inbox: &HubResponse<Inbox>) -> Result<(), Failure> {
        if self.connection.is_json() {
            Screen::stdout().json(inbox.text())?;
        }
        let mut kinds = BTreeMap::<&str, usize>::new();
        for delivery in &inbox.messages {
            *kinds.entry(delivery.kind.as_str()).or_default() += 1;
        }
        let counted = |(kind, count): (&&str, &usize)| match (*kind, *count) {
            (kind, 1) => format!("1 {kind}"),
            ("reply", count) => format!("{count} replies"),
            (kind, count) => format!("{count} {kind}s"),
        };
        let kinds: Vec<String> = kinds.iter().map(counted).collect();
        let whose = self.alias.as_ref().map_or_else(String::new, |alias| format!(" of {alias}"));
        note(&format!("the Baton inbox{whose} has {}: read it with the tool get_inbox", kinds.join(", ")));
        Ok(())
    }
}

/// Waits until it is worth looking into the inbox: the stream stands, or something came.
async fn news(follower: &mut Follower) -> Result<(), Failure> {
    loop {
        match follower.next().await {
            None => return Err(Failure::StreamEnded),
            Some(Ok(
                StreamEvent::Lost(_)
                | StreamEvent::HubEvent { news: HubEvent::StatusUpdate { .. } | HubEvent::Other, .. },
            )) => {}
            Some(heard) => return heard.map(drop).map_err(Failure::from),
        }
    }
}

/// Ends when the process that started this one has.
async fn orphaned(check: &mut tokio::time::Interval, parent: Option<rustix::process::Pid>) {
    loop {
        check.tick().await;
        if rustix::process::getppid() != parent {
            return;
        }
    }
}

/// The session in what a client passes to its hooks.
fn session_of(input: impl Read + IsTerminal) -> Result<Option<String>, Failure> {
    #[derive(Deserialize)]
    struct HookInput {
        session_id: Option<String>,
    }
    if input.is_terminal() {
        return Ok(None);
    }
    let mut text = String::new();
    let failed = |error| Failure::Read { name: "standard input".into(), error };
    input.take(limits::HOOK_INPUT_MAX_BYTES).read_to_string(&mut text).map_err(failed)?;
    Ok(serde_json::from_str::<HookInput>(&text).ok().and_then(|input| input.session_id))
}

/// The deliveries that sessions were notified of.
struct ReportedDeliveries {
    /// Which session; without one everything is news.
    session: Option<String>,
    file: PathBuf,
}

/// The newest sessions, each with the deliveries it was notified of last.
#[derive(Debug, Default, Serialize, Deserialize)]
struct KnownSessions {
    sessions: Vec<(String, Vec<String>)>,
}

impl ReportedDeliveries {
    fn open(session: Option<String>, hub: &str, inbox: &str) -> Result<Self, Failure> {
        let home = DataFolder::home()
            .ok_or_else(|| Failure::usage("there is no home folder to remember deliveries in; set HOME"))?;
        let name = Digest::of(format!("{hub} {inbox}").as_bytes()).hex();
        Ok(Self { session, file: home.path().join("inbox").join(format!("{name}.json")) })
    }

    /// Whether there is a delivery that the session was not notified of; from now on it counts as notified.
    fn is_news(&mut self, inbox: &Inbox) -> Result<bool, Failure> {
        let ids: Vec<String> = inbox.messages.iter().map(|delivery| delivery.id.clone()).collect();
        let Some(session) = &self.session else { return Ok(!ids.is_empty()) };
        let mut remembered = read(&self.file);
        let known = remembered.sessions.iter().position(|(name, _)| name == session);
        let known = known.map(|place| remembered.sessions.remove(place).1).unwrap_or_default();
        let is_news = ids.iter().any(|id| !known.contains(id));
        if is_news {
            remembered.sessions.push((session.clone(), ids));
            let most = limits::INBOX_WAIT_SESSIONS_MAX_COUNT;
            let over = remembered.sessions.len().saturating_sub(most);
            remembered.sessions.drain(..over);
            let failed = |error| Failure::Write { name: self.file.display().to_string(), error };
            write(&self.file, &remembered).map_err(failed)?;
        }
        Ok(is_news)
    }
}

/// A file that is not there, or cannot be understood, remembers nothing.
fn read(file: &Path) -> KnownSessions {
    std::fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn write(file: &Path, remembered: &KnownSessions) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut whole = WholeFile::create_private(file)?;
    whole.write_all(&serde_json::to_vec(remembered)?)?;
    whole.commit()
}
