//! MCP clients as they are installed: Claude Code and Codex against a scripted model on loopback, the inspector, and MCP's own
//! conformance suite. `make mcp-clients` installs them; `tests/clients/mcp` pins them.

mod clients;
mod conformance;
mod inspector;
mod model;
mod newcomer;
mod proxy;
mod stage;
