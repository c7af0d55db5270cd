//! TLS: a certificate and a key from PEM files, rustls with ring, HTTP/1.1 only.

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// Where certificate chain and key are.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("cannot read {file}: {error}; it must be a PEM file", file = .file.display())]
    Unreadable { file: PathBuf, error: rustls::pki_types::pem::Error },
    #[error("{file} holds no certificate", file = .0.display())]
    NoCertificate(PathBuf),
    #[error("the certificate and the key cannot be used together: {0}")]
    Unusable(#[from] rustls::Error),
}

impl TlsFiles {
    /// Reads both files; they are looked at once, at the start.
    pub fn load(&self) -> Result<TlsAcceptor, TlsError> {
        let chain = certificates(&self.certificate)?;
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(|error| unreadable(&self.key, error))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
    let chain = chain.map_err(|error| unreadable(file, error))?;
    if chain.is_empty() { Err(TlsError::NoCertificate(file.into())) } else { Ok(chain) }
}

fn unreadable(file: &Path, error: rustls::pki_types::pem::Error) -> TlsError {
    TlsError::Unreadable { file: file.into(), error }
}
