//! Three PostgreSQL servers under Patroni with three etcd servers (`scripts/patroni.sh`), whose processes can be killed,
//! stopped and started again one by one.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

use super::server::psql;
use crate::it::http::{Client, read_response};

const PATIENCE: Duration = Duration::from_secs(180);
const MOMENT: Duration = Duration::from_millis(200);
pub(super) const NODES: usize = 3;

/// Whether a commit waits for a standby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replication {
    /// Two of three servers have what is acknowledged.
    Quorum,
    /// What is acknowledged may be on one server only.
    Asynchronous,
}

/// The cluster. Servers are numbered from 0.
pub(super) struct Patroni {
    /// Patroni and etcd end with these; PostgreSQL does not if Patroni is killed.
    nodes: Vec<Child>,
    etcd: Vec<Child>,
    replication: Replication,
    folder: PathBuf,
    _holder: TempDir,
}

impl Patroni {
    pub(super) fn start(replication: Replication) -> Self {
        script().arg("install").status().unwrap();
        let holder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(holder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let folder = holder.path().join("cluster");
        let mode = match replication {
            Replication::Quorum => "synchronous",
            Replication::Asynchronous => "asynchronous",
        };
        let made = script().arg("make").arg(&folder).arg(mode).status().unwrap();
        assert!(made.success(), "scripts/patroni.sh make");
        let etcd = (0..NODES).map(|n| launch(&folder, "etcd", n)).collect();
        let nodes = (0..NODES).map(|n| launch(&folder, "node", n)).collect();
        let cluster = Self { nodes, etcd, replication, folder, _holder: holder };
        let ready = script().arg("wait").arg(&cluster.folder).status().unwrap();
        assert!(ready.success(), "the cluster is not ready: {}", cluster.logs());
        cluster
    }

    /// Where hubs find it.
    pub(super) fn url(&self) -> String {
        self.read("address")
    }

    /// How long the primary's claim to be it holds.
    pub(super) fn ttl(&self) -> Duration {
        Duration::from_secs(self.read("ttl").parse().unwrap())
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).unwrap().trim().to_owned()
    }

    fn port(&self, kind: &str, n: usize) -> u16 {
        let (ports, name) = (self.read("ports"), format!("{kind}{}=", n + 1));
        ports.lines().find_map(|line| line.strip_prefix(&name)).unwrap().parse().unwrap()
    }

    /// The last lines of every Patroni.
    pub(super) fn logs(&self) -> String {
        let last = |n: usize| {
            let log =
                std::fs::read_to_string(self.folder.join(format!("node{}.log", n + 1))).unwrap_or_default();
            let lines: Vec<&str> = log.lines().rev().take(8).collect();
            lines.into_iter().rev().collect::<Vec<_>>().join("\n")
        };
        (0..NODES).map(|n| format!("node{}:\n{}\n", n + 1, last(n))).collect()
    }

    /// Role and state of each server, as any Patroni that answers has them.
    fn members(&self) -> Option<Vec<(String, String)>> {
        let answers = (0..NODES).filter_map(|n| get(self.port("rest", n), "GET", "/cluster", None));
        let members = answers.into_iter().next()?["members"].as_array()?.clone();
        let of = |n: usize| {
            let member = members.iter().find(|member| member["name"] == format!("node{}", n + 1));
            let text =
                |name: &str| member.and_then(|member| member[name].as_str()).unwrap_or_default().to_owned();
            (text("role"), text("state"))
        };
        Some((0..NODES).map(of).collect())
    }

    pub(super) fn leader(&self) -> Option<usize> {
        self.members()?.iter().position(|(role, state)| role == "leader" && state == "running")
    }

    /// The standbys of the leader.
    pub(super) fn others(&self, leader: usize) -> Vec<usize> {
        (0..NODES).filter(|n| *n != leader).collect()
    }

    /// Whether every server is there and, with a quorum, commits wait for the standbys.
    fn is_ready(&self) -> bool {
        let standby = match self.replication {
            Replication::Quorum => "quorum_standby",
            Replication::Asynchronous => "replica",
        };
        let count = |members: &[(String, String)], wanted: &str| {
            members
                .iter()
                .filter(|(role, state)| role == wanted && ["running", "streaming"].contains(&&**state))
                .count()
        };
        self.members().is_some_and(|members| count(&members, "leader") == 1 && count(&members, standby) == 2)
    }

