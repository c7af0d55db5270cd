//! What is there before the first attack: the victim, and for each attack a network of an ordinary account with what
//! the attack is about. All of it was made through the hub's own doors, but for the sessions of the broadcast, which
//! are copies of one.

use serde_json::json;
use std::path::Path;
use std::time::Instant;

use super::Plan;
use super::fill::{Tasks, fill};
use crate::account::Account;
use crate::attack::Attack;
use crate::failure::Failure;
use crate::figures::say;
use crate::lives::TASK;
use crate::request::{Address, request};
use crate::rows::Rows;
use crate::server::hub::{Home, Hub};
use crate::tenant::Agent;
use crate::victim::{Victim, Work};

/// As many rows as one search looks at, with texts that come to as many bytes as it looks at.
const SEARCHED_TASKS: usize = 12_000;
const SEARCHED_TEXT_CHARS: usize = 2_700;
/// In every text that is searched, and in none.
const COMMON_WORD: &str = "latency";
const MISSING_WORD: &str = "chrysanthemum";
const ARCHIVED_TASKS: usize = 330_000;
const RECIPIENTS: usize = 5_000;
const BROADCAST_CHARS: usize = 10_000;
/// As many as an account may have, and the tasks of each.
const NETWORKS: usize = 50;
const TASKS_PER_NETWORK: usize = 20;
/// Tokens that an attacker spreads its calls over.
const TOKENS: usize = 16;

/// Everything that is there.
pub(super) struct Setting {
    pub(super) hub: Hub,
    pub(super) victim: Victim,
    /// In the order in which they are made: the one that deletes comes last.
    pub(super) attacks: Vec<(&'static str, Attack)>,
    pub(super) deleted_tasks: usize,
    pub(super) recipients: usize,
    pub(super) networks: usize,
}

pub(super) async fn set_up(plan: &Plan, folder: &Path) -> Result<Setting, Failure> {
    let home = Home::new(folder)?;
    let hub = home.start_for_attack(&plan.baton)?;
    let victim = Victim::set_up(&hub, &[Work::Tasks, Work::Tasks, Work::Reads, Work::Reads]).await?;
    let attacker = Attacker::register(&hub.address, "attacker").await?;
    let library = attacker.searched(plan).await?;
    let (archive, deleted_tasks) = attacker.archive(plan).await?;
    let audience = attacker.audience().await?;
    let flooded = attacker.flooded().await?;
    let collector = Attacker::register(&hub.address, "collector").await?;
    let networks = collector.collect(plan).await?;
    hub.stop()?;
    let recipients = plan.part(RECIPIENTS);
    Rows::open(folder)?.copy_session(&audience.network_id, &audience.agents[0].alias, recipients)?;
    let hub = home.start_for_attack(&plan.baton)?;
    let at = |attacker: Attacker| Attacker { address: hub.address.clone(), ..attacker };
    let (attacker, collector) = (at(attacker), at(collector));
    let attacks = vec![
        ("search", attacker.search(plan.part(256), &library)),
        ("A2A ListTasks", attacker.list_over_a2a(plan.part(64), &archive)),
        ("evidence exports", attacker.export(plan.part(50), &archive)),
        ("lists over many networks", collector.list_everything(plan.part(64))),
        ("broadcast", attacker.broadcast(plan.part(16), &audience)),
        ("flood of sends", attacker.flood(plan.part(256), &flooded)),
        ("deletion of a network", attacker.delete(&archive)),
    ];
    Ok(Setting { hub, victim, attacks, deleted_tasks, recipients, networks })
}

/// An ordinary account that attacks.
struct Attacker {
    address: Address,
    account: Account,
    /// User tokens.
    tokens: Vec<String>,
}

/// A network of an attacker.
struct Network {
    network_id: String,
    agents: Vec<Agent>,
}

impl Attacker {
    async fn register(address: &Address, username: &str) -> Result<Self, Failure> {
        let account = Account::register(address, username).await?;
        let mut tokens = vec![account.token.clone()];
        while tokens.len() < TOKENS {
            tokens.push(account.log_in().await?);
        }
        Ok(Self { address: address.clone(), account, tokens })
    }

    async fn network(&self, name: &str, aliases: &[&str]) -> Result<Network, Failure> {
        let network_id = self.account.need_network(name).await?;
        let mut agents = Vec::new();
        for alias in aliases {
            agents.push(self.account.mint(&network_id, alias).await?);
        }
        Ok(Network { network_id, agents })
    }

    /// A network whose texts take long to search.
    async fn searched(&self, plan: &Plan) -> Result<Network, Failure> {
        let network = self.network("library", &["sender", "worker"]).await?;
        let text = format!("Take out every figure about {COMMON_WORD}. ").repeat(SEARCHED_TEXT_CHARS / 40);
        self.fill(&network, plan.part(SEARCHED_TASKS), text, false).await?;
        Ok(network)
    }

