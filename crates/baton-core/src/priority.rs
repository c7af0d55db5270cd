//! How urgent a delivery is. The order of the variants is the order of the inbox;
//! within one priority the oldest comes first, and that order is the store's.

use crate::wire::wire_words;

wire_words!(
    /// How urgent a delivery is; the least sorts first in an inbox.
    #[derive(Default)]
    Priority {
        /// Before everything else.
        High = "high",
        /// What a sender means who says nothing.
        #[default]
        Normal = "normal",
        /// After everything else.
        Low = "low",
    }
);
