//! The session of a browser, and which requests its cookie counts for, with every door behind the real gate.

mod assets;
mod browser;
mod counting;
mod sessions;
