//! Pages of lists: how large one may get, and where the next one begins. A page ends after so many rows or once its
//! rows have so many bytes, whichever comes first, so that no reader holds more than one page in memory.

use baton_core::limits;

/// How large a page may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageBounds {
    /// The most rows.
    pub rows: usize,
    /// The most bytes of JSON. A page has at least one row, however large.
    pub bytes: usize,
}

impl PageBounds {
    /// So many rows, within one answer.
    #[must_use]
    pub const fn rows(rows: usize) -> Self {
        Self { rows, bytes: limits::ANSWER_MAX_BYTES }
    }

    /// So many rows, within the answer of a tool.
    #[must_use]
    pub const fn of_tool(rows: usize) -> Self {
        Self { rows, bytes: limits::TOOL_ANSWER_MAX_BYTES }
    }

    /// Half of the bytes, for rows that are not alone in their answer.
    #[must_use]
    pub const fn halved(self) -> Self {
        Self { rows: self.rows, bytes: self.bytes / 2 }
    }

    /// The rows to read: one more than a page has shows whether there is a next page.
    pub(crate) fn looked_at(self) -> i64 {
        i64::try_from(self.rows).unwrap_or(i64::MAX - 1).saturating_add(1)
    }
}

/// One answer's worth of bytes; the number of rows is the caller's to choose.
impl Default for PageBounds {
    fn default() -> Self {
        Self::rows(0)
    }
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T, K = i64> {
    /// The rows, in the list's order.
    pub rows: Vec<T>,
    /// Where the next page begins; none if this is the last. A page may be short, or empty, and still have a next one.
    pub next: Option<K>,
}

impl<T, K> Page<T, K> {
    /// The same page with its rows in the form that answers show.
    pub fn map<U>(self, view: impl FnMut(T) -> U) -> Page<U, K> {
        Page { rows: self.rows.into_iter().map(view).collect(), next: self.next }
    }
}

/// A page while its rows are read.
pub(crate) struct PageInProgress<T> {
    bounds: PageBounds,
    bytes: usize,
    pub(crate) rows: Vec<T>,
}

impl<T: Weight> PageInProgress<T> {
    pub(crate) const fn new(bounds: PageBounds) -> Self {
        Self { bounds, bytes: 0, rows: Vec::new() }
    }

    /// Adds a row, unless the page is full.
    pub(crate) fn add(&mut self, row: T) -> bool {
        let bytes = self.bytes.saturating_add(row.weight());
        let is_full = self.rows.len() >= self.bounds.rows || bytes > self.bounds.bytes;
        if is_full && !(self.rows.is_empty() && self.bounds.rows > 0) {
            return false;
        }
        self.bytes = bytes;
        self.rows.push(row);
        true
    }

    /// Whether no further row fits, by their number.
    pub(crate) fn has_all_rows(&self) -> bool {
        self.rows.len() >= self.bounds.rows
    }
}

/// What a row adds to an answer, in bytes of JSON: its texts as they are escaped, and its names and numbers at their
/// largest.
pub(crate) trait Weight {
    /// The bytes.
    fn weight(&self) -> usize;
}

/// Names, ids, times and the keys of a row.
pub(crate) const ROW_BYTES: usize = 1_024; // not a limit: an estimate

/// The bytes a text has as a JSON string.
#[must_use]
pub fn text_bytes(text: &str) -> usize {
    text.bytes().fold(2, |bytes, byte| {
        bytes
            + match byte {
                b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
                0..0x20 => 6,
                _ => 1,
            }
    })
}

/// The same of texts that may be absent.
pub(crate) fn texts_bytes<'t>(texts: impl IntoIterator<Item = Option<&'t str>>) -> usize {
    texts.into_iter().flatten().map(text_bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Weight for usize {
        fn weight(&self) -> usize {
            *self
        }
    }

    #[test]
    fn a_page_ends_with_its_rows_or_its_bytes_and_has_at_least_one_row() {
        let filled = |rows, bytes, weights: &[usize]| {
            let mut page = PageInProgress::new(PageBounds { rows, bytes });
            weights.iter().take_while(|weight| page.add(**weight)).count()
        };
        assert_eq!(filled(2, 100, &[1, 1, 1]), 2);
        assert_eq!(filled(9, 100, &[60, 40, 1]), 2);
        assert_eq!(filled(9, 100, &[101, 1]), 1, "one row is shown however heavy it is");
        assert_eq!(filled(0, 100, &[1]), 0);
    }

    #[test]
    fn a_text_weighs_what_it_has_as_json() {
        for (text, bytes) in
            [("", 2), ("plain", 7), ("\"\\\n\t\u{8}", 12), ("\u{1}\u{1f}", 14), ("\u{7f}é漢", 8)]
        {
            assert_eq!(text_bytes(text), bytes, "{text:?}");
        }
    }
}
