//! Calls about quotas.

use baton_core::NetworkId;
use reqwest::Method;
use serde::Deserialize;

use super::call::{Call, Repeat};
use super::{Client, Error, HubResponse};
use crate::service::accounts::quotas::QuotaChange;

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Quota {
    pub(crate) quota: String,
    pub(crate) used: Option<i64>,
    pub(crate) limit: i64,
    pub(crate) default_limit: i64,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Quotas {
    pub(crate) quotas: Vec<Quota>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ListedUser {
    pub(crate) user_id: String,
    pub(crate) username: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Users {
    pub(crate) users: Vec<ListedUser>,
}

/// Whose quotas.
#[derive(Debug, Clone)]
pub(crate) enum QuotaSubject {
    User(String),
    Network(NetworkId),
}

impl QuotaSubject {
    fn path(&self) -> [&str; 4] {
        match self {
            Self::User(user) => ["api", "users", user, "quotas"],
            Self::Network(network) => ["api", "networks", network.as_str(), "quotas"],
        }
    }
}

impl Client {
    pub(crate) async fn users(&self) -> Result<HubResponse<Users>, Error> {
        self.get_pages(&["api", "users"], &(), "users").await
    }

    pub(crate) async fn quotas(&self, subject: &QuotaSubject) -> Result<HubResponse<Quotas>, Error> {
        self.get_json(&subject.path(), &()).await
    }

    /// Can be repeated: setting the same numbers again changes nothing.
    pub(crate) async fn set_quotas(
        &self,
        subject: &QuotaSubject,
        args: &QuotaChange,
    ) -> Result<HubResponse<Quotas>, Error> {
        let call = Call::new(self, Method::PUT, &subject.path());
        call.body(args).repeat(Repeat::Always).run().await
    }
}
