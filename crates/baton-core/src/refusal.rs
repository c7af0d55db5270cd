//! Every way a rule refuses, one variant per reason. The rows stand in `refusal/table.rs`; here is what is made of them.
//! Status numbers of HTTP, JSON-RPC or A2A do not live here: each door has one match from `Class` to its own.

use std::borrow::Cow;

use crate::status::Status;

/// The class of a refusal: as many as the doors distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// It is not known who calls.
    Unauthenticated,
    /// Too much at once; the same call may be answered later.
    RateLimited {
        /// When to try again.
        retry_after_ms: u64,
    },
    /// The caller may not do this.
    Forbidden,
    /// The network is not the caller's, or there is none; the two answer alike.
    OutsideNetwork,
    /// The network, agent or task that is called is not there, or not for the caller; the two answer alike.
    NotFound,
    /// Something else that the call names is not there.
    UnknownReference,
    /// There is nothing yet, or nothing any more, that this could be done with.
    NothingThere,
    /// It is not in a state for this.
    Conflict,
    /// The task has ended.
    TaskEnded {
        /// How it ended.
        status: Status,
    },
    /// The call contradicts an earlier one with the same key.
    KeyReused,
    /// It is too large, or there is no room for it.
    TooLarge,
    /// An argument breaks its rule.
    Invalid,
}

/// Makes the type of its rows: `Name { field: Type = sample } = code, class, (message), remedy "…";`.
/// Code, class and message can use the fields.
macro_rules! refusals {
    ($(
        $(#[doc = $meaning:literal])+
        $name:ident $({ $($(#[doc = $about:literal])+ $field:ident: $type:ty = $sample:expr,)+ })?
            = $code:expr, $class:expr, ($($message:tt)+) $(, remedy $remedy:literal)?;
    )+) => {
        /// A rule refused, and nothing has changed.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        pub enum Refusal {
            $(
                $(#[doc = $meaning])+
                #[error($($message)+)]
                $name $({ $($(#[doc = $about])+ $field: $type,)+ })?,
            )+
        }

        #[allow(unused_variables)] // A row need not use its fields in each column.
        impl Refusal {
            /// The wire string, the same on every door.
            pub fn code(&self) -> Cow<'static, str> {
                match self { $(Self::$name { $($($field),+)? } => $code.into(),)+ }
            }

            /// What kind of no it is.
            pub const fn class(&self) -> Class {
                use Class::*;
                match self { $(Self::$name { $($($field),+)? } => $class,)+ }
            }

            /// What it means, for docs/errors.md.
            pub fn meaning(&self) -> &'static str {
                let text = match self { $(Self::$name { .. } => concat!($($meaning),+),)+ };
                text.trim().trim_end_matches('.')
            }

            /// What to do about it, if the message does not say so.
            pub const fn remedy(&self) -> Option<&'static str> {
                $($(if let Self::$name { .. } = self {
                    return Some($remedy);
                })?)+
                None
            }

            /// One of each, in the order of the table.
            pub fn samples() -> Vec<Self> {
                vec![$(Self::$name { $($($field: $sample),+)? }),+]
            }
        }
    };
}

mod table;

pub use table::Refusal;

impl Refusal {
    /// A field that breaks its rule.
    pub fn invalid(field: &'static str, rule: impl Into<Cow<'static, str>>) -> Self {
        Self::InvalidInput { field, rule: rule.into() }
    }

    /// The sentence for the caller.
    pub fn message(&self) -> String {
        self.to_string()
    }
}
