import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Api, type Endpoint, fullPath, type Parsed, type RawRequest, type Reply } from '#shared/kernel/endpoint';
import type { Db } from '../db.ts';
import { AppError } from '../errors.ts';
import { withCredential } from '../request-credential.ts';
import type { Headers } from './answers.ts';
import { authorizeNamed, isStillAllowed, reauthorize } from './authority.ts';
import { parsePart, readJsonBody } from './body.ts';
import { type BytesReply, sendBytes } from './bytes-reply.ts';
import { actorOf, type Caller, credentialOf } from './caller.ts';
import { type FileReply, sendFile } from './file-reply.ts';
import { normalizeBody } from './normalize.ts';
import type { GatePorts } from './ports.ts';
import type { Receipts } from './receipts.ts';
import { type Streamed, sendStream } from './stream.ts';

type Answer = { status: number; body: unknown; headers?: Headers };
/** An answer in the words of another protocol, for an endpoint that declares `answersAs`. */
export type RawReply = { raw: { status: number; headers: Headers; text: string } };
/** A write with an effect outside of the ledger, between two transactions. */
export type StagedWrite<Reply> = {
  /** Runs in the first transaction, under the authority of the caller. An answer ends the write here. */
  begin: () => Reply | undefined;
  /** Makes the effect. It may be repeated. */
  effect: () => Promise<void>;
  /** Runs in the second transaction. */
  commit: () => Reply;
  /** Runs at the end, whatever happened. */
  release: () => void;
};
type Returned = Answer | Streamed | BytesReply | RawReply | FileReply;
type Out<E extends Endpoint> =
  | (Reply<E> & { headers?: Headers })
  | Streamed
  | BytesReply
  | (E['ranges'] extends true ? FileReply : never)
  | (E['answersAs'] extends string ? RawReply : never);

type Outcome<E extends Endpoint> = Out<E> | (() => Out<E>) | StagedWrite<Out<E>>;

/**
 * A handler returns a read's answer directly. For a write it returns a function, which runs in the one transaction that
 * also holds the caller's authority, the receipt of an `Idempotency-Key`, the audit row and the outbox row.
 */
type Handler<E extends Endpoint> = (input: Parsed<E> & { caller: Caller }) => Outcome<E> | Promise<Outcome<E>>;
export type Handlers<A extends Api> = { readonly [K in keyof A]: Handler<A[K]> };

type MountPorts = { db: Db; receipts: Receipts; gate: GatePorts };
export type Mount = <A extends Api>(api: A, handlers: Handlers<A>) => void;

type Loose = (input: unknown) => unknown;

/** Registers every endpoint of a table. A missing or misspelled handler does not compile. */
export const createMount =
  (app: FastifyInstance, ports: MountPorts): Mount =>
  (api, handlers) => {
    for (const [name, endpoint] of Object.entries(api)) {
      app.route({
        method: endpoint.method,
        url: fullPath(endpoint),
        config: { endpoint },
        ...(endpoint.maxBodyBytes !== undefined && { bodyLimit: endpoint.maxBodyBytes }),
        handler: async (request, reply) => {
          const answer = await run({
            endpoint,
            handler: handlers[name as keyof typeof handlers] as Loose,
            request,
            ports,
          });
          if ('file' in answer || 'bytes' in answer || 'raw' in answer) return sendWhole(request, reply, answer);
          if ('stream' in answer) {
            const mayRead = () => isStillAllowed(request.caller, { endpoint, ports: ports.gate });
            return sendStream({ request, reply, mayRead }, answer);
          }
          return send(reply, endpoint, answer);
        },
      });
    }
  };

