import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FailpointName, failpointNames } from '#server/kernel/failpoints';
import { mintedCanary } from '../server/test/credential-service.ts';
import { canaryOf, searchFolder } from './fixtures/canary.ts';
import { addressesOf, armFailpoint, killVictim, patienceMs, slowModule, type Victim } from './fixtures/crash.ts';
import { expectNoLeftovers, expectSoundLedger, expectTruth } from './fixtures/crash-checks.ts';
import { type CrashJourney, createCrashJourney } from './fixtures/crash-journey.ts';
import { depth, timesOf } from './fixtures/depth.ts';
import { findDoctorProblems } from './fixtures/doctor.ts';
import { readUntil } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { type IssuedCredentials, issueCredentials } from './fixtures/issued-credentials.ts';
import { createRandom } from './fixtures/random.ts';

/** Every failpoint between a request for credentials and their revocation, and one that all Runs pass after it. */
const points = [
  ...failpointNames.filter((name) => name.startsWith('credentials.')),
  'deploy.spec',
  'handover.given',
  'handover.started',
  'take.outcome',
] as const satisfies readonly FailpointName[];
type Phase = 'plan' | 'apply';
const victims = ['server', 'supervisor', 'both', 'tool'] as const satisfies readonly Victim[];

const random = createRandom();
const timesEach = timesOf({ quick: 1, deep: 10 });
const all = points.flatMap((name) => (['plan', 'apply'] as const).map((phase) => [name, phase] as const));
/** A quick run takes a few, chosen by the seed so that all have their turn. */
const pointsNow = depth({ quick: [0, 1].map(() => all[random.below(all.length)]).filter(isDefined), deep: all });
const victimsNow = depth<readonly Victim[]>({
  quick: [victims[random.below(victims.length)]].filter(isDefined),
  deep: victims,
});
const layer = 2;

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

let harness: Harness;
let journey: CrashJourney;
let issued: IssuedCredentials;
let marks = '';
let round = 0;
beforeAll(async () => {
  marks = mkdtempSync(path.join(os.tmpdir(), 'groundctl-marks-'));
  harness = await startHarness({ providers: true });
  journey = createCrashJourney(harness);
  issued = await issueCredentials(harness);
});
afterAll(async () => {
  await harness?.stop();
  await issued?.service.close();
  rmSync(marks, { recursive: true, force: true });
});

const arm = (text: string): Promise<string> => armFailpoint(harness, text, path.join(marks, `${round}`));

const planned = () => {
  round += 1;
  const name = `issued-${round}`;
  const { url, commit } = harness.repository(name, {});
  const ref = commit({ 'main.tf': `# ${name}\n${slowModule(layer)}` });
  const delays = Array.from({ length: 2 * layer }, () => random.below(150));
  return journey.plan({ url, name, ref, variables: { delays }, providerBindings: issued.providerBindings });
};

/** Every credential was revoked, each Run had one of its own, and no file of the server contains one. */
async function expectAllRevoked(runIds: readonly string[]): Promise<void> {
  const { service } = issued;
  await expect
    .poll(
      async () => {
        // The revocation itself may be what kills the server.
        await journey.revive();
        return service.revoked.toSorted();
      },
      { timeout: 60_000 },
    )
    .toEqual([...service.issued.values()].toSorted());
  const keys = runIds.flatMap((id) => [...service.issued.keys()].filter((key) => key.startsWith(`${id}:`)));
  expect(keys).toHaveLength(runIds.length);
  const canaries = [...service.issued.keys()].map((key) => canaryOf(key, mintedCanary(key)));
  expect(searchFolder(harness.server.dataDir, canaries, ['providers']).hits).toEqual([]);
}

const deletesOf = (id: string): number =>
  issued.service.requests.filter(({ method, path: at }) => method === 'DELETE' && at.endsWith(encodeURIComponent(id)))
    .length;

/** Installs and applies with a failpoint armed in one phase. Returns whether it struck. */
async function play(name: FailpointName, phase: Phase): Promise<boolean> {
  let mark = phase === 'plan' ? await arm(`${name}@1:kill`) : '';
  const { plan, capsuleId } = await planned();
  if (phase === 'apply') mark = await arm(`${name}@1:kill`);
  const started = await journey.apply({ plan, capsuleId, sourceId: '' });
  const apply = await journey.end(started.id, patienceMs);
  // The failpoint strikes once, at the latest in a revocation.
  await expectAllRevoked([plan.id, apply.id]);
  await expectTruth(harness, { capsuleId, apply, addresses: addressesOf(layer) });
  expect(apply.status).toBe('succeeded');
  await expectAllRevoked([plan.id, apply.id]);
  // A revocation is repeated only when the server died between its answer and its record.
  if (name !== 'credentials.revoked')
    for (const id of issued.service.issued.values()) expect([id, deletesOf(id)]).toEqual([id, 1]);
  issued.service.forget();
  return existsSync(mark);
}

describe(`credentials that are issued to Runs (seed ${random.seed})`, () => {
  it.for(pointsNow)(
    'are revoked once when the server dies at %s in a %s',
    { timeout: 90_000 + timesEach * 60_000 },
    async ([name, phase]) => {
      for (let time = 0; time < timesEach; time += 1) expect(await play(name, phase)).toBe(true);
    },
  );

  it.for(victimsNow)('are revoked once when the %s dies in an apply', { timeout: 120_000 }, async (victim) => {
    const { plan, capsuleId } = await planned();
    const started = await journey.apply({ plan, capsuleId, sourceId: '' });
    await readUntil(harness.server, started.id, ({ event }) => event === 'resource' || event === 'end');
    await killVictim(harness, started.id, victim);
    const apply = await journey.end(started.id, patienceMs);
    await expectTruth(harness, { capsuleId, apply, addresses: addressesOf(layer) });
    await expectAllRevoked([plan.id, apply.id]);
    for (const id of issued.service.issued.values()) expect([id, deletesOf(id)]).toEqual([id, 1]);
    issued.service.forget();
  });

  it('leave an intact ledger, a clean doctor and no process', { timeout: 60_000 }, async () => {
    await expectSoundLedger(harness);
    expect(await findDoctorProblems(harness)).toEqual([]);
    await expectNoLeftovers(harness);
  });
});
