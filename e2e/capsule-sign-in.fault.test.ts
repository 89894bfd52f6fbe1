import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewLedger } from '#server/kernel/db';
import type { FailpointName } from '#server/kernel/failpoints';
import type { Run } from '#shared/runs/contract';
import { planDestroy } from './fixtures/capsule-changes.ts';
import { expectNoLeftovers, expectSoundLedger } from './fixtures/crash-checks.ts';
import { depth } from './fixtures/depth.ts';
import { settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { applyPlan, installPlanned, startApply } from './fixtures/journey.ts';
import { allowScopes, signingInModule } from './fixtures/signing-in-module.ts';

let harness: Harness;
let marks = '';
let url = '';
beforeAll(async () => {
  marks = mkdtempSync(path.join(os.tmpdir(), 'groundctl-marks-'));
  harness = await startHarness();
  await allowScopes(harness, ['openid', 'profile']);
  ({ url } = harness.repository('app', signingInModule()));
});
afterAll(async () => {
  await harness?.stop();
  rmSync(marks, { recursive: true, force: true });
});

/** Points from the outcome of an apply to the commit of its result, and after it; a quick run takes the last of each. */
const allPoints = [
  'take.outcome',
  'state.insert',
  'state.inserted',
  'capsule.commit',
  'take.finished',
  'take.committed',
] as const satisfies FailpointName[];
const points = depth<readonly FailpointName[]>({ quick: ['capsule.commit', 'take.committed'], deep: allPoints });

let count = 0;
async function plan(): Promise<{ capsuleId: string; plan: Run }> {
  count += 1;
  return installPlanned(harness, { url, name: `App ${count}`, variables: { url: `https://app-${count}.example.com` } });
}

/** Applies a plan on a server that dies at a failpoint. Returns the ledger as the dead server left it, and the Run. */
async function applyUntil(failpoint: string, planned: Run) {
  const mark = path.join(marks, `${count}-${failpoint}`);
  await harness.server.restart({ GROUNDCTL_FAILPOINT: `${failpoint}:kill`, GROUNDCTL_FAILPOINT_MARK: mark });
  const { id, capsuleId = '' } = await startApply(harness, planned);
  await harness.server.gone;
  const left = read(id, capsuleId);
  await harness.server.restart();
  return { left, run: await settled(harness.server, id) };
}

function read(runId: string, capsuleId: string) {
  const ledger = viewLedger(harness.server.dataDir);
  if (!ledger) throw new Error('no ledger');
  const one = (text: string, id: string) => ledger.sqlite.prepare(text).pluck().get(id);
  const result = {
    hasSucceeded: one('SELECT status FROM runs WHERE id = ?', runId) === 'succeeded',
    clients: one('SELECT count(*) FROM oidc_capsule_clients WHERE capsule_id = ?', capsuleId),
  };
  ledger.close();
  return result;
}

describe('a server that dies at the end of an apply', () => {
  it.for([...points, 'issuer.registered'] as const)(
    'at %s leaves a client exactly when the apply has succeeded',
    { timeout: 120_000 },
    async (failpoint) => {
      const planned = await plan();
      const { left, run } = await applyUntil(failpoint, planned.plan);
      expect(left.clients).toBe(left.hasSucceeded ? 1 : 0);
      expect([run.status, read(run.id, planned.capsuleId).clients]).toEqual(['succeeded', 1]);
    },
  );

  it.for([...points, 'issuer.retired'] as const)(
    'that destroys, at %s, leaves no client exactly when it has succeeded',
    { timeout: 120_000 },
    async (failpoint) => {
      const { capsuleId, plan: planned } = await plan();
      await applyPlan(harness, planned);
      const { left, run } = await applyUntil(failpoint, await planDestroy(harness, capsuleId));
      expect(left.clients).toBe(left.hasSucceeded ? 0 : 1);
      expect([run.status, read(run.id, capsuleId).clients]).toEqual(['succeeded', 0]);
    },
  );

  it('leaves an intact ledger and no process', { timeout: 60_000 }, async () => {
    await expectSoundLedger(harness);
    await expectNoLeftovers(harness);
  });
});
