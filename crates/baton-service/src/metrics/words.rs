//! Label values: closed sets of words, so that what is counted by them is bounded by the code.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// A closed set of words.
pub trait LabelValue: Copy + 'static {
    const ALL: &'static [Self];
    fn as_str(self) -> &'static str;
    /// Its place in `ALL`.
    fn place(self) -> usize;
}

/// Declares an enum whose variants are label values.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($variant,)+
        }

        impl $crate::metrics::LabelValue for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            fn place(self) -> usize {
                self as usize
            }
        }
    };
}
pub(crate) use words;

/// How often each word of a set came up.
#[derive(Debug)]
pub struct Tally<W> {
    counts: Box<[AtomicU64]>,
    words: PhantomData<W>,
}

impl<W: LabelValue> Default for Tally<W> {
    fn default() -> Self {
        Self { counts: W::ALL.iter().map(|_| AtomicU64::new(0)).collect(), words: PhantomData }
    }
}

impl<W: LabelValue> Tally<W> {
    pub fn note(&self, word: W) {
        self.counts[word.place()].fetch_add(1, Ordering::Relaxed);
    }

    /// Each word and how often it came up.
    pub fn read(&self) -> impl Iterator<Item = (W, u64)> {
        W::ALL.iter().zip(&self.counts).map(|(word, count)| (*word, count.load(Ordering::Relaxed)))
    }
}
