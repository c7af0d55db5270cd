//! Calls about remote agents.

use reqwest::Method;
use serde::Deserialize;
use serde_json::Value;

use super::call::{Call, Repeat};
use super::{Client, Error, HubResponse};
use crate::service::WireTime;
use crate::service::accounts::{remote_keys, remotes};

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Remote {
    pub(crate) alias: String,
    pub(crate) card_url: String,
    pub(crate) has_credential: bool,
    pub(crate) pinned_key: Option<String>,
    pub(crate) card_error: Option<String>,
    pub(crate) created_by: String,
    pub(crate) created_at: WireTime,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct RemoteAdded {
    /// What it is called on its card.
    pub(crate) name: String,
    pub(crate) remote: Remote,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Remotes {
    pub(crate) remotes: Vec<Remote>,
}

impl Client {
    pub(crate) async fn add_remote(
        &self,
        network_id: &str,
        args: &remotes::NewRemote,
    ) -> Result<HubResponse<RemoteAdded>, Error> {
        self.post_json(&["api", "networks", network_id, "remotes"], args).await
    }

    pub(crate) async fn remotes(&self, network_id: &str) -> Result<HubResponse<Remotes>, Error> {
        self.get_pages(&["api", "networks", network_id, "remotes"], &(), "remotes").await
    }

    /// Can be repeated: pinning the same key again changes nothing.
    pub(crate) async fn pin_remote_key(
        &self,
        network_id: &str,
        alias: &str,
        args: &remote_keys::PinRemoteKey,
    ) -> Result<HubResponse<Value>, Error> {
        let path = ["api", "networks", network_id, "remotes", alias, "key"];
        Call::new(self, Method::PUT, &path).body(args).repeat(Repeat::Always).run().await
    }

    pub(crate) async fn remove_remote(
        &self,
        network_id: &str,
        alias: &str,
    ) -> Result<HubResponse<Value>, Error> {
        self.delete(&["api", "networks", network_id, "remotes", alias]).await
    }
}
