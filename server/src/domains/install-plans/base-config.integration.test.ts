import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/kernel/json';
import { filesHolding } from '../../../test/data-files.ts';
import type { RawAnswer } from '../../../test/harness.ts';
import {
  type ManifestFixture,
  startManifestFixture,
  refusalOf as statusAndCode,
  text,
  values as wikiValues,
} from '../../../test/manifest-server.ts';

/* Installations from InstallConfigs of the operator. */

let harness: ManifestFixture;
beforeAll(async () => {
  harness = await startManifestFixture();
});
afterAll(() => harness.close());

const canary = 'canary-value-of-an-operator';
const variables = { slug: 'books', scoped: 'ours-books', session_key: 'fixed', seats: 3 };
const operator = (method: string, path: string, body?: object) =>
  harness.server.raw({
    method,
    path: `/internal/v1/install-configs${path}`,
    headers: { authorization: `Bearer ${harness.server.operatorToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
const configOf = ({ json, text: body }: RawAnswer) => {
  const { installConfig } = json as { installConfig?: { id: string } & Record<string, unknown> };
  if (!installConfig) throw new Error(body);
  return installConfig;
};
const urlOf = (repository: string) => harness.urlOf(repository);
/** Creates a configuration for the module without a manifest, and deletes it after the work. */
async function withBase<T>(members: object, work: (id: string) => Promise<T>, repository = 'unmanaged'): Promise<T> {
  const sourceSelector = { url: urlOf(repository), path: '.' };
  const { id } = configOf(await operator('POST', '', { name: 'Base', sourceSelector, ...members }));
  try {
    return await work(id);
  } finally {
    expect((await operator('DELETE', `/${id}`)).status).toBe(204);
  }
}
async function installed(values: JsonObject, repository = 'unmanaged') {
  const plan = await harness.install({ repository, variables: values });
  const { capsuleId = '' } = plan;
  if (capsuleId === '') return { plan, capsuleId, mapping: {} as JsonObject, config: undefined };
  const { capsule } = (await harness.server.api.getCapsule({ params: { capsuleId } })).body;
  const config = await harness.configOf(capsule.installConfigId);
  return { plan, capsuleId, mapping: config.variableMapping as JsonObject, config };
}

describe('an installation from a configuration of the operator', () => {
  it('seals the value of a variable that the operator presents as secret', async () => {
    const variablePresentation = [{ name: 'title', secret: true, label: text('Title') }];
    const { mapping, capsuleId } = await withBase({ variablePresentation }, () =>
      installed({ ...variables, title: canary }),
    );
    expect(mapping['title']).toBe('[REDACTED]');
    expect(filesHolding(harness.server.dataDir, canary)).toEqual([]);
    const activity = await harness.server.request('GET', `/api/v1/workspaces/${harness.server.workspaceId}/activity`);
    const runs = await harness.server.request(
      'GET',
      `/api/v1/workspaces/${harness.server.workspaceId}/runs?capsuleId=${capsuleId}`,
    );
    expect(activity.text + runs.text).not.toContain(canary);
    const [run] = (runs.json as { runs: { id: string }[] }).runs;
    const logs = await harness.server.request('GET', `/api/v1/runs/${run?.id}/logs`);
    expect(logs.text).not.toContain(canary);
  });

  it('fills defaults, delivers fixed values and ids, and generates the initial secret', async () => {
    const base = {
      variableMapping: { region: 'us' },
      installContextVariableMapping: { route: 'workspace_id', quiet: 'capsule_id' },
      variablePresentation: [
        { name: 'title', label: text('Title'), defaultValue: { source: 'capsule_name' } },
        { name: 'seats', label: text('Seats'), defaultValue: { source: 'literal', value: 7 } },
      ],
      installExperience: { projections: [{ kind: 'initial_secret', variable: 'admin_password' }] },
    };
    const { seats: _, ...values } = variables;
    const { mapping, capsuleId, config } = await withBase(base, () => installed(values));
    expect(mapping).toMatchObject({
      title: expect.stringMatching(/^Wiki /),
      seats: 7,
      region: 'us',
      route: harness.server.workspaceId,
      quiet: capsuleId,
      admin_password: '[REDACTED]',
    });
    expect(config).not.toHaveProperty('sourceSelector');
  });

  it('refuses a value for a fixed variable and a missing required one', async () => {
    const base = {
      variableMapping: { region: 'us' },
      variablePresentation: [{ name: 'quiet', label: text('Quiet'), required: true }],
    };
    await withBase(base, async () => {
      const fixed = await installed({ ...variables, title: 'a', quiet: 'b', region: 'eu' });
      expect(fixed.plan.diagnostic).toMatchObject({ code: 'install_variable_invalid' });
      const missing = await installed({ ...variables, title: 'a' });
      expect(missing.plan.diagnostic).toMatchObject({ code: 'install_variable_required' });
    });
  });

  it('makes public only what the allowlist names, and refuses a module without a required Output', async () => {
    const values = { ...variables, title: 'a' };
    const named = {
      outputAllowlist: { site: { from: 'address', type: 'url' }, gone: { from: 'none', type: 'string' } },
    };
    const { config } = await withBase(named, () => installed(values));
    expect(config?.outputAllowlist).toEqual({ site: { from: 'address', type: 'url' } });
    const required = { outputAllowlist: { gone: { from: 'none', type: 'string', required: true } } };
    const { plan } = await withBase(required, () => installed(values));
    expect(plan.diagnostic?.code).toBe('install_compilation_identity_changed');
  });

  it('refuses a configuration of the repository that names a variable the module does not declare', async () => {
    const { plan } = await withBase({ variableMapping: { other: 1 } }, () => installed({ ...variables, title: 'a' }));
    expect(plan.diagnostic).toMatchObject({ reason: 'install_config_patch_invalid' });
  });

  it('keeps a manifest input secret and fixed where the operator says so', async () => {
    const base = {
      variableMapping: { seats: 9 },
      variablePresentation: [{ name: 'title', secret: true, label: text('Title') }],
    };
    const { mapping } = await withBase(base, () => installed({ title: canary }, 'wiki'), 'wiki');
    expect(mapping).toMatchObject({ title: '[REDACTED]', seats: 9 });
  });

  it.each(['unmanaged', 'wiki'])('gives its actions to a Capsule of %s, which keeps them', async (repository) => {
    const action = {
      apiVersion: 'svc.dev/v1alpha1',
      kind: 'command',
      id: 'migrate',
      phase: 'post_apply',
      executor: 'runner',
      command: ['migrate'],
    };
    const policy = {
      lifecycleActions: {
        allowedExecutors: ['runner'],
        allowedRunnerCapabilities: ['capsule.lifecycle.command.v1'],
      },
    };
    const inputs = repository === 'wiki' ? wikiValues : { ...variables, title: 'a' };
    await withBase(
      { lifecycleActions: [action], policy },
      async (id) => {
        const { capsuleId, config } = await installed(inputs, repository);
        expect(config).toMatchObject({ lifecycleActions: [action], policy });
        const kind = 'svc.install-config-patch@v1';
        const later = { ...action, command: ['other'] };
        expect((await operator('PATCH', `/${id}`, { kind, lifecycleActions: [later] })).status).toBe(200);
        const params = { capsuleId };
        const { capsule } = (await harness.server.api.getCapsule({ params })).body;
        const moved = await harness.server.request(
          'POST',
          `/api/v1/capsules/${capsuleId}/install-config-re-adoptions`,
          {
            baseInstallConfigId: capsule.installConfigId,
            sourceSnapshotId: (await harness.server.api.listSnapshots({ params: { sourceId: capsule.sourceId } })).body
              .snapshots[0]?.id,
            reason: 'Reviewed together.',
            expected: { authorityGuard: capsule.installConfigReAdoption?.authorityGuard },
          },
          { 'idempotency-key': `actions ${repository}` },
        );
        expect(moved.status, moved.text).toBe(200);
        const after = (await harness.server.api.getCapsule({ params })).body.capsule.installConfigId;
        expect(after).not.toBe(capsule.installConfigId);
        expect((await harness.configOf(after)).lifecycleActions).toEqual([action]);
      },
      repository,
    );
  });

  it('keeps fixed values out of configuration plans and does not generate values again', async () => {
    const base = { variableMapping: { region: 'us' } };
    const { capsuleId } = await withBase(base, () => installed({ ...variables, title: 'a' }));
    const { capsule } = (await harness.server.api.getCapsule({ params: { capsuleId } })).body;
    const answer = await harness.server.request(
      'POST',
      `/api/v1/capsules/${capsuleId}/configuration-plans`,
      {
        variablePatch: { set: { region: 'eu' }, remove: [] },
        providerBindings: [],
        interfaceBlueprints: [],
        expected: { authorityGuard: capsule.installConfigReAdoption?.authorityGuard },
      },
      { 'idempotency-key': 'fixed' },
    );
    expect(statusAndCode(answer)).toEqual([400, 'invalid_argument', 'capsule_configuration_generic_variable_invalid']);
  });
});

describe('configurations of the operator', () => {
  it('are chosen by Workspace before shared, and listed in the store with their text', async () => {
    const { workspaceId } = harness.server;
    await withBase({ variableMapping: { region: 'shared' } }, () =>
      withBase({ workspaceId, variableMapping: { region: 'ours' }, store: { title: 'Books' } }, async (id) => {
        const { mapping } = await installed({ ...variables, title: 'a' });
        expect(mapping['region']).toBe('ours');
        const query = `workspaceId=${workspaceId}&view=store`;
        const { json } = await harness.server.request('GET', `/api/v1/capsule-configs?${query}`);
        expect(json).toMatchObject({ installConfigs: [{ id, store: { title: 'Books' } }] });
      }),
    );
  });

  it('have one row for each repository, path and module', async () => {
    await withBase({}, async () => {
      const again = { name: 'Again', sourceSelector: { url: urlOf('unmanaged'), path: '.' } };
      const taken = [409, 'failed_precondition', 'install_config_selector_taken'];
      expect(statusAndCode(await operator('POST', '', again))).toEqual(taken);
      expect(configOf(await operator('POST', '', { ...again, modulePath: 'other' })).modulePath).toBe('other');
    });
  });

  it('cannot be deleted while built in or derived', async () => {
    const inUse = [409, 'failed_precondition', 'install_config_in_use'];
    expect(statusAndCode(await operator('DELETE', '/cfg-default-opentofu-capsule'))).toEqual(inUse);
    const { config } = await installed({ ...variables, title: 'a' });
    expect(statusAndCode(await operator('DELETE', `/${config?.id}`))).toEqual(inUse);
    expect((await operator('DELETE', '/icfg_none')).status).toBe(404);
  });
});

describe('an InstallConfig that was altered in the ledger', () => {
  it('starts no installation and accepts no patch when installations would start from it', async () => {
    await withBase({ variableMapping: { seats: 3 } }, async (id) => {
      harness.server.ledger((db) =>
        db.sqlite.prepare('UPDATE install_configs SET variable_mapping = \'{"seats":9}\' WHERE id = ?').run(id),
      );
      const { plan } = await installed({ ...variables, title: 'a' });
      expect(plan).toMatchObject({ phase: 'failed', diagnostic: { code: 'install_compilation_identity_changed' } });
      const patched = await operator('PATCH', `/${id}`, {
        kind: 'svc.install-config-patch@v1',
        variableMapping: { seats: 3 },
      });
      expect(statusAndCode(patched)).toEqual([409, 'failed_precondition', 'capsule_install_config_rebind_conflict']);
    });
  });

  it('starts no plan, no configuration plan and no re-adoption', async () => {
    const { capsuleId, config } = await installed({ ...variables, title: 'a' });
    harness.server.ledger((db) =>
      db.sqlite
        .prepare(
          "UPDATE install_configs SET variable_mapping = json_set(variable_mapping, '$.region', 'x') WHERE id = ?",
        )
        .run(config?.id),
    );
    const { capsule } = (await harness.server.api.getCapsule({ params: { capsuleId } })).body;
    const expected = { authorityGuard: capsule.installConfigReAdoption?.authorityGuard };
    const conflict = [409, 'failed_precondition', 'capsule_install_config_rebind_conflict'];
    const post = (route: string, body: object) =>
      harness.server.request('POST', `/api/v1/capsules/${capsuleId}/${route}`, body, { 'idempotency-key': route });
    expect(statusAndCode(await post('plan', {}))).toEqual(conflict);
    const patch = { variablePatch: { set: {}, remove: [] }, providerBindings: [], interfaceBlueprints: [], expected };
    expect(statusAndCode(await post('configuration-plans', patch))).toEqual(conflict);
    const { sourceId, installConfigId } = capsule;
    const [snapshot] = (await harness.server.api.listSnapshots({ params: { sourceId } })).body.snapshots;
    const adopt = { baseInstallConfigId: installConfigId, sourceSnapshotId: snapshot?.id, reason: 'Test', expected };
    expect(statusAndCode(await post('install-config-re-adoptions', adopt))).toEqual(conflict);
  });
});
