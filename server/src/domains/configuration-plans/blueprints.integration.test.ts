import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigurationPlanAnswer, PlanConfiguration } from '#shared/configuration-plans/api';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';
import type { JsonObject } from '#shared/kernel/json';
import type { ReAdoptionAnswer } from '#shared/re-adoptions/api';
import { manifestPath } from '#shared/vendor';
import type { RawAnswer, TestServer } from '../../../test/harness.ts';
import { type ManifestFixture, refusalOf, startManifestFixture, values } from '../../../test/manifest-server.ts';

let fixture: ManifestFixture;
let server: TestServer;
beforeAll(async () => {
  fixture = await startManifestFixture();
  server = fixture.server;
});
afterAll(() => fixture.close());

type Blueprints = PlanConfiguration['interfaceBlueprints'];
const page = (more: object = {}): Blueprints[number] => ({
  key: 'page',
  name: 'Page',
  spec: {
    type: 'interface.ui.surface',
    version: '1',
    document: { title: 'Page' },
    inputs: { endpoint: { source: 'capsule_output', outputName: 'address', pointer: '' } },
    access: { visibility: 'workspace', resourceUriInput: 'endpoint' },
  },
  ...more,
});
const boundTo = (subject: object) => ({
  bindings: [{ key: 'me', permissions: ['ui.open'], delivery: { type: 'none' }, ...subject }],
});
const installer = boundTo({ subject: { source: 'installing_principal' } });

/** Values of every required variable of the module. */
const required = { title: 'Books', slug: 's', scoped: 's', session_key: 'k', seats: 3 };
async function install(repository: string, variables: JsonObject = required): Promise<string> {
  const { capsuleId } = await fixture.install({ repository, variables });
  if (capsuleId === undefined) throw new Error('The installation created no Capsule');
  return capsuleId;
}
const configurationOf = async (capsuleId: string) =>
  (await server.api.getConfiguration({ params: { capsuleId } })).body.configuration;
const planAs = async (by: { token: string }, capsuleId: string, interfaceBlueprints: unknown) => {
  const { change } = await configurationOf(capsuleId);
  const body = {
    variablePatch: { set: {}, remove: [] },
    providerBindings: [],
    interfaceBlueprints,
    expected: { authorityGuard: change.authorityGuard },
  };
  const path = `/api/v1/capsules/${capsuleId}/configuration-plans`;
  const headers = { authorization: `Bearer ${by.token}`, 'content-type': 'application/json' };
  return server.raw({
    method: 'POST',
    path,
    headers: { ...headers, 'idempotency-key': randomUUID() },
    body: JSON.stringify(body),
  });
};
const replace = (capsuleId: string, blueprints: unknown) => planAs(server, capsuleId, blueprints);
async function planned(answer: RawAnswer): Promise<string> {
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  const { planRunId, targetInstallConfigId } = (answer.json as ConfigurationPlanAnswer).configurationPlan;
  await server.ended(planRunId);
  return targetInstallConfigId;
}
const installerOf = (installConfigId: string): unknown =>
  server.ledger((db) =>
    db.sqlite
      .prepare("SELECT json_extract(provenance, '$.installerId') FROM install_configs WHERE id = ?")
      .pluck()
      .get(installConfigId),
  );

