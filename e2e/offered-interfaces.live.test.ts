import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Interface, InterfaceBinding } from '#shared/interfaces/contract';
import { manifestPath } from '#shared/vendor';
import { destroy, planChange } from './fixtures/capsule-changes.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { applyPlan, errorsOf, install, installPlanned, planAgain } from './fixtures/journey.ts';

const module = `variable "host" { type = string }
resource "terraform_data" "page" { input = var.host }
output "page" { value = "https://\${terraform_data.page.output}/open" }
output "tools" { value = { mcp = "https://\${terraform_data.page.output}/mcp" } }
`;
const label = { en: 'Host', ja: 'ホスト' };
const output = (outputName: string, outputType: string) => ({ source: 'output', outputName, outputType });
const installer = { source: 'installing_principal' };

const surface = {
  key: 'page',
  name: 'Page',
  spec: {
    type: 'interface.ui.surface',
    version: '1',
    document: { title: 'Page' },
    inputs: { endpoint: output('page', 'url') },
    access: { visibility: 'workspace', resourceUriInput: 'endpoint' },
  },
  bindingRequests: [{ key: 'me', subject: installer, permissions: ['ui.open'], delivery: { type: 'none' } }],
};
const mcp = {
  key: 'tools',
  name: 'Tools',
  spec: {
    type: 'mcp.server',
    version: '2025-11-25',
    document: {},
    inputs: { addresses: output('tools', 'json') },
    access: { visibility: 'workspace' },
  },
  bindingRequests: [{ key: 'me', subject: installer, permissions: ['mcp.invoke'], delivery: { type: 'oauth2' } }],
};
const manifestOf = (module: object) =>
  JSON.stringify({ apiVersion: 'svc/v2.3', kind: 'Repository', install: { modules: { '.': module } } });
const offering = {
  'main.tf': module,
  [manifestPath]: manifestOf({
    inputs: [{ name: 'host', source: { kind: 'user' }, label }],
    interfaces: [surface, mcp],
  }),
};

let on: Harness;
beforeAll(async () => {
  on = await startHarness();
});
afterAll(() => on?.stop());

async function interfacesOf(capsuleId: string, more = ''): Promise<Map<string, Interface>> {
  const query = `workspaceId=${on.workspaceId}&ownerKind=Capsule&ownerId=${capsuleId}${more}`;
  const { body } = await on.http.get<{ interfaces: Interface[] }>(`/api/v1/interfaces?${query}`);
  return new Map(body.interfaces.map((one) => [one.name, one]));
}
const bindingsOf = async ({ id }: Pick<Interface, 'id'>): Promise<InterfaceBinding[]> =>
  (await on.http.get<{ bindings: InterfaceBinding[] }>(`/api/v1/interfaces/${id}/bindings`)).body.bindings;
const one = (found: Map<string, Interface>, name: string): Interface => {
  const record = found.get(name);
  if (!record) throw new Error(`No Interface ${name} among ${[...found.keys()].join(', ')}`);
  return record;
};

/** Waits for the Interfaces of an apply, which are made after it has ended. */
const made = (capsuleId: string, ...names: string[]) =>
  expect.poll(async () => [...(await interfacesOf(capsuleId)).keys()], { timeout: 20_000 }).toEqual(names);
const using = {
  'main.tf': 'output "used" { value = true }\n',
  [manifestPath]: JSON.stringify({
    apiVersion: 'svc/v2.2',
    kind: 'Repository',
    install: {
      modules: {
        '.': {
          inputs: [],
          requires: [
            {
              kind: 'interface.consume',
              key: 'tools',
              interface: { type: 'mcp.server', version: '2025-11-25' },
              permissions: ['mcp.invoke'],
              delivery: { type: 'oauth2' },
            },
          ],
        },
      },
    },
  }),
};

describe('a module that offers a launcher and an MCP server, and a module that uses it', () => {
  it('are installed, changed and destroyed with what they offer and use', async () => {
    const consumer = on.repository('using', using);
    const early = await install(on, { url: consumer.url, name: 'Early' });
    expect(early).toMatchObject({ phase: 'failed', diagnostic: { code: 'required_interface_missing' } });

    const { url } = on.repository('offering', offering);
    const { capsuleId, plan } = await installPlanned(on, { url, name: 'Offering', variables: { host: 'a.example' } });
    expect(await interfacesOf(capsuleId)).toEqual(new Map());
    const first = await applyPlan(on, plan);
    await made(capsuleId, 'Page', 'Tools');
    const page = one(await interfacesOf(capsuleId), 'Page');
    expect(page.status).toMatchObject({
      phase: 'Resolved',
      resolvedInputs: { endpoint: 'https://a.example/open' },
      provenance: { endpoint: { source: 'capsule_output', runId: first.id, outputName: 'page' } },
    });
    await expect.poll(async () => (await bindingsOf(page)).map(({ status }) => status.phase)).toEqual(['Ready']);

    const { capsuleId: userId, plan: used } = await installPlanned(on, { url: consumer.url, name: 'Using' });
    expect(used.status).toBe('succeeded');
    const tools = one(await interfacesOf(capsuleId), 'Tools');
    // The binding of the installing account is equal, so it is reused.
    expect((await bindingsOf(tools)).map(({ spec }) => spec.permissions)).toEqual([['mcp.invoke']]);
    await applyPlan(on, used);

    const second = await applyPlan(on, await planChange(on, capsuleId, { host: 'b.example' }));
    const changed = one(await interfacesOf(capsuleId), 'Page');
    expect([changed.id, changed.status]).toMatchObject([
      page.id,
      {
        resolvedRevision: 2,
        resolvedInputs: { endpoint: 'https://b.example/open' },
        provenance: { endpoint: { runId: second.id } },
      },
    ]);

    await destroy(on, capsuleId);
    expect(await interfacesOf(capsuleId)).toEqual(new Map());
    const retired = await interfacesOf(capsuleId, '&includeRetired=true');
    expect([...retired.values()].map(({ status }) => status.phase)).toEqual(['Retired', 'Retired']);
    expect((await bindingsOf(tools)).map(({ status }) => status.phase)).toEqual(['Revoked']);
    const again = await planAgain(on, userId);
    expect([again.status, again.errorCode]).toEqual(['failed', 'plan_failed']);
    expect((await errorsOf(on, again.id)).map(({ code }) => code)).toEqual(['required_interface_missing']);
  });
});
