//! The tenant of a run: a network of its own with a sender and workers, deleted with all its rows afterwards.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::connection::Connection;
use super::request::{Address, request};
use super::trouble::Trouble;

/// How many networks this program has made.
static MADE: AtomicUsize = AtomicUsize::new(0);

/// The highest number a quota can be set to.
const HIGHEST_QUOTA: u32 = 1_000_000_000;

/// An agent of the run.
#[derive(Debug, Clone)]
pub(super) struct Agent {
    pub(super) alias: String,
    pub(super) token: String,
}

/// The network made for this run.
pub(super) struct Tenant {
    address: Address,
    connection: Connection,
    user_token: String,
    network_id: String,
}

#[derive(Deserialize)]
struct Token {
    token: String,
}

#[derive(Deserialize)]
struct Profile {
    user: User,
}

#[derive(Deserialize)]
struct User {
    user_id: String,
}

#[derive(Deserialize)]
struct Network {
    network_id: String,
}

impl Tenant {
    /// A user token, for a name and a password.
    pub(super) async fn log_in(address: &Address, username: &str, password: &str) -> Result<String, Trouble> {
        let mut connection = Connection::open(address).await?;
        let body = json!({"username": username, "password": password});
        let login = request(address, "POST", "/api/auth/login", None, &body);
        let Token { token } = read("the login", connection.call("the login", &login).await?)?;
        Ok(token)
    }

    /// Makes the network.
    pub(super) async fn make(address: &Address, user_token: String) -> Result<Self, Trouble> {
        let mut connection = Connection::open(address).await?;
        // Some runs make several, for one user.
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("bench {} {number}", std::process::id());
        let make = request(address, "POST", "/api/networks", Some(&user_token), &json!({ "name": name }));
        let call = "making a network";
        let Network { network_id } = read(call, connection.call(call, &make).await?)?;
        let mut tenant = Self { address: address.clone(), connection, user_token, network_id };
        tenant.raise_quotas().await?;
        Ok(tenant)
    }

    /// A run makes more than an ordinary tenant may have. Without a system admin's token it stays within the limits.
    async fn raise_quotas(&mut self) -> Result<(), Trouble> {
        let call = "asking who one is";
        let Profile { user } = read(call, self.call(call, "GET", "/api/auth/me", &json!({})).await?)?;
        let of_user = json!({"tokens": HIGHEST_QUOTA});
        let of_network = json!({
            "open_tasks": HIGHEST_QUOTA, "inbox": HIGHEST_QUOTA, "sessions": HIGHEST_QUOTA,
            "waiting_claims": HIGHEST_QUOTA, "streams": HIGHEST_QUOTA, "push_configs": HIGHEST_QUOTA,
        });
        for (path, quotas) in [
            (format!("/api/users/{}/quotas", user.user_id), of_user),
            (format!("/api/networks/{}/quotas", self.network_id), of_network),
        ] {
            match self.call("raising quotas", "PUT", &path, &quotas).await {
                Ok(_) | Err(Trouble::Refused { status: 403, .. }) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        Ok(())
    }

    pub(super) fn network_id(&self) -> &str {
        &self.network_id
    }

    /// As many agents as asked for, named after the role they play.
    pub(super) async fn agents(&mut self, role: &str, count: usize) -> Result<Vec<Agent>, Trouble> {
        let mut agents = Vec::with_capacity(count);
        for number in 0..count {
            agents.push(self.mint(format!("bench-{role}-{number}")).await?);
        }
        Ok(agents)
    }

    /// One agent.
    pub(super) async fn mint(&mut self, alias: String) -> Result<Agent, Trouble> {
        let body = json!({"network_id": self.network_id, "node_name": alias});
        let call = "minting a node token";
        let Token { token } = read(call, self.call(call, "POST", "/api/auth/node-token", &body).await?)?;
        Ok(Agent { alias, token })
    }

    /// Deletes the network and all that was made in it.
    pub(super) async fn delete(mut self) -> Result<(), Trouble> {
        let path = format!("/api/networks/{}", self.network_id);
        // During a long run the first connection was idle for longer than the hub keeps one.
        self.connection = Connection::open(&self.address).await?;
        self.call("deleting the network", "DELETE", &path, &json!({})).await.map(|_| ())
    }

    async fn call(
        &mut self,
        call: &'static str,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Result<&[u8], Trouble> {
        let bytes = request(&self.address, method, path, Some(&self.user_token), body);
        self.connection.call(call, &bytes).await
    }
}

/// A typed answer.
pub(super) fn read<T: DeserializeOwned>(call: &'static str, body: &[u8]) -> Result<T, Trouble> {
    serde_json::from_slice(body)
        .map_err(|_| Trouble::Unexpected { call, body: String::from_utf8_lossy(body).into_owned() })
}
