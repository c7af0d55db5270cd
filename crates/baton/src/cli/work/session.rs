//! The agent's session: what `baton status` and a sender see of it. It says whether the worker is busy, and it is
//! where the hub keeps the output that a lease's extension carries. Work goes on without one.

use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::channel;
use tokio::time::sleep;

use super::agent::Agent;
use crate::cli::mcp::{Door, Message};

/// The busy state is looked at, and told if it has changed, no more often than this.
const TELL_EVERY: Duration = Duration::from_secs(1);

#[derive(Debug, Deserialize)]
struct Reported {
    ok: bool,
    #[serde(default)]
    error: String,
    #[serde(default)]
    message: String,
}

/// Reports until the worker ends. A report that is refused is said once.
pub(super) async fn show(agent: Arc<Agent>) {
    let door = Door::new(agent.client.clone());
    let (mut told, mut is_refusal_told) = (None, false);
    loop {
        let is_busy = agent.running.count() > 0;
        if told != Some(is_busy) {
            match report(&door, &agent.settings.alias, is_busy).await {
                Ok(()) => told = Some(is_busy),
                Err(words) if !is_refusal_told => {
                    tracing::info!("the agent's status and output are not shown: {words}");
                    is_refusal_told = true;
                }
                Err(_) => {}
            }
        }
        sleep(TELL_EVERY).await;
    }
}

/// One report. A token without an alias speaks as this one from here on.
pub(super) async fn report(door: &Door, alias: &str, is_busy: bool) -> Result<(), String> {
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
    let message = Message::read(call.to_string())?;
    let (tell, mut answers) = channel(1); // one call, one answer
    door.pass(&message, &tell).await;
    read(&answers.try_recv().map_err(|error| error.to_string())?)
}

fn read(answer: &str) -> Result<(), String> {
    let answer: Value = serde_json::from_str(answer).map_err(|error| error.to_string())?;
    let reported = answer.pointer("/result/structuredContent").cloned().unwrap_or_default();
    match serde_json::from_value::<Reported>(reported) {
        Ok(Reported { ok: true, .. }) => Ok(()),
        Ok(refused) => Err(format!("{} ({})", refused.error, refused.message)),
        Err(_) => {
            Err(answer.pointer("/error/message").and_then(Value::as_str).unwrap_or("no answer").to_owned())
        }
    }
}
