import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RestoreReview } from '#shared/restores/contract';
import { removeTree } from '../server/src/kernel/remove-tree.ts';
import { isDeep } from './fixtures/depth.ts';
import { settled } from './fixtures/feed.ts';
import { groundctl } from './fixtures/groundctl.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { getCapsule, getRun, planAgain, stateVersions } from './fixtures/journey.ts';
import { hasRealProviders } from './fixtures/mirror.ts';
import {
  applyElsewhere,
  type ImportedFolder,
  importFolders,
  importOptions,
  planExported,
  writeToolConfig,
} from './fixtures/moving-folders.ts';
import { type MovingModule, movingModules } from './fixtures/moving-modules.ts';
import { findTool, findTools, type Tool } from './fixtures/tool.ts';

const work = mkdtempSync(path.join(os.tmpdir(), 'groundctl-move-in-'));
const modules = movingModules.filter(({ isBuiltIn }) => isBuiltIn || hasRealProviders(findTool()));
/** The first plans of these modules create the files again, which the folder of the Capsule does not have. */
const createdFiles = new Map([
  ['local-file', 1],
  ['local-each', 2],
  ['local-sensitive', 1],
]);
let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ providers: true });
  await writeToolConfig(work);
});
afterAll(async () => {
  await harness?.stop();
  removeTree(work);
});

/** Imports folders: those that need options one by one, the others together. */
async function importAll(tool: Tool, dirs: ReadonlyMap<string, MovingModule>): Promise<ImportedFolder[]> {
  const plain = [...dirs.keys()].filter((dir) => importOptions(dir).length === 0);
  const together = await importFolders(harness, plain, '--environment', tool.name);
  expect([together.code, together.imports.filter(({ error }) => error)]).toEqual([3, []]);
  const imported = [...together.imports];
  for (const [dir, { secrets = {} }] of dirs) {
    if (plain.includes(dir)) continue;
    const one = await importFolders(harness, [dir], '--environment', tool.name, ...importOptions(dir));
    expect([one.code, one.imports.map(({ outcome }) => outcome)]).toEqual([3, ['requested']]);
    for (const value of Object.values(secrets)) expect(one.err).not.toContain(value);
    imported.push(...one.imports);
  }
  return imported;
}

/** Approves the restore of an import, and returns what its review says of a conversion. */
async function approve({ runId }: ImportedFolder) {
  const { body } = await harness.http.get<{ restore: RestoreReview }>(`/api/v1/runs/${runId}/restore`);
  await harness.http.post(`/api/v1/runs/${runId}/approve`, {});
  await settled(harness.server, runId);
  return body.restore.capsules[0]?.conversion;
}

/** Modules that are also moved out again: on a commit one of built-in resources and one with a provider. */
const isMovedOut = (name: string): boolean => isDeep || ['combined', 'time-static'].includes(name);

/** An export of an imported Capsule continues with its state: OpenTofu plans what the Capsule plans. */
async function expectRoundTrip({ capsuleId, dir: from }: ImportedFolder, module: MovingModule): Promise<void> {
  const { name } = module;
  const dir = path.join(work, `exported-${capsuleId}`);
  const confirmed = ['--with-state', '--confirm', path.basename(from)];
  const argv = ['export', capsuleId, dir, ...confirmed, '--data-dir', harness.server.dataDir];
  expect(await groundctl(argv)).toMatchObject({ code: 0, err: '' });
  const { code, text } = await planExported(work, dir, module);
  const created = createdFiles.get(name);
  // A resource that has moved is a difference, too.
  const hasDifference = created !== undefined || module.formerFiles !== undefined;
  const plan = hasDifference ? `Plan: ${created ?? 0} to add, 0 to change, 0 to destroy` : 'No changes';
  expect([name, code, text]).toEqual([name, hasDifference ? 2 : 0, expect.stringContaining(plan)]);
}

