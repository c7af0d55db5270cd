//! One hub under load: durable sends, whole lives (send, claim, reply) and push latency, beside the disk's own rate of
//! syncs. A new hub for each number of connections, or one that runs already: there the run makes a network and
//! deletes it afterwards.

pub(crate) mod push;

use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

use crate::disk;
use crate::failure::Failure;
use crate::figures::{Speed, say};
use crate::lives::hub_client::Client;
use crate::lives::{Alive, repeat};
use crate::request::Address;
use crate::server::hub::Home;
use crate::tally::{Tally, together};
use crate::tenant::Tenant;
use crate::trouble::Trouble;

/// How long the disk alone is measured, before and after the load.
const DISK_LENGTH: Duration = Duration::from_secs(1);

/// Which hub, and for how long.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) baton: PathBuf,
    pub(crate) scratch: PathBuf,
    /// The address of a running hub and a user token there.
    pub(crate) running: Option<(String, String)>,
    pub(crate) connections: Vec<usize>,
    /// Of each of the three measurements.
    pub(crate) length: Duration,
}

/// Everything measured, a row for each number of connections.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    connections: usize,
    send: Speed,
    life: Speed,
    push: Speed,
    /// Before and after the load.
    fdatasync_per_second: [f64; 2],
    /// Idle and after the load, of a hub that the run started itself.
    resident_mib: Option<[f64; 2]>,
}

/// The speeds of one hub with one number of connections.
struct Speeds {
    send: Speed,
    life: Speed,
    push: Speed,
}

pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    let mut rows = Vec::with_capacity(plan.connections.len());
    for &connections in &plan.connections {
        let row = row(plan, connections).await?;
        tell(&row)?;
        rows.push(row);
    }
    Ok(Measured { rows })
}

async fn row(plan: &Plan, connections: usize) -> Result<Row, Failure> {
    let disk_rate = || {
        let rate = disk::fdatasyncs_per_second(&plan.scratch, DISK_LENGTH);
        rate.map_err(Failure::file(plan.scratch.display()))
    };
    let before = disk_rate()?;
    let (speeds, resident_mib) = match &plan.running {
        Some((url, token)) => (speeds(plan, &Address::of_url(url)?, token.clone(), connections).await?, None),
        None => {
            let folder =
                tempfile::tempdir_in(&plan.scratch).map_err(Failure::file(plan.scratch.display()))?;
            let home = Home::new(&folder.path().join("hub"))?;
            let hub = home.start(&plan.baton)?;
            let idle = hub.memory()?.resident_mib;
            let user_token = home.log_in(&hub).await?;
            let speeds = speeds(plan, &hub.address, user_token, connections).await?;
            let loaded = hub.memory()?.resident_mib;
            hub.stop()?;
            (speeds, Some([idle, loaded]))
        }
    };
    let Speeds { send, life, push } = speeds;
    Ok(Row { connections, send, life, push, fdatasync_per_second: [before, disk_rate()?], resident_mib })
}

async fn speeds(
    plan: &Plan,
    address: &Address,
    user_token: String,
    connections: usize,
) -> Result<Speeds, Failure> {
    let mut tenant = Tenant::make(address, user_token).await?;
    let measured = in_tenant(plan, address, &mut tenant, connections).await;
    let deleted = tenant.delete().await;
    let measured = measured?;
    deleted?;
    Ok(measured)
}

async fn in_tenant(
    plan: &Plan,
    address: &Address,
    tenant: &mut Tenant,
    connections: usize,
) -> Result<Speeds, Trouble> {
    Ok(Speeds {
        send: sends(address, tenant, connections, plan.length).await?.speed()?,
        life: lives(address, tenant, connections, plan.length).await?.speed()?,
        push: push::measure(address, address, tenant, connections, plan.length).await?.speed()?,
    })
}

/// Durable sends: every connection sends one task after the other to an agent of its own, each answered once it is on
/// the disk.
pub(crate) async fn sends(
    address: &Address,
    tenant: &mut Tenant,
    connections: usize,
    length: Duration,
) -> Result<Tally, Trouble> {
    let clients = clients(address, tenant, "send", connections).await?;
    Ok(together(clients.into_iter().map(|client| repeat(Sender(client), length))).await)
}

/// Whole lives: every connection sends a task, claims it as its worker and replies under the lease.
pub(crate) async fn lives(
    address: &Address,
    tenant: &mut Tenant,
    connections: usize,
    length: Duration,
) -> Result<Tally, Trouble> {
    let clients = clients(address, tenant, "life", connections).await?;
    Ok(together(clients.into_iter().map(|client| repeat(Worker(client), length))).await)
}

/// Clients of one sender, each with a worker of its own so that it claims what it sent.
async fn clients(
    address: &Address,
    tenant: &mut Tenant,
    role: &str,
    connections: usize,
) -> Result<Vec<Client>, Trouble> {
    let sender = tenant.mint(format!("bench-{role}-sender")).await?;
    let mut clients = Vec::with_capacity(connections);
    for worker in tenant.agents(role, connections).await? {
        clients.push(Client::open(address, &sender, &worker).await?);
    }
    Ok(clients)
}

struct Sender(Client);

impl Alive for Sender {
    async fn live(&mut self) -> Result<(), Trouble> {
        self.0.send().await
    }
}

struct Worker(Client);

impl Alive for Worker {
    async fn live(&mut self) -> Result<(), Trouble> {
        self.0.send().await?;
        let claimed = self.0.claim().await?;
        self.0.reply(&claimed).await
    }
}

fn tell(row: &Row) -> Result<(), Failure> {
    let [before, after] = row.fdatasync_per_second;
    let rate = f64::midpoint(before, after);
    say(&format!("{} connections", row.connections))?;
    say(&format!("{:<10}{:>12}{:>10}{:>10}{:>14}", "", "per second", "p50 ms", "p99 ms", "x fdatasync"))?;
    for (name, speed) in [("send", &row.send), ("life", &row.life), ("push", &row.push)] {
        let Speed { per_second, p50_ms, p99_ms } = speed;
        let times = per_second / rate;
        say(&format!("{name:<10}{per_second:>12.0}{p50_ms:>10.2}{p99_ms:>10.2}{times:>14.2}"))?;
    }
    say(&format!("{:<10}{rate:>12.0}   before {before:.0}, after {after:.0}", "fdatasync"))?;
    if let Some([idle, loaded]) = row.resident_mib {
        say(&format!("{:<10}{idle:>12.1}   MiB resident when idle, {loaded:.1} after the load", "memory"))?;
    }
    Ok(())
}
