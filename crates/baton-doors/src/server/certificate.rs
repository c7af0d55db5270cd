//! The certificate in use. New handshakes get the newest one; connections that are open keep the session they have. The
//! files are read again when they change and on SIGHUP, and what cannot be used changes nothing.

use baton_core::limits;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio_rustls::TlsAcceptor;

use super::tls::{Loaded, Pem, TlsError, TlsFiles};
use crate::hub::Shutdown;
use crate::metrics::{Certificate, CertificateReload};

/// A certificate that can be replaced while the hub runs.
pub struct CertificateInUse {
    files: TlsFiles,
    loaded: RwLock<Loaded>,
    /// What `loaded` was made of.
    first: Pem,
}

/// What was seen in the files.
struct Seen {
    /// What is in use.
    used: Pem,
    /// What was found last, and whether it was tried: a file may be written while it is read, and the other one may be written a
    /// moment later, so what is found is tried once it has not changed between two looks.
    last: Option<(Pem, bool)>,
    /// An error that was logged; it is not logged at every look.
    logged: Option<String>,
}

impl CertificateInUse {
    /// Reads the files for the first time.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let first = files.read()?;
        let loaded = RwLock::new(files.parse(&first)?);
        Ok(Self { files, loaded, first })
    }

    /// For one handshake.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.loaded.read().unwrap_or_else(PoisonError::into_inner).acceptor.clone()
    }

    /// Follows the files until the hub stops. `reload` is notified to read them at once.
    pub async fn follow(
        self: Arc<Self>,
        metrics: Arc<Certificate>,
        shutdown: Shutdown,
        reload: Arc<tokio::sync::Notify>,
    ) {
        let expiry = self.loaded.read().unwrap_or_else(PoisonError::into_inner).expiry;
        note_expiry(&metrics, expiry);
        if expiry.is_some_and(has_passed) {
            tracing::warn!("the certificate has expired; clients will refuse it");
        }
        let mut seen = Seen { used: self.first.clone(), last: None, logged: None };
        loop {
            let is_asked = tokio::select! {
                () = tokio::time::sleep(limits::CERTIFICATE_LOOK_EVERY) => false,
                () = reload.notified() => true,
                () = shutdown.wait() => return,
            };
            // Small files, but perhaps on a slow disk.
            let this = self.clone();
            let read = tokio::task::spawn_blocking(move || this.files.read()).await;
            let Ok(read) = read else { continue };
            self.look(read, is_asked, &mut seen, &metrics);
        }
    }

    fn look(&self, read: Result<Pem, TlsError>, is_asked: bool, seen: &mut Seen, metrics: &Certificate) {
        let tried = match read {
            Ok(pem) if pem == seen.used => {
                seen.last = None;
                if is_asked {
                    tracing::info!("the certificate has not changed");
                }
                return;
            }
            Ok(pem) => {
                let is_settled = match &seen.last {
                    Some((last, was_tried)) if *last == pem => !was_tried,
                    _ => false,
                };
                let is_tried = is_asked || is_settled;
                let was_tried = matches!(&seen.last, Some((last, true)) if *last == pem);
                seen.last = Some((pem.clone(), is_tried || was_tried));
                if !is_tried {
                    return;
                }
                self.use_new(&pem).map(|expiry| (pem, expiry))
            }
            Err(error) => Err(error),
        };
        match tried {
            Ok((pem, expiry)) => {
                (seen.used, seen.last, seen.logged) = (pem, None, None);
                note_expiry(metrics, expiry);
                metrics.reloads.note(CertificateReload::Loaded);
                tracing::info!(expires_unix_seconds = expiry, "the new certificate is in use");
            }
            Err(error) => {
                let error = error.to_string();
                if is_asked || seen.logged.as_ref() != Some(&error) {
                    metrics.reloads.note(CertificateReload::Failed);
                    tracing::error!(%error, "the new certificate cannot be used; the old one stays in use");
                    seen.logged = Some(error);
                }
            }
        }
    }

    /// Uses a new certificate for handshakes from now on.
    fn use_new(&self, pem: &Pem) -> Result<Option<u64>, TlsError> {
        let new = self.files.parse(pem)?;
        if new.expiry.is_some_and(has_passed) {
            return Err(TlsError::Expired(self.files.certificate.clone()));
        }
        let expiry = new.expiry;
        *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(expiry)
    }
}

fn note_expiry(metrics: &Certificate, expiry: Option<u64>) {
    metrics.set_expiry(expiry.unwrap_or_default());
}

fn has_passed(unix_seconds: u64) -> bool {
    SystemTime::now().duration_since(UNIX_EPOCH).is_ok_and(|now| now.as_secs() > unix_seconds)
}
