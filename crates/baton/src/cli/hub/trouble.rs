//! What stops a `baton hub` command, in one line that says what to do.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use crate::backup::Unfit;
use crate::control::ControlError;
use crate::data_folder::{EvidenceKeyError, Holder};
use crate::objects;
use crate::server::TlsError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("HOME is not set, so there is no default data folder; pass --data-dir")]
    NoHome,
    #[error("cannot use the data folder {folder}: {error}", folder = .folder.display())]
    Folder { folder: PathBuf, error: io::Error },
    #[error(
        "the data folder {folder} is in use by {holder}; stop it with `baton hub stop --data-dir {folder}`, or \
         pass another --data-dir", folder = .folder.display()
    )]
    Held { folder: PathBuf, holder: Holder },
    #[error(
        "the database in {folder} is in use by another process that does not hold hub.lock; was that file removed? \
         Stop the hub that runs there, or pass another --data-dir", folder = .folder.display()
    )]
    DatabaseHeld { folder: PathBuf },
    #[error(
        "{0} can be reached from other machines, and without TLS, tokens would be sent unencrypted; set tls-cert and tls-key \
         (--tls-cert, --tls-key), or behind-proxy (--behind-proxy) if a proxy in front does TLS"
    )]
    PublicWithoutTls(IpAddr),
    #[error("{set} is set and {missing} is not; TLS needs both, a certificate and its key")]
    HalfOfTls { set: &'static str, missing: &'static str },
    #[error("the metrics token (--metrics-token, BATON_METRICS_TOKEN) {0}")]
    MetricsToken(String),
    #[error(
        "{missing} is not set; sign-in by an issuer needs oidc-issuer, oidc-client-id and oidc-client-secret-file"
    )]
    PartOfOidc { missing: &'static str },
    #[error("cannot read the client secret of oidc-client-secret-file, {file}: {error}", file = .file.display())]
    OidcSecret { file: PathBuf, error: io::Error },
    #[error("otlp-endpoint cannot be used: {0}")]
    OtlpEndpoint(String),
    #[error("spans cannot be sent: {0}; start without otlp-endpoint, or repair the system's CA certificates")]
    Collector(String),
    #[error("the bucket of --artifacts cannot be used: {0}; check the AWS_ variables")]
    Bucket(objects::Error),
    #[error("{0}")]
    Tls(#[from] TlsError),
    #[error("cannot listen on {address}: {error}; pass another --port or --host")]
    Bind { address: SocketAddr, error: io::Error },
    #[error("cannot open the control socket {socket}: {error}; a shorter --data-dir may help", socket = .socket.display())]
    Socket { socket: PathBuf, error: io::Error },
    #[error("cannot open the database {database}: {error}", database = .database.display())]
    Database { database: PathBuf, error: baton_store::Error },
    #[error("cannot use the database {database}: {}", .error.cause())]
    Postgres { database: String, error: baton_store::Error },
    #[error("--store (BATON_STORE) cannot be used: {0}")]
    Store(baton_store::SettingsError),
    #[error(
        "--store contains a password, which every user of this machine can see in the list of processes; put the URL into \
         BATON_STORE, or the password into a file and pass --store-password-file FILE"
    )]
    PasswordOnCommandLine,
    #[error(
        "cannot use the database {database}: it is damaged: {damage}; restore a backup with `baton hub restore FILE --data-dir DIR` \
         into a new folder", database = .database.display()
    )]
    Damaged { database: PathBuf, damage: String },
    #[error("cannot copy the database: {}", .0.cause())]
    Copy(baton_store::Error),
    #[error("cannot restore {file}: {error}", file = .file.display())]
    Backup { file: PathBuf, error: Unfit },
    #[error("what was written to {file} cannot be read back: {error}", file = .file.display())]
    Written { file: PathBuf, error: Unfit },
    #[error("{folder} is not empty, and a restore never overwrites data; pass another --data-dir", folder = .folder.display())]
    NotEmpty { folder: PathBuf },
    #[error(
        "a restore into {folder} did not finish; run `baton hub restore FILE --data-dir {folder}` again",
        folder = .folder.display()
    )]
    Unrestored { folder: PathBuf },
    #[error("cannot sign evidence with {file}: {error}", file = .file.display())]
    EvidenceKey { file: PathBuf, error: EvidenceKeyError },
    #[error("cannot read the logs of evidence: {0}")]
    Logs(crate::service::Error),
    #[error("cannot read the password: {0}")]
    Password(io::Error),
    #[error("cannot create the first admin: {0}")]
    FirstAdmin(crate::service::Error),
    #[error("cannot restore the leases of the last run: {0}")]
    Rearm(crate::service::Error),
    #[error("cannot reset the user: {0}")]
    Reset(crate::service::Error),
    #[error("cannot start: {0}")]
    System(io::Error),
    #[error(transparent)]
    Control(#[from] ControlError),
}

impl Trouble {
    /// Whether the same start may do later: a service manager tries again. The rest is for the operator to mend.
    pub(super) const fn may_pass(&self) -> bool {
        use crate::service::Error::Store;
        use baton_store::Error::{Altered, Damaged, Unavailable};
        if let Self::FirstAdmin(Store(Damaged(_) | Altered(_)))
        | Self::Rearm(Store(Damaged(_) | Altered(_)))
        | Self::Logs(Store(Damaged(_) | Altered(_))) = self
        {
            return false;
        }
        matches!(
            self,
            Self::Folder { .. }
                | Self::Held { .. }
                | Self::DatabaseHeld { .. }
                | Self::Bind { .. }
                | Self::System(_)
                | Self::Database { error: Unavailable(_), .. }
                | Self::Postgres { error: Unavailable(_), .. }
                | Self::FirstAdmin(Store(_))
                | Self::Rearm(Store(_))
                | Self::Logs(Store(_))
        )
    }
}
