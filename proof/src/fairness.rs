//! Fairness: one hub, a victim that does its work, and one attack after the other by networks of other ordinary
//! accounts. The victim's p99 of each operation during an attack is set against its p99 when it is alone.

mod fill;
mod setting;

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

use self::setting::Setting;
use crate::attack::{Attack, Attackers, Outcome};
use crate::failure::Failure;
use crate::figures::say;
use crate::processor;
use crate::server::hub::Hub;
use crate::victim::{Times, Victim, VictimFigures};
use crate::watch::{Peak, Watch};

/// At most so many times the quiet p99, or so many milliseconds, whichever is more.
pub(crate) const TIMES_MAX: f64 = 5.0;
pub(crate) const FLOOR_MS: f64 = 25.0;
/// Before the first measurement, so that nothing is new to the hub.
const WARM_UP: Duration = Duration::from_secs(2);
/// Longest a single call of an attacker is waited for.
const SINGLE_MAX: Duration = Duration::from_secs(120);
/// Longest a hub may continue with what an attack left behind.
const SETTLE_MAX: Duration = Duration::from_secs(90);

/// What is attacked, and how long.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) baton: PathBuf,
    pub(crate) scratch: PathBuf,
    /// Of the quiet, and of each attack.
    pub(crate) length: Duration,
    /// The share of everything that is stored and of the connections; the goal asks for 1.
    pub(crate) scale: f64,
    /// Only these attacks; all where there are none.
    pub(crate) only: Vec<String>,
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
    /// Tasks of the network that is deleted.
    pub(crate) deleted_tasks: usize,
    /// Sessions that a broadcast goes to.
    pub(crate) recipients: usize,
    /// Networks of the account that lists over many.
    pub(crate) networks: usize,
    pub(crate) quiet: VictimFigures,
    pub(crate) rows: Vec<Row>,
    /// Every attack was run.
    pub(crate) is_complete: bool,
}

/// One attack.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) attack: String,
    pub(crate) connections: usize,
    pub(crate) victim_figures: VictimFigures,
    pub(crate) outcome: Outcome,
    pub(crate) peak: Peak,
}

/// One operation during one attack.
#[derive(Debug, Clone)]
pub(crate) struct Effect<'a> {
    pub(crate) attack: &'a str,
    pub(crate) operation: &'a str,
    pub(crate) quiet_ms: f64,
    /// None where no call of it was answered.
    pub(crate) attacked_ms: Option<f64>,
}

impl Effect<'_> {
    pub(crate) fn factor(&self) -> Option<f64> {
        Some(self.attacked_ms? / self.quiet_ms.max(f64::MIN_POSITIVE))
    }

    /// How much of what is allowed it took; 1 is all of it.
    pub(crate) fn share(&self) -> f64 {
        let allowed = (TIMES_MAX * self.quiet_ms).max(FLOOR_MS);
        self.attacked_ms.map_or(f64::INFINITY, |attacked| attacked / allowed)
    }

    pub(crate) fn holds(&self) -> bool {
        self.share() <= 1.0
    }
}

impl Measured {
    /// Every operation during every attack.
    pub(crate) fn effects(&self) -> Vec<Effect<'_>> {
        let of_row = |row| self.quiet.times.iter().map(move |quiet| effect(row, quiet));
        self.rows.iter().flat_map(of_row).collect()
    }

    /// Of the effects, the one furthest from what is allowed.
    pub(crate) fn worst(&self) -> Option<Effect<'_>> {
        self.effects().into_iter().max_by(|one, other| one.share().total_cmp(&other.share()))
    }

    /// The victim's calls that failed, quiet or attacked.
    pub(crate) fn failures(&self) -> u64 {
        self.quiet.failures + self.rows.iter().map(|row| row.victim_figures.failures).sum::<u64>()
    }
}

fn effect<'a>(row: &'a Row, quiet: &'a Times) -> Effect<'a> {
    let attacked = row.victim_figures.times.iter().find(|times| times.operation == quiet.operation);
    Effect {
        attack: &row.attack,
        operation: &quiet.operation,
        quiet_ms: quiet.p99_ms,
        attacked_ms: attacked.map(|times| times.p99_ms),
    }
}

