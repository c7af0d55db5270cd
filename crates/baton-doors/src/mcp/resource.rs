//! What a client can read and watch beside calling tools: a task, the caller's inbox, the agents. A resource is what the REST
//! call of the same name answers, as JSON; for a user of several networks `?network_id=` names one.

use baton_core::{Refusal, TaskId};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde::Serialize;
use serde_json::json;

use super::answer;
use super::tool::ToolCaller;
use crate::hub::Hub;
use crate::hub::in_flight::Cost;
use crate::rest::ErrorBody;
use crate::service::get_task::TaskOrNotFound;
use crate::service::watched::Watchable;
use crate::service::{Error, agents, get_task, inbox};

const SCHEME: &str = "baton://";
const JSON: &str = "application/json";

/// Those that need no id.
pub(super) fn listed() -> Vec<Resource> {
    vec![
        Resource::new("baton://inbox", "inbox")
            .with_title("Your inbox")
            .with_description(
                "Open deliveries to you: tasks, messages, replies, broadcasts. Most urgent first.",
            )
            .with_mime_type(JSON),
        Resource::new("baton://agents", "agents")
            .with_title("Agents")
            .with_description("The agents of your networks: what each works on and what waits for it.")
            .with_mime_type(JSON),
    ]
}

/// Those that need one.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, title: &str, description: &str| {
        ResourceTemplate::new(uri, name).with_title(title).with_description(description).with_mime_type(JSON)
    };
    vec![
        template("baton://task/{id}", "task", "A task", "One task: status, result, times, messages."),
        template(
            "baton://inbox{?network_id}",
            "inbox-of-network",
            "Your inbox in a network",
            "Open deliveries to you in one of your networks.",
        ),
        template(
            "baton://agents{?network_id}",
            "agents-of-network",
            "Agents of a network",
            "The agents of one of your networks.",
        ),
    ]
}

/// What a URI names; none if it is none of ours.
pub(super) fn parse(uri: &str) -> Option<Watchable> {
    let path = uri.strip_prefix(SCHEME)?;
    if let Some(id) = path.strip_prefix("task/") {
        return TaskId::parse(id).map(Watchable::Task);
    }
    let (path, network_id) = match path.split_once('?') {
        Some((path, query)) => (path, Some(query.strip_prefix("network_id=")?.to_owned())),
        None => (path, None),
    };
    match path {
        "inbox" => Some(Watchable::Inbox { network_id }),
        "agents" => Some(Watchable::Agents { network_id }),
        _ => None,
    }
}

/// How much of the hub's memory it may need, reserved before it is read; a task reserves it itself.
pub(super) fn cost(uri: &str) -> Option<Cost> {
    match parse(uri) {
        Some(Watchable::Inbox { .. } | Watchable::Agents { .. }) => Some(Cost::ToolList),
        Some(Watchable::Task(_)) | None => None,
    }
}

/// Reads one. What is out of the caller's sight is not there.
pub(super) async fn read(hub: &Hub, who: &ToolCaller, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let found = match parse(uri).ok_or_else(|| not_found(uri))? {
        Watchable::Task(id) => {
            let args = get_task::Args::of(id.to_string());
            match get_task::run_as_tool(hub, &who.caller, args, &who.share, &who.progress).await {
                Ok(TaskOrNotFound::NotFound { .. }) => return Err(not_found(uri)),
                found => printed(found),
            }
        }
        Watchable::Inbox { network_id } => {
            let args = inbox::QueryArgs { network_id, ..Default::default() };
            printed(inbox::read_own(hub, &who.caller, args).await)
        }
        Watchable::Agents { network_id } => {
            let args = agents::QueryArgs { network_id, ..Default::default() };
            printed(agents::run_on_query(hub, &who.caller, args).await)
        }
    };
    let text = found.map_err(|error| failed(uri, &error))?;
    let contents = ResourceContents::text(text, uri).with_mime_type(JSON);
    Ok(ReadResourceResult::new(vec![contents]))
}

fn printed<T: Serialize>(outcome: Result<T, Error>) -> Result<String, Error> {
    outcome.and_then(|answer| {
        serde_json::to_string(&answer).map_err(|error| baton_store::Error::Corrupt(error.to_string()).into())
    })
}

fn not_found(uri: &str) -> ErrorData {
    ErrorData::resource_not_found("resource not found", Some(json!({ "uri": uri })))
}

/// A resource has no place for `ok:false`: a refusal is a JSON-RPC error with the same body as its data.
pub(super) fn failed(uri: &str, error: &Error) -> ErrorData {
    answer::note(error);
    let data = serde_json::to_value(ErrorBody::of(error)).ok();
    match error {
        Error::Refused(Refusal::TaskNotFound | Refusal::NetworkNotFound) => not_found(uri),
        Error::Argument { .. } | Error::Refused(_) => ErrorData::invalid_params(error.to_string(), data),
        Error::Store(_) => ErrorData::internal_error("the hub cannot read it now", data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_a_task_an_inbox_or_agents_and_nothing_else() {
        let id = "019a8f10-0000-7000-8000-000000000001";
        assert_eq!(parse(&format!("baton://task/{id}")), TaskId::parse(id).map(Watchable::Task));
        let network_id = Some("net_000000000001".to_owned());
        assert_eq!(parse("baton://inbox"), Some(Watchable::Inbox { network_id: None }));
        assert_eq!(
            parse("baton://agents?network_id=net_000000000001"),
            Some(Watchable::Agents { network_id })
        );
        for other in ["baton://task/x", "baton://inbox?x=1", "baton://", "file:///etc/passwd", "inbox", ""] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
