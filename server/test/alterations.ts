import { randomUUID } from 'node:crypto';
import type { Alteration, ProxyCall, ProxyReply } from './deviating-proxy.ts';

export type Matcher = (call: ProxyCall) => boolean;
type Json = Record<string, unknown>;

/** Calls of a method to a path. */
export const to =
  (method: string, path: string | RegExp): Matcher =>
  (call) =>
    call.method === method && (typeof path === 'string' ? call.path === path : path.test(call.path));
export const all =
  (...matchers: Matcher[]): Matcher =>
  (call) =>
    matchers.every((matches) => matches(call));
export const withHeader =
  (name: string): Matcher =>
  ({ headers }) =>
    headers[name] !== undefined;
export const withoutHeader =
  (name: string): Matcher =>
  ({ headers }) =>
    headers[name] === undefined;
/** Changes answers with a status of one kind of call. */
export const onAnswer =
  (matches: Matcher, status: number, change: (reply: ProxyReply) => ProxyReply): Alteration =>
  async (call, forward) => {
    const reply = await forward(call);
    return reply.status === status && matches(call) ? change(reply) : reply;
  };
/** Changes the JSON of such answers. */
export const onJson = (matches: Matcher, status: number, change: (json: Json) => unknown): Alteration =>
  onAnswer(matches, status, (reply) => {
    const json = JSON.parse(reply.text) as Json;
    return { ...reply, text: JSON.stringify(change(json) ?? json) };
  });
/** Changes one kind of call before it reaches the host. */
export const onCall =
  (matches: Matcher, change: (call: ProxyCall) => ProxyCall): Alteration =>
  (call, forward) =>
    forward(matches(call) ? change(call) : call);

/** Sets the member at a path, where `*` is each element; a function gets the old value, and undefined removes it. */
export const setAt =
  (path: string, value: unknown) =>
  (json: Json): void => {
    const [name = '', ...rest] = path.split('/');
    if (name === '*') {
      for (const child of Object.values(json)) setAt(rest.join('/'), value)(child as Json);
      return;
    }
    if (rest.length > 0) setAt(rest.join('/'), value)(json[name] as Json);
    else json[name] = typeof value === 'function' ? value(json[name]) : value;
  };

export const setHeader =
  (name: string, value: string | undefined) =>
  (reply: ProxyReply): ProxyReply => ({
    ...reply,
    headers: Object.fromEntries(
      Object.entries({ ...reply.headers, [name]: value }).filter(([, one]) => one !== undefined),
    ),
  });
export const setCallHeader =
  (name: string, value: string) =>
  (call: ProxyCall): ProxyCall => ({
    ...call,
    headers: { ...call.headers, [name]: value },
  });
const setQuery =
  (name: string, value: string) =>
  (call: ProxyCall): ProxyCall => {
    const query = new URLSearchParams(call.query);
    query.set(name, value);
    return { ...call, query };
  };

/** Applies a change to the first match alone. */
export const once = (matches: Matcher): Matcher => {
  let isOver = false;
  return (call) => {
    if (isOver || !matches(call)) return false;
    isOver = true;
    return true;
  };
};

/** Remembers a member of the queries of reads, and writes it into those that have another one or none. */
export const resolving = (name: string, matches: Matcher): Alteration => {
  let first: string | undefined;
  return (call, forward) => {
    first ??= call.query.get(name) ?? undefined;
    return forward(matches(call) && first !== undefined ? setQuery(name, first)(call) : call);
  };
};

/** Answers what the host answered to a first call. */
export const repeating = (isFirst: Matcher, isLater: (call: ProxyCall, first: ProxyCall) => boolean): Alteration => {
  let first: { call: ProxyCall; reply: ProxyReply } | undefined;
  return async (call, forward) => {
    if (first && isLater(call, first.call)) return first.reply;
    const reply = await forward(call);
    if (!first && isFirst(call) && reply.status === 200) first = { call, reply };
    return reply;
  };
};

export const keyOf = ({ headers }: ProxyCall) => headers['idempotency-key'];

/** Executes a call with the same key again, as a host without operation identities does. */
export const forgettingKeys = (matches: Matcher): Alteration => {
  const completed = new Set<string | undefined>();
  return async (call, forward) => {
    if (!matches(call)) return forward(call);
    const isRepeated = completed.has(keyOf(call));
    const reply = await forward(isRepeated ? setCallHeader('idempotency-key', `again-${randomUUID()}`)(call) : call);
    if (reply.status === 200) completed.add(keyOf(call));
    return reply;
  };
};

/** Accepts calls without a precondition, by adding the current version. */
export const withoutPrecondition = (matches: Matcher): Alteration => {
  let current: string | undefined;
  return async (call, forward) => {
    const isOpen = matches(call) && call.headers['if-match'] === undefined && current !== undefined;
    const reply = await forward(isOpen ? setCallHeader('if-match', current as string)(call) : call);
    if (typeof reply.headers['etag'] === 'string') current = reply.headers['etag'];
    return reply;
  };
};
