//! `baton work`: turns a command into an agent. Each task runs the command once, with the task's text on standard
//! input; what it prints is the answer.
//!
//! `agent` claims, `attempt` is one task under one lease, `process` one run of the command. Around them: the lease
//! that is kept, the notices that come, the conversation so far, the output and where a long one goes, the guard, the stop.

mod agent;
mod attempt;
mod conversation;
mod delivery;
mod drain;
mod files;
mod group;
mod guard;
mod lease;
mod notices;
mod outage;
mod output;
mod placeholder;
mod process;
mod program;
mod registration;
mod run_folder;
mod running;
mod session;
mod spool;
mod tail;
mod task_outcome;

pub(crate) use group::Group;
pub(crate) use guard::{Guard, GuardedGroup, RunGuard};

use baton_core::{Alias, limits};
use clap::Args;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::{sleep, timeout};

use super::agent_token::AgentLink;
use super::connection::Connection;
use super::failure::Failure;
use super::hub::Log;
use super::mcp::Door;
use super::screen::note;
use crate::service::skills::{self, Skill};
use agent::{Agent, Settings};
use drain::Drain;
use outage::Outage;
use output::OutputRoom;
use program::Program;
use run_folder::RunFolder;
use running::Running;

/// Turns a command into an agent: claims tasks, runs the command for each, answers with what it prints.
///
/// The command gets the task's text on standard input, and an argument {task} is replaced by it, unless a shell or an
/// interpreter would run it. It finds BATON_TASK_ID, BATON_FROM, BATON_KIND and BATON_CONTEXT in its environment, and hub and token, so that it can
/// call `baton send` itself, and `baton task ask QUESTION`, which prints the sender's answer. BATON_MESSAGES names a JSON file with the
/// conversation so far; the answers in it follow the text on standard input. Files that came with the task are in the folder
/// BATON_INPUT_DIR, and files that the command writes into the folder BATON_OUTPUT_DIR go with the reply. Exit code 0 is a
/// reply, any other a failure with the end of standard error.
///
/// The log on stderr has one line per event, with the time of day. Where stdout and stderr are a terminal that you may use for
/// something else, only warnings appear after the first line; --verbose shows every task.
///
/// The first SIGTERM or Ctrl-C lets running commands finish, the second ends them.
#[derive(Debug, Args)]
pub(crate) struct Work {
    /// The agent's name
    #[arg(long, env = "BATON_ALIAS", hide_env_values = true, value_parser = alias)]
    alias: Alias,
    /// Tasks to run at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=i64::from(limits::WORK_CONCURRENCY_MAX_COUNT)))]
    concurrency: u16,
    /// Lease in seconds: without a renewal the hub gives the task to another worker
    #[arg(long, value_name = "SECONDS", default_value_t = limits::LEASE_DEFAULT_SECONDS, value_parser = lease())]
    lease: u32,
    /// Seconds between TERM and KILL when a command must stop
    #[arg(long, value_name = "SECONDS", default_value_t = limits::WORK_GRACE_DEFAULT_SECONDS, value_parser = clap::value_parser!(u64).range(0..=limits::WORK_GRACE_MAX_SECONDS))]
    grace: u64,
    /// Maximum seconds for one run; then all its processes are killed and the run counts as failed
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(u64::from(limits::RUN_TIMEOUT_MIN_SECONDS)..=u64::from(limits::RUN_TIMEOUT_MAX_SECONDS)))]
    timeout: Option<u64>,
    /// How often a failed command is run again before the task fails
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=i64::from(limits::WORK_RETRIES_MAX)))]
    retries: u32,
    /// Maximum output of a command; one that prints more is stopped
    #[arg(long, value_name = "MIB", default_value_t = limits::WORK_OUTPUT_MAX_MIB, value_parser = clap::value_parser!(u64).range(1..=limits::WORK_OUTPUT_MAX_MIB))]
    max_output: u64,
    /// Work on one task, then stop
    #[arg(long)]
    once: bool,
    /// Replace {task} also inside longer arguments, such as --prompt={task}; never for shells and interpreters
    #[arg(long)]
    allow_embedded: bool,
    /// One sentence about the agent; shown to other members and on its A2A card
    #[arg(long, value_name = "TEXT", value_parser = description)]
    description: Option<String>,
    /// What the agent can do, such as review or review="Code review"; repeat it for more
    #[arg(long = "skill", value_name = "ID[=NAME]", value_parser = Skill::of_option)]
    skills: Vec<Skill>,
    /// How the log on stderr is written
    #[arg(long, value_enum, default_value_t = Log::Human)]
    log: Log,
    /// Log every task also where standard output and standard error are a terminal; without it only warnings appear there
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    connection: Connection,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn lease() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32)
        .range(i64::from(limits::LEASE_MIN_SECONDS)..=i64::from(limits::LEASE_MAX_SECONDS))
}

