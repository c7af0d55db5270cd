//! The dashboard in a real browser: each test starts a hub of its own and has Debian's Chromium, driven by a script of
//! `tests/browser/`, do what a user does. `make browser` installs what the scripts need.

mod accessible;
mod agents;
mod evidence;
mod graph;
mod outage;
mod script;
mod signing_in;
mod speed;
mod tasks;
mod tenants;
mod words;
