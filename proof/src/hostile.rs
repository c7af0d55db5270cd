//! Hostile data: thousands of networks, the largest sessions and completions a hub accepts, readers that take their
//! answers a few bytes at a time. Meanwhile a tenant that has nothing to do with it reads. Measured are its p99 and the
//! memory of the hub. Every attack meets a hub that was just started, so that none inherits another's memory.

mod setting;

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

use self::setting::Setting;
use crate::attack::{Attack, Attackers, Outcome};
use crate::failure::Failure;
use crate::figures::say;
use crate::server::hub::Home;
use crate::victim::{Victim, VictimFigures};
use crate::watch::{Peak, Watch};

pub(crate) const READ_MS: f64 = 50.0;
pub(crate) const OWN_MIB: f64 = 300.0;
/// The memory limit of the hub, so that one without bounds does not take the machine with it.
const MEMORY_MAX_BYTES: u64 = 4 << 30;
const WARM_UP: Duration = Duration::from_secs(1);

/// How much, and how long.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) baton: PathBuf,
    pub(crate) scratch: PathBuf,
    /// Of the quiet, and of each attack.
    pub(crate) length: Duration,
    /// The share of everything that is stored and of the connections; the goal asks for 1.
    pub(crate) scale: f64,
}

impl Plan {
    /// As much of an amount as the scale says.
    fn part(&self, amount: usize) -> usize {
        ((amount as f64 * self.scale).round() as usize).max(1)
    }
}

/// Everything measured.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) seconds: f64,
    pub(crate) scale: f64,
    pub(crate) networks: usize,
    pub(crate) sessions: Stored,
    pub(crate) completions: Stored,
    /// The first without an attack.
    pub(crate) rows: Vec<Row>,
}

/// Rows of the largest kind.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub(crate) count: usize,
    /// Of the request that made the first: the largest the hub accepted.
    pub(crate) request_bytes: usize,
}

/// One attack.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) attack: String,
    pub(crate) victim_figures: VictimFigures,
    pub(crate) outcome: Outcome,
    pub(crate) peak: Peak,
}

impl Row {
    /// The slowest p99 of the tenant's reads; none where nothing was answered.
    pub(crate) fn p99_ms(&self) -> Option<f64> {
        self.victim_figures.times.iter().map(|times| times.p99_ms).reduce(f64::max)
    }
}

impl Measured {
    /// The slowest of all attacks; none where during one nothing was answered.
    pub(crate) fn p99_ms(&self) -> Option<f64> {
        self.rows.iter().try_fold(0.0, |most: f64, row| Some(most.max(row.p99_ms()?)))
    }

    /// The most of all attacks; none where during one the hub ended.
    pub(crate) fn own_mib(&self) -> Option<f64> {
        let of = |row: &Row| (!row.peak.is_gone).then_some(row.peak.own_mib);
        self.rows.iter().try_fold(0.0, |most: f64, row| Some(most.max(of(row)?)))
    }

    pub(crate) fn failures(&self) -> u64 {
        self.rows.iter().map(|row| row.victim_figures.failures).sum()
    }
}

pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    let scratch = &plan.scratch;
    let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
    let home = Home::new(folder.path())?;
    let Setting { victim, attacks, networks, sessions, completions } =
        Box::pin(setting::set_up(plan, &home)).await?;
    let mut rows = Vec::new();
    for (name, attack) in attacks {
        let row = Box::pin(measure_attack(plan, &home, &victim, name, &attack)).await?;
        tell(&row)?;
        rows.push(row);
    }
    let (seconds, scale) = (plan.length.as_secs_f64(), plan.scale);
    Ok(Measured { seconds, scale, networks, sessions, completions, rows })
}

/// The tenant's reads while an attack lasts, on a hub of its own.
async fn measure_attack(
    plan: &Plan,
    home: &Home,
    victim: &Victim,
    name: &'static str,
    attack: &setting::Requests,
) -> Result<Row, Failure> {
    let hub = home.start_for_attack(&plan.baton)?;
    hub.bound_memory(MEMORY_MAX_BYTES)?;
    let attacks: Vec<Attack> = attack.at(&hub.address);
    let warming = victim.begin(&hub)?;
    tokio::time::sleep(WARM_UP).await;
    warming.finish().await?;
    let watch = Watch::begin(&hub, &home.folder);
    let working = victim.begin(&hub)?;
    let attackers = Attackers::begin(&hub.address, attacks)?;
    tokio::time::sleep(plan.length).await;
    let victim_figures = working.finish().await?;
    let outcome = attackers.finish().await?;
    let peak = watch.finish().await;
    // A hub that is gone, or still busy with the attack, cannot be asked to end in order: dropping it ends it.
    drop(hub);
    outcome.check(name)?;
    Ok(Row { attack: name.to_owned(), victim_figures, outcome, peak })
}

fn tell(row: &Row) -> Result<(), Failure> {
    let times = row.victim_figures.times.iter();
    let times = times.map(|times| format!("{} {:.1} / {:.1}", times.operation, times.p50_ms, times.p99_ms));
    let times = times.collect::<Vec<_>>().join("   ");
    say(&format!("{:<46}{times}   own memory {:.0} MiB", row.attack, row.peak.own_mib))?;
    say(&format!("    attacker: {}", row.outcome))?;
    if let Some(failure) = &row.victim_figures.first_failure {
        say(&format!("    reader: {} failed calls, the first: {failure}", row.victim_figures.failures))?;
    }
    if row.peak.is_gone {
        say("    the hub ended: it was not given more than 4 GiB")?;
    }
    Ok(())
}
