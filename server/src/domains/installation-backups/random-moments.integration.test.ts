import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { timesOf } from '../../../../e2e/fixtures/depth.ts';
import { createRandom } from '../../../../e2e/fixtures/random.ts';
import { soundMachine } from '../../../test/doctor-fixture.ts';
import { heldClock, tempDir, testKeyFile } from '../../../test/harness.ts';
import { createBackupMaker, digestOfLedgerIn, ledgerDigest } from '../../../test/installation-backups.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { playRuns } from '../../../test/simulated-runs.ts';
import { openRestoredFolder } from '../../compose/backup-host.ts';
import { exportStoredKeys, viewKeys } from '../../compose/key-host.ts';
import { sealedColumns } from '../../compose/sealed-columns.ts';
import { startServer } from '../../index.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createLog } from '../../kernel/log.ts';
import { readSettings } from '../../kernel/settings.ts';
import { examine, examineTrail, openExamination } from '../doctor/index.ts';
import { verifyBackup } from './index.ts';

let folder: string;
let fixture: ScheduleFixture;
beforeEach(async () => {
  folder = tempDir();
  fixture = await openScheduleFixture(heldClock(Date.now()), { sealsValues: true });
});
afterEach(async () => {
  await fixture.close();
  fs.rmSync(folder, { recursive: true });
});

const random = createRandom();
const times = timesOf({ quick: 1, deep: 200 });
/** Backups of one ledger. Every change of it is compared as a whole, so that a ledger must not grow without end. */
const perLedger = 10;
const ledgers = Array.from({ length: Math.ceil(times / perLedger) }, (_, at) => ({
  count: Math.min(perLedger, times - at * perLedger),
  first: at * perLedger + 1,
}));

/** Plans, applies, syncs and rotates keys, in a random order, until it is stopped. */
function createLoad() {
  const runs = playRuns(fixture);
  const capsules = Array.from({ length: 3 }, () => fixture.makeCapsule());
  const steps = [
    ({ id }: { id: string }) =>
      runs.applied(id, { title: { value: `secret ${random.below(1_000)}`, sensitive: true } }),
    ({ id }: { id: string }) => runs.applied(id),
    ({ id }: { id: string }) => runs.endPlan(fixture.domains.plans.createPlan(id, runs.createInput()).id),
    async ({ sourceId }: { sourceId: string }) => void fixture.sync(sourceId),
    async () => {
      await fixture.domains.keys.settled();
      fixture.domains.keys.rotate('operator');
    },
  ];
  return {
    /** Gives each Capsule a state. */
    async begin(): Promise<void> {
      for (const { id } of capsules) await runs.applied(id);
    },
    async step(): Promise<void> {
      const capsule = capsules[random.below(capsules.length)];
      const step = steps[random.below(steps.length)];
      if (capsule && step) await step(capsule);
    },
  };
}

const settings = () => ({
  dataDir: fixture.dataDir,
  keySource: 'file' as const,
  keyFile: testKeyFile(fixture.dataDir),
  passphraseFile: undefined,
});

test.each(ledgers)(
  'each of $count backups at random moments of a load, from number $first on, is one committed state, whole and sealed, and starts paused',
  {
    timeout: 30_000 + perLedger * 15_000,
  },
  async ({ count, first }) => {
    const backups = await createBackupMaker(folder);
    const load = createLoad();
    await load.begin();
    for (let time = first; time < first + count; time += 1) {
      const committed = new Set([ledgerDigest(fixture.db.sqlite)]);
      fixture.db.onTransaction(() => committed.add(ledgerDigest(fixture.db.sqlite)));
      const file = backups.fileNamed(`at-${time}`);
      for (let steps = random.below(3); steps > 0; steps -= 1) await load.step();
      let isDone = false;
      const making = backups
        .create(file, { dataDir: fixture.dataDir, exportKeys: () => exportStoredKeys(settings()) })
        .finally(() => {
          isDone = true;
        });
      while (!isDone) await load.step();
      await making;
      const restored = path.join(folder, `restored-${time}`);
      await backups.restore(file, restored);
      expect(committed, `GROUNDCTL_TEST_SEED=${random.seed}, backup ${time}`).toContain(digestOfLedgerIn(restored));
      await expectWhole(file, backups.keys.identity);
      await expectPausedStart(restored);
      await expectSound(restored);
      fs.rmSync(restored, { recursive: true });
      fs.rmSync(file);
    }
  },
);

async function expectWhole(file: string, identity: string): Promise<void> {
  const found = await verifyBackup({
    file,
    decryptWith: { identities: [identity] },
    openFolder: openRestoredFolder({ keyFile: undefined, passphraseFile: undefined }),
  });
  // The snapshots of this fixture have no files, so their archives are not in the backup.
  const problems = found.checks.filter(({ name, outcome }) => name !== 'archives' && outcome !== 'ok');
  expect(problems).toEqual([]);
  expect(found.checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['ledger', 'key', 'trail', 'states', 'capsules', 'configs']),
  );
  expect(found.trail).toEqual({ rows: expect.any(Number), isWhole: true });
  expect(found.sealedBy).toBeUndefined();
}

/** Starts a server on a restored folder. Nothing of the backup runs on, and nothing new is started. */
async function expectPausedStart(dataDir: string): Promise<void> {
  const environment = { GROUNDCTL_TOOL_PATH: path.join(dataDir, 'no-tool'), GROUNDCTL_KEY_FILE: `${dataDir}.key` };
  const server = await startServer({
    settings: readSettings(environment, { dataDir, port: '0' }),
    log: createLog('silent'),
    clock: systemClock,
  });
  try {
    const headers = { authorization: `Bearer ${server.operatorToken}` };
    const answer = await fetch(`${server.url}/internal/v1/installation`, { headers });
    expect(await answer.json()).toMatchObject({ installation: { paused: true } });
    expect(findOpenRuns(dataDir)).toEqual([]);
  } finally {
    await server.close();
  }
}

/** After the first start, `doctor` and `audit verify` report nothing about the folder that a person must repair. */
async function expectSound(dataDir: string): Promise<void> {
  const { examination, close } = await openExamination({
    dataDir,
    clock: systemClock,
    machine: soundMachine,
    sealedColumns,
    openVault: (ledger) =>
      viewKeys(ledger, { dataDir, keySource: undefined, keyFile: `${dataDir}.key`, passphraseFile: undefined }),
  });
  try {
    const found = await examine(examination);
    const problems = found.filter(({ name, outcome }) => name !== 'archives' && !['ok', 'note'].includes(outcome));
    expect(problems).toEqual([]);
    const { ledger, vault, store } = examination;
    const report = ledger && vault && store && examineTrail({ ledger, vault, store });
    expect([report?.broken, report?.untoldRuns]).toEqual([undefined, []]);
  } finally {
    close();
  }
}

function findOpenRuns(dataDir: string): unknown[] {
  const ledger = new Database(path.join(dataDir, 'ledger.db'), { readonly: true });
  try {
    return ledger.prepare("SELECT id, type, status FROM runs WHERE status IN ('queued', 'running')").all();
  } finally {
    ledger.close();
  }
}
