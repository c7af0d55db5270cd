//! What a value can be: aliases, tasks, networks, invitations and tokens as the hub lists them, and profiles as their file
//! does. One question with a short answer; no answer is no candidate. What others named is offered only if a shell takes it
//! as one plain word, for the shell puts it into the line as it is.

use baton_core::limits;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use tokio::time::timeout;

use super::TypedLine;
use crate::cli::connection::Link;
use crate::cli::failure::Failure;
use crate::cli::{moment, plain};
use crate::profile::ProfileFile;
use crate::service::{agents, list_tasks};

/// Where values come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Candidates {
    Aliases,
    Tasks,
    Networks,
    Invitations,
    Tokens,
    Profiles,
}

/// A value, and what a shell that can shows beside it.
type Candidate = (String, String);

impl Candidates {
    pub(super) fn completer(self) -> ArgValueCompleter {
        ArgValueCompleter::new(move |typed: &OsStr| self.beginning_with(typed))
    }

    fn beginning_with(self, typed: &OsStr) -> Vec<CompletionCandidate> {
        let Some(typed) = typed.to_str() else { return Vec::new() };
        let found = self.all().unwrap_or_default().into_iter();
        let fitting = found.filter(|(value, _)| value.starts_with(typed) && is_one_word(value));
        fitting.take(limits::COMPLETION_CANDIDATES_MAX_COUNT).map(candidate).collect()
    }

    /// None if the hub cannot be asked or does not answer soon.
    fn all(self) -> Option<Vec<Candidate>> {
        if self == Self::Profiles {
            let names = ProfileFile::home().and_then(|file| file.names()).ok()?;
            return Some(names.iter().map(|name| (name.to_string(), String::new())).collect());
        }
        let link = TypedLine::of_arguments().connection()?.open().ok()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        let asked = runtime.block_on(async { timeout(limits::COMPLETION_ANSWER_MAX, self.ask(&link)).await });
        // A look-up of a name that still hangs is left behind.
        runtime.shutdown_background();
        asked.ok()?.ok()
    }

    async fn ask(self, link: &Link) -> Result<Vec<Candidate>, Failure> {
        match self {
            Self::Aliases => aliases(link).await,
            Self::Tasks => tasks(link).await,
            Self::Networks => networks(link).await,
            Self::Invitations => invitations(link).await,
            Self::Tokens => tokens(link).await,
            Self::Profiles => Ok(Vec::new()),
        }
    }
}

/// All that is read of an agent.
#[derive(Deserialize)]
struct NamedAgent {
    alias: String,
    #[serde(default)]
    status: String,
}

#[derive(Deserialize)]
struct Agents {
    agents: Vec<NamedAgent>,
}

#[derive(Deserialize)]
struct Aliases {
    aliases: Vec<NamedAgent>,
}

/// Agents that were online recently, and whoever manages the network sees the others too.
async fn aliases(link: &Link) -> Result<Vec<Candidate>, Failure> {
    let network = link.the_network().await?;
    let seen = agents::QueryArgs {
        network_id: Some(network.clone()),
        limit: Some(limits::AGENT_PAGE_MAX.to_string()),
        view: Some("row".to_owned()),
        ..Default::default()
    };
    let all = [("limit", limits::OTHER_PAGE_MAX)];
    let all_path = ["api", "networks", &*network, "aliases"];
    let (all, seen) = tokio::join!(
        link.client.get_json::<Aliases>(&all_path, &all),
        link.client.get_json::<Agents>(&["api", "agents"], &seen)
    );
    // Agents and plain members may not list them; those that were seen are left.
    let all = all.map(|page| page.into_value().aliases).unwrap_or_default();
    let seen = seen?.into_value().agents;
    // Of two rows of an alias the one with its status stays.
    let named = all.into_iter().chain(seen).map(|agent| (agent.alias, agent.status));
    Ok(named.collect::<BTreeMap<_, _>>().into_iter().collect())
}

/// The newest.
async fn tasks(link: &Link) -> Result<Vec<Candidate>, Failure> {
    let args = list_tasks::QueryArgs {
        network_id: link.network().await?,
        limit: Some(limits::TASK_PAGE_MAX.to_string()),
        view: Some("row".to_owned()),
        ..Default::default()
    };
    let page = link.client.tasks(&args).await?.into_value();
    let described = page.tasks.into_iter().map(|task| {
        let about = format!("{}, for {}: {}", task.status.as_str(), task.to_name, task.content);
        (task.task_id, about)
    });
    Ok(described.collect())
}

/// By name, and by id where a name is not plain or not the only one.
async fn networks(link: &Link) -> Result<Vec<Candidate>, Failure> {
    let all = link.client.networks().await?.into_value().networks;
    let by_name =
        |name: &str| all.iter().filter(|other| other.network_name == name).count() == 1 && is_one_word(name);
    let named = all.iter().map(|network| match by_name(&network.network_name) {
        true => (network.network_name.clone(), network.description.clone().unwrap_or_default()),
        false => (network.network_id.clone(), network.network_name.clone()),
    });
    Ok(named.collect())
}

async fn invitations(link: &Link) -> Result<Vec<Candidate>, Failure> {
    let all = link.client.invitations().await?.into_value().invitations;
    let by_id = all
        .into_iter()
        .map(|one| (one.network_id, format!("{}, invited by {}", one.network_name, one.invited_by)));
    Ok(by_id.collect())
}

async fn tokens(link: &Link) -> Result<Vec<Candidate>, Failure> {
    let all = link.client.tokens().await?.into_value().tokens;
    let by_id = all.into_iter().map(|token| {
        let about = format!("{}, created {}", token.name, moment::ago(token.created_at));
        (token.token_id, about)
    });
    Ok(by_id.collect())
}

/// Whether the value is one word to every shell, and no option. A colon begins a new word in bash.
fn is_one_word(value: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._-@+/,".contains(c);
    !value.is_empty() && !value.starts_with('-') && value.chars().all(is_plain)
}

fn candidate((value, about): Candidate) -> CompletionCandidate {
    let about: String = plain::line(&about).chars().take(limits::COMPLETION_ABOUT_MAX_CHARS).collect();
    CompletionCandidate::new(value).help((!about.is_empty()).then(|| about.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_run_split_or_take_for_an_option_is_not_offered() {
        for value in ["coder", "web-team.2", "0198c0de-1111", "añadir", "a/b"] {
            assert!(is_one_word(value), "{value}");
        }
        for value in [
            "",
            "-x",
            "$(reboot)",
            "a b",
            "a;b",
            "`x`",
            "a'b",
            "a\"b",
            "a:b",
            "a\u{1b}[31m",
            "a*",
            "~root",
            "a\\b",
        ] {
            assert!(!is_one_word(value), "{value}");
        }
    }

    #[test]
    fn what_is_shown_beside_a_value_is_short_and_has_no_controls() {
        let long = format!("\u{1b}]0;x\n{}", "x".repeat(500));
        let shown = candidate(("coder".into(), long)).get_help().unwrap().to_string();
        assert!(!shown.chars().any(char::is_control), "{shown:?}");
        assert_eq!(shown.chars().count(), limits::COMPLETION_ABOUT_MAX_CHARS);
    }
}