describe('the Interfaces of a configuration plan', () => {
  it('replace those of a plain Capsule, and are bound to the account that plans', async () => {
    const capsuleId = await install('unmanaged');
    const ada = await server.join('admin');
    const config = await planned(await planAs(ada, capsuleId, [page(installer)]));
    expect((await fixture.configOf(config)).interfaceBlueprints).toEqual([page(installer)]);
    expect((await configurationOf(capsuleId)).interfaceBlueprints).toEqual([page(installer)]);
    expect(installerOf(config)).toBe(ada.subject);
  });

  it('stay bound to the first account when another one sends the same set, until that account leaves', async () => {
    const capsuleId = await install('unmanaged');
    const ada = await server.join('admin');
    await planned(await planAs(ada, capsuleId, [page(installer)]));
    expect(installerOf(await planned(await replace(capsuleId, [page(installer)])))).toBe(ada.subject);
    await server.api.removeMember({ params: { workspaceId: server.workspaceId, subject: ada.subject } });
    expect(installerOf(await planned(await replace(capsuleId, [page(installer)])))).toBe(server.subject);
  });

  it('are removed by an empty list', async () => {
    const capsuleId = await install('offering', values);
    expect((await configurationOf(capsuleId)).interfaceBlueprints).toMatchObject([{ key: 'ui', name: 'Surface' }]);
    const config = await planned(await replace(capsuleId, []));
    expect(await fixture.configOf(config)).not.toHaveProperty('interfaceBlueprints');
  });

  it('are accepted as they were read', async () => {
    const capsuleId = await install('unmanaged');
    const { spec } = page();
    const document = { title: '頁', deep: [{ a: [1, null, true] }], constructor: 'x' };
    const labels = { team: 'docs' };
    await planned(
      await replace(capsuleId, [page({ ...installer, labels, spec: { ...spec, document, documentSchema: {} } })]),
    );
    const { interfaceBlueprints } = await configurationOf(capsuleId);
    const config = await planned(await replace(capsuleId, interfaceBlueprints));
    expect((await fixture.configOf(config)).interfaceBlueprints).toEqual(interfaceBlueprints);
  });
});

describe('a configuration plan is refused, and the Capsule stays as it is', () => {
  const key = 'AKIA'.padEnd(20, 'Q');
  const spec = page().spec;
  it.each<[string, unknown, unknown[]]>([
    ['an unknown member', [{ ...page(), extra: 1 }], [400, 'invalid_request']],
    ['no key', [{ ...page(), key: undefined }], [400, 'invalid_request']],
    [
      'a pointer that is none',
      [
        page({
          spec: { ...spec, inputs: { endpoint: { source: 'capsule_output', outputName: 'address', pointer: 'x' } } },
        }),
      ],
      [400, 'invalid_request'],
    ],
    ['two with one name', [page(), page({ key: 'other' })], [400, 'invalid_request']],
    [
      'an undeclared resourceUriInput',
      [page({ spec: { ...spec, access: { visibility: 'workspace', resourceUriInput: 'x' } } })],
      [400, 'invalid_request'],
    ],
    [
      'a credential in the document',
      [page({ spec: { ...spec, document: { note: key } } })],
      [400, 'invalid_argument', 'secret_like_value'],
    ],
    [
      'both kinds of subject',
      [page(boundTo({ subject: { source: 'installing_principal' }, subjectRef: { kind: 'Principal', id: 'sub_x' } }))],
      [400, 'invalid_request'],
    ],
    ['an unknown subject', [page(boundTo({ subjectRef: { kind: 'Principal', id: 'sub_x' } }))], [404, 'not_found']],
    ['a service account', [page(boundTo({ subjectRef: { kind: 'ServiceAccount', id: 'sa_x' } }))], [404, 'not_found']],
  ])('with %s', async (_, blueprints, expected) => {
    const capsuleId = await shared();
    const before = await configurationOf(capsuleId);
    const answer = await replace(capsuleId, blueprints);
    expect(refusalOf(answer).slice(0, expected.length)).toEqual(expected);
    expect(answer.text).not.toContain(key);
    expect(await configurationOf(capsuleId)).toEqual(before);
  });

  it('with an Output that the configuration does not make public', async () => {
    const capsuleId = await install('offering', values);
    const inputs = { endpoint: { source: 'capsule_output', outputName: 'private' } };
    const answer = await replace(capsuleId, [page({ spec: { ...spec, inputs } })]);
    expect(refusalOf(answer)).toEqual([
      400,
      'invalid_request',
      '/interfaceBlueprints/0/spec/inputs/endpoint/outputName',
    ]);
  });

  let capsule: Promise<string> | undefined;
  const shared = () => {
    capsule ??= install('unmanaged');
    return capsule;
  };
});

