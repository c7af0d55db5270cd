//! How patient a client is and whose certificates it takes.

use baton_core::limits;
use reqwest::Certificate;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::HubAddress;

/// A client's settings.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// Until a connection stands.
    pub(crate) connect_timeout: Duration,
    /// Until an answer is there, beside the time a call itself asks the hub to wait.
    pub(crate) answer_timeout: Duration,
    /// A private CA; with one, only it is believed.
    ca: Option<Vec<Certificate>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(limits::CLIENT_CONNECT_SECONDS.into()),
            answer_timeout: Duration::from_secs(limits::CLIENT_ANSWER_SECONDS.into()),
            ca: None,
        }
    }
}

/// A CA file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the certificates in {file}: {cause}; it must be a PEM file", file = .file.display())]
pub(crate) struct CaError {
    file: PathBuf,
    cause: String,
}

impl Options {
    /// The usual patience, and a private CA from a PEM file.
    pub(crate) fn with_ca(file: &Path) -> Result<Self, CaError> {
        let error = |cause: String| CaError { file: file.into(), cause };
        let pem = std::fs::read(file).map_err(|cause| error(cause.to_string()))?;
        let certificates = Certificate::from_pem_bundle(&pem).map_err(|cause| error(cause.to_string()))?;
        if certificates.is_empty() {
            return Err(error("it holds none".into()));
        }
        Ok(Self { ca: Some(certificates), ..Self::default() })
    }

    /// The only roots to believe; none when the system's are meant. Without TLS no root is needed, and none is
    /// looked for: a small container has none.
    pub(super) fn roots(&self, hub: &HubAddress) -> Option<Vec<Certificate>> {
        if hub.is_https() { self.ca.clone() } else { Some(Vec::new()) }
    }
}
