//! What a worker replies when its command is over: the end it gives the task, and a text within the limit.

use baton_core::{Ending, limits};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use super::output::{FullOutput, OutputError};
use super::process::{Ended, Finished, Printed};
use super::spool::Spooled;
use crate::cli::transfer::NamedFile;

/// The text for a command that printed nothing.
const NO_OUTPUT: &str = "(no output)";

/// A reply that is ready to be sent, and sent again, once its artifacts are uploaded.
#[derive(Debug)]
pub(super) struct TaskOutcome {
    pub(super) ending: Ending,
    pub(super) text: String,
    /// All of a result that is too long for the text.
    pub(super) whole: Option<WholeResult>,
}

/// A result that becomes an artifact of the reply.
#[derive(Debug)]
pub(super) struct WholeResult {
    pub(super) spooled: Spooled,
    pub(super) named: NamedFile,
}

impl TaskOutcome {
    /// The answer to a task whose command came to an end. None if it was stopped: then there is nobody to answer.
    pub(super) async fn of(finished: Finished, printed: &Printed) -> Option<Self> {
        Some(match finished.ended {
            Ended::Stopped => return None,
            Ended::OutputError(full) => Self::not_kept(&full),
            Ended::Exited(Ok(status)) if status.success() => match finished.output.finish().await {
                Ok(whole) => Self::replied(whole),
                Err(full) => Self::not_kept(&full),
            },
            Ended::Exited(Ok(status)) => Self::failed(&how(status), &printed.last_words()),
            Ended::Exited(Err(error)) => Self::failed(&format!("lost sight of the command: {error}"), ""),
        })
    }

    /// The answer to a task whose command could not be started.
    pub(super) fn not_started(error: &io::Error) -> Self {
        Self::failed(&format!("the command could not be started: {error}"), "")
    }

    /// The outcome of a task whose command was not started, because its messages could not be written.
    pub(super) fn no_conversation(error: &io::Error) -> Self {
        Self::failed(&format!("the task's messages could not be written to a temporary file: {error}"), "")
    }

    /// The answer to a task whose command took longer than it may.
    pub(super) fn timed_out(limit: Duration, printed: &Printed) -> Self {
        Self::failed(&format!("the command was ended after {} s", limit.as_secs()), &printed.last_words())
    }

    fn not_kept(full: &OutputError) -> Self {
        Self::failed(&format!("the command was ended: {full}"), "")
    }

    fn replied(whole: FullOutput) -> Self {
        let Some(spooled) = whole.spooled else {
            let text = match whole.head.trim_end_matches(['\n', '\r']) {
                text if text.trim().is_empty() => NO_OUTPUT.into(),
                text => text.to_owned(),
            };
            return Self { ending: Ending::Replied, text, whole: None };
        };
        // The head of an output that is not text has had its odd bytes replaced.
        let (name, media_type) = match whole.head.contains('\u{FFFD}') {
            true => ("result.bin", "application/octet-stream"),
            false => ("result.txt", "text/plain; charset=utf-8"),
        };
        let named = NamedFile { name: name.into(), media_type: media_type.into() };
        let text = truncated(&whole.head, &spooled, name);
        Self { ending: Ending::Replied, text, whole: Some(WholeResult { spooled, named }) }
    }

    /// The failure of a task whose command did its work, but whose files did not reach the hub.
    pub(super) fn unsent(error: &impl std::fmt::Display) -> Self {
        Self::failed(&format!("the command ended, but its files could not be uploaded: {error}"), "")
    }

    /// The answer to a task whose command was not started, because a file that came with the task could not be had.
    pub(super) fn no_input(name: &str, error: &impl std::fmt::Display) -> Self {
        Self::failed(&format!("the artifact {name} could not be fetched: {error}"), "")
    }

    /// What is added to a failure.
    pub(super) fn add(&mut self, words: &str) {
        let room = limits::TEXT_MAX_BYTES.saturating_sub(words.len() + 1);
        self.text.truncate(self.text.floor_char_boundary(room));
        self.text.push_str(&format!("\n{words}"));
    }

    /// With artifacts there is something to show for the work.
    pub(super) fn is_silent(&self) -> bool {
        self.ending == Ending::Replied && self.text == NO_OUTPUT
    }

    fn failed(what: &str, words: &str) -> Self {
        let words = words.trim_end();
        let text = if words.is_empty() { what.to_owned() } else { format!("{what}\n{words}") };
        Self { ending: Ending::Failed, text, whole: None }
    }
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => "ended".into(),
    }
}

/// As much of the beginning as fits, and which artifact has all of it.
fn truncated(head: &str, spooled: &Spooled, name: &str) -> String {
    let Spooled { hash, size_bytes, .. } = spooled;
    let note = format!(
        "\n[baton: this is the beginning. The whole result has {size_bytes} bytes and is the artifact {name} of this \
         reply, sha256 {hash}]"
    );
    let kept = head.floor_char_boundary(limits::TEXT_MAX_BYTES.saturating_sub(note.len()));
    format!("{}{note}", &head[..kept])
}

#[cfg(test)]
mod tests {
    use super::super::output::{Output, OutputRoom};
    use super::super::spool::Spool;
    use super::*;
    use baton_core::ReplyText;

    fn replied(head: &str) -> String {
        TaskOutcome::replied(FullOutput { head: head.into(), spooled: None }).text
    }

    #[test]
    fn a_blank_output_says_so_and_line_ends_are_left_out() {
        for (printed, text) in
            [("", NO_OUTPUT), (" \n\t\n", NO_OUTPUT), ("hi\n", "hi"), ("a\r\n\n", "a"), ("  a \n", "  a ")]
        {
            assert_eq!(replied(printed), text);
        }
    }

    #[test]
    fn a_truncated_text_fits_a_reply_and_names_the_artifact_that_has_all_of_it() {
        let folder = tempfile::tempdir().unwrap();
        for (head, name) in [("€", "result.txt"), ("\u{FFFD}", "result.bin")] {
            let mut spool = Spool::create(folder.path()).unwrap();
            spool.write(b"abc").unwrap();
            let head = head.repeat(limits::TEXT_MAX_BYTES / 3);
            let answer = TaskOutcome::replied(FullOutput { head, spooled: Some(spool.finish().unwrap()) });
            assert!((limits::TEXT_MAX_BYTES - 2..=limits::TEXT_MAX_BYTES).contains(&answer.text.len()));
            assert!(ReplyText::parse("text", &answer.text).is_ok());
            for part in ["has 3 bytes", "ba7816bf8f01cfea", name] {
                assert!(answer.text.contains(part), "{part}");
            }
            assert_eq!(answer.whole.unwrap().named.name, name);
        }
    }

    #[tokio::test]
    async fn a_command_that_was_stopped_has_no_answer() {
        let output = Output::new(OutputRoom { folder: "/nowhere".into(), max_bytes: 1 });
        let finished = Finished { ended: Ended::Stopped, output };
        assert!(TaskOutcome::of(finished, &Printed::new()).await.is_none());
    }
}