function send(reply: FastifyReply, endpoint: Endpoint, { status, body, headers }: Answer): FastifyReply {
  reply.code(status).headers(headers ?? {});
  if (endpoint.cache === 'public') reply.header('cache-control', 'public, max-age=300');
  if (status === 204 || status === 302 || status === 303) return reply.send();
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

function sendWhole(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: FileReply | BytesReply | RawReply,
): FastifyReply {
  if ('file' in answer) return sendFile(request, reply, answer);
  return 'bytes' in answer ? sendBytes(reply, answer) : sendRaw(reply, answer);
}

function sendRaw(reply: FastifyReply, { raw: { status, headers, text } }: RawReply): FastifyReply {
  return reply
    .code(status)
    .headers(headers)
    .send(text === '' ? undefined : text);
}

type Call = { endpoint: Endpoint; handler: Loose; request: FastifyRequest; ports: MountPorts };

async function run({ endpoint, handler, request, ports }: Call): Promise<Returned> {
  const { caller } = request;
  const input = {
    caller,
    params: endpoint.params && parsePart(endpoint.params, request.params),
    query: endpoint.query && parsePart(endpoint.query, request.query),
    body: endpoint.rawBody ? undefined : readBody(endpoint, request),
    raw: readRaw(endpoint, request),
  };
  if (endpoint.workspaceIn) {
    const name = [endpoint.workspaceAs ?? 'workspaceId', nameOfWorkspace(endpoint, input)] as const;
    authorizeNamed(caller, [...name], { endpoint, ports: ports.gate });
  }
  const keyed = keyOf(endpoint, { caller, ports, input });
  const stored = keyed && ports.receipts.find(keyed.key, keyed.digest);
  if (stored) return { ...stored, status: stored.status === 204 ? 204 : 200 };
  requireLive(endpoint, caller, ports);
  const outcome = await withCredential(credentialOf(caller.principal), () => handler(input));
  if (isStaged(outcome)) return runStaged(outcome, { endpoint, caller, ports });
  if (typeof outcome !== 'function') return checkReply(endpoint, outcome as Returned);
  return ports.db.write(() => {
    reauthorize(caller, { endpoint, ports: ports.gate });
    const again = keyed && ports.receipts.find(keyed.key, keyed.digest);
    if (again) return { ...again, status: again.status === 204 ? 204 : 200 };
    requireLive(endpoint, caller, ports);
    const answer = checkReply(
      endpoint,
      withCredential(credentialOf(caller.principal), () => outcome() as Answer),
    );
    if (keyed && 'body' in answer) ports.receipts.store(keyed.key, keyed.digest, answer);
    return answer;
  });
}

const isStaged = (outcome: unknown): outcome is StagedWrite<Answer> =>
  typeof outcome === 'object' && outcome !== null && 'begin' in outcome;

async function runStaged(
  { begin, effect, commit, release }: StagedWrite<Answer>,
  { endpoint, caller, ports }: { endpoint: Endpoint; caller: Caller; ports: MountPorts },
): Promise<Returned> {
  const withCaller = <T>(work: () => T): T => withCredential(credentialOf(caller.principal), work);
  try {
    const early = ports.db.write(() => {
      reauthorize(caller, { endpoint, ports: ports.gate });
      requireLive(endpoint, caller, ports);
      return withCaller(begin);
    });
    if (early) return checkReply(endpoint, early);
    await withCaller(effect);
    return checkReply(
      endpoint,
      ports.db.write(() => withCaller(commit)),
    );
  } finally {
    release();
  }
}

/** Returns the Workspace that query or body names. Throws 400 when the two differ. */
function nameOfWorkspace(
  { workspaceIn, workspaceKey = 'workspaceId' }: Endpoint,
  { query, body }: { query: unknown; body: unknown },
): string {
  const names = workspaceKey.split('.');
  const inQuery = (query as Record<string, string | undefined> | undefined)?.[names.at(-1) ?? ''];
  if (workspaceIn === 'query') return inQuery ?? '';
  const inBody = names.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], body) as
    | string
    | undefined;
  if (workspaceIn === 'either' && inQuery !== undefined && inBody !== undefined && inQuery !== inBody)
    throw new AppError('invalid_request', 'Query and body name different Workspaces. Name one of them.');
  if (workspaceIn !== 'either') return inBody ?? '';
  const name = inBody ?? inQuery;
  if (name === undefined) throw new AppError('invalid_request', 'Name the Workspace in the query or in the body.');
  return name;
}

function readRaw(endpoint: Endpoint, { body, headers }: FastifyRequest): RawRequest | undefined {
  if (!endpoint.rawBody) return undefined;
  const one = (name: string) => [name, typeof headers[name] === 'string' ? headers[name] : undefined];
  return {
    bytes: (body as Buffer | undefined) ?? new Uint8Array(),
    headers: Object.fromEntries(endpoint.rawBody.headers.map(one)),
  };
}

function readBody(endpoint: Endpoint, request: FastifyRequest): unknown {
  if (endpoint.method === 'GET') return undefined;
  const body = readJsonBody(request);
  if (endpoint.body) return parsePart(endpoint.body, body, endpoint.bodyFailsAs);
  if (body === null || typeof body !== 'object' || Array.isArray(body) || Object.keys(body).length > 0)
    throw new AppError('invalid_request', 'This route does not accept a body. Send the request without one.');
  return undefined;
}

/** Returns the idempotency key. Coordinating operations store a required key themselves: their replay returns the current record. */
function keyOf(
  endpoint: Endpoint,
  {
    caller,
    ports,
    input,
  }: { caller: Caller; ports: MountPorts; input: { params: unknown; query: unknown; body: unknown } },
) {
  if (endpoint.method === 'GET' || endpoint.idempotency === 'none' || endpoint.class === 'X') return undefined;
  if (caller.idempotencyKey === undefined) {
    if (endpoint.idempotency !== 'required') return undefined;
    throw new AppError(
      endpoint.keyFailsAs ?? 'idempotency_key_required',
      'This route needs an Idempotency-Key header. Send a fresh random text, and the same one again to repeat the request.',
    );
  }
  const key = ports.receipts.checkKey(caller.idempotencyKey);
  caller.idempotencyKey = key;
  if (endpoint.idempotency === 'required') return undefined;
  const actor = actorOf(caller);
  const route = `${endpoint.method} ${fullPath(endpoint)}`;
  const digest = ports.receipts.digestOf({
    route,
    params: input.params ?? {},
    query: input.query ?? {},
    // In a PATCH, an empty object replaces the member and an absent one keeps it.
    body: (endpoint.method === 'PATCH' ? input.body : normalizeBody(endpoint.body, input.body)) ?? {},
  });
  return { key: { scope: caller.workspaceId ?? actor, actor, route, key }, digest };
}

/**
 * Refuses writes of an archived Workspace, except those that end something; checked before the work and again inside
 * the write. Coordinating operations check it themselves, because a repeated request has to be answered first.
 */
function requireLive(endpoint: Endpoint, { workspaceId }: Caller, ports: MountPorts): void {
  if (endpoint.method === 'GET' || endpoint.idempotency === 'required' || endpoint.whenArchived) return;
  if (workspaceId !== undefined) ports.gate.requireLive(workspaceId);
}

function checkReply(endpoint: Endpoint, answer: Returned): Returned {
  if ('stream' in answer || 'bytes' in answer || 'raw' in answer || 'file' in answer) return answer;
  const schema = endpoint.replies[answer.status as keyof Endpoint['replies']];
  if (!schema) throw new Error(`${endpoint.method} ${endpoint.path} declares no ${answer.status} reply`);
  return { ...answer, body: schema.parse(answer.body) };
}
