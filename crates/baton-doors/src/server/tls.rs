//! TLS: a certificate and a key from PEM files, rustls with ring, HTTP/2 or HTTP/1.1.

use baton_core::limits;
use der::asn1::{GeneralizedTime, UtcTime};
use der::{Decode, ErrorKind, Reader, SliceReader, Tag};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// Where certificate chain and key are.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// The bytes of both files.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Pem {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

/// A certificate that can be used.
#[derive(Clone)]
pub struct Loaded {
    pub(super) acceptor: TlsAcceptor,
    /// Unix seconds; none if the certificate does not say it in a way that can be read.
    pub expiry: Option<u64>,
}

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("cannot read {file}: {error}", file = .file.display())]
    NotRead { file: PathBuf, error: io::Error },
    #[error("cannot read {file}: {error}; it must be a PEM file", file = .file.display())]
    Unreadable { file: PathBuf, error: pem::Error },
    #[error("{file} holds no certificate", file = .0.display())]
    NoCertificate(PathBuf),
    #[error("the certificate and the key cannot be used together: {0}")]
    Unusable(#[from] rustls::Error),
    #[error("the certificate in {file} has expired", file = .0.display())]
    Expired(PathBuf),
}

impl TlsFiles {
    /// Reads both files.
    pub fn load(&self) -> Result<Loaded, TlsError> {
        self.parse(&self.read()?)
    }

    pub(super) fn read(&self) -> Result<Pem, TlsError> {
        Ok(Pem { certificate: bytes(&self.certificate)?, key: bytes(&self.key)? })
    }

    pub(super) fn parse(&self, pem: &Pem) -> Result<Loaded, TlsError> {
        let unreadable = |file: &Path, error| TlsError::Unreadable { file: file.into(), error };
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem.certificate).collect();
        let chain = chain.map_err(|error| unreadable(&self.certificate, error))?;
        let Some(own) = chain.first() else { return Err(TlsError::NoCertificate(self.certificate.clone())) };
        let expiry = expiry(own).ok();
        let key = PrivateKeyDer::from_pem_slice(&pem.key).map_err(|error| unreadable(&self.key, error))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Loaded { acceptor: TlsAcceptor::from(Arc::new(config)), expiry })
    }
}

fn bytes(file: &Path) -> Result<Vec<u8>, TlsError> {
    let mut bytes = Vec::new();
    let read = File::open(file)
        .and_then(|opened| opened.take(limits::CERTIFICATE_FILE_MAX_BYTES).read_to_end(&mut bytes));
    read.map_err(|error| TlsError::NotRead { file: file.into(), error })?;
    Ok(bytes)
}

/// The end of a certificate's validity (RFC 5280, 4.1): `Certificate { TBSCertificate { [0] version, serial, signature,
/// issuer, Validity { notBefore, notAfter }, … }, … }`.
fn expiry(certificate: &[u8]) -> der::Result<u64> {
    let mut reader = SliceReader::new(certificate)?;
    reader.sequence(|certificate| {
        let expiry = certificate.sequence(|fields| {
            if fields.peek_tag()?.is_context_specific() {
                fields.tlv_bytes()?;
            }
            for _serial_signature_issuer in 0..3 {
                fields.tlv_bytes()?;
            }
            let expiry = fields.sequence(|validity| {
                validity.tlv_bytes()?;
                time(validity)
            })?;
            skip_rest(fields)?;
            Ok(expiry)
        })?;
        skip_rest(certificate)?;
        Ok(expiry)
    })
}

fn time<'r>(reader: &mut impl Reader<'r>) -> der::Result<u64> {
    let since_1970 = match reader.peek_tag()? {
        Tag::UtcTime => UtcTime::decode(reader)?.to_unix_duration(),
        Tag::GeneralizedTime => GeneralizedTime::decode(reader)?.to_unix_duration(),
        actual => return Err(ErrorKind::TagUnexpected { expected: None, actual }.into()),
    };
    Ok(since_1970.as_secs())
}

fn skip_rest<'r>(reader: &mut impl Reader<'r>) -> der::Result<()> {
    let rest = reader.remaining_len();
    reader.read_slice(rest).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expiry_of_a_certificate_is_read() {
        for (year, seconds) in [(2031, 1_924_992_000), (2077, 3_376_684_800)] {
            let key = rcgen::KeyPair::generate().unwrap();
            let mut parameters = rcgen::CertificateParams::new(vec!["localhost".into()]).unwrap();
            parameters.not_after = rcgen::date_time_ymd(year, 1, 1);
            let made = parameters.self_signed(&key).unwrap();
            assert_eq!(expiry(made.der()).unwrap(), seconds, "{year}");
        }
        assert!(expiry(b"no certificate").is_err());
    }
}
