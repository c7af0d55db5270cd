// Sends messages with the official JavaScript client (`@a2a-js/sdk`), as it is told on stdin, and prints what came of each.
//
// A line in is a message: {"text", "task" (the id of the task it is about, or empty), "watch" (by a stream)}. A line out is
// what the client saw: {"id", "states", "words", "options"}, or {"error", "message"}. The same in every language;
// `crates/baton/tests/it/clients/conversation.rs` has the conversation. `client.cjs` says which variables it needs.

const { createInterface } = require('node:readline');
const { taskStateToJSON } = require('@a2a-js/sdk');
const { AUTHORIZATION, connect, readCard, request, said, typeOf } = require('./client.cjs');

function seen(id, states, message, artifacts) {
  return { id, states, words: said(message, artifacts), options: message?.metadata?.options ?? [] };
}

async function send(agent, text, taskId) {
  const { id, status, artifacts } = await agent.sendMessage(request(text, { taskId }));
  return seen(id, [taskStateToJSON(status.state)], status.message, artifacts);
}

async function watch(agent, text, taskId) {
  let [id, status] = [taskId, undefined];
  const [states, artifacts] = [[], []];
  for await (const event of agent.sendMessageStream(request(text, { taskId }))) {
    const { $case: kind, value } = event.payload;
    if (kind === 'artifactUpdate') {
      artifacts.push(value.artifact);
      continue;
    }
    if (kind === 'task') {
      id = value.id;
      artifacts.push(...value.artifacts);
    }
    status = value.status;
    states.push(taskStateToJSON(status.state));
  }
  return seen(id, states, status.message, artifacts);
}

async function main() {
  const agent = await connect(await readCard(), AUTHORIZATION);
  for await (const line of createInterface({ input: process.stdin })) {
    const order = JSON.parse(line);
    const call = order.watch ? watch : send;
    const saw = await call(agent, order.text, order.task).catch((error) => {
      return { error: typeOf(error), message: error.message };
    });
    process.stdout.write(JSON.stringify(saw) + '\n');
  }
}

main();
