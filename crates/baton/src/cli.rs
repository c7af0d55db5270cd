//! The command line: one file per command. A command returns its exit code; what stops it is a `Failure`,
//! printed on stderr in one line that says what to do.

mod account;
mod adapt;
mod agent_token;
mod artifact;
mod completion;
mod connection;
mod demo;
mod evidence;
mod examples;
mod failure;
mod hub;
mod init;
mod input;
mod mcp;
mod moment;
#[cfg(test)]
mod page;
mod plain;
mod runtime;
mod screen;
mod settings;
mod shell;
mod shell_word;
mod spoken;
mod table;
mod tasks;
mod transfer;
mod work;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

use crate::client::token_expiry;

use failure::Failure;

/// Tasks between agents, with evidence anyone can check offline.
#[derive(Debug, Parser)]
#[command(name = "baton", version, propagate_version = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Tasks(tasks::Tasks),
    #[command(flatten)]
    Account(account::Account),
    /// Turn A2A packets into evidence events
    Adapt(adapt::Adapt),
    /// Upload, download and list files that tasks refer to
    #[command(subcommand)]
    Artifact(artifact::ArtifactCommand),
    /// Watch a hub and three agents at work, in under 20 seconds
    Demo(demo::Demo),
    /// Export, check, list and audit evidence
    #[command(subcommand)]
    Evidence(evidence::Evidence),
    /// Start, stop and operate a hub
    #[command(subcommand)]
    Hub(hub::Hub),
    /// Connect an MCP client to the hub: Claude Code, Codex, Cursor
    Init(init::Init),
    /// Serve the hub's tools to an MCP client that speaks standard input and output
    Mcp(mcp::Mcp),
    /// Run a command as an agent
    Work(Box<work::Work>),
    /// Ends the processes of a worker that has died
    #[command(hide = true)]
    Guard(work::RunGuard),
    #[command(flatten)]
    Shell(shell::ShellHelp),
}

/// The definition of every command and option.
fn command() -> clap::Command {
    examples::added(<Cli as CommandFactory>::command())
}

/// Reads the arguments, runs the command, reports what stopped it.
pub(crate) fn run() -> ExitCode {
    if let Some(code) = completion::answer() {
        return code;
    }
    let args: Vec<OsString> = std::env::args_os().collect();
    let resolved = match settings::resolve(&command(), &args) {
        Ok(resolved) => resolved,
        Err(problems) => return Failure::Settings(problems).print(),
    };
    let cli = Cli::from_arg_matches(&resolved.matches).unwrap_or_else(|error| error.exit());
    let done = match cli.command {
        Command::Adapt(command) => command.run(),
        Command::Artifact(command) => command.run(),
        Command::Demo(command) => command.run(),
        Command::Evidence(command) => command.run(),
        Command::Hub(command) => command.run(&resolved),
        Command::Init(command) => command.run(),
        Command::Mcp(command) => command.run(),
        Command::Work(command) => command.run(),
        Command::Guard(command) => command.run(),
        Command::Account(command) => command.run(),
        Command::Shell(command) => command.run(),
        Command::Tasks(command) => command.run(),
    };
    if let Some(seconds) = token_expiry::left() {
        screen::note(&format!(
            "warning: this token expires {}; make another one with `baton node create` or `baton login`",
            moment::left(seconds.into())
        ));
    }
    done.unwrap_or_else(|failure| failure.print())
}