/// An agent's name, as the hub takes it.
pub(crate) fn alias(text: &str) -> Result<Alias, String> {
    Alias::parse(text).map_err(|refusal| refusal.message())
}

/// A description of the agent, as the hub takes it.
fn description(text: &str) -> Result<String, String> {
    let most = limits::LABEL_MAX_CHARS;
    match text.chars().nth(most) {
        Some(_) => Err(format!("must be at most {most} characters")),
        None => Ok(text.to_owned()),
    }
}

impl Work {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let settings = self.settings()?;
        self.log.begin_short(self.is_quiet());
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.map_err(Failure::System)?.block_on(self.live(settings))
    }

    /// Whether a user may use the terminal for something else: `baton work … &` must not write over what they do there.
    fn is_quiet(&self) -> bool {
        !self.verbose
            && self.log == Log::Human
            && std::io::stdout().is_terminal()
            && std::io::stderr().is_terminal()
    }

    fn settings(&self) -> Result<Settings, Failure> {
        skills::check(&self.skills).map_err(|error| Failure::usage(format!("--skill: {error}")))?;
        let program = Program::new(&self.command, self.allow_embedded);
        let program = program.map_err(|unfit| Failure::usage(unfit.to_string()))?;
        let runs = RunFolder::open().map_err(Failure::System)?;
        Ok(Settings {
            alias: self.alias.to_string(),
            concurrency: self.concurrency.into(),
            lease_seconds: self.lease,
            grace: Duration::from_secs(self.grace),
            timeout: self.timeout.map(Duration::from_secs),
            retries: self.retries,
            room: OutputRoom { folder: runs.path().to_owned(), max_bytes: self.max_output << 20 },
            runs,
            once: self.once,
            program,
            description: self.description.clone(),
            skills: self.skills.clone(),
        })
    }

    async fn live(&self, settings: Settings) -> Result<ExitCode, Failure> {
        let drain = Drain::on_signals().map_err(Failure::System)?;
        let mut opening = pin!(self.open());
        let opened = tokio::select! {
            link = &mut opening => link?,
            () = drain.begun() => {
                tracing::info!("stopping before the first task");
                // A token may be on its way: it is ended as one that came in time would be.
                if let Ok(Ok(link)) = timeout(limits::WORK_OPENING_MAX, opening).await {
                    link.close().await;
                }
                return Ok(ExitCode::SUCCESS);
            }
        };
        let outcome = self.work(settings, drain, &opened).await;
        opened.close().await;
        outcome?;
        tracing::info!("stopped");
        Ok(ExitCode::SUCCESS)
    }

    /// Works until it is asked to stop. Whatever it comes to, the token of the run is the caller's to end.
    async fn work(&self, settings: Settings, drain: Drain, opened: &AgentLink) -> Result<(), Failure> {
        let client = opened.client.clone();
        let Some(token) = client.token().cloned() else {
            let profile = self.connection.profile_name()?.to_string();
            return Err(Failure::NotLoggedIn { hub: client.hub().clone(), profile });
        };
        let hub = client.hub().to_string();
        tracing::info!(alias = settings.alias, hub, concurrency = settings.concurrency, "waiting for tasks");
        if self.is_quiet() {
            note(&format!("{} is waiting for tasks; --verbose shows each of them", settings.alias));
        }
        let guard = Guard::start(settings.grace).map_err(Failure::System)?;
        let ca = opened.ca.as_ref().map(|file| file.display().to_string());
        let agent = Agent {
            settings,
            client,
            hub,
            token,
            ca,
            guard,
            running: Running::default(),
            drain,
            outage: Outage::default(),
        };
        Ok(agent.work().await?)
    }

    /// A token that speaks as the alias, however long the hub is away.
    async fn open(&self) -> Result<AgentLink, Failure> {
        let mut outage = Outage::default();
        loop {
            let link = self.connection.open()?;
            let opened = AgentLink::open(link, &self.alias).await;
            let error = match opened {
                Ok(link) if link.is_unbound => match bind(&link, &self.alias).await {
                    Ok(()) => return Ok(link),
                    Err(words) => return Err(Failure::usage(words)),
                },
                Ok(link) => return Ok(link),
                Err(Failure::Client(error)) if !error.is_final() => error,
                Err(failure) => return Err(failure),
            };
            sleep(outage.wait_after(&error)).await;
        }
    }
}

/// The first report of a network's own token settles its alias.
async fn bind(link: &AgentLink, alias: &Alias) -> Result<(), String> {
    let door = Door::new(link.client.clone());
    let done = session::report(&door, alias.as_str(), false).await;
    done.map_err(|words| format!("this token cannot speak as {alias}: {words}"))
}
