//! The hub's log: on stderr, for people or as JSON. `BATON_LOG` sets the levels, for example
//! `debug` or `baton=debug`; if unset, `info` without the MCP SDK's lines for every call.

use clap::ValueEnum;
use std::io::{self, Write};
use tracing_subscriber::EnvFilter;

use super::short_line::ShortLine;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Log {
    Human,
    Json,
}

impl Log {
    /// Starts the log of a hub. Panics are logged too.
    pub(crate) fn begin(self, filter: Option<&str>) {
        self.start(filter.unwrap_or("info,rmcp=error"), false);
    }

    /// The same with short lines for people. Quiet: only warnings are logged.
    pub(crate) fn begin_short(self, is_quiet: bool) {
        let default = if is_quiet { "warn,rmcp=error" } else { "info,rmcp=error" };
        let filter = std::env::var("BATON_LOG").ok().filter(|filter| !filter.is_empty());
        self.start(filter.as_deref().unwrap_or(default), true);
    }

    fn start(self, filter: &str, is_short: bool) {
        let filter =
            EnvFilter::builder().with_default_directive(tracing::Level::INFO.into()).parse_lossy(filter);
        let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| Lines(io::stderr()));
        // Only one subscriber can be; a second try changes nothing.
        let _ = match self {
            Self::Human if is_short => lines.event_format(ShortLine).try_init(),
            // Where in the code a line comes from says nothing to a user.
            Self::Human => {
                lines.with_target(false).with_ansi(io::IsTerminal::is_terminal(&io::stderr())).try_init()
            }
            Self::Json => lines.json().try_init(),
        };
        std::panic::set_hook(Box::new(|panic| {
            let place = panic.location().map(ToString::to_string);
            let reason = panic.payload_as_str().unwrap_or("a panic");
            tracing::error!(place, "{reason}");
        }));
    }
}

/// Checks a filter as `tracing` reads it.
pub(super) fn filter(text: &str) -> Result<String, String> {
    match EnvFilter::builder().parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err(
            "give a level (error, warn, info, debug, trace), or levels by module such as info,baton=debug"
                .into(),
        ),
    }
}

/// Where a line that cannot be written is dropped: a log on a full disk must not end the hub. `tracing` would tell of it on
/// stderr, and panic because it cannot.
struct Lines(io::Stderr);

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let _ = self.0.write_all(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}
