//! The official A2A clients against a real hub with a `baton work` worker behind the alias. Each does the same steps over
//! both bindings and says what came of each in a line; `steps` holds the lines against what the contract says.
//! The Python and JavaScript drivers lie in `tests/clients/`; `make clients` installs what they need.

mod javascript;
mod python;
mod rust;
pub(crate) mod stage;
mod steps;

/// The two bindings every base has.
const BINDINGS: [&str; 2] = ["JSONRPC", "HTTP+JSON"];
