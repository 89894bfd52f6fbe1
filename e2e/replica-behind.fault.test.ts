import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasNatsServer } from '../server/test/nats-server.ts';
import { depth } from './fixtures/depth.ts';
import { getRun, installPlanned, startApply } from './fixtures/journey.ts';
import { hasLitestream } from './fixtures/litestream.ts';
import { fakeModule, thing } from './fixtures/modules.ts';
import type { PoolHarness } from './fixtures/pool.ts';
import { createdOn, endedOf, machinesOf, patienceMs } from './fixtures/pool-applies.ts';
import { type Succession, startSuccession } from './fixtures/promotion.ts';

/** More than the replica may be behind before a machine has asked again. */
const behindForSeconds = 5;

/** Stops Litestream, and returns what brings it back. */
const faults = {
  async stopped(servers: Succession) {
    await servers.replica.kill9();
    return () => servers.startReplica();
  },
  async silent({ replica }: Succession) {
    replica.freeze();
    return async () => void replica.thaw();
  },
};
type Case = { whenBehind: 'refuse' | 'continue'; fault: keyof typeof faults };

const poll = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: patienceMs, interval: 100 });

/** Reads what an operator sees: the metric, and whether `/readyz` names the replica. */
async function readBehind({ server: { url, operatorToken } }: PoolHarness) {
  const metrics = await (
    await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } })
  ).text();
  const ready = await fetch(`${url}/readyz`);
  const isNamed = (await ready.text()).includes('"replica_behind"');
  const seconds = Number(/^groundctl_replica_behind_seconds (\S+)$/m.exec(metrics)?.[1]);
  return { seconds, isNamed, status: ready.status };
}

/** Nothing is given to a machine, and people work on. */
async function expectRefused(harness: PoolHarness, expectUntouched: () => Promise<void>): Promise<void> {
  await poll(async () => (await readBehind(harness)).seconds).toBeGreaterThan(behindForSeconds);
  await expectUntouched();
  const project = { name: 'Newer', slug: 'newer' };
  const answer = await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/projects`, project);
  expect(answer.status).toBe(201);
}

describe.skipIf(!hasNatsServer || !hasLitestream)('a replica that Litestream does not confirm', () => {
  test.each(
    depth<Case[]>({
      quick: [
        { whenBehind: 'refuse', fault: 'silent' },
        { whenBehind: 'continue', fault: 'stopped' },
      ],
      deep: (['refuse', 'continue'] as const).flatMap((whenBehind) =>
        (['silent', 'stopped'] as const).map((fault) => ({ whenBehind, fault })),
      ),
    }),
  )('with $whenBehind, while it is $fault', { timeout: 300_000 }, async ({ whenBehind, fault }) => {
    const servers = await startSuccession({ env: { GROUNDCTL_REPLICA_BEHIND: whenBehind } });
    try {
      const { harness } = servers;
      const machine = await harness.addMachine();
      const { url } = harness.repository('behind', { 'main.tf': fakeModule(thing('early')) });
      const { plan, capsuleId } = await installPlanned(harness, { url, name: 'behind' });
      expect(await readBehind(harness)).toEqual({ seconds: 0, isNamed: false, status: 200 });

      const bringBack = await faults[fault](servers);
      const { id } = await startApply(harness, plan);
      if (whenBehind === 'refuse')
        await expectRefused(harness, async () => {
          // A machine may know that it is to execute the Run, but has no job.
          for (const { dataDir } of machinesOf([machine], id))
            expect(readdirSync(path.join(dataDir, 'runs', id))).toEqual(['claim.json']);
          expect((await getRun(harness, id)).status).toMatch(/queued|running/);
        });
      else expect(await endedOf(harness, id)).toMatchObject({ status: 'succeeded' });
      const behind = await readBehind(harness);
      expect(behind).toMatchObject({ isNamed: true, status: 200 });
      expect(behind.seconds).toBeGreaterThan(0);

      await bringBack();
      expect(await endedOf(harness, id)).toMatchObject({ status: 'succeeded' });
      expect(createdOn([machine], capsuleId)).toEqual(['early']);
      await poll(() => readBehind(harness)).toEqual({ seconds: 0, isNamed: false, status: 200 });
    } finally {
      await servers.stop();
    }
  });
});
