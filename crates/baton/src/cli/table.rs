//! A table for people: aligned columns, one of which gives way when the terminal is too narrow.
//!
//! `comfy-table` 8.0 would replace the 16 lines that pad cells: which column gives way is decided here either way, and it
//! writes colours only through crossterm, as other bytes than the rest of the output has.

use super::plain;
use super::screen::{Color, Screen};

/// Between two columns.
const GAP: usize = 2; // not a limit: a layout
/// However narrow the terminal, so much of the column that gives way is shown.
const LEAST: usize = 10; // not a limit: a layout

/// Rows of cells.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    headings: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

/// A cell; its text is plain and on one line.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    color: Color,
    /// Half of it is worth nothing.
    is_whole: bool,
}

impl Cell {
    pub(crate) fn colored(color: Color, text: impl AsRef<str>) -> Self {
        Self { text: plain::line(text.as_ref()), color, is_whole: false }
    }

    /// An id, which is copied and so never cut.
    pub(crate) fn id(text: impl AsRef<str>) -> Self {
        Self { is_whole: true, ..Self::colored(Color::Plain, text) }
    }

    /// A status in its colour.
    pub(crate) fn status(status: &str) -> Self {
        Self::colored(Color::of_status(status), status)
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::colored(Color::Plain, text)
    }
}

impl Table {
    /// A table whose last column gives way.
    pub(crate) fn new(headings: &[&'static str]) -> Self {
        Self { headings: headings.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [Cell; N]) {
        self.rows.push(cells.into());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as text, each line ended.
    pub(crate) fn render(&self, screen: &Screen) -> String {
        let widths = self.widths(screen.columns());
        let headings: Vec<Cell> =
            self.headings.iter().map(|heading| Cell::colored(Color::Heading, heading)).collect();
        let mut text = String::new();
        for row in std::iter::once(&headings).chain(&self.rows) {
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let shown = plain::cut(&cell.text, *width);
                let is_last = column + 1 == row.len();
                let pad = if is_last { 0 } else { width - plain::width(&shown) + GAP };
                text.push_str(&screen.colored(cell.color, &shown));
                text.extend(std::iter::repeat_n(' ', pad));
            }
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        }
        text
    }

    fn widths(&self, columns: Option<usize>) -> Vec<usize> {
        let mut widths: Vec<usize> = self.headings.iter().map(|heading| plain::width(heading)).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(plain::width(&cell.text));
            }
        }
        if let (Some(columns), Some((last, others))) = (columns, widths.split_last_mut()) {
            // Names may be long: no column but the last takes more than a third of the screen.
            for (column, width) in others.iter_mut().enumerate() {
                let is_whole = self.rows.iter().any(|row| row.get(column).is_some_and(|cell| cell.is_whole));
                *width = if is_whole { *width } else { (*width).min((columns / 3).max(LEAST)) };
            }
            let taken: usize = others.iter().map(|width| width + GAP).sum();
            *last = (*last).min(columns.saturating_sub(taken).max(LEAST));
        }
        widths
    }
}
