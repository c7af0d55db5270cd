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
    /// From here on `tracing` writes the log, panics included.
    pub(crate) fn begin(self) {
        self.start("info,rmcp=error", false);
    }

    /// The same with short lines for people. Quiet: only warnings are logged.
    pub(crate) fn begin_short(self, is_quiet: bool) {
        self.start(if is_quiet { "warn,rmcp=error" } else { "info,rmcp=error" }, true);
    }

    fn start(self, default: &str, is_short: bool) {
        let said = std::env::var("BATON_LOG").unwrap_or_else(|_| default.into());
        let filter =
            EnvFilter::builder().with_default_directive(tracing::Level::INFO.into()).parse_lossy(said);
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
