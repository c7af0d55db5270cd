//! What evidence costs a hub: two hubs from one binary, one that writes evidence and one that writes none, take turns
//! under the same load, so that the machine's moods meet both.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

use crate::failure::Failure;
use crate::figures::{Spread, say};
use crate::load;
use crate::server::hub::{Home, Hub};
use crate::tenant::Tenant;

/// How many turns, and how long.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) baton: PathBuf,
    pub(crate) scratch: PathBuf,
    pub(crate) connections: usize,
    pub(crate) turns: usize,
    /// Of each of a turn's two measurements.
    pub(crate) length: Duration,
}

/// Everything measured.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    connections: usize,
    turns: usize,
    with: Rates,
    without: Rates,
}

/// The turns of one hub, a second.
#[derive(Debug, Serialize, Deserialize)]
struct Rates {
    sends: Spread,
    lives: Spread,
}

/// A hub, and its turns so far.
struct Contender {
    home: Home,
    hub: Hub,
    sends: Vec<f64>,
    lives: Vec<f64>,
    _folder: TempDir,
}

pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    let mut with = Contender::start(plan, &[])?;
    let mut without = Contender::start(plan, &["--without-evidence"])?;
    for _ in 0..plan.turns {
        with.take_turn(plan).await?;
        without.take_turn(plan).await?;
    }
    let (connections, turns) = (plan.connections, plan.turns);
    let measured = Measured { connections, turns, with: with.stop()?, without: without.stop()? };
    tell(&measured, plan.length)?;
    Ok(measured)
}

impl Measured {
    /// What was measured, with evidence and without.
    pub(crate) fn pairs(&self) -> [(&'static str, Spread, Spread); 2] {
        let Self { with, without, .. } = self;
        [("sends", with.sends, without.sends), ("lives", with.lives, without.lives)]
    }

    /// The share of sends a second that evidence costs.
    pub(crate) fn share_of_sends(&self) -> f64 {
        1.0 - self.with.sends.median / self.without.sends.median
    }
}

impl Contender {
    fn start(plan: &Plan, options: &[&str]) -> Result<Self, Failure> {
        let folder = tempfile::tempdir_in(&plan.scratch).map_err(Failure::file(plan.scratch.display()))?;
        let home = Home::new(&folder.path().join("hub"))?;
        let hub = home.start_with(&plan.baton, &[], options)?;
        Ok(Self { home, hub, sends: Vec::new(), lives: Vec::new(), _folder: folder })
    }

    async fn take_turn(&mut self, plan: &Plan) -> Result<(), Failure> {
        let address = &self.hub.address;
        let mut tenant = Tenant::make(address, self.home.log_in(&self.hub).await?).await?;
        let sends = load::sends(address, &mut tenant, plan.connections, plan.length).await?.speed()?;
        let lives = load::lives(address, &mut tenant, plan.connections, plan.length).await?.speed()?;
        tenant.delete().await?;
        self.sends.push(sends.per_second);
        self.lives.push(lives.per_second);
        Ok(())
    }

    fn stop(self) -> Result<Rates, Failure> {
        self.hub.stop()?;
        Ok(Rates { sends: Spread::of(self.sends), lives: Spread::of(self.lives) })
    }
}

fn tell(measured: &Measured, length: Duration) -> Result<(), Failure> {
    let Measured { connections, turns, .. } = measured;
    say(&format!("{connections} connections, {turns} turns of {} s each, medians", length.as_secs()))?;
    say(&format!("{:<10}{:>14}{:>14}{:>10}", "a second", "with", "without", "ratio"))?;
    for (name, Spread { median: with, .. }, Spread { median: without, .. }) in measured.pairs() {
        say(&format!("{name:<10}{with:>14.0}{without:>14.0}{:>10.2}", with / without))?;
    }
    Ok(())
}
