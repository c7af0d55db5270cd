//! Authorities whose signatures on certificates are taken beside those the system knows: an operator's own.

use reqwest::Certificate;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// Certificates of authorities.
#[derive(Debug, Clone, Default)]
pub struct Authorities(Vec<Certificate>);

impl Authorities {
    /// Reads a PEM file. Each certificate is parsed here, so that a bad one fails the start and not a later call.
    pub fn read(file: &str) -> Result<Self, String> {
        let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
        let found = found.map_err(|error| format!("it cannot be read as a PEM file: {error}"))?;
        if found.is_empty() {
            return Err("it holds no certificate".into());
        }
        let mut tried = RootCertStore::empty();
        let usable = found.into_iter().map(|der| {
            let certificate = Certificate::from_der(&der).map_err(|error| error.to_string())?;
            tried.add(der).map_err(|error| format!("a certificate in it cannot be used: {error}"))?;
            Ok(certificate)
        });
        usable.collect::<Result<_, String>>().map(Self)
    }

    pub fn certificates(&self) -> Vec<Certificate> {
        self.0.clone()
    }
}
