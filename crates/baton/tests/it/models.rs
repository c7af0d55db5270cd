//! MCP clients as they are installed: Claude Code, Codex and Gemini CLI against a scripted model on loopback, the inspector, and MCP's own
//! conformance suite. `make mcp-clients` installs them; `tests/clients/mcp` pins them.

mod clients;
mod conformance;
mod fixture_tools;
mod inspector;
mod model;
mod newcomer;
mod oauth;
pub(crate) mod oidc;
mod proxy;
mod stage;
