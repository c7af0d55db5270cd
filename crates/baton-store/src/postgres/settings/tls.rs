//! TLS to PostgreSQL, by rustls. Which certificates are accepted depends on `sslmode`, as libpq has it: `prefer` and `require`
//! encrypt and ask for nothing, `verify-ca` asks who signed the certificate, `verify-full` also for which host.

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::path::Path;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::SettingsError;
use super::options::{Check, Tls};

pub(super) fn connector(tls: &Tls) -> Result<MakeRustlsConnect, SettingsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let failed = |error: rustls::Error| SettingsError::Tls(error.to_string());
    let builder = ClientConfig::builder_with_provider(provider.clone());
    let builder = builder.with_safe_default_protocol_versions().map_err(failed)?;
    let verifier: Arc<dyn ServerCertVerifier> = match tls.check {
        Check::Nothing => Arc::new(AnyCertificate(provider)),
        check => {
            let roots = Arc::new(authorities(tls.authorities.as_deref())?);
            let inner = WebPkiServerVerifier::builder_with_provider(roots, provider).build();
            let inner = inner.map_err(|error| SettingsError::Tls(error.to_string()))?;
            if check == Check::Host { inner } else { Arc::new(AnyHost(inner)) }
        }
    };
    let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
    let config = match (&tls.certificate, &tls.key) {
        (None, None) => builder.with_no_client_auth(),
        (Some(certificate), Some(key)) => {
            let chain = certificates("sslcert", certificate)?;
            let key = PrivateKeyDer::from_pem_file(key).map_err(|error| SettingsError::File {
                option: "sslkey",
                file: key.clone(),
                why: error.to_string(),
            })?;
            builder.with_client_auth_cert(chain, key).map_err(failed)?
        }
        _ => {
            return Err(SettingsError::Value { option: "sslcert", expected: "given together with sslkey" });
        }
    };
    Ok(MakeRustlsConnect::new(config))
}

fn certificates(option: &'static str, file: &Path) -> Result<Vec<CertificateDer<'static>>, SettingsError> {
    let bad = |why: String| SettingsError::File { option, file: file.to_owned(), why };
    let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
    match found {
        Ok(found) if found.is_empty() => Err(bad("it contains no certificate".into())),
        Ok(found) => Ok(found),
        Err(error) => Err(bad(error.to_string())),
    }
}

fn authorities(file: Option<&Path>) -> Result<RootCertStore, SettingsError> {
    let mut roots = RootCertStore::empty();
    let Some(file) = file else {
        let found = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(found.certs);
        return match roots.is_empty() {
            true => Err(SettingsError::Tls(
                "the system has no CA certificates; name them with sslrootcert=FILE".into(),
            )),
            false => Ok(roots),
        };
    };
    for certificate in certificates("sslrootcert", file)? {
        roots.add(certificate).map_err(|error| SettingsError::File {
            option: "sslrootcert",
            file: file.to_owned(),
            why: error.to_string(),
        })?;
    }
    Ok(roots)
}

/// Accepts every certificate.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Accepts a certificate that an authority signed, for whichever host it is.
#[derive(Debug)]
struct AnyHost(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyHost {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match self.0.verify_server_cert(certificate, chain, host, ocsp, now) {
            // The name is looked at last, when everything else was found in order.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
