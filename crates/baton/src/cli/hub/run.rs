//! A hub's whole life: take the folder, open the database, listen, say so, serve, stop in order. What holds if it
//! is killed anywhere here: the database has every answered write, and the lock goes with the process.

use baton_core::limits;
use baton_evidence::note::SigningKey;
use baton_store::Store;
use baton_store::rows::ArtifactStorage;
use rustix::fs::Mode;
use rustix::process::Signal;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixListener;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;

use super::engine::Engine;
use super::greeting::Greeting;
use super::service_manager::{self, State};
use super::store_option::StorePlace;
use super::{Trouble, folder};
use crate::control;
use crate::data_folder::{DataFolder, Holder, Lock};
use crate::hub::{Bells, Hub, Settings};
use crate::objects::{Bucket, Objects};
use crate::server::{self, CertificateInUse, Connections, Listener, TlsFiles};
use crate::service::accounts::registration;
use crate::service::evidence::seal;
use crate::service::sweep;
use crate::worker;

/// Everything that was decided before the start.
pub(super) struct Plan {
    pub(super) folder: DataFolder,
    pub(super) store: StorePlace,
    pub(super) tls: Option<TlsFiles>,
    pub(super) settings: Settings,
    /// Where the bytes of artifacts lie, if not in the folder.
    pub(super) bucket: Option<Bucket>,
    /// What clients reach the hub by, if it is not the address it listens on.
    pub(super) public_url: Option<String>,
    /// How many connections one client address may have, if the operator says so.
    pub(super) connections_per_address: Option<u32>,
    /// Time between two checks of the database for damage; never if none.
    pub(super) check_every: Option<Duration>,
    pub(super) username: String,
    /// Whether a username or a password for the first admin was given.
    pub(super) has_credentials: bool,
    pub(super) password: Option<String>,
}

impl Plan {
    /// Runs the hub until it is asked to stop.
    pub(super) fn run(self) -> Result<(), Trouble> {
        // Whatever the hub writes is its owner's alone: database, log of it, lock, socket.
        rustix::process::umask(Mode::RWXG | Mode::RWXO);
        let connections_max = server::raise_file_limit();
        let cannot = |error| Trouble::Folder { folder: self.folder.path().into(), error };
        self.folder.create().and_then(|()| self.folder.make_private()).map_err(cannot)?;
        let lock = folder::take(&self.folder)?;
        let runtime = runtime().map_err(Trouble::System)?;
        runtime.block_on(self.live(lock, connections_max))
        // The runtime ends after the lock is dropped: a `baton hub stop` whose connection ends then finds the
        // folder free.
    }

    async fn live(self, mut lock: Lock, connections_max: usize) -> Result<(), Trouble> {
        outlive_full_files().map_err(Trouble::System)?;
        let certificate = self.tls.clone().map(CertificateInUse::load).transpose()?.map(Arc::new);
        let listener = self.listen(connections_max, certificate.clone())?;
        let address = listener.address().map_err(Trouble::System)?;
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{address}");
        let public_url = self.public_url.unwrap_or_else(|| url.clone());
        let settings = Settings { address, public_url, ..self.settings };
        let opened = async {
            if matches!(self.store, StorePlace::Folder) {
                lock.ensure_database(&self.folder.database())
                    .map_err(|error| folder::not_locked(&self.folder, error))?;
            }
            let opened =
                open(&self.folder, &self.store, settings, self.bucket.as_ref(), self.check_every).await;
            let hub = Arc::new(opened?);
            let admin = registration::ensure_first_admin(&*hub.store, &self.username, self.password).await;
            let admin = admin.map_err(Trouble::FirstAdmin)?;
            if matches!(self.store, StorePlace::Folder) {
                // Leases on PostgreSQL run on its clock, which goes on whichever hub starts.
                sweep::rearm(&hub).await.map_err(Trouble::Rearm)?;
            }
            seal::look_at_all(&hub).await.map_err(Trouble::Logs)?;
            Ok::<_, Trouble>((hub, admin))
        };
        let (hub, admin) = tokio::select! {
            opened = opened => opened?,
            never = listener.turn_away() => match never {},
        };
        let control = control_socket(&self.folder)?;
        lock.tell(&Holder { pid: std::process::id(), address: Some(url.clone()) })
            .map_err(Trouble::System)?;
        stop_on_signals(&hub).map_err(Trouble::System)?;
        reload_on_signal(&hub, certificate).map_err(Trouble::System)?;

        tokio::spawn(control::serve(control, control::Running { hub: hub.clone(), url: url.clone() }));
        let workers = worker::start(&hub);
        Greeting {
            url: &url,
            folder: self.folder.path(),
            username: &self.username,
            has_credentials: self.has_credentials,
            admin: &admin,
        }
        .print();
        tracing::info!(%address, "listening");
        service_manager::tell(State::Ready);
        let stopping = async {
            hub.shutdown.wait().await;
            service_manager::tell(State::Stopping);
        };
        tokio::join!(listener.serve(&hub), stopping);

        workers.join_all().await;
        worker::finish(&hub).await;
        close(&hub).await;
        // Nobody may find a socket that nobody answers; if it cannot be removed the next start does it.
        let _ = std::fs::remove_file(self.folder.socket());
        tracing::info!("stopped");
        Ok(())
    }

    /// Behind a proxy every connection is the proxy's.
    fn connections(&self, most: usize) -> Connections {
        let given = self.connections_per_address.and_then(|given| usize::try_from(given).ok());
        let per_address = given.unwrap_or(most.div_ceil(limits::CONNECTIONS_PER_ADDRESS_DIVISOR));
        Connections { most, per_address: (!self.settings.behind_proxy).then_some(per_address) }
    }

