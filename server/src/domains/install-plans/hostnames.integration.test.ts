import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/kernel/json';
import { type ManifestFixture, refusalOf, startManifestFixture, values } from '../../../test/manifest-server.ts';

const domain = 'apps.example.org';
let fixture: ManifestFixture;
let handle: string;
beforeAll(async () => {
  fixture = await startManifestFixture({ GROUNDCTL_PUBLIC_BASE_DOMAIN: domain });
  handle = (await fixture.server.api.listWorkspaces({})).body.workspaces[0]?.handle ?? '';
});
afterAll(() => fixture.close());

const { public_url: _address, ...plain } = values;
const operator = (method: 'POST' | 'DELETE', path: string, body?: object) =>
  fixture.server.raw({
    method,
    path: `/internal/v1${path}`,
    headers: { authorization: `Bearer ${fixture.server.operatorToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
const proofs = () => `/workspaces/${fixture.server.workspaceId}/hostname-proofs`;
const prove = (hostname: string, ownerRef: object = { kind: 'Workspace', id: fixture.server.workspaceId }) =>
  operator('POST', proofs(), { hostname, ownerRef });
const install = (name: string, variables: JsonObject = plain, repository = 'addressed') =>
  fixture.install({ repository, name, variables });
const addressOf = async (name: string, variables?: JsonObject, repository?: string) => {
  const { installConfigId = '', diagnostic } = await install(name, variables, repository);
  if (installConfigId === '') return diagnostic;
  const { public_url: url, route } = (await fixture.configOf(installConfigId)).variableMapping;
  return { url, route };
};
const reasonOf = async (name: string, variables?: JsonObject) => (await install(name, variables)).diagnostic?.reason;

describe('the hostname of a service', () => {
  it('is assigned under the domain of the server', async () => {
    const host = `books-${handle}.${domain}`;
    expect(await addressOf('Books')).toEqual({ url: `https://${host}`, route: `${host}/*` });
  });

  it('is one that the installer chooses only after the operator has proven it', async () => {
    const chosen = { ...plain, public_url: 'https://shop.example.com' };
    expect(await reasonOf('Shop', chosen)).toBe('custom_domain_not_verified');
    expect((await prove('shop.example.com')).status).toBe(201);
    expect(await addressOf('Shop', chosen)).toEqual({ url: 'https://shop.example.com', route: 'shop.example.com/*' });
    expect(await reasonOf('Second shop', chosen)).toBe('app_hostname_unavailable');
  });

  it('needs its proof again at each plan', async () => {
    const hostname = 'films.example.com';
    await prove(hostname);
    const { capsuleId = '' } = await install('Films', { ...plain, public_url: `https://${hostname}` });
    const plan = () => fixture.server.request('POST', `/api/v1/capsules/${capsuleId}/plan`, {});
    expect((await plan()).status).toBe(201);
    expect((await operator('DELETE', `${proofs()}/${hostname}`)).status).toBe(204);
    expect(refusalOf(await plan())).toEqual([409, 'failed_precondition', 'custom_domain_not_verified']);
    await prove(hostname, { kind: 'Capsule', id: capsuleId });
    expect((await plan()).status).toBe(201);
  });

  it('is the name of the Capsule alone where the operator wants it, once in the installation', async () => {
    const selected = { sourceSelector: { url: fixture.urlOf('wiki'), path: '.' } };
    const created = await operator('POST', '/install-configs', {
      name: 'Short names',
      ...selected,
      managedPublicHostname: { mode: 'vanity' },
    });
    const { installConfig } = created.json as { installConfig: { id: string } };
    expect(installConfig).toMatchObject({ managedPublicHostname: { mode: 'vanity' } });
    expect(await addressOf('Notes', plain, 'wiki')).toMatchObject({ url: `https://notes.${domain}` });
    const owner = { kind: 'Workspace', id: fixture.server.workspaceId };
    expect((await prove(`letters.${domain}`, owner)).status).toBe(201);
    expect(await addressOf('Letters', plain, 'wiki')).toMatchObject({ url: `https://letters.${domain}` });
    expect((await operator('DELETE', `/install-configs/${installConfig.id}`)).status).toBe(204);
  });

  it('that a Capsule has cannot be proven for another one', async () => {
    const { capsuleId } = await install('Music');
    const other = await install('Radio');
    const hostname = `music-${handle}.${domain}`;
    const refused = await prove(hostname, { kind: 'Capsule', id: other.capsuleId });
    expect(refusalOf(refused)).toEqual([409, 'failed_precondition', 'app_hostname_unavailable']);
    expect((await prove(hostname, { kind: 'Capsule', id: capsuleId })).status).toBe(201);
  });

  it('that is proven for another owner is not assigned', async () => {
    const { capsuleId } = await install('Holder');
    await prove(`taken-${handle}.${domain}`, { kind: 'Capsule', id: capsuleId });
    expect(await reasonOf('Taken')).toBe('app_hostname_unavailable');
  });

  it('is never shown as a member of the configuration', async () => {
    const { installConfigId = '' } = await install('Private');
    expect(await fixture.configOf(installConfigId)).not.toHaveProperty('publicHostname');
  });
});
