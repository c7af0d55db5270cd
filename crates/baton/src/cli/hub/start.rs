//! `baton hub start`: the options, and what follows from them together.

use baton_core::limits;
use baton_core::oidc::GroupRole;
use clap::Args;
use reqwest::header::{HeaderName, HeaderValue};
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use super::folder::Folder;
use super::log::Log;
use super::parse::{CheckEvery, Provider, SamplerName};
use super::store_option::StoreOption;
use super::{Trouble, first_password, log, parse, run};
use crate::cli::failure::Failure;
use crate::cli::settings::{Effective, Origin, Resolved};
use crate::data_folder::DataFolder;
use crate::hub::{CardSettings, OidcSettings, Settings};
use crate::metrics::MetricsToken;
use crate::objects::Bucket;
use crate::outbound::{Authorities, Policy};
use crate::server::TlsFiles;
use crate::trace::{Collector, Export, OtlpEndpoint};

/// Starts a hub and runs it until SIGTERM, SIGINT or `baton hub stop`. On a new folder it makes the first admin. Every
/// option can also be set by its environment variable, or in the configuration file by its name without the dashes in front;
/// a flag wins over the environment, and the environment over the file.
#[derive(Debug, Args)]
pub(crate) struct Start {
    /// The address to listen on; one that other machines can reach needs TLS or --behind-proxy
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = parse::host)]
    host: IpAddr,
    /// The port to listen on; 0 chooses a free one
    #[arg(long, default_value_t = 9200)] // not a limit: a port
    port: u16,
    /// The first admin's name
    #[arg(long, env = "BATON_ADMIN_USERNAME", value_name = "NAME", default_value = "admin")]
    username: String,
    /// The first admin's password; with - it is asked for on the terminal, or read from standard input. Without one it is
    /// generated and shown once
    #[arg(long, env = "BATON_ADMIN_PASSWORD", hide_env_values = true)]
    password: Option<String>,
    #[command(flatten)]
    folder: Folder,
    #[command(flatten)]
    store: StoreOption,
    /// The certificate chain for TLS, a PEM file
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// The certificate's key, a PEM file
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// A proxy in front of the hub does TLS and passes on the client's address
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false)]
    #[arg(default_missing_value = "true", action = clap::ArgAction::Set)]
    behind_proxy: bool,
    /// The URL at which clients reach the hub, for A2A cards [default: the address it listens on]
    #[arg(long, value_name = "URL", value_parser = parse::public_url)]
    public_url: Option<String>,
    /// Who runs the hub, for A2A cards: a name and a URL
    #[arg(long, value_name = "NAME=URL", value_parser = parse::provider)]
    card_provider: Option<Provider>,
    /// The documentation that A2A cards name
    #[arg(long, value_name = "URL", value_parser = parse::card_url)]
    card_documentation_url: Option<String>,
    /// The icon that A2A cards name
    #[arg(long, value_name = "URL", value_parser = parse::card_url)]
    card_icon_url: Option<String>,
    /// An origin whose pages may call the hub from a browser; can be repeated
    #[arg(long, value_name = "URL", value_parser = parse::origin)]
    cors_origin: Vec<String>,
    /// Connections one client address may have open; behind a proxy that is the proxy's business [default: a
    /// quarter of all, which are 50,000 or as many as the system allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    connections_per_address: Option<u32>,
    /// Calls per second that a token may make [default: none on loopback, else 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate_limit: Option<u32>,
    /// Calls that a token may make at once after a pause [default: five times the rate]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate_burst: Option<u32>,
    /// Whether anyone can register an account [default: true on loopback, else false]
    #[arg(long, value_name = "BOOL")]
    open_registration: Option<bool>,
    /// A range of addresses that the hub may call in addition to public ones, also over plain http; can be repeated
    #[arg(long, value_name = "CIDR", value_parser = parse::range)]
    allow_outbound: Vec<ipnet::IpNet>,
    /// Extra CA certificates for outbound calls, in addition to the system's, as a PEM file
    #[arg(long, value_name = "FILE", value_parser = Authorities::read)]
    outbound_ca: Option<Authorities>,
    /// How long tasks stay in the tables once they have ended, such as 90d or 36h, at least 1d; their evidence
    /// stays [default: forever]
    #[arg(long, value_name = "TIME", value_parser = parse::keep)]
    keep_tasks: Option<Duration>,
    /// Keep the bytes of artifacts in a bucket that speaks S3, such as s3://bucket/prefix; keys and address come from the
    /// environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL) [default: the folder artifacts
    /// in the data folder]
    #[arg(long, value_name = "URL", value_parser = parse::bucket)]
    artifacts: Option<Bucket>,
    /// How many bytes of artifacts a network may have, such as 10GiB or 500MiB; a system admin can set another number
    /// for one network
    #[arg(long, value_name = "SIZE", default_value = "10GiB", value_parser = parse::size)]
    artifact_quota: i64,
    /// How often the database is checked for damage while the hub runs, such as 24h or 7d; off turns it off
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = parse::check_every)]
    check_every: CheckEvery,
    /// A token that can read /metrics, in addition to a system admin's; at least 16 characters
    #[arg(long, env = "BATON_METRICS_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    metrics_token: Option<String>,
    /// An OpenID Connect issuer that users can sign in with, by its exact URL
    #[arg(long, value_name = "URL", value_parser = parse::issuer)]
    oidc_issuer: Option<String>,
    /// The hub's client id at the issuer; its redirect URI there is the hub's public URL with /oidc/callback
    #[arg(long, value_name = "ID")]
    oidc_client_id: Option<String>,
    /// A file with the hub's client secret at the issuer
    #[arg(long, value_name = "FILE")]
    oidc_client_secret_file: Option<PathBuf>,
    /// A group of the issuer and what its members are on the hub, such as staff=user or ops=admin; can be repeated. Once one
    /// is named, users of no named group cannot sign in
    #[arg(long, value_name = "GROUP=ROLE", value_parser = GroupRole::parse)]
    oidc_group: Vec<GroupRole>,
    /// Where spans of requests and tasks are sent: an OTLP/HTTP collector, for example http://localhost:4318
    #[arg(long, value_name = "URL")]
    otlp_endpoint: Option<String>,
    /// A header for the collector, such as authorization=Bearer%20KEY, percent-encoded; can be repeated
    #[arg(long, value_name = "NAME=VALUE", env = "BATON_OTLP_HEADER", hide_env_values = true, value_parser = parse::header)]
    otlp_header: Vec<(HeaderName, HeaderValue)>,
    /// The name of this hub in spans (service.name)
    #[arg(long, value_name = "NAME", default_value = "baton")]
    otlp_service_name: String,
    /// Which traces are recorded, by OpenTelemetry's names; those with traceidratio record the share of otlp-sampler-ratio
    #[arg(long, value_enum, default_value_t = SamplerName::ParentbasedAlwaysOn)]
    otlp_sampler: SamplerName,
    /// The share of traces that a sampler with traceidratio records, from 0 to 1
    #[arg(long, value_name = "RATIO", default_value_t = 1.0, value_parser = parse::ratio)]
    otlp_sampler_ratio: f64,
    /// Measure what evidence costs: write none
    #[arg(long, hide = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false)]
    #[arg(default_missing_value = "true", action = clap::ArgAction::Set)]
    without_evidence: bool,
    /// How the log on stderr is written
    #[arg(long, alias = "log", value_enum, default_value_t = Log::Human)]
    log_format: Log,
    /// What is logged: a level such as debug or warn, or levels by module such as info,baton=debug [default: info]
    #[arg(long, env = "BATON_LOG", value_name = "FILTER", value_parser = log::filter)]
    log_filter: Option<String>,
}

