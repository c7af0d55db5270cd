//! What an agent asks the sender of its task: the text, the answers it offers, and how long it waits. With the kinds of
//! messages that a conversation consists of.

use crate::bounded::{InputTtlSeconds, MessageText};
use crate::ids::LeaseId;
use crate::limits;
use crate::refusal::Refusal;
use crate::wire::wire_words;

wire_words!(
    /// What a message on a task is to the conversation.
    MessageKind {
        /// The agent asks its sender.
        Question = "question",
        /// The sender answers the question that waits.
        Answer = "answer",
        /// The sender says something that was not asked for.
        Message = "message",
    }
);

/// A message on a task between its text and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskMessage {
    /// The agent asks its sender.
    Question(Question),
    /// The sender answers the question that waits.
    Answer(String),
    /// The sender says something that was not asked for.
    Message(String),
}

impl TaskMessage {
    /// What it is to the conversation.
    pub const fn kind(&self) -> MessageKind {
        match self {
            Self::Question(_) => MessageKind::Question,
            Self::Answer(_) => MessageKind::Answer,
            Self::Message(_) => MessageKind::Message,
        }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        match self {
            Self::Question(question) => question.text.as_str(),
            Self::Answer(text) | Self::Message(text) => text,
        }
    }
}

/// A question to the sender of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What the agent wants to know.
    pub text: MessageText,
    /// Which answers it takes, and how long it waits.
    pub terms: QuestionTerms,
}

/// What becomes of the lease that its worker names with a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionLease {
    /// The worker names none.
    NoLease,
    /// It ends with the question.
    Ending(LeaseId),
    /// The worker waits for the answer under it.
    Kept(LeaseId),
}

impl QuestionLease {
    /// The lease that is named.
    pub const fn lease_id(&self) -> Option<&LeaseId> {
        match self {
            Self::NoLease => None,
            Self::Ending(lease_id) | Self::Kept(lease_id) => Some(lease_id),
        }
    }
}

/// Which answers a question takes, and how long it waits for one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionTerms {
    /// The answers it takes; any, if it names none.
    pub options: QuestionOptions,
    /// How long it waits.
    pub input_ttl: InputTtlSeconds,
    /// Whether its sender has to authenticate somewhere before the work can continue.
    pub auth_required: bool,
}

/// The answers a question takes; one without options takes any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionOptions(Vec<String>);

impl QuestionOptions {
    /// Takes the options of a question, or says which rule they break.
    pub fn parse(options: Vec<String>) -> Result<Self, Refusal> {
        let (count, chars) = (limits::OPTIONS_MAX_COUNT, limits::OPTION_MAX_CHARS);
        if options.len() > count {
            return Err(Refusal::invalid("options", format!("must be at most {count}")));
        }
        for (at, option) in options.iter().enumerate() {
            let is_plain = option.trim() == option && !option.chars().any(char::is_control);
            if option.is_empty() || option.chars().nth(chars).is_some() || !is_plain {
                let rule = format!(
                    "must each be 1 to {chars} characters, without control characters or space at either end"
                );
                return Err(Refusal::invalid("options", rule));
            }
            if options[..at].contains(option) {
                return Err(Refusal::invalid(
                    "options",
                    format!("must differ, and {option:?} appears twice"),
                ));
            }
        }
        Ok(Self(options))
    }

    /// The options, in the order the agent named them.
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// Refuses an answer that is none of them.
    pub(crate) fn check(&self, answer: &MessageText) -> Result<(), Refusal> {
        let is_offered = self.0.is_empty() || self.0.iter().any(|option| option == answer.as_str());
        if is_offered { Ok(()) } else { Err(Refusal::NotAnOption { options: self.0.clone() }) }
    }
}
