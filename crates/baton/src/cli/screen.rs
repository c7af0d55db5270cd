//! Where output goes: a terminal has a width and maybe colours, anything else has neither. Everything a command
//! prints passes here, and nothing passes that a terminal would obey, but for the colours put on here.

use baton_core::Status;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

use super::failure::Failure;
use super::plain;
use super::table::Table;

/// A colour, by what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Color {
    #[default]
    Plain,
    Faint,
    Heading,
    Good,
    Busy,
    Bad,
    Odd,
}

impl Color {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Faint => "2",
            Self::Heading => "1",
            Self::Good => "32",
            Self::Busy => "36",
            Self::Bad => "31",
            Self::Odd => "33",
        }
    }

    /// The color of a task's or a session's status.
    pub(crate) fn of_status(status: &str) -> Self {
        match (status, Status::parse(status)) {
            ("idle", _) | (_, Some(Status::Replied)) => Self::Good,
            ("working", _) | (_, Some(Status::Running)) => Self::Busy,
            ("error", _) | (_, Some(Status::Failed)) => Self::Bad,
            ("blocked", _) | (_, Some(Status::WaitingInput)) => Self::Odd,
            (_, Some(status)) if status.is_terminal() => Self::Odd,
            ("offline", _) => Self::Faint,
            _ => Self::Plain,
        }
    }
}

/// Standard output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    is_terminal: bool,
    has_colour: bool,
    /// Columns, then lines.
    size: Option<(usize, usize)>,
}

impl Screen {
    pub(crate) fn stdout() -> Self {
        let is_terminal = io::stdout().is_terminal();
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self {
            is_terminal,
            has_colour: is_terminal && !is_set("NO_COLOR") && !is_dumb,
            size: if is_terminal { size() } else { None },
        }
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Columns of the terminal; anything else is as wide as its text.
    pub(crate) fn columns(&self) -> Option<usize> {
        self.size.map(|(columns, _)| columns)
    }

    pub(crate) fn lines(&self) -> Option<usize> {
        self.size.map(|(_, lines)| lines)
    }

    /// Puts a color on text that is plain already.
    pub(crate) fn colored(&self, color: Color, text: &str) -> String {
        if self.has_colour && color != Color::Plain && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", color.code())
        } else {
            text.to_owned()
        }
    }

    /// One line.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        self.print_colored(Color::Plain, text)
    }

    pub(crate) fn print_colored(&self, color: Color, text: &str) -> Result<(), Failure> {
        put(&format!("{}\n", self.colored(color, &plain::line(text))))
    }

    pub(crate) fn table(&self, table: &Table) -> Result<(), Failure> {
        put(&table.render(self))
    }

    /// What an agent or a user wrote: as it is into a file or a pipe, made harmless for a terminal.
    pub(crate) fn content(&self, text: &str) -> Result<(), Failure> {
        let shown = if self.is_terminal { plain::block(text) } else { text.to_owned() };
        let end = if shown.ends_with('\n') { "" } else { "\n" };
        put(&format!("{shown}{end}"))
    }

    /// A piece of a longer text, as it comes; nothing is added to it.
    pub(crate) fn stream(&self, text: &str) -> Result<(), Failure> {
        if self.is_terminal { put(&plain::block(text)) } else { put(text) }
    }

    /// One JSON document on a line.
    pub(crate) fn json(&self, document: &(impl Serialize + ?Sized)) -> Result<(), Failure> {
        let text = serde_json::to_string(document).map_err(|error| Failure::stdout(error.into()))?;
        put(&format!("{}\n", plain::json(&text)))
    }

    /// Text that a table or this file made, to be shown in place of what stands there.
    pub(crate) fn draw(&self, text: &str) -> Result<(), Failure> {
        // Home, each line cleared to its end, then everything below: nothing flickers.
        let lines = text.replace('\n', "\x1b[K\n");
        put(&format!("\x1b[H{lines}\x1b[J"))
    }

    /// A screen of its own, without a cursor, and back.
    pub(crate) fn take_over(&self, is_ours: bool) -> Result<(), Failure> {
        put(if is_ours { "\x1b[?1049h\x1b[?25l" } else { "\x1b[?25h\x1b[?1049l" })
    }
}

fn size() -> Option<(usize, usize)> {
    let (columns, lines) = terminal_size::terminal_size()?;
    Some((columns.0.into(), lines.0.into()))
}

/// Whole lines at once, so that a reader never sees half of one.
fn put(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::stdout)
}

/// A remark beside the output, on stderr. If nobody reads it, nothing is lost.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", plain::line(text));
}
