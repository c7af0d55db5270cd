//! What a client has to know of the hub, in each client's own words.

use clap::ValueEnum;
use serde_json::{Value, json};

/// How the client speaks to the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// It starts `baton mcp` and speaks to that
    Stdio,
    /// It calls the hub over HTTP
    Http,
}

/// The hub, and who the client is there.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) mcp_url: String,
    pub(super) hub: String,
    pub(super) alias: Option<String>,
}

impl Form {
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
        if let Some(alias) = &self.alias {
            args.extend(["--alias", alias]);
        }
        args
    }

    /// Claude Code fills in `${NAME}` from its environment.
    pub(super) fn claude(&self, form: Form) -> Value {
        match form {
            Form::Stdio => json!({"type": "stdio", "command": program(), "args": self.args()}),
            Form::Http => {
                json!({"type": "http", "url": self.mcp_url, "headers": {"Authorization": "Bearer ${BATON_TOKEN}"}})
            }
        }
    }

    /// Cursor fills in `${env:NAME}`.
    pub(super) fn cursor(&self, form: Form) -> Value {
        match form {
            Form::Stdio => json!({"command": program(), "args": self.args()}),
            Form::Http => {
                json!({"url": self.mcp_url, "headers": {"Authorization": "Bearer ${env:BATON_TOKEN}"}})
            }
        }
    }

    pub(super) fn codex(&self, form: Form) -> Vec<(&'static str, toml_edit::Value)> {
        match form {
            Form::Stdio => {
                let args = self.args().into_iter().collect::<toml_edit::Array>();
                vec![("command", program().into()), ("args", args.into())]
            }
            Form::Http => {
                vec![("url", self.mcp_url.as_str().into()), ("bearer_token_env_var", "BATON_TOKEN".into())]
            }
        }
    }

    /// The same by Claude Code's own command.
    pub(super) fn claude_command(&self, form: Form) -> String {
        match form {
            Form::Stdio => format!("claude mcp add baton -- {} {}", program(), self.args().join(" ")),
            Form::Http => format!(
                "claude mcp add --transport http baton {} --header \"Authorization: Bearer $BATON_TOKEN\"",
                self.mcp_url
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
