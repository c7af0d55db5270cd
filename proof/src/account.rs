//! An ordinary account, made by registering, and what it sets up through the hub's own doors: networks, agents, tools
//! called over MCP. Nothing here is the hub's admin.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::net::Ipv4Addr;

use crate::failure::Failure;
use crate::request::{Address, request};
use crate::server::secret;
use crate::tenant::{Agent, read};
use crate::trouble::Trouble;
use crate::wire::{Route, Wire};

/// Larger than any answer that is looked into.
const KEPT_BYTES: usize = 2 * 1024 * 1024;

/// A user that registered.
pub(crate) struct Account {
    address: Address,
    route: Route,
    username: String,
    password: String,
    /// A user token.
    pub(crate) token: String,
    /// The network that came with the account.
    pub(crate) network_id: String,
}

#[derive(Deserialize)]
struct Registered {
    token: String,
    network_id: String,
}

#[derive(Deserialize)]
struct Token {
    token: String,
}

#[derive(Deserialize)]
struct Network {
    network_id: String,
}

impl Account {
    pub(crate) async fn register(address: &Address, username: &str) -> Result<Self, Failure> {
        let route = Route::new(address, Ipv4Addr::LOCALHOST)?;
        let password = secret()?;
        let body = json!({"username": username, "password": password});
        let bytes = request(address, "POST", "/api/auth/register", None, &body);
        let Registered { token, network_id } = answered(route, "registering", &bytes).await?;
        let username = username.to_owned();
        Ok(Self { address: address.clone(), route, username, password, token, network_id })
    }

    /// Another user token of the same account.
    pub(crate) async fn log_in(&self) -> Result<String, Failure> {
        let body = json!({"username": self.username, "password": self.password});
        let bytes = request(&self.address, "POST", "/api/auth/login", None, &body);
        let Token { token } = answered(self.route, "logging in", &bytes).await?;
        Ok(token)
    }

    /// Makes a network; none where the account has as many as it may have.
    pub(crate) async fn make_network(&self, name: &str) -> Result<Option<String>, Failure> {
        let body = json!({ "name": name });
        let bytes = request(&self.address, "POST", "/api/networks", Some(&self.token), &body);
        match answered(self.route, "making a network", &bytes).await {
            Ok(Network { network_id }) => Ok(Some(network_id)),
            Err(Trouble::Refused { status: 400..=499, .. }) => Ok(None),
            Err(trouble) => Err(trouble.into()),
        }
    }

    /// A new network that an attack cannot do without.
    pub(crate) async fn need_network(&self, name: &str) -> Result<String, Failure> {
        let refused = || Failure::of("the hub")(format!("refuses {} a network", self.username));
        self.make_network(name).await?.ok_or_else(refused)
    }

    /// An agent in one of the account's networks.
    pub(crate) async fn mint(&self, network_id: &str, alias: &str) -> Result<Agent, Failure> {
        let body = json!({"network_id": network_id, "node_name": alias});
        let bytes = request(&self.address, "POST", "/api/auth/node-token", Some(&self.token), &body);
        let Token { token } = answered(self.route, "minting a node token", &bytes).await?;
        Ok(Agent { alias: alias.to_owned(), token })
    }

    /// Calls a tool as an agent; what the hub refuses is an error.
    pub(crate) async fn tool(
        &self,
        agent: &Agent,
        tool: &'static str,
        arguments: &Value,
    ) -> Result<(), Trouble> {
        let params = json!({"name": tool, "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let mut bytes = request(&self.address, "POST", "/mcp", Some(&agent.token), &body);
        // Not as an event stream.
        let first_line = bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        bytes.splice(first_line..first_line, *b"accept: application/json\r\n");
        let answer: Value = answered(self.route, tool, &bytes).await?;
        match answer.pointer("/result/structuredContent/ok") {
            Some(Value::Bool(true)) => Ok(()),
            _ => {
                Err(Trouble::Unexpected { call: tool, body: answer.to_string().chars().take(500).collect() })
            }
        }
    }

    /// Sends a task, and says which.
    pub(crate) async fn send(&self, sender: &Agent, to: &Agent, text: &str) -> Result<String, Failure> {
        #[derive(Deserialize)]
        struct Sent {
            task_id: String,
        }
        let body = json!({"alias": to.alias, "task": text, "ttl_seconds": 86_400});
        let bytes = request(&self.address, "POST", "/api/task", Some(&sender.token), &body);
        let Sent { task_id } = answered(self.route, "a send", &bytes).await?;
        Ok(task_id)
    }
}

/// A typed answer of a success. Each call has a connection of its own: between two the hub may be idle for long.
async fn answered<T: DeserializeOwned>(route: Route, call: &'static str, bytes: &[u8]) -> Result<T, Trouble> {
    let answer = Wire::new(route).call(bytes, KEPT_BYTES).await;
    let answer = answer.map_err(|error| Trouble::Connection { call, error })?;
    if answer.is_success() {
        return read(call, &answer.body);
    }
    let body = String::from_utf8_lossy(&answer.body).into_owned();
    Err(Trouble::Refused { call, status: answer.status, body })
}
