//! The start: from the call of the binary to a 200 of `/ready`, on a folder that has tasks; the memory when idle and
//! the size of the binary.

use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::connection::Connection;
use crate::failure::Failure;
use crate::figures::{Spread, say};
use crate::lives::hub_client::Client;
use crate::lives::repeat;
use crate::memory::Memory;
use crate::request::request;
use crate::server::hub::Home;
use crate::tenant::Tenant;

/// How long lives are lived before, so that the folder has something in it.
const FILLED_FOR: Duration = Duration::from_secs(2);

/// How often it is started.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) baton: PathBuf,
    pub(crate) scratch: PathBuf,
    pub(crate) starts: usize,
}

/// Everything measured.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) starts: usize,
    pub(crate) ready_ms: Spread,
    pub(crate) idle: Memory,
    pub(crate) binary_mib: f64,
}

pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    let scratch = &plan.scratch;
    let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
    let home = Home::new(folder.path())?;
    let hub = home.start(&plan.baton)?;
    let mut tenant = Tenant::make(&hub.address, home.log_in(&hub).await?).await?;
    let (sender, worker) = (tenant.mint("sender".into()).await?, tenant.mint("worker".into()).await?);
    let lived = repeat(Client::open(&hub.address, &sender, &worker).await?, FILLED_FOR).await;
    if let Some(trouble) = lived.first_error {
        return Err(trouble.into());
    }
    hub.stop()?;
    let mut ready_ms = Vec::new();
    let mut idle = None;
    for _ in 0..plan.starts {
        let begun = Instant::now();
        let hub = home.start(&plan.baton)?;
        let ready = request(&hub.address, "GET", "/ready", None, &json!({}));
        Connection::open(&hub.address).await?.call("/ready", &ready).await?;
        ready_ms.push(begun.elapsed().as_secs_f64() * 1000.0);
        idle = Some(hub.memory()?);
        hub.stop()?;
    }
    let binary = plan.baton.metadata().map_err(Failure::file(plan.baton.display()))?.len();
    let measured = Measured {
        starts: plan.starts,
        ready_ms: Spread::of(ready_ms),
        idle: idle.ok_or_else(|| Failure::of("the hub")("was not started"))?,
        binary_mib: binary as f64 / 1_048_576.0,
    };
    say(&format!(
        "ready after {:.0} ms ({:.0} – {:.0}); idle {:.1} MiB resident, {:.1} MiB its own; the binary {:.1} MiB",
        measured.ready_ms.median,
        measured.ready_ms.least,
        measured.ready_ms.most,
        measured.idle.resident_mib,
        measured.idle.own_mib,
        measured.binary_mib
    ))?;
    Ok(measured)
}
