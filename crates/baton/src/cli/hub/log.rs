//! What the hub says while it runs: on stderr, for people or as JSON. `BATON_LOG` sets what is said, for example
//! `debug` or `baton=debug`; if unset, `info` without the MCP SDK's lines for every call.

use clap::ValueEnum;
use std::io;
use tracing_subscriber::EnvFilter;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Log {
    Human,
    Json,
}

impl Log {
    /// From here on `tracing` speaks, and panics are told by it too.
    pub(crate) fn begin(self) {
        let said = std::env::var("BATON_LOG").unwrap_or_else(|_| "info,rmcp=error".into());
        let filter =
            EnvFilter::builder().with_default_directive(tracing::Level::INFO.into()).parse_lossy(said);
        let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
        // Only one subscriber can be; a second try changes nothing.
        let _ = match self {
            Self::Human => lines.with_ansi(io::IsTerminal::is_terminal(&io::stderr())).try_init(),
            Self::Json => lines.json().try_init(),
        };
        std::panic::set_hook(Box::new(|panic| {
            let place = panic.location().map(ToString::to_string);
            let reason = panic.payload_as_str().unwrap_or("a panic");
            tracing::error!(place, "{reason}");
        }));
    }
}