pub(crate) async fn measure(plan: &Plan) -> Result<Measured, Failure> {
    let scratch = &plan.scratch;
    let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
    let Setting { hub, victim, attacks, deleted_tasks, recipients, networks } =
        Box::pin(setting::set_up(plan, folder.path())).await?;
    settle(&hub).await?;
    work(&victim, &hub, WARM_UP).await?;
    let quiet = work(&victim, &hub, plan.length).await?;
    say(&format!("{:<46}{}", "quiet, p50 / p99 ms", shown(&quiet)))?;
    let is_meant =
        |name: &str| plan.only.is_empty() || plan.only.iter().any(|only| name.starts_with(only.as_str()));
    let mut rows = Vec::new();
    let of_all = attacks.len();
    for (name, attack) in attacks.into_iter().filter(|(name, _)| is_meant(name)) {
        let row = Box::pin(measure_attack(plan, &victim, &hub, folder.path(), (name, attack))).await?;
        let name = format!("{name}, {} connections", row.connections);
        say(&format!("{name:<46}{}", shown(&row.victim_figures)))?;
        say(&format!("    attacker: {}", row.outcome))?;
        if let Some(failure) = &row.victim_figures.first_failure {
            say(&format!("    victim: {} failed calls, the first: {failure}", row.victim_figures.failures))?;
        }
        if row.peak.is_gone {
            return Err(Failure::of("the hub")(format!("ended during the attack: {name}")));
        }
        rows.push(row);
        settle(&hub).await?;
    }
    hub.stop()?;
    let is_complete = rows.len() == of_all;
    let (seconds, scale) = (plan.length.as_secs_f64(), plan.scale);
    let measured = Measured { seconds, scale, deleted_tasks, recipients, networks, quiet, rows, is_complete };
    for effect in measured.effects().iter().filter(|effect| !effect.holds()) {
        let attacked = effect.attacked_ms.map_or("no answer".to_owned(), |ms| format!("{ms:.1} ms"));
        let Effect { attack, operation, quiet_ms, .. } = effect;
        say(&format!("above the goal: {operation} during {attack}: {attacked}, quiet {quiet_ms:.1} ms"))?;
    }
    say(&format!("failed calls of the victim: {}", measured.failures()))?;
    Ok(measured)
}

/// The victim's work while an attack lasts.
async fn measure_attack(
    plan: &Plan,
    victim: &Victim,
    hub: &Hub,
    folder: &Path,
    (name, attack): (&'static str, Attack),
) -> Result<Row, Failure> {
    let (connections, is_single) = (attack.connections, attack.is_single);
    let watch = Watch::begin(hub, folder);
    let working = victim.begin(hub)?;
    let mut attackers = Attackers::begin(&hub.address, vec![attack])?;
    tokio::time::sleep(plan.length).await;
    if is_single {
        // What the hub does for it takes as long as it takes.
        attackers.wait(SINGLE_MAX).await;
    }
    let victim_figures = working.finish().await?;
    let outcome = attackers.finish().await?;
    outcome.check(name)?;
    Ok(Row { attack: name.to_owned(), connections, victim_figures, outcome, peak: watch.finish().await })
}

/// The victim's work when it is alone.
async fn work(victim: &Victim, hub: &Hub, length: Duration) -> Result<VictimFigures, Failure> {
    let working = victim.begin(hub)?;
    tokio::time::sleep(length).await;
    working.finish().await
}

async fn settle(hub: &Hub) -> Result<(), Failure> {
    if !processor::settle(hub.pid(), SETTLE_MAX).await? {
        let seconds = SETTLE_MAX.as_secs();
        say(&format!("the hub is still busy {seconds} s after the attack: the next figures include that"))?;
    }
    Ok(())
}

fn shown(victim_figures: &VictimFigures) -> String {
    let one = |times: &Times| format!("{} {:.1} / {:.1}", times.operation, times.p50_ms, times.p99_ms);
    victim_figures.times.iter().map(one).collect::<Vec<_>>().join("   ")
}

#[cfg(test)]
mod tests {
    use super::Effect;

    fn effect(quiet_ms: f64, attacked_ms: Option<f64>) -> Effect<'static> {
        Effect { attack: "search", operation: "get", quiet_ms, attacked_ms }
    }

    #[test]
    fn five_times_the_quiet_p99_or_25_ms_is_allowed_and_no_answer_never_is() {
        assert!(effect(0.5, Some(25.0)).holds() && !effect(0.5, Some(25.1)).holds());
        assert!(effect(8.0, Some(40.0)).holds() && !effect(8.0, Some(40.1)).holds());
        assert!(!effect(8.0, None).holds());
    }
}
