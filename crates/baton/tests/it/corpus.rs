//! A recorded corpus of requests and answers over every REST route, MCP tool and A2A method. A change of the code that
//! should not change the wire leaves every byte of `corpus/*.txt` as it is; `BATON_BLESS=1` records it again.

mod a2a;
mod mcp;
pub(crate) mod record;
mod refusals;
