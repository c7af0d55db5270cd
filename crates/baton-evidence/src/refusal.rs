//! What every check refuses with: a code of some class, a place and a sentence. Which codes and places there are is the
//! business of the check.

/// One refusal: which rule (`C`), and where (`P`).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code} at {place}: {message}")]
pub struct Refusal<C, P> {
    /// Which rule.
    pub code: C,
    /// Where.
    pub place: P,
    /// In a sentence.
    pub message: String,
}

impl<C, P> Refusal<C, P> {
    pub(crate) fn new(code: C, place: P, message: impl Into<String>) -> Self {
        Self { code, place, message: message.into() }
    }
}

/// `codes! { /// doc \n Name = Class / "word"; }` makes the enum `Code` over the `Class` in scope, printed `class/word`.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $class:ident / $text:literal;)*) => {
        /// Which rule was broken.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// All codes, for documentation and tests.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The class this code belongs to.
            #[must_use]
            pub const fn class(self) -> Class {
                match self { $(Self::$name => Class::$class,)* }
            }

            /// The code's own word, without the class.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }

        impl std::fmt::Display for Code {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}/{}", self.class(), self.word())
            }
        }
    };
}
pub(crate) use codes;
