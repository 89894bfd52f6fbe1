import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Role } from '#shared/permissions';
import { copyOf, prepareOperation } from '../../../test/form-host-interruptions.ts';
import { effectOf, expectSound, operationCases } from '../../../test/form-host-operations.ts';
import { type FormRequest, openFormHost } from '../../../test/form-host-process.ts';
import { tempDir } from '../../../test/harness.ts';
import { AppError } from '../../kernel/errors.ts';
import { removeTree } from '../../kernel/remove-tree.ts';
import { createWorkGate } from '../../kernel/work-gate.ts';

const armed = vi.hoisted(() => ({ pass: (_: string): void => {} }));
vi.mock('../../kernel/failpoints.ts', async (original) => ({
  ...(await original<typeof import('../../kernel/failpoints.ts')>()),
  failpoint: (name: string) => armed.pass(name),
}));

let dir: string;
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => {
  armed.pass = () => {};
  removeTree(dir);
});

const [create, , importing] = operationCases;
if (!create || !importing) throw new Error('no operations');

/** Requests that create a Resource in the empty folder of this test. */
async function prepareCreate(): Promise<FormRequest> {
  const review = openFormHost(dir);
  const request = await create?.request(review, {});
  await review.close();
  return request as FormRequest;
}

const archived = () => {
  throw new AppError('failed_precondition', 'The Workspace is archived. Restore it first.');
};
/** Runs work once, directly before the transaction that starts an operation, or after its native object was written. */
const once = (point: string, work: () => void) => {
  armed.pass = (name) => {
    if (name !== point) return;
    armed.pass = () => {};
    work();
  };
};

describe('a caller that loses its authority', () => {
  it.each<[string, { roles?: readonly Role[] | undefined; isArchived?: boolean }, string]>([
    ['with its role', { roles: ['viewer'] }, 'permission_denied'],
    ['with its membership or the Workspace', { roles: undefined }, 'permission_denied'],
    ['with an archive of the Workspace', { roles: ['owner'], isArchived: true }, 'policy_denied'],
  ])('%s before the operation starts is refused, and nothing is written', async (_, lost, code) => {
    const request = await prepareCreate();
    let isLost = false;
    const host = openFormHost(dir, {
      findRoles: () => (isLost ? lost.roles : ['owner']),
      requireLive: () => (isLost && lost.isArchived ? archived() : undefined),
    });
    once('ledger.begin', () => {
      isLost = true;
    });
    expect(await host.send(request)).toMatchObject({ status: 403, json: { error: { code } } });
    expect(effectOf(host)).toEqual({ version: 0, events: [] });
    expectSound(dir, host);
    isLost = false;
    expect((await host.send(request)).status).toBe(200);
    await host.close();
  });

  it('after the operation started has done what it was allowed to do', async () => {
    const request = await prepareCreate();
    let isLost = false;
    const host = openFormHost(dir, { findRoles: () => (isLost ? undefined : ['owner']) });
    once('form.performed', () => {
      isLost = true;
    });
    expect((await host.send(request)).status).toBe(200);
    expect(effectOf(host)).toEqual({ version: 1, events: ['apply'] });
    expectSound(dir, host);
    expect((await host.send(request)).status).toBe(403);
    await host.close();
  });
});

describe('two requests that were checked at the same time', () => {
  it('import a native object once', async () => {
    const prepared = await prepareOperation(importing);
    const waiting: (() => void)[] = [];
    const host = openFormHost(prepared.folder, {
      async whileChecked() {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 2) for (const go of waiting) go();
        });
      },
    });
    const { body, url, ...request } = prepared.same;
    const { metadata } = body as { metadata: object };
    const other: FormRequest = {
      ...request,
      url: url.replace('/one/', '/two/'),
      headers: { ...request.headers, 'idempotency-key': 'key-of-other' },
      body: { ...body, metadata: { ...metadata, name: 'two' } },
    };
    const answers = await Promise.all([host.send(prepared.same), host.send(other)]);
    expect(answers.map(({ status, json }) => [status, json.error?.code]).sort()).toEqual([
      [200, undefined],
      [409, 'import_conflict'],
    ]);
    expectSound(prepared.folder, host);
    await host.close();
    fs.rmSync(path.dirname(prepared.folder), { recursive: true });
  });
});

describe('a server that may not act', () => {
  it('settles interrupted operations when it may', async () => {
    const request = await prepareCreate();
    let left = '';
    armed.pass = (name) => {
      if (name === 'form.performed') left = copyOf(dir);
    };
    const first = openFormHost(dir);
    await first.send(request);
    await first.close();
    armed.pass = () => {};
    let mayAct = false;
    let tell = () => {};
    const condition = { mayAct: () => mayAct, onChange: (listener: () => void) => (tell = listener) };
    const host = openFormHost(left, { workGate: createWorkGate([condition]) });
    host.host.start();
    await new Promise(setImmediate);
    expect(effectOf(host)).toEqual({ version: 0, events: [] });
    mayAct = true;
    tell();
    await vi.waitFor(() => expect(effectOf(host)).toEqual({ version: 1, events: ['apply'] }));
    expectSound(left, host);
    await host.close();
    fs.rmSync(path.dirname(left), { recursive: true });
  });
});
