//! Blocking A2A sends to an agent that answers at once, through the hub over JSON-RPC and over gRPC, and through a reference
//! A2A server, by the same load generator in one run. They take turns, so that the machine's moods meet all of them.

mod claimer;
mod grpc;
mod reference;
mod send;

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use self::claimer::Claimers;
use self::reference::Reference;
use crate::failure::Failure;
use crate::figures::{Speed, say};
use crate::request::Address;
use crate::server::hub::Home;
use crate::tenant::Tenant;
use crate::trouble::Trouble;

/// Before the first turn, until everything is warm; not counted.
const WARM_UP: Duration = Duration::from_secs(1);

/// Both servers, and how long.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) baton: PathBuf,
    pub(crate) scratch: PathBuf,
    /// The program and its arguments.
    pub(crate) reference: Vec<OsString>,
    pub(crate) connections: usize,
    /// Claims of the hub's agent at the same time.
    pub(crate) claimers: usize,
    pub(crate) turns: usize,
    pub(crate) length: Duration,
}

/// The median turn of each.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) hub: Speed,
    /// Not measured by earlier versions.
    pub(crate) grpc: Option<Speed>,
    pub(crate) reference: Speed,
    pub(crate) ratio: f64,
    pub(crate) connections: usize,
}

/// A server under load: where it listens, and the call that every connection repeats.
struct Target {
    address: Address,
    request: Vec<u8>,
}

pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    let reference = Reference::start(&plan.reference, &plan.scratch)?;
    let folder = tempfile::tempdir_in(&plan.scratch).map_err(Failure::file(plan.scratch.display()))?;
    let home = Home::new(&folder.path().join("hub"))?;
    let hub = home.start(&plan.baton)?;
    let address = hub.address.clone();
    let mut tenant = Tenant::make(&address, home.log_in(&hub).await?).await?;
    let (sender, agent) = (tenant.mint("sender".into()).await?, tenant.mint("agent".into()).await?);
    let agents_name = format!("{}/{}", tenant.network_id(), agent.alias);
    let base = format!("/a2a/{agents_name}/");
    let grpc = grpc::Target::new(address.clone(), &agents_name, &sender.token, send::TEXT)?;
    let mut claimers = Claimers::start(&address, &agent, plan.claimers).await?;
    let hub_target = Target { request: send::request_to(&address, &base, Some(&sender.token)), address };
    let address = reference.address.clone();
    let reference_target = Target { request: send::request_to(&address, "/", None), address };
    let measured = tokio::select! {
        measured = take_turns(plan, &hub_target, &grpc, &reference_target) => measured?,
        trouble = claimers.fail() => return Err(trouble.into()),
    };
    drop(claimers);
    tell(plan, &measured)?;
    Ok(measured)
}

async fn take_turns(
    plan: &Plan,
    hub: &Target,
    grpc: &grpc::Target,
    reference: &Target,
) -> Result<Measured, Trouble> {
    let connections = plan.connections;
    for target in [hub, reference] {
        send::measure(target, connections, WARM_UP).await?.speed()?;
    }
    grpc::measure(grpc, connections, WARM_UP).await?.speed()?;
    let (mut hub_turns, mut grpc_turns, mut reference_turns) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..plan.turns {
        hub_turns.push(send::measure(hub, connections, plan.length).await?.speed()?);
        grpc_turns.push(grpc::measure(grpc, connections, plan.length).await?.speed()?);
        reference_turns.push(send::measure(reference, connections, plan.length).await?.speed()?);
    }
    let (hub, reference) = (Speed::median(hub_turns), Speed::median(reference_turns));
    let grpc = Some(Speed::median(grpc_turns));
    let ratio = hub.per_second / reference.per_second.max(f64::MIN_POSITIVE);
    Ok(Measured { hub, grpc, reference, ratio, connections })
}

fn tell(plan: &Plan, measured: &Measured) -> Result<(), Failure> {
    let Measured { hub, grpc, reference, ratio, connections } = measured;
    say(&format!(
        "blocking SendMessage, {connections} in flight, {} turns of {} s each, medians",
        plan.turns,
        plan.length.as_secs()
    ))?;
    say(&format!("{:<12}{:>12}{:>10}{:>10}", "", "per second", "p50 ms", "p99 ms"))?;
    let sides = [("hub", Some(hub)), ("hub, gRPC", grpc.as_ref()), ("reference", Some(reference))];
    for (name, Speed { per_second, p50_ms, p99_ms }) in
        sides.into_iter().filter_map(|(name, side)| Some((name, side?)))
    {
        say(&format!("{name:<12}{per_second:>12.1}{p50_ms:>10.2}{p99_ms:>10.2}"))?;
    }
    if let Some(grpc) = grpc {
        let ratio = grpc.per_second / hub.per_second.max(f64::MIN_POSITIVE);
        say(&format!("{:<12}{ratio:>12.2}", "gRPC / hub"))?;
    }
    say(&format!("{:<12}{ratio:>12.1}", "ratio"))
}
