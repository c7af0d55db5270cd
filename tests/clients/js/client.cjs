// What the scripts share: the official JavaScript client (`@a2a-js/sdk`) of one agent, and what is printed of its answers.
//
// A2A_BASE is the agent's base, A2A_TOKEN a token and A2A_BINDING a binding's name. NODE_PATH says where the client is
// installed.

const { randomUUID } = require('node:crypto');
const { Role, taskStateToJSON } = require('@a2a-js/sdk');
const client = require('@a2a-js/sdk/client');
const { GrpcTransportFactory } = require('@a2a-js/sdk/client/grpc');
const errors = require('@a2a-js/sdk/errors');

const { A2A_BASE: BASE, A2A_TOKEN: TOKEN, A2A_BINDING: BINDING } = process.env;
const AUTHORIZATION = { Authorization: `Bearer ${TOKEN}` };
const TYPES = Object.entries(errors).filter(([name]) => /^[A-Z].*Error$/.test(name) && !/^(A2A|JsonRpc|Rest)/.test(name));

/** A `fetch` that adds these headers, whatever the client sets. */
function fetchWith(headers) {
  return (url, init = {}) => fetch(url, { ...init, headers: { ...init.headers, ...headers } });
}

/** Over gRPC headers are metadata of each call. */
function sending(headers) {
  return {
    async before(args) {
      const serviceParameters = { ...args.options?.serviceParameters, ...headers };
      args.options = { ...args.options, serviceParameters };
    },
    async after() {},
  };
}

/** A client of the card's interface with the binding under test. */
function connect(card, headers) {
  const fetchImpl = fetchWith(headers);
  const kinds = { JSONRPC: client.JsonRpcTransportFactory, 'HTTP+JSON': client.RestTransportFactory, GRPC: GrpcTransportFactory };
  const transports = [new kinds[BINDING]({ fetchImpl })];
  const interceptors = BINDING === 'GRPC' ? [sending(headers)] : [];
  return new client.ClientFactory({ transports, clientConfig: { interceptors } }).createFromAgentCard(card);
}

function request(text, { immediately = false, ...fields } = {}) {
  const part = { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' };
  const message = {
    messageId: randomUUID(), role: Role.ROLE_USER, parts: [part], contextId: '', taskId: '',
    metadata: undefined, extensions: [], referenceTaskIds: [], ...fields,
  };
  const configuration = {
    acceptedOutputModes: [], taskPushNotificationConfig: undefined, historyLength: undefined,
    returnImmediately: immediately,
  };
  return { tenant: '', message, configuration, metadata: undefined };
}

function words(holder) {
  const parts = holder?.parts ?? [];
  return parts.map((part) => (part.content?.$case === 'text' ? part.content.value : '')).join('');
}

/** What a status says; if it says nothing, what the task made. */
function said(message, artifacts) {
  return words(message) || artifacts.map(words).join('');
}

/** What every step says of a task. */
function shown(task) {
  return {
    id: task.id,
    context: task.contextId,
    state: taskStateToJSON(task.status.state),
    words: said(task.status.message, task.artifacts),
  };
}

function kindAndState(event) {
  const { $case: name, value } = event.payload;
  const kind = name.replace(/[A-Z]/, (letter) => '_' + letter.toLowerCase());
  return [kind, value.status && taskStateToJSON(value.status.state)];
}

/** The client's semantic class: both bindings have twins of it. */
function typeOf(error) {
  const known = TYPES.find(([, type]) => error instanceof type);
  return known ? known[0] : error.constructor.name;
}

function readCard() {
  return new client.DefaultAgentCardResolver({ fetchImpl: fetchWith(AUTHORIZATION) }).resolve(BASE);
}

module.exports = { AUTHORIZATION, connect, kindAndState, readCard, request, said, shown, typeOf };
