//! The hub's end of the control socket.

use baton_core::limits;
use baton_store::CopyProgress;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};

use super::{Answer, Command, Status};
use crate::hub::{Hub, look};
use crate::service::accounts::passwords::{self, ResetUser};

/// What the hub says of itself.
pub struct Running {
    pub hub: Arc<Hub>,
    pub url: String,
}

/// Opens the socket. The caller holds the folder's lock, so a socket that is there belongs to a hub that is gone.
pub fn open(path: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Answers commands for as long as the hub runs, also while it stops.
pub async fn serve(listener: UnixListener, running: Running) {
    let running = Arc::new(running);
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let running = running.clone();
                tokio::spawn(async move {
                    if let Err(error) = converse(stream, &running).await {
                        tracing::debug!(%error, "a control connection broke off");
                    }
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a control connection could not be accepted");
                tokio::time::sleep(limits::ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn converse(stream: UnixStream, running: &Running) -> io::Result<()> {
    let (input, mut output) = stream.into_split();
    let mut line = String::new();
    let mut input = BufReader::new(input.take(limits::CONTROL_LINE_MAX_BYTES));
    tokio::time::timeout(limits::CONTROL_LINE_MAX, input.read_line(&mut line)).await??;
    let answer = match serde_json::from_str(&line) {
        Ok(Command::Copy { to }) => copy(to, running, &mut output).await?,
        Ok(command) => run(command, running).await,
        Err(error) => Answer::Refused { message: format!("not a command: {error}") },
    };
    let _held = matches!(answer, Answer::ObjectsHeld).then(|| running.hub.transfers.hold_objects());
    say(&mut output, &answer).await?;
    if _held.is_some() {
        // Until the other end hangs up.
        let _ = input.read_line(&mut line).await?;
    }
    if matches!(answer, Answer::Stopping) {
        tracing::info!("asked to stop");
        running.hub.shutdown.begin();
        // Closed when the process is done, which is what the other end waits for.
        std::future::pending::<()>().await;
    }
    Ok(())
}

async fn say(output: &mut OwnedWriteHalf, answer: &Answer) -> io::Result<()> {
    output.write_all((serde_json::to_string(answer)? + "\n").as_bytes()).await
}

/// Has the engine make a copy, and says how far it is. Once nobody receives that, the copy is given up.
async fn copy(to: PathBuf, Running { hub, .. }: &Running, output: &mut OwnedWriteHalf) -> io::Result<Answer> {
    tracing::info!(to = %to.display(), "copying the database");
    let not_copied = |error: baton_store::Error| {
        tracing::warn!(%error, "the database was not copied");
        Answer::Refused { message: format!("the database was not copied: {}", error.cause()) }
    };
    let mut copying = match hub.backup.copy(to) {
        Ok(copying) => copying,
        Err(error) => return Ok(not_copied(error)),
    };
    let mut ticks = tokio::time::interval(limits::COPY_REPORTED_EVERY);
    loop {
        tokio::select! {
            done = &mut copying.done => {
                let done = done.unwrap_or(Err(baton_store::Error::Closed));
                return Ok(done.map_or_else(not_copied, |()| Answer::Copied));
            }
            _ = ticks.tick() => {
                let CopyProgress { pages, of } = *copying.progress.borrow_and_update();
                say(output, &Answer::Copying { pages, of }).await?;
            }
        }
    }
}

async fn run(command: Command, Running { hub, url }: &Running) -> Answer {
    match command {
        Command::Stop => Answer::Stopping,
        Command::HoldObjects => Answer::ObjectsHeld,
        Command::Copy { .. } => Answer::Refused { message: "a copy is not answered in one line".into() },
        Command::Status => Answer::Status(Status {
            pid: std::process::id(),
            address: url.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
            uptime_seconds: hub.clock.uptime_seconds(),
        }),
        Command::Ready if hub.shutdown.is_draining() => Answer::Refused { message: "it is stopping".into() },
        Command::Ready => match look(hub).await {
            Ok(()) => Answer::Ready,
            Err(not_ready) => Answer::Refused { message: not_ready.to_string() },
        },
        Command::ResetUser { username } => match passwords::reset(&*hub.store, &username).await {
            Ok(ResetUser { new_password, token }) => Answer::UserReset {
                new_password: new_password.expose().to_owned(),
                token: token.expose().to_owned(),
            },
            Err(error) => Answer::Refused { message: error.to_string() },
        },
    }
}
