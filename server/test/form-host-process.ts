import type { FastifyInstance } from 'fastify';
import type { FormPackage } from '#shared/form-packages/package';
import { createActivityService } from '../src/domains/activity/index.ts';
import { createFormHost, createFormResourcesStore, formHostRoutes } from '../src/domains/form-resources/index.ts';
import { createInterfaces } from '../src/domains/interfaces/index.ts';
import { systemClock } from '../src/kernel/clock.ts';
import { openDb } from '../src/kernel/db.ts';
import { type Caller, createHttp, createMount, createReceipts, type GatePorts } from '../src/kernel/http/index.ts';
import { createLog } from '../src/kernel/log.ts';
import { createCursors } from '../src/kernel/page.ts';
import { openGate, type WorkGate } from '../src/kernel/work-gate.ts';
import { bucketInterface, formPackage, identityOf } from './form-package.ts';

export const space = 'ws_1';
export const subject = 'sub_1';
/** Publishes an Interface, so that a change also writes what follows a Resource. */
export const bucketForm: FormPackage = formPackage({ interfaces: [bucketInterface] });

export type FormRequest = {
  method: 'PUT' | 'POST' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: object;
};
type Options = {
  workGate?: WorkGate;
  /** Runs while a request is checked, after it took its Resource and before it writes. */
  whileChecked?: () => Promise<void>;
  findRoles?: GatePorts['findRoles'];
  requireLive?: GatePorts['requireLive'];
};
export type FormHostProcess = ReturnType<typeof openFormHost>;

/**
 * Opens the form host on a ledger of its own: its routes, the writes of the server, the audit trail and the Interfaces,
 * without gate, sign-in and tool. Account and Workspace are no rows here.
 */
export function openFormHost(
  dataDir: string,
  {
    workGate = openGate,
    whileChecked = async () => {},
    findRoles = () => ['owner'],
    requireLive = () => {},
  }: Options = {},
) {
  const db = openDb(dataDir, (error) => {
    throw error;
  });
  db.sqlite.pragma('foreign_keys = OFF');
  const log = createLog('silent');
  const clock = systemClock;
  const cursors = createCursors('key');
  const activity = createActivityService({ db, clock, cursors, installationKey: 'key' });
  const store = createFormResourcesStore(db);
  const outbox = { push: () => {} };
  const interfaces = createInterfaces({
    ...{ db, clock, log, workGate, cursors, outbox, activity, formResources: store },
    workspaces: { isLive: () => true, findWorkspaceId: (id: string) => id, findRoles: () => ['owner'] },
  } as unknown as Parameters<typeof createInterfaces>[0]);
  const listed = { identity: identityOf(bucketForm), installed: true as const, package: bucketForm };
  const host = createFormHost({
    ...{ db, clock, log, workGate, cursors, outbox, activity, store, dataDir },
    packages: {
      findPackage: () => ({ state: 'installed', package: bucketForm }),
      listPackages: () => [listed] as never,
      findActivated: () => [bucketForm],
      async validateSpec() {
        await whileChecked();
        return { valid: true };
      },
    },
    publication: interfaces.resources,
  });
  const http = createHttp(log, { secure: false, formHost: true });
  const gate = { findRoles, findBearer: () => session, requireLive };
  const named = { workspaceOf: { space: (id: string) => id }, concealed: {} };
  addCallers(http);
  const receipts = createReceipts(db, clock, () => 'key');
  formHostRoutes(createMount(http, { db, receipts, gate: { ...gate, ...named } as unknown as GatePorts }), host);
  return {
    db,
    host,
    findBreak: activity.findBreak,
    async send({ method, url, headers, body }: FormRequest) {
      const json = body && { 'content-type': 'application/json' };
      const answer = await http.inject({
        ...{ method, url, headers: { ...headers, ...json } },
        ...(body && { payload: JSON.stringify(body) }),
      });
      return { status: answer.statusCode, json: answer.body === '' ? undefined : JSON.parse(answer.body) };
    },
    async close() {
      await http.close();
      db.close();
    },
  };
}

const session = { kind: 'session', subject, sessionId: 'ses_1' };

/** Does what the gate does for a bearer that was accepted. */
function addCallers(http: FastifyInstance): void {
  http.decorateRequest('caller', null as unknown as Caller);
  http.addHook('onRequest', async (request) => {
    const one = (name: string) => request.headers[name] as string | undefined;
    request.caller = {
      principal: { ...session, via: 'bearer' },
      requestId: request.id,
      roles: ['owner'],
      sessionToken: 'token',
      idempotencyKey: one('idempotency-key'),
      ifMatch: one('if-match'),
      ifNoneMatch: one('if-none-match'),
    } as unknown as Caller;
  });
}
