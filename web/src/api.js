// The control API: requests with the token, and the live stream of events.

const TOKEN = 'weft-token';

export class ApiError extends Error {
  constructor(status, message, hint) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? '',
  set: (text) => (text ? sessionStorage.setItem(TOKEN, text) : sessionStorage.removeItem(TOKEN)),
};

function headers(more = {}) {
  const secret = token.get();
  return secret ? {...more, Authorization: `Bearer ${secret}`} : more;
}

async function failure(response) {
  let error = {};
  try {
    error = (await response.json()).error ?? {};
  } catch { /* not from weftd: the status alone has to do */
  }
  return new ApiError(response.status, error.message ?? `HTTP ${response.status}`, error.hint ?? '');
}

/** GET, as JSON; null where nothing has changed (304). Throws ApiError; status 0 when nobody answers. */
export async function get(path, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined));
  const target = query.size > 0 ? `${path}?${query}` : path;
  let response;
  try {
    response = await fetch(target, {headers: headers(), cache: 'no-store'});
  } catch {
    throw new ApiError(0, 'weftd does not answer', 'is the daemon running, and does this page come from it?');
  }
  if (response.status === 304) return null;
  if (!response.ok) throw await failure(response);
  return response.json();
}

/** All pages of a list. */
export async function getAll(path, key, parameters = {}) {
  const limit = 10000;
  const items = [];
  for (;;) {
    const answer = await get(path, {...parameters, limit, offset: items.length});
    items.push(...answer[key]);
    if (answer[key].length < limit) return items;
  }
}

/** Whole messages of a server-sent stream: feed(text) answers [{id, event, data}]. */
export class StreamParser {
  constructor() {
    this.rest = '';
    this.message = {data: []};
  }

  feed(text) {
    const lines = (this.rest + text).split(/\r?\n/);
    this.rest = lines.pop();
    const whole = [];
    for (const line of lines) {
      if (line === '') {
        if (this.message.data.length > 0) whole.push({...this.message, data: this.message.data.join('\n')});
        this.message = {data: []};
      } else if (!line.startsWith(':')) {
        const colon = line.indexOf(':');
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (field === 'data') this.message.data.push(value);
        if (field === 'id' || field === 'event') this.message[field] = value;
      }
    }
    return whole;
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Follows the stream from after the event `after`, for ever: `on.event(event)`, `on.view({generation,
 * state})`, `on.gap()`; `onState(true | false)` tells whether the stream stands. By fetch, since EventSource
 * sends no Authorization header.
 */
export async function follow(after, on, onState, onRefused) {
  let last = after;
  for (let wait = 250;; wait = Math.min(wait * 2, 10000)) {
    try {
      const response = await fetch('/v1/events/stream', {
        headers: headers({Accept: 'text/event-stream', 'Last-Event-ID': String(last)}),
        cache: 'no-store',
      });
      if (response.status === 401) onRefused();
      if (!response.ok) throw await failure(response);
      onState(true);
      wait = 125;
      const parser = new StreamParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const {done, value} = await reader.read();
        if (done) break;
        for (const message of parser.feed(value)) {
          const data = JSON.parse(message.data);
          if (message.event === 'event' && data.id > last) last = data.id;
          on[message.event]?.(data);
        }
      }
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof TypeError)) console.warn(error);
    }
    onState(false);
    await pause(wait);
  }
}
