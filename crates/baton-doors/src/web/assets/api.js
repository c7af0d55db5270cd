// The one way to the hub: same origin, by cookie. A refusal becomes an ApiError with the hub's own code and words.

import { LIMITS } from '/assets/facts.js';

class ApiError extends Error {
  constructor(status, code, message, retryAfterMs) {
    super(message || code);
    Object.assign(this, { status, code, retryAfterMs });
  }
}

// What codes mean to a user who did not write the hub.
const WORDS = {
  permission_denied: 'Your role in this network does not allow that.',
  'no write access to this network': 'Your role in this network does not allow that.',
  alias_not_found: 'No agent in this network has that name.',
  task_not_found: 'Task not found, or you have no access to it.',
  'network not found': 'Network not found, or you have no access to it.',
  busy: 'The hub is busy; try again in a moment.',
  shutting_down: 'The hub is stopping; try again when it is back.',
  database_damaged: 'The database of the hub is damaged, so nothing can be changed. Its operator must restore a backup.',
  storage_unavailable: 'The hub cannot write to its disk. Nothing was changed.',
  internal_error: 'Internal error; the hub’s log has the cause. The change may or may not have been made: check before you try again.',
  outcome_unknown: 'The change may or may not have been made: check before you try again.',
  rate_limited: 'Too many tries; wait a moment.',
  login_locked: 'Too many wrong passwords; this name is locked for a moment.',
  'invalid invite code': 'No invite has this code. Check the link, or ask for a new one.',
  'invite code fully used': 'This invite has been used up. Ask for a new one.',
  'invite code expired': 'This invite has expired. Ask for a new one.',
  'username already taken': 'This username is taken. Choose another one.',
  'password is too common': 'This password is one of the most used ones. Choose another one.',
  task_is_waiting_input: 'The task waits for an answer: answer it or cancel it first.',
};

let signedOut = () => {};
export const onSignedOut = (tell) => { signedOut = tell; };

const LONGEST_MS = 20000; // a call that a sleeping machine forgot must not hold its page

// As long as the hub lets an upload wait for its turn and be slow.
const UPLOAD_GRACE_MS = 1000 * (LIMITS.TRANSFER_WAIT_MAX_SECONDS + LIMITS.UPLOAD_GRACE_SECONDS);

async function call(method, path, body) {
  const headers = { accept: 'application/json' };
  const isFile = body instanceof Blob;
  if (method !== 'GET') headers['baton-page'] = '1';
  if (body !== undefined) headers['content-type'] = isFile ? 'application/octet-stream' : 'application/json';
  const longest = isFile ? UPLOAD_GRACE_MS + Math.ceil((1000 * body.size) / LIMITS.UPLOAD_MIN_BYTES_PER_SECOND) : LONGEST_MS;
  let response;
  try {
    response = await fetch(path, {
      method, headers, credentials: 'same-origin', cache: 'no-store', signal: AbortSignal.timeout(longest),
      body: body === undefined || isFile ? body : JSON.stringify(body),
    });
  } catch {
    throw new ApiError(0, 'unreachable', 'The hub cannot be reached.');
  }
  const isJson = (response.headers.get('content-type') || '').includes('json');
  const answer = isJson ? await response.json().catch(() => null) : await response.text();
  if (response.ok && (!isJson || answer?.ok !== false)) return answer;
  if (response.status === 401 && path !== '/api/session') signedOut();
  throw refusal(response.status, answer);
}

function refusal(status, answer) {
  const code = answer?.error || `status ${status}`;
  const details = Array.isArray(answer?.details)
    ? answer.details.map((d) => [d.field || d.path, d.message || d.rule].filter(Boolean).join(' ')).join('; ')
    : typeof answer?.details === 'string' ? answer.details : '';
  // What the hub says of a refused request is closer than what its code usually means.
  const own = status === 403 && answer?.message;
  const message = own || WORDS[code] || answer?.message || (details ? `${code}: ${details}` : code);
  return new ApiError(status, code, message, answer?.retry_after_ms);
}

export const get = (path) => call('GET', path);

const MOST_PAGES = 10; // a page has up to 8 MiB

/// A list with its further pages, from its first one on if that is there already.
export async function getAll(path, list, first) {
  const whole = first || await get(path);
  for (let pages = 1; whole.next_cursor && pages < MOST_PAGES; pages += 1) {
    const joint = path.includes('?') ? '&' : '?';
    const page = await get(`${path}${joint}cursor=${encodeURIComponent(whole.next_cursor)}`);
    whole[list] = whole[list].concat(page[list]);
    whole.next_cursor = page.next_cursor;
  }
  return whole;
}
export const post = (path, body = {}) => call('POST', path, body);
export const put = (path, body = {}) => call('PUT', path, body);
/// Uploads a file as it is; the browser reads it from the disk while it is sent.
export const upload = (path, file) => call('PUT', path, file);
export const del = (path) => call('DELETE', path);

/// A text nobody else has, for calls that must count once; also where the browser has no crypto.randomUUID.
export const unique = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/// A path with its query; empty values are left out.
export function query(path, values) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) search.set(name, value);
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}
