import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ModuleRegistry, startModuleRegistry } from '../server/test/module-registry.ts';
import { approveCopy, prepareCopy } from './fixtures/copies.ts';
import { everyShape, oneMissing, onlyPrivate, publishPackages, singleShapes } from './fixtures/copy-shapes.ts';
import { isDeep } from './fixtures/depth.ts';
import { type Harness, type HarnessOptions, startHarness } from './fixtures/harness.ts';
import { applyPlan, installPlanned, workspaceOutputsOf } from './fixtures/journey.ts';
import { plainOutputs } from './fixtures/plain-outputs.ts';

let registry: ModuleRegistry;
let harness: Harness;
type Repository = ReturnType<ModuleRegistry['repository']>;
let every: Repository;
let missing: Repository;

const startTrusting = (env: NonNullable<HarnessOptions['env']> = {}) =>
  startHarness({ env: { GROUNDCTL_CA_FILE: registry.caFile, ...env } });

beforeAll(async () => {
  registry = await startModuleRegistry();
  await publishPackages(registry);
  every = registry.repository('every', everyShape(registry));
  symlinkSync('real', path.join(every.dir, 'linked'));
  every.commit({});
  missing = registry.repository('missing', oneMissing(registry));
  harness = await startTrusting();
});
afterAll(async () => {
  await harness?.stop();
  await registry?.close();
});

type Chosen = { name: string; modulePath?: string };

/** Makes, installs and applies a copy, and returns its outputs. */
async function copiedOutputs({ url }: Repository, { name, modulePath }: Chosen) {
  const chosen = modulePath === undefined ? {} : { modulePath };
  const revision = await prepareCopy(harness, { url, name, ...chosen });
  expect([revision.status, revision.error]).toEqual(['waiting_approval', undefined]);
  const copy = await approveCopy(harness, revision);
  const { capsuleId, plan } = await installPlanned(harness, { url: copy, name, ...chosen });
  expect((await applyPlan(harness, plan)).status).toBe('succeeded');
  return workspaceOutputsOf(harness, capsuleId);
}

const plain = ({ dir }: Repository, more: { modulePath?: string; token?: string } = {}) =>
  plainOutputs({ tool: harness.tool, registry, dir, ...more });

describe('an installed copy', () => {
  it('has the Outputs of the repository itself, whatever the form of its calls', async () => {
    const { folder: plainFolder, ...expected } = await plain(every);
    const { folder, ...outputs } = await copiedOutputs(every, { name: 'every', modulePath: '.' });
    expect(outputs).toEqual(expected);
    expect(Object.keys(outputs)).toHaveLength(28);
    expect([folder, plainFolder]).toEqual([expect.stringContaining('leaf-null-1.1.0'), '.terraform/modules/range']);
  });

  it.runIf(isDeep)('has them for each form in a repository of its own', { timeout: 300_000 }, async () => {
    const forms = singleShapes(registry);
    expect(forms.size).toBeGreaterThanOrEqual(22);
    for (const [form, files] of forms) {
      const repository = registry.repository(`only-${form}`, files);
      const outputs = await copiedOutputs(repository, { name: `only-${form}` });
      expect([form, outputs]).toEqual([form, await plain(repository)]);
    }
  });

  it('is the same commit on another server, with another language and time zone and other answers', async () => {
    const first = await prepareCopy(harness, { url: every.url, name: 'again' });
    const versions = ['1.2.0-rc1', '2.0.0', '1.0.0', '1.1.0'].map((version) => ({ version }));
    registry.on('/v1/modules/example/leaf/null/versions', (_, response) =>
      response.end(JSON.stringify({ modules: [{ versions }] })),
    );
    const other = await startTrusting({ LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Apia' });
    try {
      const { status, commit } = await prepareCopy(other, { url: every.url, name: 'elsewhere' });
      expect([status, commit]).toEqual(['waiting_approval', expect.stringMatching(/^[0-9a-f]{40}$/)]);
      expect(commit).toBe(first.commit);
    } finally {
      await other.stop();
    }
  });

  it('of one module does not need the module beside it, whose version is missing', async () => {
    const all = await prepareCopy(harness, { url: missing.url, name: 'all' });
    expect(all).toMatchObject({ status: 'failed', error: { code: 'version_not_found' } });
    await expect(plain(missing, { modulePath: 'modules/bad' })).rejects.toThrow('version');
    const modulePath = 'modules/good';
    const outputs = await copiedOutputs(missing, { name: 'good', modulePath });
    expect(outputs).toEqual({ said: 'leaf 1.1.0' });
    expect(outputs).toEqual(await plain(missing, { modulePath }));
  });

  it('of a private registry needs a Connection, whose token only the registry gets', async () => {
    const token = 'registry-token-0123456789';
    const repository = registry.repository('private', onlyPrivate(registry));
    registry.requireToken(token);
    const refused = await prepareCopy(harness, { url: repository.url, name: 'refused' });
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'credential_required' } });
    await expect(plain(repository)).rejects.toThrow('401');
    const connection = {
      workspaceId: harness.workspaceId,
      provider: 'module-registry',
      kind: 'module_registry_token',
      values: { MODULE_REGISTRY_TOKEN: token },
      scopeHints: { providerConfig: { host: registry.host } },
    };
    expect((await harness.http.post('/api/v1/connections', connection)).status).toBe(201);
    registry.seen.length = 0;
    const outputs = await copiedOutputs(repository, { name: 'private' });
    const withToken = registry.seen.filter(({ headers }) => headers.authorization?.includes(token));
    expect(withToken.length).toBeGreaterThan(0);
    expect(withToken.filter(({ path: at }) => /^\/(?:git|files)\//.test(at))).toEqual([]);
    expect(outputs).toEqual({ said: 'private' });
    expect(outputs).toEqual(await plain(repository, { token }));
    registry.requireToken(undefined);
  });
});
