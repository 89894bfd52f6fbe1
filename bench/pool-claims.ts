import { setTimeout as pause } from 'node:timers/promises';
import type { Machine } from '../e2e/fixtures/pool.ts';
import { loadNats } from '../server/src/drivers/nats/index.ts';
import { readIdentity } from '../server/src/runner-machine/identity.ts';
import type { Run } from './api.ts';
import { terraformDataModule } from './bare-tool.ts';
import { type CaseResult, compare, timed } from './median.ts';
import { localPool, type PooledProduct, withPools } from './pool-product.ts';
import { install } from './product-runs.ts';

/** Claims of one round, all sent at once. */
const claims = 10;

/**
 * Claims of waiting plans, which the server answers once their job is recorded, over claims that it refuses: both are
 * questions of an enrolled machine over NATS with TLS. The machine works on nothing.
 */
export function poolClaims(samples: number, entry: string): Promise<CaseResult[]> {
  return withPools({ entry, module: terraformDataModule(1) }, async (product) => {
    const machine = await product.harness.addMachine();
    // A server gives no Run to a machine that has not reported its sandbox.
    while ((await product.harness.machines()).some(({ sandbox }) => sandbox === undefined)) await pause(50);
    await machine.stop();
    const waiting = await queuePlans(product, claims * samples);
    const { claim, close } = await connectAs(machine);
    try {
      const times = { given: [] as number[], refused: [] as number[] };
      for (let round = 0; round < samples; round += 1) {
        const ids = waiting.slice(round * claims, (round + 1) * claims);
        times.given.push((await timed(() => claimAll(ids, claim, 'given'))).ms);
        times.refused.push((await timed(() => claimAll(ids, claim, 'refused'))).ms);
      }
      return [compare(`pool: ${claims} claims, against refused ones`, times.given, times.refused)];
    } finally {
      await close();
    }
  });
}

/** Requests plans in the pool, which has no machine that works. Returns the ids of their Runs. */
async function queuePlans(product: PooledProduct, count: number): Promise<string[]> {
  const capsuleIds: string[] = [];
  await product.use(localPool);
  for (let index = 0; index < count; index += 1) capsuleIds.push((await install(product, `bench-${index}`)).capsuleId);
  await product.use(product.harness.pool);
  const request = (id: string) => product.api.post<{ run: Run }>(`/capsules/${id}/plan`);
  return (await Promise.all(capsuleIds.map(request))).map(({ run }) => run.id);
}

type Claimant = (runId: string) => Promise<'given' | 'refused'>;

async function claimAll(ids: readonly string[], claim: Claimant, expected: 'given' | 'refused'): Promise<void> {
  const answers = await Promise.all(ids.map(claim));
  if (answers.some((answer) => answer !== expected)) throw new Error(`A claim was not ${expected}.`);
}

/** Connects to NATS as an enrolled machine that is stopped. */
async function connectAs({ dataDir }: Machine): Promise<{ claim: Claimant; close(): Promise<void> }> {
  const identity = readIdentity(dataDir);
  if (!identity) throw new Error('The machine is not enrolled.');
  const { runnerId, urls, ca, jwt, verifyWith, userKey } = identity;
  const nats = await loadNats();
  const connection = await nats.connectOnce({
    urls,
    ca,
    credentials: () => ({ jwt, seed: userKey.seed }),
    inboxPrefix: nats.inboxOf(runnerId),
  });
  return {
    async claim(runId) {
      const answer = await nats.sendQuestion({ connection, senderId: runnerId, verifyWith }, 'claim', {
        runId,
        attempt: 0,
      });
      return 'refused' in answer ? 'refused' : 'given';
    },
    close: () => connection.close(),
  };
}
