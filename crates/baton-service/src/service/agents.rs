//! A network's agents at a glance: every alias that is there or was recently, what it works on, what waits for it and how it
//! did. Figures come from the counters of the work graph, so no walk over tasks is needed.

mod figures;
mod view;

use baton_core::access::TaskReach;
use baton_core::{Alias, Caller, NetworkId, TokenScope, limits};
use baton_store::rows::PageBounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::network_ref::VisibleNetworks;
use super::stamp::Stamp;
use super::{Error, page};
use crate::hub::Hub;
use view::{AgentView, Detail, Network};

/// Which agents.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Args {
    /// The network; all of yours by default
    network_id: Option<String>,
    /// 100 by default
    #[schemars(range(min = 1, max = limits::AGENT_PAGE_MAX))]
    limit: Option<i64>,
    /// next_cursor of the page before
    cursor: Option<String>,
}

/// The query of `GET /api/agents`.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    pub network_id: Option<String>,
    /// 100 by default; a page may be shorter and still have a next one
    #[param(value_type = Option<u32>)]
    pub limit: Option<String>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
    /// `row` leaves out description, skills, workers and session
    #[param(pattern = "^row$")]
    pub view: Option<String>,
}

impl QueryArgs {
    /// All agents of a network, or of all of the caller's.
    pub fn of(network_id: Option<String>) -> Self {
        Self { network_id, limit: Some(limits::AGENT_PAGE_MAX.to_string()), ..Self::default() }
    }
}

/// A page of agents by network and alias.
#[derive(Debug, Serialize, ToSchema)]
pub struct Agents {
    ok: bool,
    agents: Vec<AgentView>,
    next_cursor: Option<String>,
}

/// The name of the list in its cursors.
const AGENTS: &str = "agents";

type AgentPosition = (NetworkId, Alias);

/// Agents, for the tool.
pub async fn run(hub: &Hub, caller: &Caller, args: Args) -> Result<Agents, Error> {
    let limit = page::limit(args.limit, limits::AGENT_PAGE_DEFAULT, limits::AGENT_PAGE_MAX)?;
    list(hub, caller, (args.network_id, args.cursor), Detail::Whole, PageBounds::of_tool(limit)).await
}

/// Agents, for `GET /api/agents`.
pub async fn run_on_query(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Agents, Error> {
    let (default, most) = (limits::AGENT_PAGE_DEFAULT, limits::AGENT_PAGE_MAX);
    let limit = page::limit_text(args.limit.as_deref(), default, most)?;
    let detail = match args.view.as_deref() {
        None | Some("") => Detail::Whole,
        Some("row") => Detail::Row,
        Some(_) => return Err(Error::argument("view", "must be row")),
    };
    list(hub, caller, (args.network_id, args.cursor), detail, PageBounds::rows(limit)).await
}

async fn list(
    hub: &Hub,
    caller: &Caller,
    (network_id, cursor): (Option<String>, Option<String>),
    detail: Detail,
    bounds: PageBounds,
) -> Result<Agents, Error> {
    let cursors = page::cursors(hub, caller, AGENTS);
    let after: Option<AgentPosition> = cursors.open(cursor.as_deref())?;
    let stamp = Stamp::new(hub);
    let asker = caller.clone();
    let (reach, page) = hub
        .store_for(caller)
        .read(move |rows| -> Result<_, Error> {
            let reach = VisibleNetworks::of_status(rows, &asker, network_id.as_deref())?;
            let mut page = AgentPage::new(bounds, after.clone());
            let tasks = task_reach(&asker);
            page.fill(&reach, |network| Network::new(rows, &stamp, network, tasks.as_ref(), detail))?;
            Ok((reach, page))
        })
        .await?;
    reach.write_down(hub, caller, AGENTS).await?;
    let next_cursor = cursors.next(page.last.filter(|_| page.is_full));
    Ok(Agents { ok: true, agents: page.agents, next_cursor })
}

/// Whose tasks the caller sees; a token that is nobody yet sees who is there, and no task.
fn task_reach(caller: &Caller) -> Option<TaskReach> {
    match caller {
        Caller::User(_) => Some(TaskReach::Network),
        Caller::Node(node) => node.alias.clone().map(|alias| match node.scope {
            TokenScope::Coordinator => TaskReach::Network,
            TokenScope::Node => TaskReach::Own(alias),
        }),
    }
}

/// A page while it is read.
struct AgentPage {
    bounds: PageBounds,
    bytes: usize,
    examined: usize,
    agents: Vec<AgentView>,
    /// The last alias that was looked at, shown or not: the next page begins after it.
    last: Option<AgentPosition>,
    is_full: bool,
}

impl AgentPage {
    fn new(bounds: PageBounds, after: Option<AgentPosition>) -> Self {
        Self { bounds, bytes: 0, examined: 0, agents: Vec::new(), last: after, is_full: false }
    }

    /// Reads agents of the networks, in the order of their ids, until the page is full.
    fn fill<'a>(
        &mut self,
        reach: &'a VisibleNetworks,
        look_into: impl Fn(&'a NetworkId) -> Network<'a>,
    ) -> Result<(), Error> {
        let mut networks: Vec<&NetworkId> = reach.networks.iter().map(|(network, _)| network).collect();
        networks.sort_unstable_by_key(|network| network.as_str());
        for id in networks {
            let after = match &self.last {
                Some((last, _)) if last.as_str() > id.as_str() => continue,
                Some((last, alias)) if last == id => Some(alias.clone()),
                _ => None,
            };
            self.fill_from(&look_into(id), after)?;
            if self.is_full {
                break;
            }
        }
        Ok(())
    }

    fn fill_from(&mut self, network: &Network<'_>, mut after: Option<Alias>) -> Result<(), Error> {
        loop {
            let aliases = network.rows.agents(network.id, after.as_ref(), limits::OTHER_PAGE_MAX)?;
            let is_last = aliases.len() < limits::OTHER_PAGE_MAX;
            after = aliases.last().map(|last| last.alias.clone());
            for row in aliases {
                self.examined += 1;
                let alias = row.alias.clone();
                if let Some(agent) = network.agent(row)?
                    && !self.add(agent)
                {
                    return Ok(());
                }
                self.last = Some((network.id.clone(), alias));
                if self.examined >= limits::AGENT_EXAMINED_COUNT {
                    self.is_full = true;
                    return Ok(());
                }
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Adds an agent; false if the page was full without it.
    fn add(&mut self, agent: AgentView) -> bool {
        self.bytes += agent.bytes();
        let is_too_large = self.bytes > self.bounds.bytes && !self.agents.is_empty();
        self.is_full = is_too_large || self.agents.len() >= self.bounds.rows;
        if !self.is_full {
            self.agents.push(agent);
        }
        !self.is_full
    }
}
