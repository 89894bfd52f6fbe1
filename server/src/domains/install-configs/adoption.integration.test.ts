import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ManifestFixture, refusalOf, startManifestFixture, text, uxOf } from '../../../test/manifest-server.ts';

let fixture: ManifestFixture;
beforeAll(async () => {
  fixture = await startManifestFixture();
});
afterAll(() => fixture.close());

describe('a check that compiles a manifest', () => {
  test('creates a configuration of the server, readable by every account without its private fields', async () => {
    const sourceId = await fixture.synced('wiki');
    const answer = await fixture.check(sourceId);
    expect([answer.status, uxOf(answer)]).toEqual([
      201,
      { status: 'accepted', installConfigId: expect.stringMatching(/^icfg_/) },
    ]);
    const config = await fixture.configOf(uxOf(answer).installConfigId);
    expect(config).toMatchObject({
      workspaceId: fixture.server.workspaceId,
      name: 'Wiki',
      modulePath: '.',
      variableMapping: {},
      outputAllowlist: {},
      sourceBuild: { commands: [{ argv: ['npm', 'run', 'build'] }], outputs: ['dist/app.js'] },
      installExperience: {
        projections: [
          { kind: 'service_name', variable: 'title' },
          { kind: 'initial_secret', variable: 'admin_password', optional: true },
          { kind: 'public_endpoint', variables: { url: 'public_url', routePattern: 'route' } },
        ],
        features: [{ id: 'login', optional: true, label: text('Signing in'), inputs: ['admin_password'] }],
        repositoryInstallUx: { status: 'accepted' },
      },
    });
    expect(config.variablePresentation).toEqual([
      {
        name: 'title',
        source: 'user',
        type: 'string',
        label: text('title'),
        helper: text('Stands on each page'),
        placeholder: 'Notes',
        required: true,
      },
      {
        name: 'slug',
        source: 'capsule_name',
        type: 'string',
        label: text('Slug'),
        defaultValue: { source: 'capsule_name' },
      },
      {
        name: 'scoped',
        source: 'workspace_scoped_capsule_name',
        type: 'string',
        label: text('Scoped'),
        defaultValue: { source: 'workspace_scoped_capsule_name' },
      },
      {
        name: 'admin_password',
        source: 'user',
        type: 'string',
        label: text('admin_password'),
        required: false,
        secret: true,
      },
      {
        name: 'region',
        source: 'module_default',
        type: 'string',
        label: text('Region'),
        advanced: true,
        defaultValue: { source: 'literal', value: 'eu' },
      },
      {
        name: 'session_key',
        source: 'host',
        type: 'string',
        label: { ja: 'session_key', en: 'session_key' },
        secret: true,
        generated: true,
      },
      {
        name: 'public_url',
        source: 'user',
        type: 'string',
        label: { ja: 'public_url', en: 'public_url' },
        format: 'url',
        required: false,
      },
      { name: 'route', source: 'host', type: 'string', label: { ja: 'route', en: 'route' } },
      { name: 'seats', source: 'user', type: 'number', label: { ja: 'seats', en: 'seats' }, required: true },
    ]);
    for (const hidden of ['provenance', 'generatedSecrets', 'requiredInterfaces', 'digest'])
      expect(config).not.toHaveProperty(hidden);
  });

  test('keeps what a module offers, and treats every key of it as a plain key', async () => {
    const { installConfigId } = uxOf(await fixture.check(await fixture.synced('offering')));
    const address = `/api/v1/capsule-configs/${installConfigId}`;
    const { text: body, json } = await fixture.server.request('GET', address);
    expect(json).toMatchObject({
      installConfig: {
        outputAllowlist: { address: { from: 'address', type: 'url' } },
        interfaceBlueprints: [
          { key: 'ui', spec: { inputs: { uri: { source: 'capsule_output', outputName: 'address' } } } },
        ],
      },
    });
    expect(body).toContain('"__proto__":{"polluted":1}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('distinguishes a repository without a manifest from one whose manifest is broken or does not fit', async () => {
    expect(uxOf(await fixture.check(await fixture.synced('plain')))).toEqual({ status: 'absent' });
    expect(uxOf(await fixture.check(await fixture.synced('broken')))).toMatchObject({
      status: 'invalid',
      diagnosticCode: 'repository_install_ux_invalid_document',
    });
    const refused = uxOf(await fixture.check(await fixture.synced('strange')));
    expect(refused).toMatchObject({ status: 'invalid', diagnosticCode: 'repository_install_ux_variable_missing' });
    expect(uxOf(await fixture.check(await fixture.synced('several')))).toEqual({ status: 'absent' });
  });

  test('needs a name and does not accept a Capsule; without the option, nothing is compiled', async () => {
    const sourceId = await fixture.synced('wiki');
    expect(refusalOf(await fixture.check(sourceId, { capsuleName: undefined }))).toEqual([
      400,
      'invalid_request',
      '/capsuleName',
    ]);
    const capsuleId = `cap_${'0'.repeat(26)}`;
    expect(refusalOf(await fixture.check(sourceId, { capsuleId }))).toEqual([400, 'invalid_request', '/capsuleId']);
    expect(refusalOf(await fixture.check(sourceId, { capsuleId, compileInstallUx: undefined }))).toEqual([
      404,
      'not_found',
      undefined,
    ]);
    const plainly = await fixture.check(sourceId, { compileInstallUx: false });
    expect(uxOf(plainly)).toBeUndefined();
    expect(plainly.json).not.toHaveProperty('report.capsuleId');
    const { capsuleId: own } = await fixture.install();
    const body = { capsuleId: own, compileInstallUx: undefined };
    expect((await fixture.check(sourceId, body)).json).toMatchObject({ report: { capsuleId: own } });
  });

  test('refuses a configuration that was accepted from another snapshot, and an unknown one', async () => {
    const sourceId = await fixture.synced('wiki');
    const { installConfigId } = uxOf(await fixture.check(sourceId));
    expect(uxOf(await fixture.check(sourceId, { installConfigId })).status).toBe('accepted');
    const other = await fixture.synced('plain');
    expect(refusalOf(await fixture.check(other, { installConfigId }))).toEqual([
      409,
      'repository_install_ux_stale',
      undefined,
    ]);
    expect(refusalOf(await fixture.check(other, { installConfigId, compileInstallUx: undefined }))).toEqual([
      409,
      'repository_install_ux_stale',
      undefined,
    ]);
    expect(refusalOf(await fixture.check(other, { installConfigId: 'icfg_none' }))).toEqual([
      404,
      'not_found',
      undefined,
    ]);
  });

  test('fails closed where a policy requires a version of the manifest', async () => {
    const [wiki, plain, broken, several] = await Promise.all(
      ['wiki', 'plain', 'broken', 'several'].map(fixture.synced),
    );
    const required = (code: string) => [409, 'repository_install_ux_invalid', `repository_install_ux_${code}`];
    fixture.policy({ allowedInterfacePermissions: [], requiredManifestApiVersion: 'svc/v2.3' });
    try {
      expect(uxOf(await fixture.check(wiki ?? '')).status).toBe('accepted');
      expect(refusalOf(await fixture.check(plain ?? ''))).toEqual(required('manifest_api_version_required'));
      expect(refusalOf(await fixture.check(broken ?? ''))).toEqual(required('manifest_api_version_required'));
      expect(refusalOf(await fixture.check(several ?? ''))).toEqual(required('module_missing'));
      expect((await fixture.install({ repository: 'plain', variables: { name: 'x' } })).diagnostic).toMatchObject({
        code: 'repository_install_ux_manifest_api_version_required',
      });
      fixture.policy({ allowedInterfacePermissions: [], requiredManifestApiVersion: 'svc/v2' });
      expect(refusalOf(await fixture.check(wiki ?? ''))).toEqual(required('manifest_api_version_required'));
    } finally {
      fixture.policy(undefined);
    }
  });
});