    /// Waits until all three are in step again; the leader's number.
    pub(super) fn wait_ready(&self) -> usize {
        let until = Instant::now() + PATIENCE;
        loop {
            if self.is_ready()
                && let Some(leader) = self.leader()
            {
                return leader;
            }
            assert!(
                Instant::now() < until,
                "the cluster does not recover: {:?}\n{}",
                self.members(),
                self.logs()
            );
            std::thread::sleep(MOMENT);
        }
    }

    /// The etcd server that leads the others.
    pub(super) fn etcd_leader(&self) -> Option<usize> {
        (0..NODES).find(|n| {
            let body = json!({});
            let status = get(self.port("client", *n), "POST", "/v3/maintenance/status", Some(&body));
            status.is_some_and(|status| {
                status["leader"].is_string() && status["leader"] == status["header"]["member_id"]
            })
        })
    }

    pub(super) fn kill_etcd(&mut self, n: usize) {
        kill(&mut self.etcd[n]);
    }

    pub(super) fn start_etcd(&mut self, n: usize) {
        self.etcd[n] = launch(&self.folder, "etcd", n);
    }

    /// PostgreSQL alone: its Patroni starts it again.
    pub(super) fn kill_postgres(&self, n: usize) {
        if let Some(postmaster) = self.postmaster(n) {
            let _ = kill_process(postmaster, Signal::KILL);
        }
    }

    /// Patroni and PostgreSQL, as if their machine were gone.
    pub(super) fn kill_node(&mut self, n: usize) {
        kill(&mut self.nodes[n]);
        self.kill_postgres(n);
    }

    pub(super) fn start_node(&mut self, n: usize) {
        self.nodes[n] = launch(&self.folder, "node", n);
    }

    /// Patroni, PostgreSQL and every process of it stop where they are, and go on.
    pub(super) fn signal_node(&self, n: usize, signal: Signal) {
        self.signal_patroni(n, signal);
        self.signal_postgres(n, signal);
    }

    pub(super) fn signal_patroni(&self, n: usize, signal: Signal) {
        let _ = kill_process(Pid::from_child(&self.nodes[n]), signal);
    }

    pub(super) fn signal_postgres(&self, n: usize, signal: Signal) {
        let Some(postmaster) = self.postmaster(n) else { return };
        for process in std::iter::once(postmaster).chain(children(postmaster)) {
            let _ = kill_process(process, signal);
        }
    }

    /// What a statement answers on this server.
    pub(super) fn query(&self, n: usize, sql: &str) -> Option<String> {
        psql(self.port("postgres", n), "baton", sql)
    }

    fn postmaster(&self, n: usize) -> Option<Pid> {
        let file = self.folder.join(format!("data{}/postmaster.pid", n + 1));
        let pid = std::fs::read_to_string(file).ok()?.lines().next()?.trim().parse().ok()?;
        // A file that a killed server left may name a process of something else by now.
        let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
        command.contains(self.folder.to_str()?).then(|| Pid::from_raw(pid)).flatten()
    }
}

impl Drop for Patroni {
    fn drop(&mut self) {
        for n in 0..NODES {
            self.signal_node(n, Signal::CONT);
        }
        let all = self.nodes.iter_mut().chain(&mut self.etcd);
        all.for_each(kill);
        (0..NODES).for_each(|n| self.kill_postgres(n));
    }
}

fn kill(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn script() -> Command {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let mut command = Command::new(workspace.join("scripts/patroni.sh"));
    command.stdin(Stdio::null());
    command
}

/// Runs a part of the cluster; its log is in the folder.
fn launch(folder: &Path, part: &str, n: usize) -> Child {
    let log = folder.join(format!("{part}{}.log", n + 1));
    let log = File::options().create(true).append(true).open(log).unwrap();
    let mut command = script();
    command.arg(part).arg(folder).arg((n + 1).to_string());
    command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
}

fn children(of: Pid) -> Vec<Pid> {
    let file = format!("/proc/{0}/task/{0}/children", of.as_raw_nonzero());
    let listed = std::fs::read_to_string(file).unwrap_or_default();
    listed.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
}

/// A JSON answer of a server that may be dead or stopped.
fn get(port: u16, method: &str, path: &str, body: Option<&Value>) -> Option<Value> {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let mut socket = TcpStream::connect_timeout(&address, Duration::from_secs(2)).ok()?;
    socket.set_read_timeout(Some(Duration::from_secs(2))).ok()?;
    let request = Client::new(address).request(method, path, &[], body.map(Value::to_string).as_deref());
    socket.write_all(&request).ok()?;
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut socket, &mut bytes).ok()?;
    serde_json::from_slice(&read_response(&bytes[..])?.body).ok()
}
