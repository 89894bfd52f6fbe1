import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGcStore, createSweep, gcFoldersOf } from '#server/domains/gc/index';
import { openDb } from '#server/kernel/db';
import { createLog } from '#server/kernel/log';
import type { Run } from '#shared/runs/contract';
import { runTool } from '../server/src/runner/index.ts';
import { supervisorOf } from './fixtures/crash.ts';
import { findDoctorProblems } from './fixtures/doctor.ts';
import { settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import {
  applyPlan,
  errorsOf,
  installPlanned,
  planAgain,
  startApply,
  stateVersions,
  takeNewest,
} from './fixtures/journey.ts';
import { fakeModule, thing } from './fixtures/modules.ts';
import { productEntry } from './fixtures/server.ts';

const day = 86_400_000;
let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ providers: true });
});
afterAll(() => harness?.stop());

const at = (...names: string[]) => path.join(harness.server.dataDir, ...names);

/** Collects as a server would after this many days. Nothing else runs, so it may be done beside the server. */
async function sweepAfter(days: number, keepDays: number) {
  // A supervisor ends a moment after its Run, and keeps the folder until then.
  const working = () => readdirSync(at('runs')).filter((id) => supervisorOf(harness, id) !== undefined);
  await expect.poll(working, { timeout: 20_000 }).toEqual([]);
  const db = openDb(harness.server.dataDir, (error) => {
    throw error;
  });
  try {
    return await createSweep({
      store: createGcStore(db),
      folders: gcFoldersOf(harness.server.dataDir),
      clock: { now: () => Date.now() + days * day },
      log: createLog('warn'),
      keepDays,
      configs: { deleteProposals: () => 0 },
      plans: { deletePlans: () => 0 },
      deleteRuns: () => 0,
    })({ isDiskLow: false, signal: new AbortController().signal });
  } finally {
    db.close();
  }
}

/** Runs the command as a person does, beside the server. */
async function groundctl(...argv: string[]): Promise<{ code: number | null; stdout: string }> {
  const { dataDir } = harness.server;
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    GROUNDCTL_TOOL_PATH: harness.tool.path,
    GROUNDCTL_KEY_FILE: keyFile(),
  };
  const full = [productEntry(), ...argv, '--data-dir', dataDir];
  return runTool({ file: process.execPath, argv: full, env, timeoutMs: 60_000, maxBytes: 8_388_608 });
}
async function discard(capsuleId: string): Promise<number> {
  const { url, token } = harness.server;
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${url}/api/v1/capsules/${capsuleId}`, { method: 'DELETE', headers })).status;
}
const problems = () => findDoctorProblems(harness);
const keyFile = () => at('keys', 'master.key');
const archives = () =>
  readdirSync(at('archives'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tar'))
    .map((name) => at('archives', name));

describe('a folder that is collected', () => {
  it('loses obsolete files; every waiting plan can still be applied, the next one made, and every state opened', async () => {
    const repository = harness.repository('care', { 'main.tf': fakeModule(thing('one')) });
    const first = await installPlanned(harness, { url: repository.url, name: 'care' });
    expect((await applyPlan(harness, first.plan)).status).toBe('succeeded');
    repository.commit({ 'main.tf': fakeModule(thing('one') + thing('two')) });
    await takeNewest(harness, first.sourceId);
    const overtaken = await planAgain(harness, first.capsuleId);
    expect((await applyPlan(harness, await planAgain(harness, first.capsuleId))).status).toBe('succeeded');
    repository.commit({ 'main.tf': fakeModule(thing('one') + thing('two') + thing('three')) });
    await takeNewest(harness, first.sourceId);
    const waiting = await planAgain(harness, first.capsuleId);
    expect(await problems()).toEqual([]);

    const { removed, freedBytes } = await sweepAfter(2, 1);
    expect(removed).toEqual({ runFolders: 5 });
    expect(freedBytes).toBeGreaterThan(1_000);
    expect(readdirSync(at('runs'))).toEqual([waiting.id]);
    expect(existsSync(at('runs', overtaken.id))).toBe(false);
    expect(await problems()).toEqual([]);

    expect((await applyPlan(harness, waiting)).status).toBe('succeeded');
    expect((await stateVersions(harness, first.capsuleId)).map(({ resourceCount }) => resourceCount)).toEqual([
      3, 2, 1,
    ]);
    const next = await planAgain(harness, first.capsuleId);
    expect(next.summary).toMatchObject({ add: 0, change: 0, destroy: 0 });
    expect(await groundctl('audit', 'verify')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The trail is whole.'),
    });
  });

  it('loses the folder of a discarded Capsule, and installs it again', async () => {
    const { url } = harness.repository('gone', { 'main.tf': fakeModule(thing('one')) });
    const { capsuleId, plan } = await installPlanned(harness, { url, name: 'gone' });
    expect(await discard(capsuleId)).toBe(200);
    expect((await sweepAfter(2, 1)).removed).toMatchObject({ capsuleFolders: 1 });
    expect([readdirSync(at('capsules', capsuleId)), existsSync(at('runs', plan.id))]).toEqual([['state'], false]);
    const again = await installPlanned(harness, { url, name: 'gone' });
    expect((await applyPlan(harness, again.plan)).status).toBe('succeeded');
  });
});

describe('what was tampered with', () => {
  /** Changes one byte of a file. */
  function harm(file: string): void {
    const bytes = readFileSync(file);
    const offset = Math.max(bytes.lastIndexOf('one'), bytes.length >> 1);
    bytes[offset] = (bytes[offset] ?? 0) ^ 1;
    writeFileSync(file, bytes);
  }
  async function planned(name: string) {
    const before = archives();
    const { url } = harness.repository(name, { 'main.tf': fakeModule(thing('one')), 'mark.txt': name });
    const installed = await installPlanned(harness, { url, name });
    const [archive = ''] = archives().filter((file) => !before.includes(file));
    return { ...installed, archive };
  }
  const endOf = async (run: Run): Promise<[string, string | undefined]> => {
    const { status, errorCode } = await settled(harness.server, run.id);
    return [status, errorCode];
  };

  it('is named by the doctor and never planned or applied: an archive', async () => {
    const { capsuleId, sourceId, plan, archive } = await planned('archive');
    harm(archive);
    expect(await problems()).toEqual(['archives']);
    const apply = await startApply(harness, plan);
    expect(await endOf(apply)).toEqual(['failed', 'plan_seal_mismatch']);
    expect((await errorsOf(harness, apply.id)).map(({ message }) => message)).toEqual([
      'The archive is not the one that was recorded. Sync the source again.',
    ]);
    const again = await planAgain(harness, capsuleId);
    expect([again.status, again.errorCode]).toEqual(['failed', 'plan_failed']);
    expect(await stateVersions(harness, capsuleId)).toEqual([]);

    await takeNewest(harness, sourceId);
    expect(await problems()).toEqual([]);
    expect((await applyPlan(harness, await planAgain(harness, capsuleId))).status).toBe('succeeded');
  });

  it('is named by the doctor and never applied: the sealed file of a plan', async () => {
    const { capsuleId, plan } = await planned('plan');
    harm(at('runs', plan.id, 'plan'));
    expect(await problems()).toEqual(['plans']);
    expect(await endOf(await startApply(harness, plan))).toEqual(['failed', 'plan_seal_mismatch']);
    expect(await stateVersions(harness, capsuleId)).toEqual([]);
    expect(await problems()).toEqual([]);
  });
});
