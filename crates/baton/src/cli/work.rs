//! `baton work`.

mod answer;
mod attachment;
mod group;
mod guard;
mod output;
mod process;
mod program;
mod tail;

pub(crate) use guard::RunGuard;
