//! The ways into the hub: the doors `rest/`, `mcp/`, `oauth/`, `a2a/`, `events/` and `web/`, the description of all of them
//! (`openapi/`), the listener in front of them (`server/`), the workers beside them (`worker/`), and the socket for the
//! command line on the same machine (`control/`). A door turns a request into a use case's arguments and its answer into
//! bytes; it decides nothing.

// The doc comments on request and response fields are published in /openapi.json: write them for callers.
#![allow(missing_docs)]

mod a2a;
#[cfg(test)]
mod after_commit;
mod body;
pub mod control;
mod events;
#[cfg(test)]
mod fixture;
#[cfg(test)]
#[cfg(debug_assertions)] // only these builds record statements
mod foreign_and_missing;
mod mcp;
#[cfg(test)]
#[path = "../../baton/tests/it/artifacts/moto.rs"]
mod moto;
mod oauth;
mod openapi;
mod request_trace;
pub mod rest;
pub mod server;
mod web;
pub mod worker;

// The rooms below, by their own names.
#[cfg(test)]
use baton_service::objects;
use baton_service::{card_text, error, hub, json_depth, metrics, outbound, peer, random, service, trace};
