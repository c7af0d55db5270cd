//! Everything the hub calls outside goes through here: push receivers, remote agents, and what OAuth clients say of themselves. For each call its name is
//! resolved once, each address it gave is judged, and only those that pass are connected to. No redirect is followed, no
//! proxy of the environment is used, every wait and every answer is bounded. `https` goes to public addresses;
//! plain `http` only where the operator allowed it with `--allow-outbound`.

mod address;
mod answer;
mod attempts;
mod authorities;
mod error;
mod policy;
mod resolver;
mod target;

pub use answer::Answer;
pub use authorities::Authorities;
pub use error::Error;
pub use policy::Policy;
pub use target::Target;

use baton_core::{NetworkId, limits};
use reqwest::{Method, RequestBuilder, redirect};
use std::net::IpAddr;
use std::sync::{LazyLock, OnceLock};
use std::time::Duration;

use attempts::{Attempts, Ended};
use policy::Scheme;
use resolver::{AllowedAddresses, Lookups};

const CONNECT: Duration = Duration::from_secs(limits::OUTBOUND_CONNECT_SECONDS as u64);
/// Longest wait for an answer of who has nothing to do for it.
pub const ANSWER: Duration = Duration::from_secs(limits::OUTBOUND_ANSWER_SECONDS as u64);

/// The one client for calls outside.
#[derive(Debug)]
pub struct Outbound {
    policy: Policy,
    lookups: Lookups,
    attempts: Attempts,
    https: ByScheme,
    http: ByScheme,
}

/// The client for one scheme, and the addresses it may connect to.
#[derive(Debug, Default)]
struct ByScheme {
    judged: AllowedAddresses,
    /// Made when first needed: a machine without certificates runs a hub that calls nobody.
    client: OnceLock<Result<reqwest::Client, Error>>,
}

/// Calls that are made for a network: its names take turns among themselves.
#[derive(Debug, Clone, Copy)]
pub struct Calls<'a> {
    outbound: &'a Outbound,
    network: &'a NetworkId,
}

impl Outbound {
    /// Under these rules. Nothing is called yet.
    pub fn new(policy: Policy) -> Self {
        Self {
            policy,
            lookups: Lookups::default(),
            attempts: Attempts::default(),
            https: ByScheme::default(),
            http: ByScheme::default(),
        }
    }

    /// Calls for a network.
    pub const fn for_network<'a>(&'a self, network: &'a NetworkId) -> Calls<'a> {
        Calls { outbound: self, network }
    }

    /// Calls for no network, which take turns as those of one more network do.
    pub fn for_hub(&self) -> Calls<'_> {
        static HUB: LazyLock<NetworkId> = LazyLock::new(|| NetworkId::from_random([0; 6]));
        self.for_network(&HUB)
    }

    /// Calls for the documents of OAuth clients. Any account can cause them, so they take no turn of the hub's own calls.
    pub fn for_client_documents(&self) -> Calls<'_> {
        static DOCUMENTS: LazyLock<NetworkId> = LazyLock::new(|| NetworkId::from_random([0, 0, 0, 0, 0, 1]));
        self.for_network(&DOCUMENTS)
    }

    /// Reads an address somebody wants called. One that no call could ever be made to is refused here.
    pub fn target(&self, url: &str) -> Result<Target, Error> {
        let target = Target::parse(url)?;
        match target.literal() {
            Some(address) => self.policy.judge(address, target.scheme()).map(|()| target),
            None => Ok(target),
        }
    }

    /// How calls ended, counted.
    pub fn attempts(&self) -> impl Iterator<Item = (Ended, u64)> {
        self.attempts.0.read()
    }

    fn by_scheme(&self, scheme: Scheme) -> &ByScheme {
        match scheme {
            Scheme::Https => &self.https,
            Scheme::Http => &self.http,
        }
    }

    fn client(&self, scheme: Scheme) -> Result<reqwest::Client, Error> {
        self.by_scheme(scheme).client.get_or_init(|| self.build(scheme)).clone()
    }

    fn build(&self, scheme: Scheme) -> Result<reqwest::Client, Error> {
        // The process's one TLS engine; a second call finds it there, which is all that is asked.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("baton/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(self.by_scheme(scheme).judged.clone())
            .redirect(redirect::Policy::none())
            .no_proxy() // a proxy would resolve the name itself
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT)
            .pool_idle_timeout(limits::OUTBOUND_IDLE_KEPT)
            .pool_max_idle_per_host(limits::OUTBOUND_IDLE_PER_HOST_COUNT)
            .tcp_nodelay(true);
        builder = match scheme {
            Scheme::Https => {
                builder.https_only(true).tls_certs_merge(self.policy.authorities().certificates())
            }
            Scheme::Http => builder.tls_certs_only(Vec::new()), // and so needs no certificates of the system
        };
        Ok(builder.build()?)
    }
}

