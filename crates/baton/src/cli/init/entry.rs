//! What a client has to know of the hub, in each client's own words.

use baton_core::limits;
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::cli::shell_word;

/// How the client speaks to the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Transport {
    /// It starts `baton mcp` and speaks to that
    Stdio,
    /// It calls the hub over HTTP
    Http,
}

/// What `baton work` passes to its command, so that `baton mcp` acts as that agent and for that task.
const WORK_VARIABLES: [&str; 4] = ["BATON_ALIAS", "BATON_TOKEN", "BATON_PARENT_TASK_ID", "TRACEPARENT"];

/// The hub, and who the client is there.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) mcp_url: String,
    pub(super) hub: String,
    pub(super) alias: Option<String>,
    /// The other options that were given, passed on to `baton mcp`.
    pub(super) profile: Option<String>,
    pub(super) network: Option<String>,
    pub(super) ca: Option<String>,
}

impl Transport {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        }
    }
}

impl Entry {
    fn args(&self) -> Vec<&str> {
        let mut args = vec!["mcp", "--hub", &self.hub];
        let named = [
            ("--alias", &self.alias),
            ("--profile", &self.profile),
            ("--network", &self.network),
            ("--ca", &self.ca),
        ];
        for (option, value) in named {
            args.extend(value.iter().flat_map(|value| [option, value]));
        }
        args
    }

    /// Claude Code fills in `${NAME}` from its environment.
    pub(super) fn claude(&self, form: Transport) -> Value {
        match form {
            Transport::Stdio => json!({"type": "stdio", "command": program(), "args": self.args()}),
            Transport::Http => {
                json!({"type": "http", "url": self.mcp_url, "headers": {"Authorization": "Bearer ${BATON_TOKEN}"}})
            }
        }
    }

    /// Gemini fills in `$NAME`, with nothing if there is no such variable; with `trust` it runs the tools without asking. It hands
    /// no variable on whose name looks like a secret's, unless it is named: `baton work` sets the token.
    pub(super) fn gemini(&self, form: Transport) -> Value {
        let timeout = u64::try_from(limits::MCP_ANSWER_MAX.as_millis()).unwrap_or(u64::MAX);
        match form {
            Transport::Stdio => {
                json!({"command": program(), "args": self.args(), "env": {"BATON_TOKEN": "$BATON_TOKEN"},
                    "timeout": timeout, "trust": true})
            }
            Transport::Http => json!({
                "httpUrl": self.mcp_url, "headers": {"Authorization": "Bearer $BATON_TOKEN"},
                "timeout": timeout, "trust": true,
            }),
        }
    }

    /// VS Code fills in `${env:NAME}`.
    pub(super) fn vscode(&self, form: Transport) -> Value {
        match form {
            Transport::Stdio => json!({"type": "stdio", "command": program(), "args": self.args()}),
            Transport::Http => {
                json!({"type": "http", "url": self.mcp_url, "headers": {"Authorization": "Bearer ${env:BATON_TOKEN}"}})
            }
        }
    }

    /// Cursor fills in `${env:NAME}`.
    pub(super) fn cursor(&self, form: Transport) -> Value {
        match form {
            Transport::Stdio => json!({"command": program(), "args": self.args()}),
            Transport::Http => {
                json!({"url": self.mcp_url, "headers": {"Authorization": "Bearer ${env:BATON_TOKEN}"}})
            }
        }
    }

    /// With the approval mode `exec` runs every tool, also those that end something; else it refuses these.
    pub(super) fn codex(&self, form: Transport) -> Vec<(&'static str, toml_edit::Value)> {
        let mut entry = match form {
            Transport::Stdio => {
                let args = self.args().into_iter().collect::<toml_edit::Array>();
                // Codex hands no variable on that is not named: these are what `baton work` sets.
                let variables = WORK_VARIABLES.into_iter().collect::<toml_edit::Array>();
                vec![("command", program().into()), ("args", args.into()), ("env_vars", variables.into())]
            }
            Transport::Http => {
                vec![("url", self.mcp_url.as_str().into()), ("bearer_token_env_var", "BATON_TOKEN".into())]
            }
        };
        entry.push((
            "tool_timeout_sec",
            i64::try_from(limits::MCP_ANSWER_MAX.as_secs()).unwrap_or(i64::MAX).into(),
        ));
        entry.push(("default_tools_approval_mode", "approve".into()));
        entry
    }

    /// The command that waits for something in the inbox, for a hook.
    pub(super) fn wait_command(&self) -> String {
        self.inbox_command(&["inbox", "wait", "--hook"])
    }

    /// The command that looks whether something is in the inbox, for a hook that its client waits for.
    pub(super) fn look_command(&self) -> String {
        self.inbox_command(&["inbox", "wait", "--hook", "--now"])
    }

    fn inbox_command(&self, words: &[&'static str]) -> String {
        let program = program();
        let mut args = self.args();
        args.splice(..1, words.iter().copied());
        let words = std::iter::once(&*program).chain(args).map(shell_word::quoted);
        words.collect::<Vec<_>>().join(" ")
    }

    /// The same by Claude Code's own command. Its `${NAME}` is filled in when the project's file is read, so the
    /// shell must leave it alone: else the token itself would be stored.
    pub(super) fn claude_command(&self, form: Transport) -> String {
        match form {
            Transport::Stdio => {
                let program = program();
                let words = std::iter::once(&*program).chain(self.args()).map(shell_word::quoted);
                format!("claude mcp add baton -- {}", words.collect::<Vec<_>>().join(" "))
            }
            Transport::Http => format!(
                "claude mcp add --scope project --transport http baton {} --header 'Authorization: Bearer ${{BATON_TOKEN}}'",
                shell_word::quoted(&self.mcp_url)
            ),
        }
    }
}

/// `baton`, if that finds this program; else where this program is.
fn program() -> String {
    let Ok(this) = std::env::current_exe() else { return "baton".into() };
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&folders).map(|folder| folder.join("baton")).find(|path| path.is_file());
    match found.and_then(|path| path.canonicalize().ok()) {
        Some(path) if path == this => "baton".into(),
        _ => this.display().to_string(),
    }
}
