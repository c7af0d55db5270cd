//! `baton demo`: a hub and three agents in one process tree and one temporary folder, and what happens to tasks there:
//! handed on, cancelled, saved from a worker that dies, and their evidence checked once the hub is gone. No network, no
//! model, nothing left behind.

mod evidence;
mod hub_process;
mod stage;
mod steps;
mod telling;
mod timeline;

use clap::Args;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

use super::failure::Failure;
use super::runtime;
use stage::Stage;
use telling::Telling;

/// Shows a hub and three agents at work, in less than 20 seconds.
///
/// Starts a hub and three workers, whose commands are a few lines of shell, in a temporary folder: work is handed
/// on, a task is cancelled, a worker is killed and its task saved; then the evidence of all of it is checked
/// without the hub. Needs no network and leaves nothing behind.
#[derive(Debug, Args)]
pub(crate) struct Demo {}

/// The exit code of a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;

impl Demo {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        runtime::block_on(async {
            let mut terminate = signal(SignalKind::terminate()).map_err(Failure::System)?;
            // Whichever way this ends, the stage goes with the story and takes hub, workers and folder with it.
            tokio::select! {
                told = story() => told.map(|()| ExitCode::SUCCESS),
                _ = tokio::signal::ctrl_c() => Ok(ExitCode::from(INTERRUPTED)),
                _ = terminate.recv() => Ok(ExitCode::from(INTERRUPTED)),
            }
        })
    }
}

async fn story() -> Result<(), Failure> {
    let telling = Telling::begin()?;
    let mut stage = Stage::set(&telling).await?;
    steps::handoff(&stage, &telling).await?;
    steps::cancel(&stage, &telling).await?;
    steps::crash(&mut stage, &telling).await?;
    timeline::tell(&stage, &telling).await?;
    let exported = evidence::export(&stage, &telling).await?;
    drop(stage);
    evidence::check(&exported, &telling).await?;
    drop(exported);
    telling.end()
}