describe('a re-adoption', () => {
  async function reAdopt(capsuleId: string): Promise<RawAnswer> {
    const { capsule, installConfigReAdoption: expected } = (await server.api.getCapsule({ params: { capsuleId } }))
      .body;
    const { sourceId, installConfigId } = capsule;
    const params = { sourceId };
    const { run } = (await server.api.syncSource({ params, body: { intent: 'manual_plan' } })).body;
    await server.ended(run.id);
    const [snapshot] = (await server.api.listSnapshots({ params })).body.snapshots;
    const sourceSnapshotId = snapshot?.id ?? '';
    await server.api.checkCompatibility({ params, body: { sourceSnapshotId } });
    const body = { baseInstallConfigId: installConfigId, sourceSnapshotId, reason: 'Reviewed.', expected };
    const path = `/api/v1/capsules/${capsuleId}/install-config-re-adoptions`;
    return server.request('POST', path, body, { 'idempotency-key': randomUUID() });
  }
  const targetOf = ({ status, json, text }: RawAnswer): string => {
    expect([status, text]).toEqual([200, text]);
    return (json as ReAdoptionAnswer).installConfigReAdoption.targetInstallConfigId;
  };
  const namesIn = (blueprints: readonly InterfaceBlueprint[] = []) => blueprints.map(({ name }) => name);

  it('keeps the Interfaces of a plain Capsule and the account that they are installed for', async () => {
    const capsuleId = await install('unmanaged');
    const ada = await server.join('admin');
    await planned(await planAs(ada, capsuleId, [page(installer)]));
    const target = targetOf(await reAdopt(capsuleId));
    expect((await fixture.configOf(target)).interfaceBlueprints).toEqual([page(installer)]);
    expect(installerOf(target)).toBe(ada.subject);
  });

  it('takes the Interfaces of the new manifest, and keeps what a person added, changed or removed', async () => {
    const two = ['ui', 'docs'].map((one) => offered(one, one));
    const repository = fixture.repository('offering');
    repository.commit({ [manifestPath]: manifestOf(two) });
    const capsuleId = await install('offering');
    const [ui, docs] = (await configurationOf(capsuleId)).interfaceBlueprints;
    expect([ui?.key, docs?.key]).toEqual(['ui', 'docs']);
    const own = page({ name: 'Own', spec: { ...ui?.spec } });
    await planned(await replace(capsuleId, [{ ...ui, name: 'Renamed' }, own]));
    repository.commit({ [manifestPath]: manifestOf([...two, offered('help', 'Help')]) });
    const target = targetOf(await reAdopt(capsuleId));
    expect(namesIn((await fixture.configOf(target)).interfaceBlueprints)).toEqual(['Renamed', 'Help', 'Own']);
  });

  it('is refused where the manifest offers another Interface under the name of an own one', async () => {
    const repository = fixture.repository('offering');
    repository.commit({ [manifestPath]: manifestOf([offered('ui', 'Surface')]) });
    const capsuleId = await install('offering');
    const [ui] = (await configurationOf(capsuleId)).interfaceBlueprints;
    await planned(await replace(capsuleId, [ui, { ...ui, key: 'own', name: 'Own' }]));
    repository.commit({ [manifestPath]: manifestOf([offered('ui', 'Surface'), offered('help', 'Own')]) });
    expect(refusalOf(await reAdopt(capsuleId))).toEqual([
      409,
      'repository_install_ux_invalid',
      'repository_install_ux_interface_blueprint_conflict',
    ]);
  });

  function offered(key: string, name: string) {
    const { document, access } = page().spec;
    const inputs = { endpoint: { source: 'output', outputName: 'address', outputType: 'url' } };
    return { key, name, spec: { type: 'interface.ui.surface', version: '1', document, access, inputs } };
  }
  function manifestOf(interfaces: object[]): string {
    const label = { en: 'Title', ja: 'タイトル' };
    const module = { inputs: [{ name: 'title', source: { kind: 'user' }, label }], interfaces };
    return JSON.stringify({ apiVersion: 'svc/v2.3', kind: 'Repository', install: { modules: { '.': module } } });
  }
});
