//! What the hub does: `service/`, the use cases, and `hub/`, what every use case is handed. Below them stands what they call:
//! metrics, traces, objects, calls to the outside. Nothing here knows a route, a tool or a command line.

// The doc comments on request and response fields are published in /openapi.json: write them for callers.
#![allow(missing_docs)]

pub mod card_text;
pub mod error;
mod fair_semaphore;
#[cfg(any(test, feature = "fixture"))]
pub mod fixture;
pub mod hub;
pub mod json_depth;
mod jws;
pub mod metrics;
pub mod objects;
pub mod outbound;
pub mod peer;
pub mod random;
pub mod service;
pub mod trace;
