//! Every account route, in process, against a real store. Tests mirror routes: one file per noun.

mod admins;
mod hub;
mod invites;
mod logins;
mod members;
mod networks;
mod node_tokens;
mod passwords;
mod profiles;
mod registrations;
mod secrets;
mod tokens;
