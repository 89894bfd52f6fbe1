import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  changing,
  creating,
  type FormHostFixture,
  freshKey,
  type Headers,
  nativeDirOf,
  startFormHost,
  statusOf,
} from '../../../test/form-host.ts';
import { expectSound } from '../../../test/form-host-operations.ts';
import { bucketInterface, formPackage } from '../../../test/form-package.ts';
import type { RawAnswer } from '../../../test/harness.ts';
import { planDigestOf } from './digests.ts';

let f: FormHostFixture;
beforeAll(async () => {
  f = await startFormHost({ packages: [formPackage({ interfaces: [bucketInterface] })] });
});
afterAll(() => f.server.close());

/** Sockets that are open at the same time. */
const sockets = 100;
/** Does all work, as much at a time as there are sockets. */
async function doAll<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) answers[index] = await work(index);
  };
  await Promise.all(Array.from({ length: Math.min(count, sockets) }, worker));
  return answers;
}

/** Applies over a version without asking for a preview first. */
function applyOver(base: number, { name, size, headers }: { name: string; size: number; headers: Headers }) {
  const body = f.desired({ name, spec: { size } });
  const target = { workspaceId: f.server.workspaceId, kind: body.kind, name };
  const planDigest = planDigestOf({ ...target, form: body.form, base, spec: body.spec as { size: number } });
  return f.put({ ...body, review: { planDigest } }, headers);
}

const succeeded = (answers: readonly RawAnswer[]) => answers.filter(({ status }) => status < 300);
const refusals = (answers: readonly RawAnswer[]) => [
  ...new Set(answers.filter(({ status }) => status >= 300).map((answer) => statusOf(answer).join(' '))),
];
const eventsOf = async (name: string) => ((await f.events(name)).json as { events: { action: string }[] }).events;
const requireSound = () => f.server.ledger((db) => expectSound(f.dataDir, { db, findBreak: () => undefined }));

describe('1,000 concurrent writers of one Resource', () => {
  it('change each version exactly once', async () => {
    expect((await applyOver(0, { name: 'busy', size: 1, headers: creating() })).status).toBe(200);
    for (let version = 1; version <= 10; version += 1) {
      const answers = await doAll(100, (index) =>
        applyOver(version, { name: 'busy', size: index + 2, headers: changing(version) }),
      );
      expect(succeeded(answers)).toHaveLength(1);
      for (const refusal of refusals(answers))
        expect(['412 resource_version_conflict', '409 resource_busy']).toContain(refusal);
    }
    expect(await eventsOf('busy')).toHaveLength(11);
    requireSound();
    // The Resource is free again.
    expect((await applyOver(11, { name: 'busy', size: 5, headers: changing(11) })).status).toBe(200);
  });

  it('with one key and one body have one effect and equal answers', async () => {
    const headers = creating();
    const answers = await doAll(200, () => applyOver(0, { name: 'same', size: 1, headers }));
    expect(new Set(answers.map(({ status, text, headers: { etag } }) => `${status} ${etag} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await eventsOf('same')).toHaveLength(1);
    requireSound();
  });
});

const writeNative = (nativeId: string) => {
  fs.mkdirSync(nativeDirOf(f.dataDir), { recursive: true });
  fs.writeFileSync(path.join(nativeDirOf(f.dataDir), `${nativeId}.json`), '{"spec":{"size":1}}');
};

describe('concurrent operations', () => {
  it('create, import and delete one name in turn', async () => {
    for (let index = 0; index < 30; index += 1) writeNative(`free.turn-${index}`);
    const answers = await doAll(90, (index) => {
      if (index % 3 === 0) return applyOver(0, { name: 'turn', size: 1, headers: creating() });
      if (index % 3 === 1) return f.import(`free.turn-${(index - 1) / 3}`, { name: 'turn' });
      return f.remove('turn', changing(1));
    });
    for (const refusal of refusals(answers))
      expect(['412 resource_version_conflict', '409 resource_busy', '409 import_conflict']).toContain(refusal);
    const actions = f.server.ledger(({ sqlite }) =>
      sqlite
        .prepare(
          "SELECT action FROM audit_events WHERE metadata ->> '$.name' = 'turn' AND target_type = 'resource' ORDER BY seq",
        )
        .pluck()
        .all(),
    ) as string[];
    const isDelete = actions.map((action) => action === 'resource.delete.succeeded');
    expect(isDelete).toEqual(actions.map((_, index) => index % 2 === 1));
    requireSound();
  });

  it('import a native object for one of two names', async () => {
    for (let round = 0; round < 20; round += 1) {
      writeNative(`free.pair-${round}`);
      const answers = await Promise.all(
        ['left', 'right'].map((side) => f.import(`free.pair-${round}`, { name: `${side}-${round}` })),
      );
      expect(answers.map((answer) => statusOf(answer).join(' ')).sort()).toEqual(['200', '409 import_conflict']);
    }
    requireSound();
  });

  it('use a key for one of two names', async () => {
    for (let round = 0; round < 20; round += 1) {
      const headers = creating(freshKey());
      const answers = await Promise.all(
        ['a', 'b'].map((side) => applyOver(0, { name: `key-${side}-${round}`, size: 1, headers })),
      );
      expect(answers.map((answer) => statusOf(answer).join(' ')).sort()).toEqual([
        '200',
        '412 resource_version_conflict',
      ]);
    }
    requireSound();
  });
});
