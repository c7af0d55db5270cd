//! The agent's session: broadcasts reach it, and it is where the hub keeps the output that a lease's extension carries. An alias
//! has one, whoever reports first; a further worker continues without, and is seen by its own row (`registration.rs`).

use baton_core::limits;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc::channel;
use tokio::time::timeout;

use super::agent::{Agent, Ended};
use crate::cli::mcp::{Door, Message};

#[derive(Debug, Deserialize)]
struct SessionReport {
    ok: bool,
    #[serde(default)]
    error: String,
    #[serde(default)]
    message: String,
}

/// Why a report was not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReportError {
    /// Another worker of the agent has its session.
    #[error("{0}")]
    InUse(String),
    #[error("{0}")]
    Other(String),
}

/// Reports until the worker ends, and once more then: its last word is not that it works. A refused report
/// is logged once; none is logged where another worker of the alias has the session.
pub(super) async fn show(agent: Arc<Agent>, ended: Ended) {
    let door = Door::new(agent.client.clone());
    let (mut told, mut is_refusal_told, mut is_last) = (None, false, false);
    loop {
        // At the end no command runs, though what kept its lease may still be on its way out.
        let is_busy = !is_last && agent.running.count() > 0;
        if told != Some(is_busy) {
            match report(&door, &agent.settings.alias, is_busy).await {
                Ok(()) => told = Some(is_busy),
                Err(ReportError::Other(words)) if !is_refusal_told => {
                    tracing::info!("the agent's output is not shown: {words}");
                    is_refusal_told = true;
                }
                Err(unreported) => tracing::debug!("the session was not reported: {unreported}"),
            }
        }
        if is_last {
            return;
        }
        is_last = timeout(limits::BUSY_REPORTED_EVERY, ended.clone()).await.is_ok();
    }
}

/// One report. A token without an alias speaks as this one from here on.
pub(super) async fn report(door: &Door, alias: &str, is_busy: bool) -> Result<(), ReportError> {
    let arguments = json!({
        "resume_id": format!("baton-work-{alias}"),
        "alias": alias,
        "status": if is_busy { "working" } else { "idle" },
        "agent": "baton work",
        "version": env!("CARGO_PKG_VERSION"),
        "hostname": rustix::system::uname().nodename().to_string_lossy(),
        "project_dir": std::env::current_dir().ok().map(|folder| folder.display().to_string()),
    });
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "report_status", "arguments": arguments},
    });
    let message = Message::read(call.to_string()).map_err(ReportError::Other)?;
    let (tell, mut answers) = channel(1); // one call, one answer
    door.pass(&message, &tell).await;
    read(&answers.try_recv().map_err(|error| ReportError::Other(error.to_string()))?)
}

fn read(answer: &str) -> Result<(), ReportError> {
    let answer: Value =
        serde_json::from_str(answer).map_err(|error| ReportError::Other(error.to_string()))?;
    let reported = answer.pointer("/result/structuredContent").cloned().unwrap_or_default();
    match serde_json::from_value::<SessionReport>(reported) {
        Ok(SessionReport { ok: true, .. }) => Ok(()),
        Ok(refused) => {
            let words = format!("{} ({})", refused.error, refused.message);
            Err(if refused.error == "alias_in_use" {
                ReportError::InUse(words)
            } else {
                ReportError::Other(words)
            })
        }
        Err(_) => {
            let words = answer.pointer("/error/message").and_then(Value::as_str).unwrap_or("no answer");
            Err(ReportError::Other(words.to_owned()))
        }
    }
}
