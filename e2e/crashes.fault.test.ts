import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FailpointName, failpointNames } from '#server/kernel/failpoints';
import { addressesOf, armFailpoint, killVictim, patienceMs, slowModule } from './fixtures/crash.ts';
import { expectNoLeftovers, expectSoundLedger, expectTruth } from './fixtures/crash-checks.ts';
import { type CrashJourney, createCrashJourney } from './fixtures/crash-journey.ts';
import { depth, timesOf } from './fixtures/depth.ts';
import { readUntil } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import type { Planned } from './fixtures/journey.ts';
import { createRandom } from './fixtures/random.ts';

/**
 * Phase in which the variable is set: before the installation, before the apply, before an adoption, or for a start in
 * the middle of an apply.
 */
type Phase = 'install' | 'apply' | 'adopt' | 'start';
/** A failpoint with the phases that pass it, and the largest number of passes in one phase before it strikes. */
type FailpointPhases = { phases: readonly Phase[]; most?: number };

const both: FailpointPhases = { phases: ['install', 'apply'] };
const often: FailpointPhases = { phases: ['install', 'apply'], most: 12 };
const inApply: FailpointPhases = { phases: ['apply'] };
const inInstall: FailpointPhases = { phases: ['install'] };
const steps: FailpointPhases = { phases: ['install'], most: 8 };
const starts: FailpointPhases = { phases: ['start'] };
const adopts: FailpointPhases = { phases: ['adopt'] };
const commands: FailpointPhases = { phases: ['install', 'apply'], most: 2 };
/**
 * The modules of this journey have no Interfaces and no actions, sign no one in and use no credentials, and nothing is
 * backed up, restored, imported or deleted: the faults of those domains pass these points.
 */
const elsewhere = [
  'interfaces',
  'issuer',
  'lifecycle',
  'credentials',
  'backup',
  'restore',
  'deletion',
  'import',
  'copy',
  'form',
  'installation',
  'promotion',
] as const;
type StruckElsewhere = `${(typeof elsewhere)[number]}.${string}`;
type Struck = Exclude<FailpointName, StruckElsewhere>;
const isStruckHere = (name: FailpointName): name is Struck =>
  elsewhere.every((domain) => !name.startsWith(`${domain}.`));

const failpointPhases: { readonly [name in Struck]: FailpointPhases } = {
  'start.locked': starts,
  'start.migrated': starts,
  'start.listening': starts,
  'start.resumed': starts,
  'start.ready': starts,
  'ledger.begin': often,
  'ledger.commit': often,
  'ledger.committed': often,
  'ledger.heard': often,
  'receipt.stored': inApply,
  'install.step': steps,
  'install.taken': steps,
  'install.persisted': steps,
  'archive.written': inInstall,
  'archive.renamed': inInstall,
  'sync.fetched': inInstall,
  'sync.saved': inInstall,
  'sync.finished': inInstall,
  'queue.claim': both,
  'queue.claimed': both,
  'deploy.execute': both,
  'deploy.spec': both,
  'deploy.hand': both,
  'handover.ticket': both,
  'handover.given': both,
  'handover.started': both,
  'supervisor.job': both,
  'supervisor.claimed': { phases: ['install', 'apply', 'adopt'] },
  'supervisor.named': { phases: ['install', 'apply', 'adopt'] },
  'supervisor.ticket': { phases: ['install', 'apply', 'adopt'] },
  'supervisor.started': { phases: ['install', 'apply', 'adopt'] },
  'supervisor.launched': commands,
  'supervisor.spawned': commands,
  'supervisor.go': commands,
  'supervisor.exited': commands,
  'snapshot.found': inApply,
  'snapshot.kept': inApply,
  'snapshot.told': inApply,
  'durable.written': { phases: ['install', 'apply'], most: 3 },
  'durable.renamed': { phases: ['install', 'apply'], most: 3 },
  'durable.synced': { phases: ['install', 'apply'], most: 3 },
  'supervisor.concluded': { phases: ['install', 'apply', 'adopt'] },
  'supervisor.released': { phases: ['install', 'apply', 'adopt'] },
  'supervisor.outcome': { phases: ['install', 'apply', 'adopt'] },
  'adopt.withdrawn': adopts,
  'adopt.start': adopts,
  'adopt.begun': adopts,
  'adopt.ended': adopts,
  'take.begin': often,
  'take.records': often,
  'take.outcome': both,
  'take.finished': both,
  'take.committed': often,
  'state.insert': inApply,
  'state.inserted': inApply,
  'capsule.commit': inApply,
  'projection.begin': inApply,
  'projection.saved': inApply,
};

