//! What a worker replies when its command is over: the end it gives the task, and a text within the limit.

use baton_core::{Ending, limits};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use super::attachment::Attachment;
use super::output::{Full, Whole};
use super::process::{Ended, Finished, Printed};

/// What is said of a command that printed nothing.
const NO_OUTPUT: &str = "(no output)";

/// A reply that is ready to be sent, and sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) ending: Ending,
    pub(super) text: String,
}

impl Answer {
    /// The answer to a task whose command came to an end. None if it was stopped: then there is nobody to answer.
    pub(super) async fn of(finished: Finished, printed: &Printed) -> Option<Self> {
        Some(match finished.ended {
            Ended::Stopped => return None,
            Ended::Full(full) => Self::not_kept(&full),
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

    /// The answer to a task whose command was not started, because it could not have been told what was said.
    pub(super) fn no_conversation(error: &io::Error) -> Self {
        Self::failed(&format!("the task's messages could not be written to a temporary file: {error}"), "")
    }

    /// The answer to a task whose command took longer than it may.
    pub(super) fn timed_out(limit: Duration, printed: &Printed) -> Self {
        Self::failed(&format!("the command was ended after {} s", limit.as_secs()), &printed.last_words())
    }

    fn not_kept(full: &Full) -> Self {
        Self::failed(&format!("the command was ended: {full}"), "")
    }

    fn replied(whole: Whole) -> Self {
        let text = match whole.attachment {
            Some(attachment) => truncated(&whole.head, &attachment),
            None => match whole.head.trim_end_matches(['\n', '\r']) {
                text if text.trim().is_empty() => NO_OUTPUT.into(),
                text => text.to_owned(),
            },
        };
        Self { ending: Ending::Replied, text }
    }

    fn failed(what: &str, words: &str) -> Self {
        let words = words.trim_end();
        let text = if words.is_empty() { what.to_owned() } else { format!("{what}\n{words}") };
        Self { ending: Ending::Failed, text }
    }
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => "ended".into(),
    }
}

/// As much of the beginning as fits, and where all of it is.
fn truncated(head: &str, attachment: &Attachment) -> String {
    let Attachment { sha256, size_bytes, path } = attachment;
    let note = format!(
        "\n[baton: this is the beginning. The whole result has {size_bytes} bytes, sha256 {sha256}, and is kept by \
         the worker in {}]",
        path.display()
    );
    let kept = head.floor_char_boundary(limits::TEXT_MAX_BYTES.saturating_sub(note.len()));
    format!("{}{note}", &head[..kept])
}

#[cfg(test)]
mod tests {
    use super::super::output::{Output, Room};
    use super::*;
    use baton_core::ReplyText;

    fn replied(head: &str, attachment: Option<Attachment>) -> String {
        Answer::replied(Whole { head: head.into(), attachment }).text
    }

    #[test]
    fn a_blank_output_says_so_and_line_ends_are_left_out() {
        for (printed, text) in
            [("", NO_OUTPUT), (" \n\t\n", NO_OUTPUT), ("hi\n", "hi"), ("a\r\n\n", "a"), ("  a \n", "  a ")]
        {
            assert_eq!(replied(printed, None), text);
        }
    }

    #[test]
    fn a_truncated_text_fits_a_reply_and_names_its_attachment() {
        let attachment = Attachment { sha256: "ab".repeat(32), size_bytes: 123_456, path: "/a/b".into() };
        let text = replied(&"€".repeat(limits::TEXT_MAX_BYTES / 3), Some(attachment));
        assert!((limits::TEXT_MAX_BYTES - 2..=limits::TEXT_MAX_BYTES).contains(&text.len()));
        assert!(ReplyText::parse("text", &text).is_ok());
        for part in ["123456 bytes", &"ab".repeat(32), "/a/b"] {
            assert!(text.contains(part), "{part}");
        }
    }

    #[tokio::test]
    async fn a_command_that_was_stopped_has_no_answer() {
        let output = Output::new(Room { attachments: "/nowhere".into(), max_bytes: 1 });
        let finished = Finished { ended: Ended::Stopped, output };
        assert_eq!(Answer::of(finished, &Printed::new()).await, None);
    }
}
