// Drives an agent with the official JavaScript client (`@a2a-js/sdk`), one JSON line per step on stdout.
//
// The steps and what they print are the same in every language; `crates/baton/tests/it/clients/` asserts on the lines.
// `client.cjs` says which variables it needs; A2A_RELEASE is the folder in which a file ends the wait of the agent's `hold`
// (see `agent.py`).

const { randomUUID } = require('node:crypto');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { roleToJSON, taskStateToJSON } = require('@a2a-js/sdk');
const { AUTHORIZATION, connect, kindAndState, readCard, request, shown, typeOf } = require('./client.cjs');

const RELEASE = process.env.A2A_RELEASE;
// Names of holds are used once: both bindings' runs may share a folder.
const RUN = randomUUID().slice(0, 8);

function say(step, fields = {}) {
  process.stdout.write(JSON.stringify({ step, ...fields }) + '\n');
}

/** Reads a stream to its end: the kind of its first event, and the states in their order without repetition. */
async function followed(stream, atFirst = () => {}) {
  let first;
  const states = [];
  for await (const event of stream) {
    const [kind, state] = kindAndState(event);
    if (first === undefined) {
      first = kind;
      atFirst();
    }
    if (state && state !== states.at(-1)) states.push(state);
  }
  return { first, states };
}

/** The first event; then the stream is left. */
async function firstOf(stream) {
  const { value } = await stream.next();
  await stream.return();
  return kindAndState(value);
}

const release = (name) => () => writeFileSync(join(RELEASE, name), '');

async function sends(agent) {
  const sent = await agent.sendMessage(request('say hello'));
  say('send', shown(sent));
  const stream = agent.sendMessageStream(request(`hold ${RUN}-stream`));
  say('stream', await followed(stream, release(`${RUN}-stream`)));
  const refined = await agent.sendMessage(request('say again', { contextId: sent.contextId }));
  say('refine', { new: refined.id !== sent.id, ...shown(refined) });
  return sent;
}

async function reads(agent, sent) {
  const got = await agent.getTask({ tenant: '', id: sent.id });
  const bare = await agent.getTask({ tenant: '', id: sent.id, historyLength: 0 });
  const roles = got.history.map((message) => roleToJSON(message.role));
  say('get', { roles, without: bare.history.length, ...shown(got) });
  const tasks = [];
  let [page, pages] = [{ nextPageToken: '' }, 0];
  while (pages === 0 || page.nextPageToken) {
    page = await agent.listTasks({
      tenant: '', contextId: sent.contextId, status: 0, pageSize: 1, pageToken: page.nextPageToken,
    });
    tasks.push(...page.tasks);
    pages += 1;
  }
  const states = tasks.map((task) => taskStateToJSON(task.status.state));
  say('list', { pages, total: page.totalSize, states, oldest: tasks.at(-1).id === sent.id });
}

async function subscribes(agent) {
  const task = await agent.sendMessage(request(`hold ${RUN}-subscribe`, { immediately: true }));
  const left = agent.resubscribeTask({ tenant: '', id: task.id });
  let [first, state] = kindAndState((await left.next()).value);
  while (state !== 'TASK_STATE_WORKING') [, state] = kindAndState((await left.next()).value);
  await left.return();
  say('subscribe', { first, left_at: state });
  // The client keeps no ids of frames; a task's events are numbered from 1.
  const afterFirst = { serviceParameters: { 'Last-Event-ID': '1' } };
  const again = agent.resubscribeTask({ tenant: '', id: task.id }, afterFirst);
  say('resume', await followed(again, release(`${RUN}-subscribe`)));
}

async function cancels(agent) {
  const task = await agent.sendMessage(request(`hold ${RUN}-cancel`, { immediately: true }));
  const cancelled = await agent.cancelTask({ tenant: '', id: task.id, metadata: undefined });
  say('cancel', { same: cancelled.id === task.id, ...shown(cancelled) });
}

async function followsUp(agent) {
  const parked = await agent.sendMessage(request('ask which colour?'));
  say('parked', shown(parked));
  const [, state] = await firstOf(agent.resubscribeTask({ tenant: '', id: parked.id }));
  const elsewhere = { taskId: parked.id, contextId: randomUUID() };
  await refused('mismatching context', () => agent.sendMessage(request('x', elsewhere)));
  // The task is named, its context is not: the server knows it.
  const answered = await agent.sendMessage(request('blue', { taskId: parked.id }));
  const same = answered.id === parked.id && answered.contextId === parked.contextId;
  say('answered', { same, parked_stream: state, ...shown(answered) });
}

async function refused(what, call) {
  try {
    await call();
    say('error', { what, type: null, message: 'it was answered' });
  } catch (error) {
    const reason = error.data?.[0]?.reason;
    say('error', { what, type: typeOf(error), status: error.statusCode ?? error.status, reason, message: error.message });
  }
}

async function refusals(agent, card, sent) {
  const [id, unknown] = [sent.id, randomUUID()];
  await refused('get unknown', () => agent.getTask({ tenant: '', id: unknown }));
  await refused('cancel unknown', () => agent.cancelTask({ tenant: '', id: unknown, metadata: undefined }));
  await refused('send to unknown', () => agent.sendMessage(request('x', { taskId: unknown })));
  await refused('send to ended', () => agent.sendMessage(request('x', { taskId: id })));
  await refused('cancel ended', () => agent.cancelTask({ tenant: '', id, metadata: undefined }));
  await refused('subscribe ended', () => followed(agent.resubscribeTask({ tenant: '', id })));
  await refused('page too large', () => agent.listTasks({ tenant: '', contextId: '', status: 0, pageSize: 1000, pageToken: '' }));
  const other = await connect(card, { ...AUTHORIZATION, 'A2A-Version': '9.9' });
  await refused('version', () => other.getTask({ tenant: '', id }));
  await refused('version of a stream', () => followed(other.sendMessageStream(request('say x'))));
  const stranger = await connect(card, {});
  await refused('no token', () => stranger.getTask({ tenant: '', id }));
  await refused('no token for a stream', () => followed(stranger.sendMessageStream(request('say x'))));
}

async function main() {
  const card = await readCard();
  say('card', {
    name: card.name,
    bindings: card.supportedInterfaces.map((face) => face.protocolBinding).sort(),
    versions: [...new Set(card.supportedInterfaces.map((face) => face.protocolVersion))],
    skills: card.skills.map((skill) => skill.id),
    streaming: card.capabilities.streaming,
  });
  const agent = await connect(card, AUTHORIZATION);
  say('extended card', { name: (await agent.getAgentCard()).name });
  const sent = await sends(agent);
  await reads(agent, sent);
  await subscribes(agent);
  await cancels(agent);
  await followsUp(agent);
  await refusals(agent, card, sent);
  say('done');
}

main();
