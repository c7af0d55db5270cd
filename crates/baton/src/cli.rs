//! The command line: one file per command. A command returns its exit code; what stops it is a `Failure`,
//! told on stderr in one line that says what to do.

mod account;
mod adapt;
mod bench;
mod connection;
mod evidence;
mod failure;
mod hub;
mod input;
mod moment;
mod plain;
mod runtime;
mod screen;
mod shell;
mod spoken;
mod table;
mod tasks;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

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
    /// Measure a hub under load
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Pack, check and list evidence bundles
    #[command(subcommand)]
    Evidence(evidence::Evidence),
    /// Start, stop and look after a hub
    #[command(subcommand)]
    Hub(hub::Hub),
    #[command(flatten)]
    Shell(shell::ShellHelp),
}

/// Reads the arguments, runs the command, tells what stopped it.
pub(crate) fn run() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Adapt(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Evidence(command) => command.run(),
        Command::Hub(command) => command.run(),
        Command::Account(command) => command.run(),
        Command::Shell(command) => command.run(),
        Command::Tasks(command) => command.run(),
    };
    done.unwrap_or_else(|failure| failure.tell())
}
