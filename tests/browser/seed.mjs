// A lively network for pictures and for the accessibility pass: seven agents, tasks in every state, a conversation,
// a parent with its children. The same each time; `moment` receives how far it has come, from 0 to 1, and may move the
// hub's clock along.

import { tool } from './browser.mjs';

const AGENTS = {
  planner: ['claude-code', '1.0.44', 'Breaks releases into work and hands it on.', [['plan', 'Release planning'], ['triage', 'Triage']]],
  coder: ['claude-code', '1.0.44', 'Writes and mends Rust.', [['rust', 'Rust'], ['review', 'Code review']]],
  tester: ['shell', '0.4.2', 'Runs suites and says what broke.', [['test', 'Test runs'], ['bench', 'Benchmarks']]],
  writer: ['codex', '0.21.0', 'Release notes and handbooks.', [['docs', 'Documentation']]],
  translator: ['codex', '0.21.0', 'German and French.', [['de', 'German'], ['fr', 'French']]],
  deployer: ['shell', '0.4.2', 'Moves builds to staging and on.', [['deploy', 'Deployment']]],
  oncall: ['claude-code', '1.0.44', 'Watches alerts at night.', [['incident', 'Incidents']]],
};
const WORK = {
  planner: ['Plan the 1.4 release', 'What is left for the beta?', 'Order the open bugs by harm'],
  coder: ['Fix the flaky login test on main', 'Review the diff of branch fast-claims', 'Add an index for the inbox query', 'Make the retry wait longer each time'],
  tester: ['Run the suite on the release branch', 'Compare today’s benchmark with last week’s', 'Which tests are slower than a second?'],
  writer: ['Write the release notes for 1.4', 'Shorten the installation page', 'Describe the new leases'],
  translator: ['Translate the release notes into German', 'Translate the release notes into French'],
  deployer: ['Deploy 1.4.0-rc2 to staging', 'Roll staging back to 1.3.9'],
  oncall: ['Why did the nightly build fail?', 'Summarise last night’s alerts'],
};
const PAIRS = [[null, 'planner', 2], ['planner', 'coder', 6], ['planner', 'tester', 3], ['coder', 'tester', 5], ['planner', 'writer', 3],
  ['writer', 'translator', 4], ['coder', 'deployer', 2], ['oncall', 'coder', 2], [null, 'oncall', 1], ['tester', 'coder', 2]];
const ANSWERS = ['Done. The test waited for a port that was taken; it now asks for port 0.', 'All 812 tests pass, in 41 s.',
  'Three things changed that users will notice: leases, quieter retries, and the new export.', 'Looks right to me. One name could be clearer: `left` means two things.'];

