import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formHostApis } from '#shared/api';
import type { Endpoint } from '#shared/kernel/endpoint';
import { formHostPath } from '#shared/vendor';
import { depth } from '../../../e2e/fixtures/depth.ts';
import { checkAnswer } from '../answer-check.ts';
import { callsOf, creating, type FormHostFixture, nativeDirOf, startFormHost } from '../form-host.ts';
import { bucketInterface, formPackage, identityOf } from '../form-package.ts';
import { addWorkspace } from '../second-workspace.ts';
import { makeToken } from '../tokens.ts';
import { fuzzSeed, fuzzWith } from './fixture.ts';
import { type FormPool, formRequestsTo } from './form-host-requests.ts';
import type { FuzzAnswer } from './judge.ts';
import type { FuzzRequest } from './requests.ts';
import { mark } from './values.ts';

const queue = { ...formPackage().formRef, kind: 'Queue' };
const packages = [
  formPackage({ interfaces: [bucketInterface] }),
  formPackage({ formRef: { ...queue, definitionVersion: '1.0.0' } }),
  formPackage({ formRef: { ...queue, definitionVersion: '2.0.0' } }),
];
const names = ['one', 'two', 'three', 'one', 'two', 'three', 'four', 'five'];
const nativeIds = ['free-1', 'free-2', 'free-3', 'missing'];

let f: FormHostFixture;
let pool: FormPool;
beforeAll(async () => {
  f = await startFormHost({ packages });
  await f.apply({ name: 'one' });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const { server } = f;
  const { workspaceId } = server;
  const foreign = server.ledger((db) => addWorkspace(db, [server.subject]));
  const outsider = await server.join(undefined);
  const strange = server.ledger((db) => addWorkspace(db, [outsider.subject]));
  pool = {
    space: [...Array.from({ length: 20 }, () => workspaceId), foreign, strange],
    forms: [...Array.from({ length: 10 }, () => f.usual), ...packages.map(identityOf)],
    names,
    nativeIds,
    digests: [],
    principals: {
      owner: bearer(server.token),
      viewer: bearer((await server.join('viewer')).token),
      member: bearer((await server.join('member')).token),
      stranger: bearer(outsider.token),
      reader: bearer((await makeToken(server, { scopes: ['resources:read'], workspace_id: workspaceId })).token),
      operator: bearer(server.operatorToken),
      header: { 'x-svc-account-session': server.token },
      wrong: bearer(mark),
      none: {},
    },
  };
}, 60_000);
afterAll(() => f?.server.close());

const routes: [string, Endpoint][] = Object.entries(formHostApis);

/** Returns a short problem with an answer; undefined when the published description allows it. */
function findFault({ method, path: address }: FuzzRequest, answer: FuzzAnswer): string | undefined {
  const { status, headers, text } = answer;
  if (status >= 500 && status !== 503) return `${status} ${text}`;
  if (status >= 400 && text.includes(mark)) return `${status} repeats what was submitted: ${text.slice(0, 300)}`;
  const isJson = String(headers['content-type']).startsWith('application/json') && text !== '';
  try {
    checkAnswer(
      { method, path: address },
      { status, headers, text, json: isJson && JSON.parse(text) },
      { formHost: true },
    );
  } catch (error) {
    return `${status}: ${(error as Error).message.slice(0, 400)}`;
  }
  if (status === 200 && address.startsWith(`${formHostPath}/resources/preview`))
    pool.digests.push((JSON.parse(text) as { review: { planDigest: string } }).review.planDigest);
  return undefined;
}

/** Puts back what requests have used up: Resources of a current review, and native objects without an owner. */
async function restore(): Promise<void> {
  const calls = callsOf(f.server, f.usual);
  for (const nativeId of nativeIds.slice(0, 3)) {
    const file = path.join(nativeDirOf(f.dataDir), `${nativeId}.json`);
    if (!fs.existsSync(file)) fs.writeFileSync(file, '{"spec":{"size":1}}');
  }
  for (const name of names.slice(0, 3))
    if ((await calls.read(name)).status === 404) await calls.apply({ name }, creating());
  pool.digests.splice(0, Math.max(0, pool.digests.length - 20));
}

const share = {
  requests: depth({ quick: 200, deep: 10_000 }),
  seconds: depth({ quick: 120, deep: 540 }),
  seed: fuzzSeed,
};

test(`every route of a form host responds as published to any request (seed ${fuzzSeed})`, {
  timeout: 600_000,
}, async () => {
  const requests = fc.oneof(...routes.map((route) => formRequestsTo(route, pool)));
  const report = await fuzzWith({ url: new URL(f.server.url), requests, findFault, revive: restore }, share);
  const { faults, ms } = report;
  const statuses = [...report.statuses].sort();
  console.log(JSON.stringify({ case: 'fuzz form host', seed: fuzzSeed, requests: report.requests, ms, statuses }));
  expect(faults).toEqual([]);
  expect(report.requests).toBeGreaterThanOrEqual(share.requests);
  const succeeded = statuses.filter(([status]) => status < 300).reduce((sum, [, count]) => sum + count, 0);
  expect(succeeded).toBeGreaterThan(report.requests / 4);
});