describe.each(findTools().map((tool) => [tool.name, tool] as const))('modules that %s applied', (_, tool) => {
  it('become Capsules that plan no changes, or exactly the difference, there and in an export', {
    timeout: 280_000,
  }, async () => {
    const dirs = new Map<string, MovingModule>();
    for (const module of modules) dirs.set(await applyElsewhere(work, tool, module), module);
    const imported = await importAll(tool, dirs);
    expect(imported.map(({ dir }) => dir).sort()).toEqual([...dirs.keys()].sort());
    for (const one of imported) {
      const module = dirs.get(one.dir);
      if (!module) throw new Error(`No module was applied in ${one.dir}.`);
      const { name, isBuiltIn = false } = module;
      expect(await getCapsule(harness, one.capsuleId)).toMatchObject({ status: 'pending', currentStateGeneration: 0 });
      const conversion = await approve(one);
      const { status } = await getCapsule(harness, one.capsuleId);
      const [version] = await stateVersions(harness, one.capsuleId);
      const plan = await planAgain(harness, one.capsuleId);
      const isConverted = tool.name === 'terraform' && !isBuiltIn;
      expect([name, status, version?.generation, conversion, plan.status, plan.summary]).toEqual([
        name,
        'stale',
        1,
        isConverted ? { from: 'terraform', to: 'tofu' } : undefined,
        'succeeded',
        { add: createdFiles.get(name) ?? 0, change: 0, destroy: 0 },
      ]);
      if (isMovedOut(name)) await expectRoundTrip(one, module);
    }
    const some = imported.filter(({ dir }) => importOptions(dir).length === 0).slice(0, 3);
    const again = await importFolders(
      harness,
      some.map(({ dir }) => dir),
      '--environment',
      tool.name,
    );
    expect([again.code, again.imports.map(({ outcome, capsuleId }) => [outcome, capsuleId])]).toEqual([
      0,
      some.map(({ capsuleId }) => ['existing', capsuleId]),
    ]);
  });
});

const single = (name: string): MovingModule => ({
  name,
  files: { 'main.tf': 'resource "terraform_data" "one" {\n  input = 1\n}\n' },
});

describe('groundctl import', () => {
  it('reports each folder, also when others fail', { timeout: 90_000 }, async () => {
    const apply = (name: string) => applyElsewhere(work, findTool(), single(name));
    const [good, dirty, stateless] = [await apply('good'), await apply('dirty'), await apply('stateless')];
    writeFileSync(path.join(dirty, 'main.tf'), '# changed\n', { flag: 'a' });
    const state = readFileSync(path.join(stateless, 'terraform.tfstate'), 'utf8');
    removeTree(path.join(stateless, 'terraform.tfstate'));
    const plain = path.join(work, 'plain');
    mkdirSync(plain);
    const result = await importFolders(harness, [dirty, plain, good, stateless, path.join(work, 'nowhere')]);
    expect(result.code).toBe(1);
    expect(result.imports.map(({ outcome, error }) => error?.code ?? outcome)).toEqual([
      'import_not_committed',
      'import_not_git',
      'requested',
      'import_no_state',
      'wrong_use',
    ]);
    const argv = ['import', stateless, '--state', '-', '--name', 'From a pipe', '--json'];
    const piped = await groundctl([...argv, '--data-dir', harness.server.dataDir], { input: state });
    expect([piped.code, JSON.parse(piped.out).imports[0].outcome]).toEqual([3, 'requested']);
    const several = await importFolders(harness, [good, dirty], '--state', 'x');
    expect([several.code, several.err]).toEqual([2, expect.stringContaining('one by one')]);
  });

  it('requests another restore after one was cancelled', { timeout: 60_000 }, async () => {
    const dir = await applyElsewhere(work, findTool(), single('cancelled'));
    const first = (await importFolders(harness, [dir])).imports[0] as ImportedFolder;
    await harness.http.post(`/api/v1/runs/${first.runId}/cancel`, {});
    const second = (await importFolders(harness, [dir])).imports[0] as ImportedFolder;
    expect([second.outcome, second.capsuleId]).toEqual(['requested', first.capsuleId]);
    expect(second.runId).not.toBe(first.runId);
    await approve(second);
    expect((await getRun(harness, second.runId)).status).toBe('succeeded');
    expect((await planAgain(harness, second.capsuleId)).summary).toEqual({ add: 0, change: 0, destroy: 0 });
  });
});