    fn listen(
        &self,
        connections_max: usize,
        tls: Option<Arc<CertificateInUse>>,
    ) -> Result<Listener, Trouble> {
        let address = self.settings.address;
        let listener = Listener::bind(address, tls, self.connections(connections_max));
        listener.map_err(|error| Trouble::Bind { address, error })
    }
}

/// A hub over its database.
async fn open(
    folder: &DataFolder,
    place: &StorePlace,
    settings: Settings,
    bucket: Option<&Bucket>,
    check_every: Option<Duration>,
) -> Result<Hub, Trouble> {
    let bells = Arc::new(Bells::default());
    let ringer = bells.clone();
    let (opening, opened_at, address) = (folder.clone(), place.clone(), settings.public_url.clone());
    // A migration may take its time; meanwhile callers get the error that the hub is starting.
    let opened = tokio::task::spawn_blocking(move || {
        opened_at.open(&opening, &address, check_every, Arc::new(move |committed| ringer.tell(committed)))
    });
    let Engine { store, backup, peers, clock } =
        opened.await.map_err(|error| Trouble::System(error.into()))??;
    let key = evidence_key(folder, place, &*store).await?;
    let database = |error| place.trouble(folder, error);
    let cursor_key = store.read(|rows| rows.cursor_key()).await.map_err(database)?;
    let objects = match bucket {
        Some(bucket) => Objects::in_bucket(bucket).map_err(Trouble::Bucket)?,
        None => Objects::in_folder(&folder.artifacts())
            .map_err(|error| Trouble::Folder { folder: folder.artifacts(), error })?,
    };
    note_place(&*store, bucket).await.map_err(database)?;
    let hub = Hub::new(store, backup, objects, clock, bells, key, settings);
    Ok(hub.with_cursor_key(&cursor_key).with_peers(peers))
}

/// Notes in the database where the bytes of artifacts lie: `baton hub check` looks there, and nowhere else.
async fn note_place(store: &dyn Store, bucket: Option<&Bucket>) -> Result<(), baton_store::Error> {
    let now = bucket.map_or(ArtifactStorage::Folder, |bucket| ArtifactStorage::Bucket(bucket.to_string()));
    let before = store.read(|rows| rows.artifact_place()).await?;
    if before.as_ref() == Some(&now) {
        return Ok(());
    }
    if let Some(before) = before {
        tracing::warn!(
            ?before,
            ?now,
            "artifacts lie elsewhere from now on; earlier ones must be moved there"
        );
    }
    store.write(move |tx| tx.put_artifact_place(&now)).await
}

/// The key that signs the checkpoints. The file is on disk before the database knows its public half; of two hubs that
/// start on a new database at once, one gives it its key and the other is refused.
async fn evidence_key(
    folder: &DataFolder,
    place: &StorePlace,
    store: &dyn Store,
) -> Result<SigningKey, Trouble> {
    let database = |error| place.trouble(folder, error);
    let unusable = |error| Trouble::EvidenceKey { file: folder.evidence_key(), error };
    let known = store.read(|rows| rows.evidence_key()).await.map_err(database)?;
    let key = folder.ensure_evidence_key(known.as_deref()).map_err(unusable)?;
    if known.is_none() {
        let public = key.verifier_key().to_string();
        let put = store.write(move |tx| match tx.evidence_key()? {
            Some(known) => Ok(known),
            None => tx.put_evidence_key(&public).map(|()| public.clone()),
        });
        let known = put.await.map_err(database)?;
        return folder.ensure_evidence_key(Some(&known)).map_err(unusable);
    }
    Ok(key)
}

/// Takes no more writes and waits until the disk has them all.
async fn close(hub: &Arc<Hub>) {
    let store = hub.store.clone();
    if tokio::task::spawn_blocking(move || store.close()).await.is_err() {
        tracing::error!("closing the database panicked");
    }
}

pub(super) fn runtime() -> io::Result<Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    // A password's hash takes some 20 MiB. The allocator gives them back to the system once they have been free for a second,
    // and looks for such memory when a thread ends.
    builder.enable_all().thread_name("baton").thread_keep_alive(limits::THREAD_IDLE_KEPT).build()
}

fn control_socket(folder: &DataFolder) -> Result<UnixListener, Trouble> {
    control::open(&folder.socket()).map_err(|error| Trouble::Socket { socket: folder.socket(), error })
}

/// A file that may not grow (`ulimit -f`) is a write that fails, as on a full disk; the signal that goes with it would
/// end the hub. Once taken it stays taken.
fn outlive_full_files() -> io::Result<()> {
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop)
}

fn stop_on_signals(hub: &Arc<Hub>) -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let shutdown = hub.shutdown.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping");
        shutdown.begin();
    });
    Ok(())
}

/// Follows the files of the certificate, and reads them at once on SIGHUP. A hub without one has nothing to reload, and goes on.
fn reload_on_signal(hub: &Arc<Hub>, certificate: Option<Arc<CertificateInUse>>) -> io::Result<()> {
    let mut hangup = signal(SignalKind::hangup())?;
    let reload = Arc::new(Notify::new());
    let has_certificate = certificate.is_some();
    if let Some(certificate) = certificate {
        let (metrics, shutdown) = (hub.metrics.certificate.clone(), hub.shutdown.clone());
        tokio::spawn(certificate.follow(metrics, shutdown, reload.clone()));
    }
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            match has_certificate {
                true => reload.notify_one(),
                false => tracing::info!("SIGHUP: there is no certificate to reload"),
            }
        }
    });
    Ok(())
}