impl Calls<'_> {
    /// Reads an address somebody wants called.
    pub fn target(&self, url: &str) -> Result<Target, Error> {
        self.outbound.target(url)
    }

    /// Resolves a name once, so that a caller that gives a forbidden one gets the error at once. A name that has no
    /// address now may have one later; that is not an error.
    pub async fn look_up(&self, target: &Target) -> Result<(), Error> {
        match self.addresses(target).await {
            Err(error @ (Error::Forbidden | Error::NotHttps)) => Err(error),
            _ => Ok(()),
        }
    }

    /// A request, to be filled in and handed to [`Self::send`].
    pub fn request(&self, method: Method, target: &Target) -> Result<RequestBuilder, Error> {
        // A connector does not resolve a literal, so it is judged at each call: rules may be others than once.
        if let Some(address) = target.literal() {
            self.outbound.policy.judge(address, target.scheme())?;
        }
        Ok(self.outbound.client(target.scheme())?.request(method, target.url().clone()))
    }

    /// Sends a request and reads its answer, within the time and the size there are for one.
    pub async fn send(&self, request: RequestBuilder) -> Result<Answer, Error> {
        self.send_and_wait(request, ANSWER).await
    }

    /// The same for who may work before an answer.
    pub async fn send_and_wait(&self, request: RequestBuilder, patience: Duration) -> Result<Answer, Error> {
        self.send_up_to(request, patience, limits::OUTBOUND_ANSWER_MAX_BYTES).await
    }

    /// The same for an answer that is no longer than this; no more of it is read.
    pub async fn send_up_to(
        &self,
        request: RequestBuilder,
        patience: Duration,
        most_bytes: usize,
    ) -> Result<Answer, Error> {
        let call = async { Answer::read(self.execute(request).await?, most_bytes).await };
        let outcome = tokio::time::timeout(patience, call).await.unwrap_or(Err(Error::Silent));
        self.outbound.attempts.note(outcome.as_ref().map(|answer| answer.status));
        outcome
    }

    /// Sends a request for whose answer only the status counts. Its body is left: it may be long, or never end.
    pub async fn send_for_status(&self, request: RequestBuilder) -> Result<reqwest::StatusCode, Error> {
        let call = async { Ok(self.execute(request).await?.status()) };
        let outcome = tokio::time::timeout(ANSWER, call).await.unwrap_or(Err(Error::Silent));
        self.outbound.attempts.note(outcome.as_ref().copied());
        outcome
    }

    /// Makes the call. Its name is looked up and judged for it here, and while it is made the client connects to these
    /// addresses only: nothing is looked up between the check and the connection.
    async fn execute(&self, request: RequestBuilder) -> Result<reqwest::Response, Error> {
        let (client, request) = request.build_split();
        let request = request?;
        let target = Target::of(request.url());
        let addresses = self.addresses(&target).await?;
        let judged = &self.outbound.by_scheme(target.scheme()).judged;
        let _kept = target.name().map(|name| judged.keep(name, addresses));
        Ok(client.execute(request).await?)
    }

    /// The addresses of a target's name that may be called. One that is written as a number has no name to look up.
    async fn addresses(&self, target: &Target) -> Result<Vec<IpAddr>, Error> {
        let Some(name) = target.name() else { return Ok(Vec::new()) };
        self.outbound.lookups.usable(&self.outbound.policy, target.scheme(), self.network, name).await
    }
}
