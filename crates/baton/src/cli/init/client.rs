//! The clients: which file of each says what, and what a user must still do.

use clap::ValueEnum;
use serde_json::{Value, json};
use std::path::PathBuf;

use super::entry::{Entry, Transport};
use super::{json_file, toml_file};
use crate::cli::failure::Failure;

const NAME: &str = "baton";
/// What a hook's command has in it if it is ours.
const WAIT: &str = "inbox wait --hook";
/// How long a hook waits before it gives up, in seconds; as long as `baton inbox wait` itself.
const HOOK_TIMEOUT: u32 = baton_core::limits::INBOX_WAIT_DEFAULT_SECONDS;
/// How long a hook that looks once may take.
const LOOK_TIMEOUT: u32 = baton_core::limits::INBOX_LOOK_MAX_SECONDS;

/// Which MCP client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum McpClient {
    /// Claude Code: .mcp.json and .claude/settings.local.json in this folder
    Claude,
    /// Codex: ~/.codex/config.toml
    Codex,
    /// Cursor: .cursor/mcp.json and .cursor/cli.json in this folder
    Cursor,
    /// Gemini CLI: .gemini/settings.json in this folder
    Gemini,
    /// VS Code: .vscode/mcp.json in this folder
    Vscode,
}

impl McpClient {
    /// Where the client looks for servers.
    pub(super) fn file(self) -> Result<PathBuf, Failure> {
        Ok(match self {
            Self::Claude => ".mcp.json".into(),
            Self::Cursor => ".cursor/mcp.json".into(),
            Self::Gemini => ".gemini/settings.json".into(),
            Self::Vscode => ".vscode/mcp.json".into(),
            Self::Codex => match std::env::var_os("CODEX_HOME").filter(|folder| !folder.is_empty()) {
                Some(folder) => PathBuf::from(folder).join("config.toml"),
                None => std::env::home_dir()
                    .ok_or_else(|| Failure::usage("there is no home folder; set HOME or pass --file"))?
                    .join(".codex/config.toml"),
            },
        })
    }

    /// That file with the entry in it.
    pub(super) fn merged(self, before: &str, entry: &Entry, form: Transport) -> Result<String, String> {
        match self {
            Self::Claude => json_file::with_value(before, &["mcpServers", NAME], &entry.claude(form)),
            Self::Cursor => json_file::with_value(before, &["mcpServers", NAME], &entry.cursor(form)),
            Self::Gemini => json_file::with_value(before, &["mcpServers", NAME], &entry.gemini(form)),
            Self::Vscode => json_file::with_value(before, &["servers", NAME], &entry.vscode(form)),
            Self::Codex => toml_file::merged(before, &entry.codex(form)),
        }
    }

    /// Where the client keeps what it may do without asking, if that is another file. Claude Code believes its shared
    /// settings only in a folder that a user has trusted; the local ones it believes at once.
    pub(super) fn permissions_file(self) -> Option<PathBuf> {
        match self {
            Self::Claude => Some(".claude/settings.local.json".into()),
            Self::Cursor => Some(".cursor/cli.json".into()),
            Self::Codex | Self::Gemini | Self::Vscode => None,
        }
    }

    /// That file with the tools allowed in it.
    pub(super) fn permitted(self, before: &str) -> Result<String, String> {
        let allowed = ["permissions", "allow"];
        match self {
            Self::Claude => {
                let text = json_file::with_item(before, &allowed, &json!("mcp__baton"), |_| false)?;
                json_file::with_item(&text, &["enabledMcpjsonServers"], &json!(NAME), |_| false)
            }
            _ => json_file::with_item(before, &allowed, &json!("Mcp(baton:*)"), |_| false),
        }
    }

    /// Where the client keeps hooks that can bring a session back to its inbox; none if it has no such hooks.
    pub(super) fn hooks_file(self) -> Result<Option<PathBuf>, Failure> {
        match self {
            Self::Claude => Ok(self.permissions_file()),
            Self::Codex => self.file().map(Some),
            Self::Cursor | Self::Gemini | Self::Vscode => Ok(None),
        }
    }

    /// That file with the hook in it. Claude Code runs it beside the idle session and is woken by its exit code; Codex runs it when a
    /// turn ends, waits for it, and by the same exit code continues.
    pub(super) fn hooked(self, before: &str, entry: &Entry) -> Result<String, String> {
        if self == Self::Codex {
            return toml_file::hooked(before, &entry.look_command(), WAIT, LOOK_TIMEOUT);
        }
        let command = json!({
            "type": "command", "command": entry.wait_command(), "asyncRewake": true, "timeout": HOOK_TIMEOUT,
        });
        let is_ours = |item: &Value| item.to_string().contains(WAIT);
        json_file::with_item(before, &["hooks", "Stop"], &json!({"hooks": [command]}), is_ours)
    }

    /// What was written, and what a user must still confirm for it.
    pub(super) const fn hook_words(self) -> (&'static str, &'static str) {
        match self {
            Self::Codex => (
                "wrote a Stop hook that looks into the inbox",
                "\nCodex runs no hook before you trust it: its next interactive start asks",
            ),
            _ => ("wrote a Stop hook that waits for the inbox", ""),
        }
    }

    /// What to type, and what a user must still confirm.
    pub(super) const fn next_step(self) -> &'static str {
        match self {
            Self::Claude => {
                "next: claude -p \"YOUR TASK\" --allowedTools mcp__baton\n\
                 the first interactive start asks whether you trust this folder and its server: confirm both"
            }
            Self::Codex => "next: codex exec \"YOUR TASK\"",
            Self::Cursor => {
                "next: cursor-agent -p \"YOUR TASK\"\n\
                 the editor asks before it starts the server and before each tool: enable \"baton\" in its MCP settings"
            }
            Self::Gemini => {
                "next: GEMINI_CLI_TRUST_WORKSPACE=true gemini -p \"YOUR TASK\"\n\
                 an interactive start asks whether you trust this folder: confirm it, else Gemini starts no server"
            }
            Self::Vscode => {
                "next: open the folder in VS Code, start \"baton\" in .vscode/mcp.json and confirm that you trust it; it asks before each \
                 tool until you choose \"Always allow\""
            }
        }
    }
}
