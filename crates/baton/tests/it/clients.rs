//! The official A2A clients, and the MCP client, against a real hub with a `baton work` worker behind the alias. Each A2A
//! client does the same steps over every binding and says what came of each in a line; `steps` compares the lines with what
//! the contract says. Every client has the same `conversation` with a shell agent that asks.
//! The Python and JavaScript scripts lie in `tests/clients/`; `make clients` installs what they need.

mod conversation;
mod javascript;
mod mcp;
mod python;
mod rust;
mod script;
pub(crate) mod stage;
mod steps;

/// The bindings every agent has.
const BINDINGS: [&str; 3] = ["JSONRPC", "HTTP+JSON", "GRPC"];

/// What a client's own helper says of a card: it bears the hub's signature, and a changed one does not.
fn assert_signed(steps: &[serde_json::Value]) {
    assert_eq!(steps.len(), 2, "{steps:?}");
    assert_eq!((&steps[0]["step"], &steps[0]["name"]), (&"signed".into(), &stage::ALIAS.into()));
    assert_eq!(steps[1]["step"], "changed");
}
