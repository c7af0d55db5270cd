//! The A2A door as a client meets it: the real hub, both bindings, agents that work over REST.

mod access;
mod bindings;
mod bodies;
mod bounds;
mod cards;
mod door;
mod ends;
mod lists;
mod parts;
mod progress;
mod receivers;
mod sends;
mod streams;
