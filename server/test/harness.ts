import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { removeTree } from '#server/kernel/remove-tree';
import { operatorApi, publicApi } from '#shared/api';
import { type Client, createClient, type Send } from '#shared/kernel/client';
import type { Role } from '#shared/permissions';
import { accounts } from '../src/domains/identity/schema.ts';
import { members } from '../src/domains/workspaces/schema.ts';
import { type RunningServer, startServer } from '../src/index.ts';
import { type Clock, systemClock } from '../src/kernel/clock.ts';
import type { Db } from '../src/kernel/db.ts';
import { newId } from '../src/kernel/ids.ts';
import { createLog, type Log } from '../src/kernel/log.ts';
import { type Environment, lastPort, readSettings } from '../src/kernel/settings.ts';
import { checkAnswer } from './answer-check.ts';
import { copyEmptyLedger, openTestLedger } from './empty-ledger.ts';
import { type EventReader, readEvents } from './event-reader.ts';

/** Every route of the product as a typed call. */
export type TestClient = Client<typeof publicApi> & Client<typeof operatorApi>;

export type RawRequest = {
  method?: string;
  path: string;
  /** Names and values in turn, exactly as they are sent; `Host` too. An object gets the correct `Host`. */
  headers?: Record<string, string> | readonly string[];
  body?: string | Uint8Array;
};
export type RawAnswer = { status: number; headers: http.IncomingHttpHeaders; text: string; json: unknown };

export type TestServer = {
  readonly url: string;
  /** `host:port` as the server expects it in `Host`. */
  readonly host: string;
  readonly dataDir: string;
  readonly operatorToken: string;
  /** The code that the console prints while the owner has no password. */
  setupCode(): string | undefined;
  /** The owner's session token. */
  readonly token: string;
  readonly subject: string;
  readonly workspaceId: string;
  /** Calls as the owner. */
  readonly api: TestClient;
  /** Calls with another token. */
  as(token: string): TestClient;
  /** Sends a raw request: nothing is added except a `Host` where the headers are an object. */
  raw(request: RawRequest): Promise<RawAnswer>;
  /** The same with the owner's session as bearer, and a JSON body. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<RawAnswer>;
  /** An open stream of server-sent events, read as the owner. */
  events(path: string, headers?: Record<string, string>): Promise<EventReader>;
  /** Resolves when a Run has reached its end. */
  ended(runId: string): Promise<void>;
  /** Another account with a session: with a role in the Workspace, or in no Workspace of the owner. */
  join(role: Role | undefined): Promise<{ subject: string; token: string; api: TestClient }>;
  /** A second connection to the ledger, for states that no request produces without a tool. */
  ledger<T>(work: (db: Db) => T): T;
  /** Follows the work and the notices of the owner, as a host of the server does. */
  readonly watch: Pick<RunningServer, 'followWork' | 'onNotice'>;
  /** Stops the server and starts it again on the same data folder. */
  restart(): Promise<void>;
  close(): Promise<void>;
};

/** A clock that moves only on request. */
export const heldClock = (at = Date.parse('2030-01-01T00:00:00.000Z')) => {
  let now = at;
  const advance = (ms: number): void => {
    now += ms;
  };
  return { now: () => now, advance };
};

export const tempDir = (): string => fs.mkdtempSync(path.join(os.tmpdir(), 'groundctl-test-'));

/** A temporary folder outside /dev, where a Capsule may not write. */
export const tempDirOnDisk = (): string => fs.mkdtempSync('/tmp/groundctl-test-');

/** Beside the data, so that it is copied and removed with it. */
export const testKeyFile = (dataDir: string): string => path.join(dataDir, 'keys', 'master.key');

type TestOptions = {
  /** Existing data folder, which is removed at the end. */
  dataDir?: string;
  env?: Environment;
  clock?: Clock;
  log?: Log;
  /** Authority of its certificate, as PEM. */
  ca?: string;
  /** Receives every answered request, in order. */
  onAnswer?: (request: RawRequest, answer: RawAnswer) => void;
};

/**
 * Starts a whole server on a temporary data folder, without a tool unless the environment names one. Every JSON
 * response is checked against the endpoint table.
 */
