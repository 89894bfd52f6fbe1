import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#shared/kernel/json';
import {
  type ManifestFixture,
  preflightOf,
  refusalOf,
  startManifestFixture,
  values,
} from '../../../test/manifest-server.ts';

let fixture: ManifestFixture;
beforeAll(async () => {
  fixture = await startManifestFixture();
});
afterAll(() => fixture.close());

describe('an installation from a manifest', () => {
  test('sets the names, the address and a secret of the Capsule, and keeps them in later plans', async () => {
    const plan = await fixture.install({ name: 'My Wiki' });
    const { capsuleId = '', installConfigId = '' } = plan;
    const config = await fixture.configOf(installConfigId);
    const { workspaces } = (await fixture.server.api.listWorkspaces({})).body;
    expect(config.variableMapping).toEqual({
      title: 'Books',
      seats: 3,
      admin_password: '[REDACTED]',
      slug: 'My Wiki',
      scoped: `${workspaces[0]?.handle}-my-wiki`,
      public_url: 'https://wiki.example.org',
      route: 'wiki.example.org/*',
    });
    expect(config.variablePresentation).toHaveLength(9);
    const { capsule, installConfigReAdoption } = (await fixture.server.api.getCapsule({ params: { capsuleId } })).body;
    expect(capsule.installConfigId).toBe(installConfigId);
    const patch = { set: { public_url: 'https://books.example.org:8443' }, remove: ['admin_password'] };
    const answer = await fixture.server.api.planConfiguration(
      {
        params: { capsuleId },
        body: {
          variablePatch: patch,
          providerBindings: [],
          interfaceBlueprints: [],
          expected: installConfigReAdoption,
        },
      },
      { 'idempotency-key': 'change the address' },
    );
    const changed = await fixture.configOf(answer.body.configurationPlan.targetInstallConfigId);
    expect(changed.variableMapping).toEqual({
      ...config.variableMapping,
      admin_password: undefined,
      public_url: 'https://books.example.org:8443',
      route: 'books.example.org:8443/*',
    });
    await fixture.server.ended(answer.body.configurationPlan.planRunId);
    const { installConfigReAdoption: expected } = (await fixture.server.api.getCapsule({ params: { capsuleId } })).body;
    const patched = (variablePatch: object) =>
      fixture.server.request(
        'POST',
        `/api/v1/capsules/${capsuleId}/configuration-plans`,
        { variablePatch, providerBindings: [], interfaceBlueprints: [], expected },
        { 'idempotency-key': JSON.stringify(variablePatch) },
      );
    const notSettable = [400, 'invalid_argument', 'capsule_configuration_manifest_user_variable_invalid'];
    expect(refusalOf(await patched({ set: { quiet: 'loud' }, remove: [] }))).toEqual(notSettable);
    expect(refusalOf(await patched({ set: { slug: 'mine' }, remove: [] }))).toEqual(notSettable);
    expect(refusalOf(await patched({ set: {}, remove: ['session_key'] }))).toEqual(notSettable);
    expect(refusalOf(await patched({ set: {}, remove: ['title'] }))).toEqual([
      400,
      'invalid_argument',
      'capsule_configuration_required_value_missing',
    ]);
    expect(refusalOf(await patched({ set: { public_url: 'wiki.example.org' }, remove: [] }))).toEqual([
      400,
      'invalid_argument',
      'capsule_configuration_value_type_mismatch',
    ]);
  });

  test('accepts only what the manifest asks for', async () => {
    const refusal = async (variables: JsonObject) => (await fixture.install({ variables })).diagnostic?.code;
    expect(await refusal({ ...values, quiet: 'loud' })).toBe('install_variable_invalid');
    expect(await refusal({ ...values, slug: 'mine' })).toBe('install_variable_invalid');
    expect(await refusal({ ...values, session_key: 'mine' })).toBe('install_variable_invalid');
    expect(await refusal({ ...values, public_url: 'https://wiki.example.org/path' })).toBe('install_variable_invalid');
    expect(await refusal({ title: 'Books' })).toBe('install_variable_required');
    expect((await fixture.install({ repository: 'strange' })).diagnostic).toMatchObject({
      code: 'repository_install_ux_variable_missing',
      message: expect.stringContaining('nothing_of_the_module'),
    });
    expect((await fixture.install({ repository: 'broken', variables: { name: 'x' } })).capsuleId).toBeDefined();
  });

  test('with a preflight uses exactly the accepted configuration', async () => {
    const sourceId = await fixture.synced('wiki');
    const answer = await fixture.check(sourceId);
    const preflight = await preflightOf(sourceId, answer);
    const { capsuleId, installConfigId = '' } = await fixture.install({ preflight });
    expect(capsuleId).toBeDefined();
    expect((await fixture.configOf(installConfigId)).variableMapping).toMatchObject({ title: 'Books', seats: 3 });
    expect(refusalOf(await fixture.post({ preflight, variables: { ...values, quiet: 'x' } }))).toEqual([
      400,
      'invalid_argument',
      'install_variable_invalid',
    ]);
    const again = await preflightOf(sourceId, await fixture.check(sourceId));
    const mixed = { ...again, installConfigId: preflight.installConfigId };
    expect((await fixture.install({ preflight: mixed })).diagnostic?.code).toBe(
      'install_preflight_config_identity_changed',
    );
    const own = { ...preflight, installConfigId };
    expect((await fixture.install({ preflight: own })).diagnostic?.code).toBe(
      'install_preflight_config_identity_changed',
    );
  });

  test('with the plain configuration continues only where the manifest could be adopted', async () => {
    const plainly = async (repository: string) => {
      const sourceId = await fixture.synced(repository);
      const preflight = await preflightOf(sourceId, await fixture.check(sourceId));
      return fixture.post({ repository, preflight: { ...preflight, installConfigId: 'cfg-default-opentofu-capsule' } });
    };
    expect(refusalOf(await plainly('strange'))).toEqual([
      409,
      'repository_install_ux_invalid',
      'repository_install_ux_variable_missing',
    ]);
    expect(refusalOf(await plainly('wiki'))).toEqual([400, 'invalid_argument', 'install_variable_required']);
  });

  test('continues after a restart between any two steps, with one secret', async () => {
    const response = await fixture.post({ name: 'Restarted' });
    const { id: installPlanId } = (response.json as { installPlan: { id: string } }).installPlan;
    const ids: (string | undefined)[] = [];
    for (;;) {
      await fixture.server.restart();
      const { installPlan } = (await fixture.server.api.reconcileInstallPlan({ params: { installPlanId } })).body;
      ids.push(installPlan.installConfigId);
      if (installPlan.capsuleId !== undefined) break;
    }
    const [accepted, own] = ids.slice(-2);
    expect(accepted).toMatch(/^icfg_/);
    expect(own).not.toBe(accepted);
    expect((await fixture.configOf(own ?? '')).variableMapping).toMatchObject({ title: 'Books', slug: 'Restarted' });
    expect((await fixture.configOf(accepted ?? '')).variableMapping).toEqual({});
  });

  test('runs nothing where the module requires a part of the server that is not available', async () => {
    const requestedVariables = { title: 'Books', seats: 3, public_url: 'http://wiki.example.org' };
    expect((await fixture.install({ repository: 'sign-in', variables: requestedVariables })).diagnostic?.code).toBe(
      'repository_install_ux_oidc_scope_disallowed',
    );
    fixture.policy({ allowedInterfacePermissions: [], allowedOidcScopes: ['openid'] });
    try {
      expect(
        (await fixture.install({ repository: 'sign-in', variables: requestedVariables })).diagnostic,
      ).toMatchObject({
        code: 'oidc_authority_unavailable',
        reason: 'oidc_authority_unavailable',
      });
    } finally {
      fixture.policy(undefined);
    }
  });

  test('shows before the installation that no Interface fits what the module uses', async () => {
    const { json } = await fixture.check(await fixture.synced('consuming'));
    expect(json).toMatchObject({
      repositoryInstallUx: {
        requiredInterfaces: [{ key: 'search', type: 'mcp.server', version: '1', interfaces: [] }],
      },
    });
  });

  test('plans a module that offers Interfaces, and stores their blueprints with its configuration', async () => {
    const { planRunId, installConfigId = '' } = await fixture.install({ repository: 'offering' });
    expect(planRunId).toBeDefined();
    const { interfaceBlueprints, outputAllowlist } = await fixture.configOf(installConfigId);
    expect(interfaceBlueprints).toMatchObject([
      { key: 'ui', name: 'Surface', spec: { inputs: { uri: { source: 'capsule_output', outputName: 'address' } } } },
    ]);
    expect(outputAllowlist).toEqual({ address: { from: 'address', type: 'url' } });
  });

  test('does not read the manifest again: a missing or crafted manifest does not change the Capsule', async () => {
    const { capsuleId = '', installConfigId = '', sourceSnapshotId = '' } = await fixture.install();
    const before = await fixture.configOf(installConfigId);
    const forge = (document: string | null) =>
      fixture.server.ledger((db) => {
        const set = db.sqlite.prepare('UPDATE snapshot_manifests SET document = ? WHERE snapshot_id = ?');
        set.run(document, sourceSnapshotId);
      });
    const plan = async () => {
      const { run } = (await fixture.server.api.planCapsule({ params: { capsuleId }, body: {} })).body;
      await fixture.server.ended(run.id);
      return (await fixture.server.api.getRun({ params: { runId: run.id } })).body.run.status;
    };
    forge('{"apiVersion":"svc/v2.3"}');
    expect(await plan()).toBe('failed');
    fixture.server.ledger((db) => {
      db.sqlite.prepare('DELETE FROM snapshot_manifests WHERE snapshot_id = ?').run(sourceSnapshotId);
      db.sqlite
        .prepare(`UPDATE source_snapshots SET repository_manifest = '{"status":"absent"}' WHERE id = ?`)
        .run(sourceSnapshotId);
    });
    await plan();
    expect(await fixture.configOf(installConfigId)).toEqual(before);
    expect((await fixture.server.api.getCapsule({ params: { capsuleId } })).body.capsule.installConfigId).toBe(
      installConfigId,
    );
  });
});

test('a server with a domain assigns the address of each service, and accepts no other', async () => {
  const own = await startManifestFixture({ GROUNDCTL_PUBLIC_BASE_DOMAIN: 'apps.example.org' });
  try {
    const { public_url: _address, ...plain } = values;
    const { installConfigId = '' } = await own.install({ name: 'My Wiki', variables: plain });
    const { workspaces } = (await own.server.api.listWorkspaces({})).body;
    const host = `my-wiki-${workspaces[0]?.handle}.apps.example.org`;
    expect((await own.configOf(installConfigId)).variableMapping).toMatchObject({
      public_url: `https://${host}`,
      route: `${host}/*`,
    });
    expect((await own.install({ variables: values })).diagnostic).toMatchObject({ code: 'install_variable_invalid' });
    const long = await own.install({ name: 'w'.repeat(60), variables: plain });
    expect(long.diagnostic).toMatchObject({ code: 'install_plan_failed', reason: 'app_hostname_unavailable' });
  } finally {
    await own.close();
  }
});
