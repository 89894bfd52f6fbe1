import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasNatsServer } from '../server/test/nats-server.ts';
import { findLedgerFaults } from './faults/invariants.ts';
import { timesOf } from './fixtures/depth.ts';
import { gatedModule } from './fixtures/held-apply.ts';
import { getRun, installPlanned, startApply } from './fixtures/journey.ts';
import { hasLitestream } from './fixtures/litestream.ts';
import type { Machine, PoolHarness } from './fixtures/pool.ts';
import { createdOn, machinesOf, openGateOn } from './fixtures/pool-applies.ts';
import { type Succession, startSuccession } from './fixtures/promotion.ts';
import { createRandom } from './fixtures/random.ts';

const random = createRandom();
const rounds = timesOf({ quick: 1, deep: 20 });
/** Longest time before a loss of the server whose changes may be lost, as documented. */
const documentedLossMs = 2_000;
const addresses = ['early', 'held', 'later'];
const appliesPerRound = 2;

/** A change that the server has confirmed, and when. */
type Confirmed = { slug: string; at: number };

describe.skipIf(!hasNatsServer || !hasLitestream)('the loss of the server', () => {
  let servers: Succession;
  const machines: Machine[] = [];
  const losses: { ms: number; downMs: number }[] = [];
  beforeAll(async () => {
    servers = await startSuccession();
    machines.push(await servers.harness.addMachine(), await servers.harness.addMachine());
  }, 120_000);
  afterAll(async () => {
    await servers?.stop();
    if (losses.length > 0) process.stdout.write(`${JSON.stringify(losses)}\n`);
  });

  /** Makes changes one after another until the server is gone. */
  async function makeChanges({ http, workspaceId }: PoolHarness, round: number): Promise<Confirmed[]> {
    const confirmed: Confirmed[] = [];
    for (let number = 0; ; number += 1) {
      const slug = `r${round}-${number}`;
      const change = http.post(`/api/v1/workspaces/${workspaceId}/projects`, { name: slug, slug });
      const stopped = new Promise<undefined>((resolve) => setTimeout(resolve, 3_000));
      const answer = await Promise.race([change.catch(() => undefined), stopped]);
      if (answer === undefined) {
        change.catch(() => {});
        return confirmed;
      }
      expect(answer.status).toBe(201);
      confirmed.push({ slug, at: performance.now() });
    }
  }

  /** Lets an apply go on wherever it is, and returns it when it is over. */
  async function finishedApply(id: string, capsuleId: string) {
    const status = async () => {
      for (const machine of machinesOf(machines, id)) openGateOn(machine, capsuleId);
      return (await getRun(servers.harness, id)).status;
    };
    await expect.poll(status, { timeout: 120_000, interval: 200 }).not.toMatch(/queued|running/);
    return getRun(servers.harness, id);
  }

  test.for(Array.from({ length: rounds }, (_, at) => at + 1))(
    'loses at most the documented seconds, and each effect happens at most once: round %i',
    { timeout: 300_000 },
    async (round) => {
      const { harness } = servers;
      const capsules = [];
      for (let at = 0; at < appliesPerRound; at += 1) {
        const name = `r${round}-${at}`;
        const { url } = harness.repository(name, { 'main.tf': gatedModule });
        capsules.push(await installPlanned(harness, { url, name }));
      }
      const applies = [];
      for (const { plan } of capsules) applies.push(await startApply(harness, plan));
      const changing = makeChanges(harness, round);
      await new Promise((resolve) => setTimeout(resolve, random.below(6_000)));
      const { old, lostAt, downMs } = await servers.promote();

      const confirmed = await changing;
      const present = slugsIn(servers.harness.server.dataDir, round);
      const expected = confirmed.map(({ slug }) => slug);
      expect(present).toEqual([...expected, `r${round}-${expected.length}`].slice(0, present.length));
      const [firstLost] = confirmed.slice(present.length);
      const ms = firstLost === undefined ? 0 : Math.round(lostAt - firstLost.at);
      losses.push({ ms, downMs: Math.round(downMs) });
      expect(ms).toBeLessThanOrEqual(documentedLossMs);
      expect(old.log()).toContain('Another server of this installation was promoted');

      for (const [at, { capsuleId }] of capsules.entries()) {
        const { id } = applies[at] ?? { id: '' };
        const { status, errorCode } = await finishedApply(id, capsuleId);
        const created = createdOn(machines, capsuleId);
        if (status === 'succeeded') expect(created).toEqual(addresses);
        // Nothing was changed by an apply that no machine had, whose plan file is lost with the server.
        else expect([status, errorCode, created]).toEqual(['failed', expect.any(String), []]);
      }
      expect(await findLedgerFaults(servers.harness.server.dataDir)).toEqual([]);
    },
  );
});

/** Short names of the Projects that a round created, in their order. */
function slugsIn(dataDir: string, round: number): string[] {
  const ledger = new Database(path.join(dataDir, 'ledger.db'), { readonly: true });
  try {
    const query = ledger.prepare('SELECT slug FROM projects WHERE slug LIKE ? ORDER BY rowid').pluck();
    return query.all(`r${round}-%`) as string[];
  } finally {
    ledger.close();
  }
}
