//! What the dashboard stands on, with every door behind the real gate: its files, the session of a browser and which
//! requests its cookie counts for, streams, figures and lists.

mod assets;
mod browser;
mod counting;
mod figures;
mod lists;
mod live;
mod oauth;
mod oauth_attacks;
mod oauth_client;
mod oidc;
mod sessions;
