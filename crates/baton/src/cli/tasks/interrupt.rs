//! Ctrl-C while a command waits for tasks: the wait ends, the tasks continue, and the user learns how to continue with them.

use std::process::ExitCode;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::cli::failure::Failure;
use crate::cli::screen::note;
use crate::client::Client;
use crate::service::send_task;
use crate::trace;

/// What shells report of a program that SIGINT ended.
const INTERRUPTED: u8 = 130;

/// Listens for Ctrl-C. Until it is waited with, a press is remembered.
pub(super) struct Interrupt(Signal);

impl Interrupt {
    pub(super) fn listen() -> Result<Self, Failure> {
        signal(SignalKind::interrupt()).map(Self).map_err(Failure::System)
    }

    /// Waits until somebody presses Ctrl-C.
    pub(super) async fn pressed(&mut self) {
        self.0.recv().await;
    }

    /// A send that waits was interrupted before its answer: the same call without a wait gives the id of the task, which the
    /// hub knows by its key. A second press ends this too.
    pub(super) async fn leave_send(mut self, client: &Client, mut args: send_task::Args) -> ExitCode {
        args.wait_seconds = None;
        tokio::select! {
            sent = client.send_task(&args, trace::of_environment()) => match sent {
                Ok(sent) => note(&words(&[&sent.task_id])),
                Err(error) => note(&format!("it is not known whether the hub has the task: {error}")),
            },
            () = self.pressed() => {}
        }
        ExitCode::from(INTERRUPTED)
    }

    /// Waits, unless somebody presses Ctrl-C.
    pub(super) async fn unless_pressed(
        mut self,
        wait: impl Future<Output = Result<ExitCode, Failure>>,
        task_ids: &[&str],
    ) -> Result<ExitCode, Failure> {
        tokio::select! {
            ended = wait => ended,
            _ = self.0.recv() => {
                note(&words(task_ids));
                Ok(ExitCode::from(INTERRUPTED))
            }
        }
    }
}

fn words(task_ids: &[&str]) -> String {
    let ids = task_ids.join(" ");
    match task_ids {
        [id] => {
            format!("task {id} continues; `baton wait {id}` waits for it again, `baton cancel {id}` ends it")
        }
        _ => {
            format!("the tasks continue; `baton wait {ids}` waits for them again, `baton cancel ID` ends one")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_stops_waiting_reads_how_to_wait_again_and_how_to_cancel() {
        assert_eq!(
            words(&["t_1"]),
            "task t_1 continues; `baton wait t_1` waits for it again, `baton cancel t_1` ends it"
        );
        assert!(words(&["t_1", "t_2"]).contains("`baton wait t_1 t_2`"));
    }
}