function dice(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/// Fills a network; `rest` gives a client for a token. Gives the ids worth showing.
export async function seed({ base, rest, token, network, waves, moment = async () => {} }) {
  const user = rest(token);
  const roll = dice(7);
  const pick = (list) => list[Math.floor(roll() * list.length)];
  const keys = {};
  for (const alias of Object.keys(AGENTS)) keys[alias] = (await user.post('/api/auth/node-token', { network_id: network, node_name: alias })).token;
  const by = Object.fromEntries(Object.entries(keys).map(([alias, key]) => [alias, rest(key)]));
  const report = (alias, more) => {
    const [agent, version, description, skills] = AGENTS[alias];
    return tool(base, keys[alias], 'report_status', {
      resume_id: alias, alias, status: 'idle', agent, version, description, hostname: `build-${1 + (alias.length % 3)}`,
      skills: skills.map(([id, name]) => ({ id, name, description: `${name}.`, tags: [id] })), ...more });
  };
  for (const alias of Object.keys(AGENTS)) await report(alias);
  const send = async (from, to, task, more = {}) => {
    const body = { alias: to, task, ttl_seconds: 7200, ...(!from && { network_id: network }), ...more };
    return (await (from ? by[from] : user).post('/api/task', body)).task_id;
  };
  const claim = (alias) => by[alias].post('/api/claim', { lease_seconds: 3600 });
  const end = (alias, { task, lease_id }, text, status = 'replied') => by[alias].post(`/api/tasks/${task.task_id}/reply`, { text, status, lease_id });
  const work = async (alias) => {
    const claimed = await claim(alias);
    if (!claimed.task) return;
    if (roll() < 0.9) await end(alias, claimed, pick(ANSWERS));
    else await end(alias, claimed, 'error[E0502]: cannot borrow `inbox` as mutable\n  --> src/inbox.rs:88:9', 'failed');
  };

  await moment(0);
  await send(null, 'oncall', 'Look at the disk alert of build-2', { ttl_seconds: 600 });
  const weighted = PAIRS.flatMap(([from, to, weight]) => Array.from({ length: weight }, () => [from, to]));
  for (let wave = 0; wave < waves; wave += 1) {
    await moment(wave / waves);
    const several = 1 + Math.floor(3 * roll() + 2 * Math.sin(wave / 6) ** 2);
    const recipients = [];
    for (let i = 0; i < several; i += 1) {
      const [from, to] = pick(weighted);
      const id = await send(from, to, pick(WORK[to]));
      if (roll() < 0.06) await user.post(`/api/tasks/${id}/cancel`, { reason: 'no longer needed' });
      else if (to !== 'oncall') recipients.push(to);
    }
    await moment((wave + 0.1 + 0.5 * roll()) / waves);
    for (const alias of recipients) await work(alias);
  }
  await moment(1);
  return finish({ user, send, claim, end, report, by });
}

/// What is continuing when one looks: something in every open state, and a family.
async function finish({ user, send, claim, end, report, by }) {
  // Takes up one task; what lies before it in the inbox is done first.
  const take = async (alias, id) => {
    for (;;) {
      const claimed = await claim(alias);
      if (claimed.task.task_id === id) return claimed;
      await end(alias, claimed, 'Done.');
    }
  };
  const parent = await send(null, 'planner', 'Release 1.4\n\nNotes, a green suite, and a build on staging. Say when something is in the way.', { priority: 'high' });
  const plan = await take('planner', parent);
  const child = (to, task) => send('planner', to, task, { parent_task_id: parent });
  const suite = await child('tester', 'Run the suite on release-1.4');
  await end('tester', await take('tester', suite), 'All 812 tests pass, in 41 s.');
  const notes = await child('writer', 'Write the notes for 1.4');
  const { lease_id } = await take('writer', notes);
  await by.writer.post(`/api/tasks/${notes}/ask`, { question: 'Should the notes name the two contributors who found the lease fault?', lease_id });
  await by.planner.post(`/api/tasks/${notes}/answer`, { text: 'Yes, both, in the order of their reports.' });
  await take('writer', notes);
  await report('writer', { status: 'working', task: notes, progress: 30 });
  await child('deployer', 'Put the build on staging');
  const said = { progress: 60, output: 'suite: green\nnotes: being written\nstaging: waiting for the deployer' };
  await by.planner.post(`/api/leases/${plan.lease_id}/extend`, said);
  await report('planner', { status: 'working', task: parent, ...said });

  const waiting = await send(null, 'translator', 'Translate the handbook');
  const handbook = await take('translator', waiting);
  await by.translator.post(`/api/tasks/${waiting}/ask`, { question: 'Formal or familiar German?', lease_id: handbook.lease_id });
  const failed = await send(null, 'coder', 'Bump rusqlite and run the tests');
  await end('coder', await take('coder', failed), 'error: failed to select a version for `libsqlite3-sys`', 'failed');
  const acked = await send(null, 'deployer', 'Deploy 1.4.0 on Thursday, not before');
  await by.deployer.post(`/api/tasks/${acked}/ack`);
  const cancelled = await send(null, 'writer', 'Announce 1.4 today');
  await user.post(`/api/tasks/${cancelled}/cancel`, { reason: 'the date moved to Thursday' });
  return { parent, suite, notes, waiting, failed, acked, cancelled };
}
