//! Calls about people, tokens, networks and members, and about the hub itself.

use baton_core::{NetworkRole, SystemRole};
use reqwest::Method;
use serde::Deserialize;
use serde_json::Value;

use super::call::{Call, Repeat};
use super::{Client, Error, HubResponse};
use crate::service::WireTime;
use crate::service::accounts::registration::Registration;
use crate::service::accounts::{aliases, invites, networks, passwords, sessions, tokens};

/// What anybody may know of a hub.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Health {
    pub(crate) version: String,
    pub(crate) uptime: f64,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct User {
    pub(crate) user_id: String,
    pub(crate) username: String,
    pub(crate) role: SystemRole,
    #[serde(default)]
    pub(crate) must_change_password: bool,
}

#[derive(Clone, Deserialize)]
pub(crate) struct LoggedIn {
    pub(crate) token: String,
}

/// Who a token speaks for.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct TokenIdentity {
    pub(crate) user: User,
    pub(crate) networks: Vec<Network>,
    /// A node token's network.
    pub(crate) current_network: Option<String>,
    /// A node token's alias, once it has one.
    pub(crate) alias: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Network {
    pub(crate) network_id: String,
    pub(crate) network_name: String,
    pub(crate) description: Option<String>,
    pub(crate) created_at: WireTime,
    pub(crate) member_role: Option<NetworkRole>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Networks {
    pub(crate) networks: Vec<Network>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Created {
    pub(crate) network_id: String,
    pub(crate) network_name: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Member {
    pub(crate) user_id: String,
    pub(crate) username: String,
    pub(crate) display_name: Option<String>,
    pub(crate) role: NetworkRole,
    pub(crate) joined_at: WireTime,
    pub(crate) invited_by: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Members {
    pub(crate) members: Vec<Member>,
    /// Invited users; older hubs do not send the field.
    #[serde(default)]
    pub(crate) pending: Vec<PendingMember>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct PendingMember {
    pub(crate) username: String,
    pub(crate) role: NetworkRole,
    pub(crate) invited_by: String,
    pub(crate) created_at: WireTime,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Invitation {
    pub(crate) network_id: String,
    pub(crate) network_name: String,
    pub(crate) role: NetworkRole,
    pub(crate) invited_by: String,
    pub(crate) created_at: WireTime,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Invitations {
    pub(crate) invitations: Vec<Invitation>,
}

#[derive(Clone, Deserialize)]
pub(crate) struct Invited {
    pub(crate) invite_code: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Joined {
    pub(crate) network_id: String,
    pub(crate) role: NetworkRole,
}

#[derive(Clone, Deserialize)]
pub(crate) struct MintedToken {
    pub(crate) token: String,
    pub(crate) token_id: String,
    pub(crate) expires_at: Option<WireTime>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ListedToken {
    pub(crate) token_id: String,
    pub(crate) name: String,
    pub(crate) scope: String,
    pub(crate) network_id: Option<String>,
    pub(crate) last_used_at: Option<WireTime>,
    pub(crate) created_at: WireTime,
    pub(crate) expires_at: Option<WireTime>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Tokens {
    pub(crate) tokens: Vec<ListedToken>,
}

#[derive(Clone, Deserialize)]
pub(crate) struct PasswordChanged {
    pub(crate) token: String,
}

impl Client {
    pub(crate) async fn health(&self) -> Result<HubResponse<Health>, Error> {
        self.get_json(&["health"], &()).await
    }

    pub(crate) async fn register(&self, args: &Registration) -> Result<HubResponse<LoggedIn>, Error> {
        self.post_json(&["api", "auth", "register"], args).await
    }

    pub(crate) async fn login(&self, args: &sessions::Login) -> Result<HubResponse<LoggedIn>, Error> {
        self.post_json(&["api", "auth", "login"], args).await
    }

    /// Ends the token this client has.
    pub(crate) async fn logout(&self) -> Result<HubResponse<Value>, Error> {
        self.post_json(&["api", "auth", "logout"], &Value::Object(Default::default())).await
    }

    pub(crate) async fn me(&self) -> Result<HubResponse<TokenIdentity>, Error> {
        self.get_json(&["api", "auth", "me"], &()).await
    }

    pub(crate) async fn change_password(
        &self,
        args: &passwords::PasswordChange,
    ) -> Result<HubResponse<PasswordChanged>, Error> {
        self.post_json(&["api", "auth", "password"], args).await
    }

    pub(crate) async fn mint_node_token(
        &self,
        args: &tokens::NewNodeToken,
    ) -> Result<HubResponse<MintedToken>, Error> {
        self.post_json(&["api", "auth", "node-token"], args).await
    }

    pub(crate) async fn tokens(&self) -> Result<HubResponse<Tokens>, Error> {
        self.get_pages(&["api", "auth", "tokens"], &(), "tokens").await
    }

    pub(crate) async fn revoke_token(&self, token_id: &str) -> Result<HubResponse<Value>, Error> {
        self.delete(&["api", "auth", "tokens", token_id]).await
    }

    pub(crate) async fn networks(&self) -> Result<HubResponse<Networks>, Error> {
        self.get_pages(&["api", "networks"], &(), "networks").await
    }

    pub(crate) async fn create_network(
        &self,
        args: &networks::NewNetwork,
    ) -> Result<HubResponse<Created>, Error> {
        self.post_json(&["api", "networks"], args).await
    }

    /// The same name twice is the same name.
    pub(crate) async fn rename_network(
        &self,
        network_id: &str,
        args: &networks::Change,
    ) -> Result<HubResponse<Value>, Error> {
        let call = Call::new(self, Method::PUT, &["api", "networks", network_id]);
        call.body(args).repeat(Repeat::Always).run().await
    }

    pub(crate) async fn delete_network(&self, network_id: &str) -> Result<HubResponse<Value>, Error> {
        self.delete(&["api", "networks", network_id]).await
    }

    pub(crate) async fn members(&self, network_id: &str) -> Result<HubResponse<Members>, Error> {
        self.get_pages(&["api", "networks", network_id, "members"], &(), "members").await
    }

    pub(crate) async fn invite(
        &self,
        network_id: &str,
        args: &invites::NewInvite,
    ) -> Result<HubResponse<Invited>, Error> {
        self.post_json(&["api", "networks", network_id, "invite"], args).await
    }

    pub(crate) async fn join(&self, args: &invites::Join) -> Result<HubResponse<Joined>, Error> {
        self.post_json(&["api", "networks", "join"], args).await
    }

    pub(crate) async fn invitations(&self) -> Result<HubResponse<Invitations>, Error> {
        self.get_json(&["api", "invitations"], &()).await
    }

    pub(crate) async fn accept_invitation(&self, network_id: &str) -> Result<HubResponse<Joined>, Error> {
        let path = ["api", "invitations", network_id, "accept"];
        self.post_json(&path, &Value::Object(Default::default())).await
    }

    pub(crate) async fn decline_invitation(&self, network_id: &str) -> Result<HubResponse<Value>, Error> {
        let path = ["api", "invitations", network_id, "decline"];
        self.post_json(&path, &Value::Object(Default::default())).await
    }

    pub(crate) async fn leave_network(&self, network_id: &str) -> Result<HubResponse<Value>, Error> {
        self.delete(&["api", "networks", network_id, "members", "me"]).await
    }

    /// Can be repeated: a second hand-over to the same member changes nothing.
    pub(crate) async fn hand_over_alias(
        &self,
        network_id: &str,
        alias: &str,
        args: &aliases::AliasHandOver,
    ) -> Result<HubResponse<Value>, Error> {
        let call = Call::new(self, Method::PUT, &["api", "networks", network_id, "aliases", alias]);
        call.body(args).repeat(Repeat::Always).run().await
    }

    pub(super) async fn delete(&self, path: &[&str]) -> Result<HubResponse<Value>, Error> {
        Call::new(self, Method::DELETE, path).run().await
    }
}
