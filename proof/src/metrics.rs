//! The hub's own figures: `GET /metrics`.

use crate::connection::Connection;
use crate::failure::Failure;
use crate::request::{Address, request};

/// The page as it was when it was read.
pub(crate) struct Metrics(String);

impl Metrics {
    pub(crate) async fn read(address: &Address, token: &str) -> Result<Self, Failure> {
        let bytes = request(address, "GET", "/metrics", Some(token), &serde_json::json!({}));
        let mut connection = Connection::open(address).await?;
        let page = connection.call("the figures", &bytes).await?;
        Ok(Self(String::from_utf8_lossy(page).into_owned()))
    }

    /// A figure without labels.
    pub(crate) fn figure(&self, name: &str) -> Result<f64, Failure> {
        let line = self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let found = line.and_then(|text| text.trim().parse::<f64>().ok());
        found.ok_or_else(|| Failure::of("the figures")(format!("{name} is missing")))
    }
}