impl Start {
    pub(crate) fn run(&self, resolved: &Resolved) -> Result<ExitCode, Failure> {
        let is_given = |found: &Effective| found.origin != Origin::Default;
        let is_credential = |found: &&Effective| matches!(found.setting.key(), "username" | "password");
        let plan = run::Plan {
            has_credentials: resolved.settings.iter().filter(is_credential).any(is_given),
            password: first_password::read(self.password.as_deref(), &self.username)?,
            ..self.plan()?
        };
        self.log_format.begin(self.log_filter.as_deref());
        if let Some(file) = &resolved.file {
            tracing::info!(file = %file.display(), "read the configuration file");
        }
        resolved.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
        plan.run().map_err(|trouble| match trouble.may_pass() {
            true => Failure::NotNow(trouble),
            false => trouble.into(),
        })?;
        Ok(ExitCode::SUCCESS)
    }

    /// Whether a hub would start with these settings, as far as they show it: nothing is opened but the files they name.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let plan = self.plan()?;
        plan.tls.as_ref().map(TlsFiles::load).transpose().map_err(Trouble::Tls)?;
        Ok(())
    }

    fn plan(&self) -> Result<run::Plan, Failure> {
        let folder = self.folder.find()?;
        Ok(run::Plan {
            tls: self.tls()?,
            settings: self.settings(&folder)?,
            check_every: self.check_every.0,
            folder,
            store: self.store.find()?,
            bucket: self.artifacts.clone(),
            public_url: self.public_url.clone(),
            connections_per_address: self.connections_per_address,
            username: self.username.clone(),
            has_credentials: false,
            password: None,
        })
    }

    /// The files for TLS. Without them a public address is refused unless there is a proxy in front.
    fn tls(&self) -> Result<Option<TlsFiles>, Trouble> {
        match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => {
                Ok(Some(TlsFiles { certificate: certificate.clone(), key: key.clone() }))
            }
            (Some(_), None) => Err(Trouble::HalfOfTls { set: "tls-cert", missing: "tls-key" }),
            (None, Some(_)) => Err(Trouble::HalfOfTls { set: "tls-key", missing: "tls-cert" }),
            (None, None) if !self.behind_proxy && !self.host.is_loopback() => {
                Err(Trouble::PublicWithoutTls(self.host))
            }
            (None, None) => Ok(None),
        }
    }

    fn settings(&self, folder: &DataFolder) -> Result<Settings, Trouble> {
        // Behind a proxy the hub is public, whatever address the proxy reaches it at.
        let is_private = self.host.is_loopback() && !self.behind_proxy;
        let authorities = self.outbound_ca.clone().unwrap_or_default();
        let collector = self.collector(&authorities)?;
        Ok(Settings {
            address: SocketAddr::new(self.host, self.port),
            open_registration: self.open_registration.unwrap_or(is_private),
            rate_limit: self.rates(is_private),
            behind_proxy: self.behind_proxy,
            cors_origins: self.cors_origin.clone(),
            data_folder: folder.path().to_owned(),
            outbound: Policy::new(self.allow_outbound.clone(), authorities),
            // Settled once it listens.
            public_url: String::new(),
            cards: CardSettings {
                provider: self.card_provider.clone().map(|Provider(name, url)| (name, url)),
                documentation_url: self.card_documentation_url.clone(),
                icon_url: self.card_icon_url.clone(),
            },
            serves_tls: self.tls_cert.is_some(),
            keep_tasks: self.keep_tasks,
            artifact_quota: self.artifact_quota,
            records_evidence: !self.without_evidence,
            metrics_token: self.metrics_token()?,
            oidc: self.oidc()?,
            collector,
        })
    }

    /// Read here and not by the parser of options, which repeats what it cannot read; an empty one is none.
    fn metrics_token(&self) -> Result<Option<MetricsToken>, Trouble> {
        let given = self.metrics_token.as_deref().filter(|given| !given.is_empty());
        given.map(MetricsToken::parse).transpose().map_err(Trouble::MetricsToken)
    }

    /// The issuer, if it is named, with everything the hub needs there.
    fn oidc(&self) -> Result<Option<OidcSettings>, Trouble> {
        let secret_file = &self.oidc_client_secret_file;
        let given = [
            ("oidc-issuer", self.oidc_issuer.is_some()),
            ("oidc-client-id", self.oidc_client_id.is_some()),
            ("oidc-client-secret-file", secret_file.is_some()),
        ];
        match (&self.oidc_issuer, &self.oidc_client_id, secret_file) {
            (Some(issuer), Some(client_id), Some(file)) => Ok(Some(OidcSettings {
                issuer: issuer.clone(),
                client_id: client_id.clone(),
                client_secret: read_secret(file)
                    .map_err(|error| Trouble::OidcSecret { file: file.clone(), error })?,
                groups: self.oidc_group.clone(),
            })),
            (None, None, None) if self.oidc_group.is_empty() => Ok(None),
            _ => {
                let missing = given.iter().find(|(_, is_given)| !is_given).map_or("", |(name, _)| name);
                Err(Trouble::PartOfOidc { missing })
            }
        }
    }

    /// The same here: the address may hold a password.
    fn collector(&self, authorities: &Authorities) -> Result<Option<Collector>, Trouble> {
        let Some(given) = &self.otlp_endpoint else { return Ok(None) };
        let endpoint = OtlpEndpoint::parse(given).map_err(Trouble::OtlpEndpoint)?;
        let export = Export {
            headers: self.otlp_header.iter().cloned().collect(),
            service_name: self.otlp_service_name.clone(),
            sampler: self.otlp_sampler.with(self.otlp_sampler_ratio),
        };
        Collector::new(endpoint, authorities, export).map(Some).map_err(Trouble::Collector)
    }

    fn rates(&self, is_private: bool) -> Option<(u32, u32)> {
        if is_private && self.rate_limit.is_none() && self.rate_burst.is_none() {
            return None;
        }
        let per_second = self.rate_limit.unwrap_or(limits::RATE_PER_SECOND);
        let bursts = limits::RATE_BURST_COUNT / limits::RATE_PER_SECOND;
        Some((per_second, self.rate_burst.unwrap_or(per_second.saturating_mul(bursts))))
    }
}

/// A secret in a file, without the line's end.
fn read_secret(file: &Path) -> io::Result<String> {
    let most = limits::OIDC_SECRET_MAX_BYTES as u64;
    let mut text = String::new();
    std::fs::File::open(file)?.take(most + 1).read_to_string(&mut text)?;
    let secret = text.trim_end_matches(['\r', '\n']);
    if secret.is_empty() || secret.len() as u64 > most {
        let rule = format!("it must hold a secret of 1 to {most} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, rule));
    }
    Ok(secret.to_owned())
}
