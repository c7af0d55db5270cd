//! Who an event of a log comes from: the two members the log adds to the frozen ones. Only the leaf binds them, so
//! they say nothing in a bundle whose events were not found in a log.

use std::borrow::Cow;

use crate::event_line::EventLine;
use crate::text::Text;

/// Where a log's event comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin<'a> {
    /// The hub recorded what it did itself.
    Hub,
    /// Somebody handed a packet in; the hub did not see what it describes.
    Reported {
        /// Who, if the event says.
        by: Option<Cow<'a, str>>,
    },
    /// The event does not say: it was never in a log of ours.
    Unmarked,
}

impl<'a> Origin<'a> {
    /// Reads an event's `batonorigin` and `batonreporter`.
    #[must_use]
    pub fn of(event: &'a EventLine<'_>) -> Self {
        let text = |name| event.member(name).and_then(|value| serde_json::from_slice::<Text<'a>>(value).ok());
        match text("batonorigin") {
            Some(Text(origin)) if origin == "hub" => Self::Hub,
            Some(Text(origin)) if origin == "reported" => {
                Self::Reported { by: text("batonreporter").map(|Text(by)| by) }
            }
            _ => Self::Unmarked,
        }
    }
}
