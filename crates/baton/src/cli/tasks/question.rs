//! An agent's question as the command line shows it, and the answer that somebody types at a terminal.

use baton_core::limits;
use std::io::{self, BufRead, IsTerminal, Read};

use crate::cli::failure::Failure;
use crate::cli::screen::note;
use crate::client::Client;
use crate::client::tasks::Replied;
use crate::client::tasks::TaskMessage;
use crate::service::follow_up::{AnswerTask, Args};

/// What an agent asks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) agent: &'a str,
    pub(super) asked: &'a TaskMessage,
}

impl Question<'_> {
    /// Shows it on stderr, with its options.
    pub(super) fn show(&self) {
        let asks = if self.asked.auth_required { "asks you to authenticate" } else { "asks" };
        note(&format!("{} {asks}: {}", self.agent, self.asked.content));
        for (at, option) in self.asked.options.iter().enumerate() {
            note(&format!("  {}. {option}", at + 1));
        }
    }

    /// Shows it to somebody at the terminal and sends what they answer. False if there is nobody, or they say nothing.
    pub(super) async fn answer(&self, client: &Client, task_id: &str) -> Result<bool, Failure> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Ok(false);
        }
        self.show();
        loop {
            note("your answer, or an empty line to leave it open:");
            let Some(text) = read_line().await? else { return Ok(false) };
            match client
                .command::<AnswerTask, Replied>(task_id, &Args { text: self.chosen(text), artifacts: None })
                .await
            {
                Ok(_) => return Ok(true),
                Err(error) if error.code() == Some("not_an_option") => note(&error.to_string()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// An option may be chosen by its number, unless the number is an option itself.
    fn chosen(&self, typed: String) -> String {
        let options = &self.asked.options;
        if options.contains(&typed) {
            return typed;
        }
        let number = typed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        number.and_then(|at| options.get(at)).cloned().unwrap_or(typed)
    }
}

/// A line that somebody types; none if it is empty.
async fn read_line() -> Result<Option<String>, Failure> {
    let read = || -> io::Result<String> {
        let mut line = String::new();
        io::stdin().lock().take(limits::TEXT_MAX_BYTES as u64).read_line(&mut line)?;
        Ok(line.trim().to_owned())
    };
    let line = tokio::task::spawn_blocking(read).await.map_err(io::Error::other).and_then(|line| line);
    let line = line.map_err(|error| Failure::Read { name: "standard input".into(), error })?;
    Ok(Some(line).filter(|line| !line.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_core::UnixMillis;

    #[test]
    fn an_option_is_chosen_by_its_text_or_its_number() {
        let asked = TaskMessage {
            message_id: "m".into(),
            from_name: "coder".into(),
            kind: Some("question".into()),
            content: "how many?".into(),
            options: vec!["2".into(), "10".into(), "all".into()],
            artifacts: Vec::new(),
            auth_required: false,
            created_at: crate::service::WireTime(UnixMillis::new(0)),
        };
        let question = Question { agent: "coder", asked: &asked };
        for (typed, chosen) in
            [("all", "all"), ("2", "2"), ("3", "all"), ("1", "2"), ("4", "4"), ("0", "0"), ("some", "some")]
        {
            assert_eq!(question.chosen(typed.into()), chosen, "{typed}");
        }
    }
}
