//! Prompts: ways to use the tools that people pick by name in their client.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

const DELEGATE: &str = "delegate";
const TRIAGE: &str = "triage-inbox";

/// All of them.
pub(super) fn listed() -> Vec<Prompt> {
    let argument = |name: &str, description: &str, is_required: bool| {
        PromptArgument::new(name).with_description(description).with_required(is_required)
    };
    let of_delegate = vec![
        argument("task", "What is to be done", true),
        argument("agent", "The alias of the agent; without it the model picks one", false),
    ];
    vec![
        Prompt::new(
            DELEGATE,
            Some("Send a task to another agent and bring back its result"),
            Some(of_delegate),
        )
        .with_title("Delegate a task"),
        Prompt::new(TRIAGE, Some("Go through the inbox and settle what waits there"), None)
            .with_title("Triage the inbox"),
    ]
}

/// One of them, filled in.
pub(super) fn filled_in(name: &str, arguments: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
    let text = match name {
        DELEGATE => delegate(arguments)?,
        TRIAGE => TRIAGE_TEXT.to_owned(),
        _ => return Err(ErrorData::invalid_params(format!("unknown prompt: {name}"), None)),
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}

fn delegate(arguments: Option<&JsonObject>) -> Result<String, ErrorData> {
    let task = text(arguments, "task")?.ok_or_else(|| ErrorData::invalid_params("task is required", None))?;
    let whom = match text(arguments, "agent")? {
        Some(agent) => format!("Send it to the agent `{agent}`."),
        None => {
            "Choose the agent that suits it best: list_agents says what each can do and what it works on."
                .to_owned()
        }
    };
    Ok(format!("{DELEGATE_TEXT}\n{whom}\n\nThe task:\n{task}"))
}

fn text<'a>(arguments: Option<&'a JsonObject>, name: &str) -> Result<Option<&'a str>, ErrorData> {
    match arguments.and_then(|arguments| arguments.get(name)) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.trim().is_empty())),
        Some(_) => Err(ErrorData::invalid_params(format!("{name} must be a string"), None)),
    }
}

const DELEGATE_TEXT: &str = "Delegate the task below to another agent with Baton's tools. Call send_task with all the agent \
    needs to know, and wait_seconds: 50. If the task has not ended then, call wait_for_task until it has. If its status is \
    waiting_input, read the question with get_task and answer it with answer_task; ask me if you cannot. Then tell me the \
    result, and say so if the task failed.";

const TRIAGE_TEXT: &str = "Go through my Baton inbox. Call get_inbox, page by page. Replies and messages: tell me in a line each \
    what they say, and acknowledge them with ack_inbox. Tasks: list them by priority with who sent them and what they ask for; \
    start none before I agree, and do not acknowledge them. Questions about tasks I sent (status waiting_input): show me the \
    question, and answer with answer_task when I have decided.";
