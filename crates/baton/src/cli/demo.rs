//! `baton demo`: a hub and three agents in one process tree and one temporary folder, and what happens to tasks there:
//! handed on, cancelled, saved from a worker that dies, and their evidence checked once the hub is gone. No network, no
//! model, nothing left behind.

mod evidence;
mod hub_process;
mod narrator;
mod stage;
mod steps;
mod timeline;

use clap::Args;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

use super::failure::Failure;
use super::runtime;
use narrator::Narrator;
use stage::Stage;

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
    let narrator = Narrator::begin()?;
    let mut stage = Stage::set(&narrator).await?;
    steps::handoff(&stage, &narrator).await?;
    steps::cancel(&stage, &narrator).await?;
    steps::crash(&mut stage, &narrator).await?;
    timeline::print(&stage, &narrator).await?;
    let exported = evidence::export(&stage, &narrator).await?;
    drop(stage);
    evidence::check(&exported, &narrator).await?;
    drop(exported);
    narrator.end()
}
