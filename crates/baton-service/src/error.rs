//! Why a use case gave no answer. Each door has one file that turns these into its own words.

use baton_core::Refusal;

/// No answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// An argument is not what its field takes; nothing was looked at yet.
    #[error("{field} {rule}")]
    Argument {
        /// The field, as the caller named it.
        field: String,
        /// What it must be.
        rule: String,
    },
    /// A rule refused.
    #[error("{}", .0.message())]
    Refused(#[from] Refusal),
    /// The store could not.
    #[error(transparent)]
    Store(#[from] baton_store::Error),
}

impl Error {
    /// An argument breaks the rule of its field.
    pub fn argument(field: impl Into<String>, rule: impl Into<String>) -> Self {
        Self::Argument { field: field.into(), rule: rule.into() }
    }

    /// An error of the store that came after the write had been committed: it must not be answered as one that changed nothing.
    #[must_use]
    pub fn after_commit(self) -> Self {
        match self {
            Self::Store(error) => baton_store::Error::Unknown(format!(
                "it was committed, but could not be read: {}",
                error.cause()
            ))
            .into(),
            other => other,
        }
    }

    /// Arguments that are not of their type: the field is named, by its path or, if it is absent, by serde.
    pub fn of_schema(error: serde_path_to_error::Error<serde_json::Error>) -> Self {
        let path = error.path().to_string();
        let said = error.into_inner().to_string();
        let rule = said.split(" at line ").next().unwrap_or(&said);
        let missing = rule.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
        match (&*path, missing) {
            (".", Some(field)) => Self::argument(field, "is required"),
            (".", None) => Self::argument("arguments", rule),
            (field, _) => Self::argument(field, rule),
        }
    }

    /// A refusal met while arguments were read: a malformed one is the caller's, not a rule's.
    pub fn of_argument(refusal: Refusal) -> Self {
        match refusal {
            Refusal::InvalidInput { field, rule } => Self::argument(field, rule),
            other => Self::Refused(other),
        }
    }
}
