//! Lives through NATS JetStream: a stream of tasks with a durable pull consumer for each worker, a stream of answers
//! with a consumer for each sender. Files, synced always; every publish waits for its acknowledgement, and a task is
//! acknowledged, with the server's confirmation, once its answer is stored. Both streams keep what they had.

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::stream::{Config, Stream};
use async_nats::jetstream::{self, Context, Message};
use futures_util::StreamExt;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

use super::{Alive, RESULT, TASK, repeat};
use crate::failure::{Failure, during};
use crate::server::nats::Nats as Server;
use crate::tally::{Tally, together};
use crate::trouble::Trouble;

pub(super) const NAME: &str = crate::server::nats::NAME;
const ACK: &[u8] = b"+ACK";

/// The server with its two streams.
pub(super) struct Nats {
    server: Server,
    _folder: TempDir,
}

impl Nats {
    pub(super) async fn start(binary: &Path, scratch: &Path) -> Result<Self, Failure> {
        let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
        let server = Server::start(binary, folder.path())?;
        let context = connect(&server).await?;
        for (name, subjects) in [("TASKS", "task.*"), ("ANSWERS", "answer.*")] {
            let config = Config { name: name.into(), subjects: vec![subjects.into()], ..Default::default() };
            context.create_stream(config).await.map_err(Failure::of(NAME))?;
        }
        Ok(Self { server, _folder: folder })
    }

    pub(super) async fn lives(&self, clients: usize, length: Duration) -> Result<Tally, Failure> {
        let mut lives = Vec::with_capacity(clients);
        for number in 0..clients {
            lives.push(repeat(Client::open(&self.server, number).await?, length));
        }
        Ok(together(lives).await)
    }
}

async fn connect(server: &Server) -> Result<Context, Failure> {
    let client = async_nats::connect(&server.url).await.map_err(Failure::of(NAME))?;
    Ok(jetstream::new(client))
}

/// One client: a sender and its worker, on one connection.
struct Client {
    context: Context,
    task: String,
    answer: String,
    tasks: pull::Stream,
    answers: pull::Stream,
}

impl Client {
    async fn open(server: &Server, number: usize) -> Result<Self, Failure> {
        let context = connect(server).await?;
        let (task, answer) = (format!("task.{number}"), format!("answer.{number}"));
        let failed = Failure::of(NAME);
        let tasks = context.get_stream("TASKS").await.map_err(Failure::of(NAME))?;
        let answers = context.get_stream("ANSWERS").await.map_err(Failure::of(NAME))?;
        let worker = consumer(&tasks, format!("worker-{number}"), &task, AckPolicy::Explicit).await?;
        let sender = consumer(&answers, format!("sender-{number}"), &answer, AckPolicy::None).await?;
        Ok(Self {
            tasks: worker.messages().await.map_err(&failed)?,
            answers: sender.messages().await.map_err(&failed)?,
            context,
            task,
            answer,
        })
    }

    async fn publish(&self, subject: String, text: &'static str) -> Result<(), Trouble> {
        let stored = self.context.publish(subject, text.into()).await.map_err(during("a publish"))?;
        stored.await.map_err(during("a publish"))?;
        Ok(())
    }

    /// What `double_ack` does, by the connection's one inbox instead of a new subscription for each message.
    async fn confirm(&self, task: &Message) -> Result<(), Trouble> {
        let wrong = || Trouble::Unexpected { call: "an ack", body: "a task without a reply subject".into() };
        let subject = task.reply.clone().ok_or_else(wrong)?;
        self.context.client().request(subject, ACK.into()).await.map_err(during("an ack"))?;
        Ok(())
    }
}

impl Alive for Client {
    async fn live(&mut self) -> Result<(), Trouble> {
        self.publish(self.task.clone(), TASK).await?;
        let task = next("a claim", &mut self.tasks).await?;
        self.publish(self.answer.clone(), RESULT).await?;
        self.confirm(&task).await?;
        let answer = next("a look", &mut self.answers).await?;
        if answer.payload == RESULT {
            return Ok(());
        }
        let body = String::from_utf8_lossy(&answer.payload).into_owned();
        Err(Trouble::Unexpected { call: "a look", body })
    }
}

async fn consumer(
    stream: &Stream,
    name: String,
    subject: &str,
    ack: AckPolicy,
) -> Result<PullConsumer, Failure> {
    let config = pull::Config {
        durable_name: Some(name.clone()),
        filter_subject: subject.to_owned(),
        ack_policy: ack,
        ..Default::default()
    };
    stream.get_or_create_consumer(&name, config).await.map_err(Failure::of(NAME))
}

async fn next(call: &'static str, messages: &mut pull::Stream) -> Result<Message, Trouble> {
    let ended = || Trouble::Unexpected { call, body: "the messages ended".into() };
    messages.next().await.ok_or_else(ended)?.map_err(during(call))
}