/** Failpoints of an apply where a write or a system call can fail, with the largest number of passes before it does. */
const faults: readonly (readonly [FailpointName, 'error' | 'enospc', number])[] = [
  ['ledger.begin', 'enospc', 12],
  ['ledger.commit', 'error', 12],
  ['queue.claim', 'error', 1],
  ['deploy.execute', 'error', 1],
  ['deploy.spec', 'error', 1],
  ['handover.ticket', 'error', 1],
  ['handover.given', 'error', 1],
  ['handover.started', 'error', 1],
  ['supervisor.started', 'error', 1],
  ['supervisor.launched', 'error', 1],
  ['supervisor.spawned', 'error', 1],
  ['supervisor.go', 'error', 1],
  ['supervisor.exited', 'error', 1],
  ['supervisor.concluded', 'error', 1],
  ['supervisor.released', 'error', 1],
  ['snapshot.found', 'enospc', 1],
  ['snapshot.kept', 'error', 1],
  ['snapshot.told', 'error', 1],
  ['durable.written', 'enospc', 3],
  ['durable.synced', 'error', 3],
  ['take.begin', 'error', 6],
  ['take.records', 'error', 6],
  ['take.outcome', 'error', 1],
  ['take.finished', 'error', 1],
  ['take.committed', 'error', 6],
  ['state.insert', 'error', 1],
  ['state.inserted', 'enospc', 1],
  ['capsule.commit', 'error', 1],
];

const random = createRandom();
const layer = 3;
const addresses = addressesOf(layer);
const shareOfQuick = 2;
/** Every failpoint in a deep run, repeatedly; otherwise a few, chosen by the seed so that all have their turn. */
const struckNames = failpointNames.filter(isStruckHere);
const names = depth<readonly Struck[]>({ quick: pick(struckNames, shareOfQuick), deep: struckNames });
const faultsNow = depth({ quick: pick(faults, 1), deep: faults });
const timesEach = timesOf({ quick: 1, deep: 20 });

function pick<T>(list: readonly T[], count: number): T[] {
  const left = [...list];
  return Array.from({ length: count }, () => left.splice(random.below(left.length), 1)[0] as T);
}

let harness: Harness;
let journey: CrashJourney;
let marks = '';
let round = 0;
beforeAll(async () => {
  marks = mkdtempSync(path.join(os.tmpdir(), 'groundctl-marks-'));
  harness = await startHarness({ providers: true });
  journey = createCrashJourney(harness);
});
afterAll(async () => {
  await harness?.stop();
  rmSync(marks, { recursive: true, force: true });
});

const arm = (text: string): Promise<string> => armFailpoint(harness, text, path.join(marks, `${round}`));

async function plan(): Promise<Planned> {
  const name = `crash-${round}`;
  // Different bytes each time, so that archive and commit are new.
  const { url } = harness.repository(name, { 'main.tf': `# ${name}\n${slowModule(layer)}` });
  const delays = Array.from({ length: 2 * layer }, () => random.below(150));
  return journey.plan({ url, name, variables: { delays } });
}

/**
 * Installs and applies with one failpoint armed in one phase. Returns whether it struck and how the apply ended, after
 * checking what it left.
 */
async function play(text: string, phase: Phase): Promise<{ isStruck: boolean; status: string }> {
  round += 1;
  let mark = phase === 'install' ? await arm(text) : '';
  const planned = await plan();
  if (phase === 'apply' || phase === 'adopt') mark = await arm(text);
  const started = await journey.apply(planned);
  if (phase === 'start' || phase === 'adopt')
    await readUntil(harness.server, started.id, ({ event }) => event === 'resource' || event === 'end');
  if (phase === 'adopt') await killVictim(harness, started.id, 'supervisor');
  if (phase === 'start') {
    await harness.server.kill9();
    mark = await arm(text);
  }
  const apply = await journey.end(started.id, patienceMs);
  await expectTruth(harness, { capsuleId: planned.capsuleId, apply, addresses });
  return { isStruck: existsSync(mark), status: apply.status };
}

/**
 * Repeats the run until the failpoint struck often enough. A failpoint that is passed less often than requested does
 * not strike and does not count.
 */
async function strike(name: Struck, times: number): Promise<number> {
  const { phases, most = 1 } = failpointPhases[name];
  let struck = 0;
  for (let tries = 0; struck < times && tries < 2 * times + 4; tries += 1) {
    const phase = phases[(tries + random.below(phases.length)) % phases.length] as Phase;
    const nth = tries === 0 ? 1 : 1 + random.below(most);
    const { isStruck, status } = await playWithSeed(`${name}@${nth}:kill`, phase);
    expect(status).toBe('succeeded');
    if (isStruck) struck += 1;
  }
  return struck;
}

/** Runs the test, and on failure prints the command that repeats it. */
async function playWithSeed(text: string, phase: Phase): ReturnType<typeof play> {
  try {
    return await play(text, phase);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    const where = `GROUNDCTL_TEST_SEED=${random.seed}, ${text} in ${phase}`;
    throw new Error(`${where}: ${why}\n${harness.server.log().slice(-4_000)}`, { cause });
  }
}

describe(`a process that dies (seed ${random.seed})`, () => {
  it.for(names)(
    'at %s leaves correct records, and the apply happens once',
    { timeout: 60_000 + timesEach * 60_000 },
    async (name) => {
      expect(await strike(name, timesEach)).toBe(timesEach);
    },
  );

  it.for(faultsNow)(
    'or fails at %s with %s in an apply leaves correct records',
    { timeout: 60_000 + timesEach * 60_000 },
    async ([name, action, most]) => {
      for (let time = 0; time < timesEach; time += 1)
        await playWithSeed(`${name}@${1 + random.below(most)}:${action}`, 'apply');
    },
  );

  it('leaves an intact ledger and no process', { timeout: 60_000 }, async () => {
    await expectSoundLedger(harness);
    await expectNoLeftovers(harness);
  });
});
