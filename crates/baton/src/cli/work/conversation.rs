//! What a command receives of the conversation about its task: a file with every message, whose path is BATON_MESSAGES,
//! and standard input, where the answers follow the task's text.
//!
//! A command that is started again starts from zero, whatever an earlier run asked. So standard input has every answer
//! that was ever given, not only those since the last run.

use serde::Serialize;
use std::fs::{OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use crate::client::tasks::TaskMessage;
use crate::service::WireTime;

/// The conversation of one attempt; its folder goes with it.
#[derive(Debug)]
pub(super) struct Conversation {
    folder: TempDir,
    file: PathBuf,
    input: String,
}

/// The file.
#[derive(Serialize)]
struct Document<'a> {
    task: &'a str,
    messages: Vec<MessageJson<'a>>,
}

#[derive(Serialize)]
struct MessageJson<'a> {
    author: &'a str,
    kind: &'a str,
    content: &'a str,
    created_at: WireTime,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    options: &'a [String],
}

impl Conversation {
    /// Writes the file into a folder within this one, for nobody but this user to read. The disk is written to on a thread for that: a slow one must not
    /// hold up the leases.
    pub(super) async fn write(folder: &Path, task: &str, messages: &[TaskMessage]) -> io::Result<Self> {
        let (document, input) = (document(task, messages)?, input(task, messages));
        let within = folder.to_owned();
        let written = spawn_blocking(move || {
            let private = Permissions::from_mode(0o700);
            let folder = tempfile::Builder::new().prefix("task-").permissions(private).tempdir_in(within)?;
            let file = folder.path().join("messages.json");
            let mut open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file)?;
            open.write_all(&document)?;
            Ok(Self { folder, file, input })
        });
        written.await.map_err(io::Error::other)?
    }

    /// The folder of the attempt.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where the messages are.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Where the tasks that the command sends are counted.
    pub(super) fn sends(&self) -> PathBuf {
        self.folder.path().join("sends")
    }

    /// What the command reads on standard input.
    pub(super) fn input(&self) -> &str {
        &self.input
    }
}

fn document(task: &str, messages: &[TaskMessage]) -> io::Result<Vec<u8>> {
    let messages = messages.iter().map(|message| MessageJson {
        author: &message.from_name,
        kind: message.kind.as_deref().unwrap_or("message"),
        content: &message.content,
        created_at: message.created_at,
        options: &message.options,
    });
    Ok(serde_json::to_vec(&Document { task, messages: messages.collect() })?)
}

/// The task's text, and after a blank line each answer.
fn input(task: &str, messages: &[TaskMessage]) -> String {
    let mut input = task.to_owned();
    for answer in messages.iter().filter(|message| message.is_answer()) {
        if !input.ends_with('\n') {
            input.push('\n');
        }
        input.push_str(&format!("\n[answer] {}", answer.content));
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_core::UnixMillis;

    fn said(kind: &str, content: &str, options: &[&str]) -> TaskMessage {
        TaskMessage {
            auth_required: false,
            message_id: content.into(),
            from_name: if kind == "question" { "coder".into() } else { "ada".into() },
            kind: Some(kind.into()),
            content: content.into(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            artifacts: Vec::new(),
            created_at: WireTime(UnixMillis::new(1_000)),
        }
    }

    #[test]
    fn every_answer_follows_the_text_after_a_blank_line_and_nothing_else_does() {
        let talk =
            [said("question", "which?", &["a"]), said("answer", "a", &[]), said("message", "hurry", &[])];
        assert_eq!(input("paint it", &[]), "paint it");
        assert_eq!(input("paint it", &talk), "paint it\n\n[answer] a");
        let more = [&talk[..], &[said("answer", "two\nlines\n", &[]), said("answer", "b", &[])]].concat();
        assert_eq!(input("paint it\n", &more), "paint it\n\n[answer] a\n\n[answer] two\nlines\n\n[answer] b");
    }

    #[tokio::test]
    async fn the_file_has_every_message_is_private_and_goes_with_its_attempt() {
        let talk = [said("question", "which?", &["a", "b"]), said("answer", "a", &[])];
        let folder = tempfile::tempdir().unwrap();
        let conversation = Conversation::write(folder.path(), "paint it", &talk).await.unwrap();
        let file = conversation.file().to_owned();
        let read: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let at = "1970-01-01 00:00:01";
        assert_eq!(
            read,
            serde_json::json!({"task": "paint it", "messages": [
                {"author": "coder", "kind": "question", "content": "which?", "created_at": at, "options": ["a", "b"]},
                {"author": "ada", "kind": "answer", "content": "a", "created_at": at},
            ]})
        );
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        drop(conversation);
        assert!(!file.parent().unwrap().exists());
    }
}
