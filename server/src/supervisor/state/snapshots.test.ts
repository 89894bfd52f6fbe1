import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { encryptionNames, openSealed, sealState } from '#server/drivers/tofu/index';
import type { ExecutionSpec } from '../../runner/contract/execution-spec.ts';
import { openJournal, readWholeJournal } from '../../runner/contract/journal.ts';
import { layoutOf, makeFolders } from '../../runner/contract/layout.ts';
import { createRedactor } from '../../runner/contract/redaction/redactor.ts';
import { type Baseline, digestOf, writeBaselineState } from '../../runner/contract/state-file.ts';
import { createReporter } from '../reporting/reporter.ts';
import type { SupervisedRun } from '../run.ts';
import { createSyncs } from '../syncs.ts';
import { keepSnapshots } from './snapshots.ts';

const key = randomBytes(32).toString('base64');
const oldKey = randomBytes(32).toString('base64');
const lineage = '6c0f7a3e-0000-4000-8000-000000000001';

const stateText = (serial: number, name = 'a', ofLineage = lineage): string =>
  JSON.stringify({
    version: 4,
    terraform_version: '1.12.6',
    serial,
    lineage: ofLineage,
    outputs: {},
    resources: [],
    check_results: name,
  });

let dir: string;
let run: SupervisedRun;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'snapshots-'));
  const spec: ExecutionSpec = {
    formatVersion: 1,
    mode: 'run',
    operation: 'apply',
    runId: 'r',
    capsuleId: 'c',
    runDir: path.join(dir, 'run'),
    capsuleDir: path.join(dir, 'capsule'),
    archive: { path: '', digest: '' },
    modulePath: '.',
    tool: { name: 'tofu', version: '1.12.6', path: '/bin/true' },
    sandbox: 'none',
    providers: { storeDir: path.join(dir, 'store') },
    variables: {},
    ephemeralVariables: [],
    secrets: [],
    sealing: { keyVersion: 2, encryptionKey: key, decryptionKey: oldKey },
    state: { text: stateText(4), digest: digestOf(stateText(4)) },
    lock: null,
    plan: null,
    limits: { initSeconds: 1, planSeconds: 1, logBytes: 1_000 },
  };
  mkdirSync(spec.runDir);
  const layout = layoutOf(spec);
  makeFolders(layout, spec);
  const journal = openJournal(spec.runDir);
  const redactor = createRedactor([]);
  const report = createReporter({ journal, redactor, logBytes: 1_000 });
  const cancel = { isRequested: false, onRequest: () => () => {} };
  run = {
    spec,
    layout,
    bwrap: undefined,
    names: encryptionNames(oldKey),
    journal,
    report,
    cancel,
    redactor,
    secrets: [],
    cleanups: [],
    syncs: createSyncs(),
  };
});
afterEach(() => {
  run.journal.close();
  rmSync(dir, { recursive: true, force: true });
});

const write = (text: string): void => writeFileSync(run.layout.stateFile, sealState(text, key, run.names));
const states = (): unknown[] => [...readWholeJournal(run.spec.runDir)].filter((record) => record.t === 'state');

test('the baseline state is written with the key of its plan, and copied with the newest key', () => {
  const baseline = writeBaselineState(run) as Baseline;
  expect(baseline).toMatchObject({ lineage, serial: 4, digest: digestOf(stateText(4)) });
  expect(openSealed(readFileSync(run.layout.stateFile), oldKey).toString()).toBe(stateText(4));
  const captures = keepSnapshots(run, baseline);
  expect(captures.finish()).toBe(true);
  const { best } = captures;
  expect(openSealed(readFileSync(path.join(run.spec.runDir, best?.file as string)), key).toString()).toBe(stateText(4));
});

test('a state that changes without pause is copied too', async () => {
  const captures = keepSnapshots(run, writeBaselineState(run) as Baseline);
  write(stateText(7));
  const restless = setInterval(() => utimesSync(run.layout.stateFile, new Date(), new Date()), 2);
  try {
    await expect.poll(() => captures.best?.serial, { timeout: 15_000, interval: 50 }).toBe(7);
  } finally {
    clearInterval(restless);
    captures.finish();
  }
});

test('a truncated or empty file at the end leaves the last complete copy, and is not good', () => {
  const captures = keepSnapshots(run, writeBaselineState(run) as Baseline);
  write(stateText(6));
  const early = keepSnapshots(run, { lineage, serial: 4, digest: '', content: '' });
  expect(early.finish()).toBe(true);
  expect(early.best?.serial).toBe(6);
  truncateSync(run.layout.stateFile, 40);
  const late = keepSnapshots(run, { lineage, serial: 4, digest: '', content: '' }, early.best);
  expect(late.finish()).toBe(false);
  expect(late.best).toEqual(early.best);
  writeFileSync(run.layout.stateFile, '');
  expect(captures.finish()).toBe(false);
});

test('an unchanged file stays good, and the same content is good again after a truncated one', () => {
  const captures = keepSnapshots(run, writeBaselineState(run) as Baseline);
  write(stateText(6));
  const bytes = readFileSync(run.layout.stateFile);
  expect([captures.finish(), captures.finish()]).toEqual([true, true]);
  truncateSync(run.layout.stateFile, 40);
  expect([captures.finish(), captures.finish()]).toEqual([false, false]);
  writeFileSync(run.layout.stateFile, bytes);
  expect(captures.finish()).toBe(true);
  write(stateText(3));
  expect([captures.finish(), captures.finish()]).toEqual([false, false]);
  expect(states()).toHaveLength(1);
});

test.each([
  ['a lower serial', () => write(stateText(3))],
  ['another lineage', () => write(stateText(9, 'a', 'other'))],
  [
    'another key',
    () => writeFileSync(run.layout.stateFile, sealState(stateText(9), randomBytes(32).toString('base64'), run.names)),
  ],
  ['clear text', () => writeFileSync(run.layout.stateFile, stateText(9))],
  [
    'a folder',
    () => {
      rmSync(run.layout.stateFile);
      mkdirSync(run.layout.stateFile);
    },
  ],
  [
    'a link',
    () => {
      renameSync(run.layout.stateFile, path.join(dir, 'moved'));
      symlinkSync(path.join(dir, 'moved'), run.layout.stateFile);
    },
  ],
])('%s is never taken for the state', (_name, tamper) => {
  const captures = keepSnapshots(run, writeBaselineState(run) as Baseline);
  tamper();
  expect(captures.finish()).toBe(false);
  expect(captures.best).toBeUndefined();
  expect(states()).toEqual([]);
});

test('changes are copied while they happen, the two newest are kept, and each is journaled', async () => {
  const captures = keepSnapshots(run, writeBaselineState(run) as Baseline);
  for (const serial of [5, 6, 7]) {
    write(stateText(serial));
    while (captures.best?.serial !== serial) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(captures.finish()).toBe(true);
  expect(states()).toHaveLength(3);
  expect(
    readdirSync(run.spec.runDir)
      .filter((name) => name.startsWith('state-'))
      .map((name) => name.slice(0, 12)),
  ).toEqual(['state-000006', 'state-000007']);
});

test('a state that the ledger never received is kept before the folder is written again', () => {
  writeBaselineState(run);
  write(stateText(8));
  writeBaselineState(run);
  expect(openSealed(readFileSync(path.join(run.spec.runDir, 'found.tfstate')), key).toString()).toBe(stateText(8));
  expect(openSealed(readFileSync(run.layout.stateFile), oldKey).toString()).toBe(stateText(4));
});