export async function startTestServer({
  dataDir = tempDir(),
  env = {},
  clock = systemClock,
  log = createLog('silent'),
  ca,
  onAnswer,
}: TestOptions = {}): Promise<TestServer> {
  const noTool = path.join(dataDir, 'no-tool');
  copyEmptyLedger(dataDir);
  const start = () =>
    startServer({
      settings: readSettings(
        { GROUNDCTL_TOOL_PATH: noTool, GROUNDCTL_KEY_FILE: testKeyFile(dataDir), ...env },
        { dataDir, port: '0' },
      ),
      log,
      clock,
    });
  let running: RunningServer = await start();
  // Its listen address, whatever its public address is.
  const scheme = env['GROUNDCTL_TLS_CERT'] ? 'https' : 'http';
  const localUrl = () => `${scheme}://127.0.0.1:${lastPort(dataDir)}`;
  /** Host that it expects; behind a public name it answers only under that name. */
  const hostName = () => new URL(env['GROUNDCTL_PUBLIC_URL'] || localUrl()).host;
  const raw = async (request: RawRequest) => {
    const answer = await sendRaw({ url: localUrl(), host: hostName(), ca, env }, request);
    onAnswer?.(request, answer);
    return answer;
  };
  const as = (token: string): TestClient => clientOf(raw, token);
  const { session } = (await as(running.operatorToken).issueSession({ body: {} })).body;
  const api = as(session.token);
  const { workspaces } = (await api.listWorkspaces({})).body;
  const workspaceId = workspaces[0]?.id ?? '';
  const bearer = { authorization: `Bearer ${session.token}` };
  let second: Db | undefined;
  const ledger = <T>(work: (db: Db) => T): T => {
    second ??= openTestLedger(dataDir);
    return work(second);
  };
  const stop = async () => {
    second?.close();
    second = undefined;
    await closed(running);
  };
  const events = (address: string, headers: Record<string, string> = {}) =>
    readEvents(localUrl() + address, { ...bearer, ...headers });
  return {
    get url() {
      return localUrl();
    },
    get host() {
      return hostName();
    },
    dataDir,
    operatorToken: running.operatorToken,
    setupCode: () => running.createSetupLink()?.split('#')[1],
    token: session.token,
    subject: session.subject,
    workspaceId,
    api,
    ...{ as, raw, events, ledger },
    request: (method, address, body, headers) =>
      raw({
        method,
        path: address,
        headers: { ...bearer, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async ended(runId) {
      const reader = await events(`/api/v1/runs/${runId}/events?kinds=end`);
      await reader.until('end');
    },
    async join(role) {
      const subject = newId('account');
      ledger((db) => addAccount(db, { subject, workspaceId, role }));
      const issued = (await as(running.operatorToken).issueSession({ body: { subject } })).body.session;
      return { subject, token: issued.token, api: as(issued.token) };
    },
    watch: watchOf(() => running),
    async restart() {
      await stop();
      running = await start();
    },
    async close() {
      await stop();
      removeTree(dataDir);
    },
  };
}

const watchOf = (running: () => RunningServer): TestServer['watch'] => ({
  followWork: (follower) => running().followWork(follower),
  onNotice: (listener) => running().onNotice(listener),
});

/** Closes a server, and waits until clients of this process have seen the end of the connections that they keep. */
async function closed(running: RunningServer): Promise<void> {
  await running.close();
  for (let turn = 0; turn < 2; turn += 1) await setImmediate();
}

function addAccount(db: Db, who: { subject: string; workspaceId: string; role: Role | undefined }): void {
  const stamps = { createdAt: Date.now(), updatedAt: Date.now() };
  db.orm.insert(accounts).values({ id: who.subject, createdAt: stamps.createdAt }).run();
  if (who.role === undefined) return;
  const { workspaceId, subject: accountId, role } = who;
  db.orm
    .insert(members)
    .values({ id: newId('member'), workspaceId, accountId, role, status: 'active', ...stamps })
    .run();
}

function clientOf(raw: (request: RawRequest) => Promise<RawAnswer>, token: string): TestClient {
  const send: Send = async ({ method, path: address, body, bytes, headers }) => {
    const answer = await raw({
      method,
      path: address,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(bytes && { body: bytes }),
    });
    return { status: answer.status, body: answer.json };
  };
  return { ...createClient(publicApi, send), ...createClient(operatorApi, send) };
}

function sendRaw(
  { url, host, ca, env }: { url: string; host: string; ca: string | undefined; env: Environment },
  { method = 'GET', path: address, headers = {}, body }: RawRequest,
): Promise<RawAnswer> {
  const { hostname, port, protocol } = new URL(url);
  const request = protocol === 'https:' ? https.request : http.request;
  const flat = Array.isArray(headers) ? [...headers] : ['host', host, ...Object.entries(headers).flat()];
  if (body !== undefined) flat.push('content-length', String(Buffer.byteLength(body)));
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port, method, path: address, headers: flat, agent: false, ...(ca && { ca }) };
    const sent = request(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      const finish = () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = (answer.headers['content-type'] ?? '').startsWith('application/json') && text !== '';
        const whole = {
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text,
          json: isJson && JSON.parse(text),
        };
        try {
          checkAnswer({ method, path: address }, whole, { formHost: env['GROUNDCTL_FORM_HOST'] === '1' });
          resolve(whole);
        } catch (error) {
          reject(error as Error);
        }
      };
      answer.on('end', finish);
      // A live stream does not end: its opening is the response.
      if (answer.headers['content-type']?.startsWith('text/event-stream') && method !== 'HEAD') {
        finish();
        sent.destroy();
      }
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
