//! Every tool on one screen: its name, its use case, and what a model is told of it.

use super::tool::Tool;

/// All tools, in the order they are listed.
pub(super) fn all() -> Vec<Tool> {
    vec![]
}
