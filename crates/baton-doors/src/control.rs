//! What a command beside a running hub says to it, over a unix socket in the data folder: one line of JSON there,
//! one line back. Only processes that may enter the folder can connect, so there is no token.

mod client;
mod listener;

pub use client::{Control, ControlError};
pub use listener::{Running, open, serve};

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the hub is asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Who are you?
    Status,
    /// Do you have your database, and take work?
    Ready,
    /// End cleanly. The connection stays open until the hub has let go of its folder.
    Stop,
    /// Give a user a new password and token.
    ResetUser {
        /// Whom.
        username: String,
    },
    /// Delete no bytes of artifacts while this connection is open: somebody reads them beside a copy of the database.
    HoldObjects,
    /// Copy the database into this file. Until it is done the hub says how far it is; who hangs up has given it up.
    Copy {
        /// Where to.
        to: PathBuf,
    },
}

/// What the hub answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    Status(Status),
    Ready,
    Stopping,
    UserReset { new_password: String, token: String },
    Copying { pages: u64, of: u64 },
    Copied,
    ObjectsHeld,
    Refused { message: String },
}

/// A running hub.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Status {
    pub pid: u32,
    pub address: String,
    pub version: String,
    pub uptime_seconds: u64,
}
