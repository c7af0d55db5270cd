//! The A2A door as a client meets it: the real hub, all bindings, agents that work over REST.

mod access;
mod bindings;
mod bodies;
mod bounds;
mod cards;
mod catalog;
mod door;
mod ends;
mod grpc;
mod grpc_call;
mod grpc_tls;
mod lists;
mod parts;
mod progress;
mod receivers;
mod sends;
mod streams;
mod task_stream;