    /// A network that has worked for long, for one agent.
    async fn archive(&self, plan: &Plan) -> Result<(Network, usize), Failure> {
        let network = self.network("archive", &["sender", "worker"]).await?;
        let made = self.fill(&network, plan.part(ARCHIVED_TASKS), TASK.to_owned(), true).await?;
        Ok((network, made))
    }

    async fn fill(
        &self,
        network: &Network,
        count: usize,
        text: String,
        are_answered: bool,
    ) -> Result<usize, Failure> {
        let (sender, worker) = (network.agents[0].clone(), network.agents[1].clone());
        let begun = Instant::now();
        let made = fill(&self.address, &Tasks { count, text, sender, worker, are_answered }).await?;
        say(&format!("{made} tasks made in {:.0} s", begun.elapsed().as_secs_f64()))?;
        Ok(made)
    }

    /// A network in which one agent has reported; its session is copied later.
    async fn audience(&self) -> Result<Network, Failure> {
        let network = self.network("audience", &["listener", "speaker"]).await?;
        let listener = &network.agents[0];
        let report = json!({"resume_id": listener.alias, "alias": listener.alias, "status": "idle"});
        self.account.tool(listener, "report_status", &report).await?;
        Ok(network)
    }

    /// A network with many agents, so that no inbox is full before the flood is over.
    async fn flooded(&self) -> Result<Network, Failure> {
        let aliases: Vec<_> = (0..TOKENS).map(|number| format!("agent-{number}")).collect();
        let aliases: Vec<_> = aliases.iter().map(String::as_str).collect();
        self.network("flooded", &aliases).await
    }

    /// As many networks as the account may have, each with some tasks; how many.
    async fn collect(&self, plan: &Plan) -> Result<usize, Failure> {
        let mut networks = vec![self.account.network_id.clone()];
        while networks.len() < plan.part(NETWORKS) {
            let Some(network) = self.account.make_network(&format!("number {}", networks.len())).await?
            else {
                break;
            };
            networks.push(network);
        }
        for network in &networks {
            let sender = self.account.mint(network, "sender").await?;
            let worker = self.account.mint(network, "worker").await?;
            for _ in 0..TASKS_PER_NETWORK {
                self.account.send(&sender, &worker, TASK).await?;
            }
        }
        Ok(networks.len())
    }

    fn search(&self, connections: usize, Network { network_id, .. }: &Network) -> Attack {
        let paths = [COMMON_WORD, MISSING_WORD]
            .map(|word| format!("/api/tasks?network_id={network_id}&limit=200&view=row&text={word}"));
        Attack::repeated(connections, self.gets(&paths))
    }

    fn list_over_a2a(&self, connections: usize, Network { network_id, agents }: &Network) -> Attack {
        let path = format!("/a2a/{network_id}/{}?A2A-Version=1.0", agents[1].alias);
        let params = json!({"pageSize": 100, "historyLength": 100, "includeArtifacts": true});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": params});
        let list = |token: &String| request(&self.address, "POST", &path, Some(token), &body);
        Attack::repeated(connections, self.tokens.iter().map(list).collect())
    }

    fn export(&self, connections: usize, Network { network_id, .. }: &Network) -> Attack {
        let paths =
            ["bundle", "side-file"].map(|what| format!("/api/evidence/{what}?network_id={network_id}"));
        Attack::repeated(connections, self.gets(&paths))
    }

    fn list_everything(&self, connections: usize) -> Attack {
        let paths = [
            "/api/tasks?limit=200".to_owned(),
            "/api/stats".to_owned(),
            format!("/api/tasks?text={MISSING_WORD}"),
            "/api/status".to_owned(),
            "/api/messages".to_owned(),
        ];
        Attack::repeated(connections, self.gets(&paths))
    }

    fn broadcast(&self, connections: usize, Network { network_id, .. }: &Network) -> Attack {
        let body = json!({"network_id": network_id, "message": "x".repeat(BROADCAST_CHARS)});
        let broadcast = |token: &String| request(&self.address, "POST", "/api/broadcast", Some(token), &body);
        Attack::repeated(connections, self.tokens.iter().map(broadcast).collect())
    }

    fn flood(&self, connections: usize, Network { agents, .. }: &Network) -> Attack {
        // Each agent sends to the next.
        let to = agents.iter().cycle().skip(1);
        let send = |(from, to): (&Agent, &Agent)| {
            let body = json!({"alias": to.alias, "task": TASK});
            request(&self.address, "POST", "/api/task", Some(&from.token), &body)
        };
        Attack::repeated(connections, agents.iter().zip(to).map(send).collect())
    }

    fn delete(&self, Network { network_id, .. }: &Network) -> Attack {
        let path = format!("/api/networks/{network_id}");
        Attack::single(request(&self.address, "DELETE", &path, Some(&self.account.token), &json!({})))
    }

    /// Each path with each token.
    fn gets(&self, paths: &[String]) -> Vec<Vec<u8>> {
        let of_token = |token: &String| {
            let get = |path: &String| request(&self.address, "GET", path, Some(token), &json!({}));
            paths.iter().map(get).collect::<Vec<_>>()
        };
        self.tokens.iter().flat_map(of_token).collect()
    }
}
