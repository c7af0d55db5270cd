//! The PostgreSQL server that tests share. Whichever test is first starts it (`scripts/postgres-for-tests.sh`), each gets a
//! database of its own, made from a template that has the schema, and the server ends a moment after the last test has,
//! however that ended: who uses it is known by a lock that the system releases. Nothing here survives a power cut, and
//! need not: `fsync` is off.

use baton_store::{ConnectionSettings, PostgresOptions, PostgresStore, Store};
use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio_postgres::NoTls;

/// The file in a test's folder that names its database.
const NAMED_IN: &str = "postgres-database";

/// The server, as long as this process uses it.
struct Server {
    socket: PathBuf,
    template: String,
    _user: File,
}

/// The address of the database of a folder, which is made if the folder has none.
pub(crate) fn database_of(folder: &Path) -> String {
    let server = server();
    let named_in = folder.join(NAMED_IN);
    let name = fs::read_to_string(&named_in).unwrap_or_else(|_| {
        let name = format!("t{}", hex(&Sha256::digest(folder.to_string_lossy().as_bytes())[..12]));
        server.run(&format!("CREATE DATABASE {name} TEMPLATE {}", server.template));
        // What is random is not to be the same in all of them.
        run_on(&server.address(&name), "UPDATE cursor_key SET key = randomblob(32)");
        fs::write(&named_in, &name).unwrap();
        name
    });
    server.address(&name)
}

/// A connection string, read.
pub(crate) fn settings(address: &str) -> ConnectionSettings {
    ConnectionSettings::from_environment(address, None).unwrap()
}

/// The same address as a URL.
pub(crate) fn url_of(folder: &Path) -> String {
    let address = database_of(folder);
    let (host, rest) = address.strip_prefix("host=").unwrap().split_once(" user=").unwrap();
    let (user, database) = rest.split_once(" dbname=").unwrap();
    format!("postgres://{user}@{}/{database}", host.replace('/', "%2F"))
}

/// The address of the database of a folder, if it has one.
pub(crate) fn named_in(folder: &Path) -> Option<String> {
    fs::read_to_string(folder.join(NAMED_IN)).ok().map(|name| server().address(&name))
}

/// Drops the database of a folder, if it has one.
pub(crate) fn forget(folder: &Path) {
    if let Ok(name) = fs::read_to_string(folder.join(NAMED_IN)) {
        server().run(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
    }
}

/// A database with nothing in it.
pub(crate) fn empty_database(folder: &Path) -> String {
    let name = format!("e{}", hex(&Sha256::digest(folder.to_string_lossy().as_bytes())[..12]));
    server().run(&format!("CREATE DATABASE {name}"));
    fs::write(folder.join(NAMED_IN), &name).unwrap();
    server().address(&name)
}

/// Runs a statement on a database.
pub(crate) fn run_on(address: &str, sql: &str) {
    let (address, sql) = (address.to_owned(), sql.to_owned());
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&address, NoTls).await.unwrap();
            let connection = tokio::spawn(connection);
            client.batch_execute(&sql).await.unwrap();
            drop(client);
            connection.await.unwrap().unwrap();
        });
    });
    thread.join().unwrap();
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(Server::start)
}

impl Server {
    fn start() -> Self {
        let version = std::env::var("BATON_TEST_POSTGRES").unwrap_or_else(|_| "15".into());
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        // A path for each checkout, short enough for a socket and open to the user the server runs as.
        let of = hex(&Sha256::digest(workspace.to_string_lossy().as_bytes())[..4]);
        let folder = std::env::temp_dir().join(format!("baton-postgres-{version}-{of}"));
        let lock = |name: &str| {
            let path = folder.with_extension(name);
            File::options().create(true).truncate(false).write(true).open(path).unwrap()
        };
        // As long as this is held the server stays.
        let user = lock("users");
        flock(&user, FlockOperation::LockShared).unwrap();
        let starting = lock("starting");
        flock(&starting, FlockOperation::LockExclusive).unwrap();
        let template = format!("baton_{}", hex(&Sha256::digest(schema(workspace))[..6]));
        let server = Self { socket: folder.join("socket"), template, _user: user };
        if !server.is_there() {
            server.start_keeper(workspace, &version, &folder);
        }
        server.make_template();
        flock(&starting, FlockOperation::Unlock).unwrap();
        server
    }

    fn address(&self, database: &str) -> String {
        format!("host={} user=postgres dbname={database}", self.socket.display())
    }

    fn run(&self, sql: &str) {
        run_on(&self.address("postgres"), sql);
    }

    fn is_there(&self) -> bool {
        self.socket.join("ready").exists()
    }

    // It outlives this test, and ends by itself when no test uses the server any more.
    #[allow(clippy::zombie_processes)]
    fn start_keeper(&self, workspace: &Path, version: &str, folder: &Path) {
        let log = File::create(folder.with_extension("log")).unwrap();
        let started = Command::new("setsid")
            .arg(workspace.join("scripts/postgres-for-tests.sh"))
            .args([version.as_ref(), folder.as_os_str()])
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn();
        let mut keeper = started.unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while !self.is_there() {
            if let Some(ended) = keeper.try_wait().unwrap() {
                let said = fs::read_to_string(folder.with_extension("log")).unwrap_or_default();
                panic!("no PostgreSQL {version} to test with ({ended}): {said}; `make postgres` installs it");
            }
            assert!(Instant::now() < until, "PostgreSQL does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The template is made once for each schema.
    fn make_template(&self) {
        let made = self.socket.join(&self.template);
        if made.exists() {
            return;
        }
        let name = &self.template;
        self.run(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
        self.run(&format!("CREATE DATABASE {name}"));
        let store =
            PostgresStore::open(&settings(&self.address(name)), PostgresOptions::default(), Arc::new(|_| {}));
        store.unwrap().close();
        File::create(made).unwrap();
    }
}

/// All migrations, one after the other.
fn schema(workspace: &Path) -> Vec<u8> {
    let folder = workspace.join("crates/baton-store/migrations-postgres");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| fs::read(file).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
