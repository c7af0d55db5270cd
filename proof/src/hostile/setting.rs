//! What is there before the first attack: one session and one completion as large as the hub accepts, made through its
//! own door, and one network; then copies of each in the database, while no hub runs.

use serde_json::{Value, json};
use std::time::Duration;

use super::{Plan, Stored};
use crate::account::Account;
use crate::attack::Attack;
use crate::failure::Failure;
use crate::figures::say;
use crate::lives::TASK;
use crate::request::{Address, request};
use crate::rows::Rows;
use crate::server::hub::Home;
use crate::tenant::Agent;
use crate::trouble::Trouble;
use crate::victim::{Victim, Work};
use crate::wire::Pace;

const NETWORKS: usize = 10_000;
const SESSIONS: usize = 1_000;
const COMPLETIONS: usize = 500;
const SLOW_READERS: usize = 64;
/// 4 KB a second.
const SLOWLY: Pace = Pace { bytes: 1024, every: Duration::from_millis(250) };
/// Connections for each of the two lists of large rows, and for each of the two reads over all networks.
const LARGE_READS: usize = 12;
const WIDE_READS: usize = 6;
const TOKENS: usize = 8;
/// Tried one after the other, until one is accepted: a body has at most 1 MiB.
const SIZES: [usize; 8] = [1_000_000, 950_000, 820_000, 500_000, 250_000, 120_000, 60_000, 30_000];

/// Everything that is there.
pub(super) struct Setting {
    pub(super) victim: Victim,
    /// The first is none.
    pub(super) attacks: Vec<(&'static str, Requests)>,
    pub(super) networks: usize,
    pub(super) sessions: Stored,
    pub(super) completions: Stored,
}

/// An attack whose hub does not run yet.
#[derive(Default)]
pub(super) struct Requests {
    /// User tokens that the calls are spread over.
    tokens: Vec<String>,
    /// Connections, paths, and whether answers are read slowly.
    groups: Vec<(usize, Vec<String>, bool)>,
}

impl Requests {
    pub(super) fn at(&self, address: &Address) -> Vec<Attack> {
        let attack = |(connections, paths, is_slow): &(usize, Vec<String>, bool)| {
            let of_token = |token: &String| {
                let get = |path: &String| request(address, "GET", path, Some(token), &json!({}));
                paths.iter().map(get).collect::<Vec<_>>()
            };
            let requests = self.tokens.iter().flat_map(of_token).collect();
            match is_slow {
                true => Attack::slow(*connections, requests, SLOWLY),
                false => Attack::repeated(*connections, requests),
            }
        };
        self.groups.iter().map(attack).collect()
    }
}

pub(super) async fn set_up(plan: &Plan, home: &Home) -> Result<Setting, Failure> {
    let hub = home.start_for_attack(&plan.baton)?;
    let victim = Victim::set_up(&hub, &[Work::Reads; 4]).await?;
    let attacker = Account::register(&hub.address, "attacker").await?;
    let large = attacker.network_id.clone();
    let agent = attacker.mint(&large, "worker").await?;
    let session_bytes = report_largest_session(&attacker, &agent).await?;
    let completion_bytes = report_largest_completion(&attacker, &agent).await?;
    let copied = attacker.need_network("copied").await?;
    let mut tokens = vec![attacker.token.clone()];
    while tokens.len() < TOKENS {
        tokens.push(attacker.log_in().await?);
    }
    hub.stop()?;
    let [networks, sessions, completions] = [NETWORKS, SESSIONS, COMPLETIONS].map(|count| plan.part(count));
    let mut rows = Rows::open(&home.folder)?;
    rows.copy_session(&large, &agent.alias, sessions)?;
    rows.copy_completion(&large, completions)?;
    rows.copy_network(&copied, networks)?;
    let (sessions, completions) = (
        Stored { count: sessions, request_bytes: session_bytes },
        Stored { count: completions, request_bytes: completion_bytes },
    );
    say(&format!(
        "{networks} networks, {} sessions of {session_bytes} bytes, {} completions of {completion_bytes} bytes",
        sessions.count, completions.count
    ))?;
    let attacks = attacks(plan, &tokens, &large);
    Ok(Setting { victim, attacks, networks, sessions, completions })
}

fn attacks(plan: &Plan, tokens: &[String], large: &str) -> Vec<(&'static str, Requests)> {
    let in_large = |path: &str| format!("{path}?network_id={large}");
    let wide = ["/api/tasks", "/api/stats"].map(|path| (plan.part(WIDE_READS), vec![path.to_owned()], false));
    let lists = [in_large("/api/completions"), in_large("/api/status")];
    let large = lists.clone().map(|path| (plan.part(LARGE_READS), vec![path], false));
    let mut slow = lists.to_vec();
    slow.push("/api/networks".to_owned());
    let slow = [(plan.part(SLOW_READERS), slow, true)];
    let all = [&wide[..], &large[..], &slow[..]].concat();
    let stages = [
        ("quiet", vec![]),
        ("reads over all networks", wide.into()),
        ("lists of the largest rows", large.into()),
    ];
    let stages = stages.into_iter().chain([("slow readers", slow.into()), ("all of them together", all)]);
    stages.map(|(name, groups)| (name, Requests { tokens: tokens.to_owned(), groups })).collect()
}

/// The bytes of the largest report that is accepted.
async fn report_largest_session(account: &Account, agent: &Agent) -> Result<usize, Failure> {
    let mut refusal = None;
    for bytes in SIZES {
        match account.tool(agent, "report_status", &session(agent, bytes)).await {
            Ok(()) => return Ok(bytes),
            Err(trouble) => refusal = Some(trouble),
        }
    }
    Err(none_accepted(refusal))
}

/// The same for a completion.
async fn report_largest_completion(account: &Account, agent: &Agent) -> Result<usize, Failure> {
    let mut refusal = None;
    for bytes in SIZES {
        let task_id = account.send(agent, agent, TASK).await?;
        let artifacts: Vec<_> = (0..50).map(|_| "x".repeat(bytes / 50)).collect();
        let report = json!({"alias": agent.alias, "task": task_id, "result": "done", "artifacts": artifacts});
        match account.tool(agent, "report_completion", &report).await {
            Ok(()) => return Ok(bytes),
            Err(trouble) => refusal = Some(trouble),
        }
    }
    Err(none_accepted(refusal))
}

fn none_accepted(refusal: Option<Trouble>) -> Failure {
    refusal.map_or_else(|| Failure::of("the generator")("no sizes are tried"), Failure::from)
}

/// A report whose skills have this many bytes in all.
fn session(agent: &Agent, bytes: usize) -> Value {
    let label = "x".repeat(1_000);
    let skills = bytes.div_ceil(22_000).min(50);
    // A name, a description and tags of a thousand characters each.
    let labels = (bytes / skills / 1_000).saturating_sub(2).min(20);
    let skill = |number: usize| json!({"id": format!("skill-{number}"), "name": label, "description": label, "tags": vec![&label; labels]});
    let skills: Vec<_> = (0..skills).map(skill).collect();
    json!({
        "resume_id": agent.alias, "alias": agent.alias, "status": "idle", "description": label, "skills": skills,
    })
}
