//! Ctrl-C while a command waits for tasks: the wait ends, the tasks go on, and the person learns how to go on with them.

use std::process::ExitCode;

use crate::cli::failure::Failure;
use crate::cli::screen::note;

/// What shells report of a program that SIGINT ended.
const INTERRUPTED: u8 = 130;

/// Waits, unless somebody presses Ctrl-C.
pub(super) async fn unless_interrupted(
    wait: impl Future<Output = Result<ExitCode, Failure>>,
    task_ids: &[&str],
) -> Result<ExitCode, Failure> {
    tokio::select! {
        ended = wait => ended,
        pressed = tokio::signal::ctrl_c() => {
            pressed.map_err(Failure::System)?;
            note(&words(task_ids));
            Ok(ExitCode::from(INTERRUPTED))
        }
    }
}

fn words(task_ids: &[&str]) -> String {
    let ids = task_ids.join(" ");
    match task_ids {
        [id] => {
            format!("task {id} goes on; `baton wait {id}` waits for it again, `baton cancel {id}` ends it")
        }
        _ => format!("the tasks go on; `baton wait {ids}` waits for them again, `baton cancel ID` ends one"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_stops_waiting_reads_how_to_wait_again_and_how_to_cancel() {
        assert_eq!(
            words(&["t_1"]),
            "task t_1 goes on; `baton wait t_1` waits for it again, `baton cancel t_1` ends it"
        );
        assert!(words(&["t_1", "t_2"]).contains("`baton wait t_1 t_2`"));
    }
}
