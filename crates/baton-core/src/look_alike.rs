//! What a name looks like: its skeleton as Unicode TR39 defines it. Two names with one skeleton are easily mistaken
//! for each other, such as `agent-1` and `agent-l`, or a Latin and a Cyrillic `a`.

use unicode_security::skeleton;

/// The version of the tables that skeletons are computed from. Stored skeletons of another version are recomputed.
pub const UNICODE_VERSION: (u64, u64, u64) = unicode_security::UNICODE_VERSION;

/// The two skeletons of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameSkeletons {
    /// Of the name as it is written.
    pub as_written: String,
    /// Of the name in lower case. Both are needed: `Ian` looks like `lan` as written, and is `ian` without case.
    pub lower_case: String,
}

impl NameSkeletons {
    /// What this name looks like.
    pub fn of(name: &str) -> Self {
        Self { as_written: skeleton(name).collect(), lower_case: skeleton(&name.to_lowercase()).collect() }
    }

    /// Whether two names can be mistaken for each other, ignoring case.
    pub fn resemble(&self, other: &Self) -> bool {
        [&self.as_written, &self.lower_case]
            .into_iter()
            .any(|one| *one == other.as_written || *one == other.lower_case)
    }
}
