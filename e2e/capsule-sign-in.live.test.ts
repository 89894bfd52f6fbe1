import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { type AppClient, type AppSignIn, startAppClient } from './fixtures/app-client.ts';
import { destroy, planChange, reAdopt } from './fixtures/capsule-changes.ts';
import { settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import {
  applyPlan,
  errorsOf,
  install,
  installPlanned,
  planAgain,
  startApply,
  workspaceOutputsOf,
} from './fixtures/journey.ts';
import { addPerson } from './fixtures/second-person.ts';
import { allowScopes, signingInModule } from './fixtures/signing-in-module.ts';

const origin = 'https://notes.example.com';
const redirectUri = `${origin}/signed-in`;

let on: Harness;
beforeAll(async () => {
  on = await startHarness();
});
afterAll(() => on?.stop());

let count = 0;
async function installApp(): Promise<{ capsuleId: string; plan: Run }> {
  await allowScopes(on, ['openid', 'profile', 'email', 'offline_access']);
  count += 1;
  const { url } = on.repository(`app-${count}`, signingInModule({ scopes: ['openid', 'profile', 'offline_access'] }));
  return installPlanned(on, { url, name: `App ${count}`, variables: { url: origin } });
}

/** An app that is installed and applied. */
async function appliedApp(): Promise<string> {
  const { capsuleId, plan } = await installApp();
  expect((await applyPlan(on, plan)).status).toBe('succeeded');
  return capsuleId;
}

const clientOf = (clientId: string, more: Partial<AppSignIn> = {}): Promise<AppClient> =>
  startAppClient(on.server, { clientId, redirectUri, scope: 'openid profile offline_access', ...more });

const actionsOn = async (clientId: string) => {
  const { body } = await on.http.get<{ events: { action: string; targetId: string }[] }>(
    `/api/v1/workspaces/${on.workspaceId}/activity?limit=100`,
  );
  return body.events
    .filter(({ action, targetId }) => action.startsWith('oidc_client.') && targetId === clientId)
    .map(({ action }) => action);
};

describe('a module whose app signs people in', () => {
  it('is refused without a policy that allows the scopes, and without an https address', async () => {
    const { url } = on.repository('refused', signingInModule());
    const variables = { url: origin };
    expect((await install(on, { url, name: 'No policy', variables })).diagnostic?.code).toBe(
      'repository_install_ux_oidc_scope_disallowed',
    );
    await allowScopes(on, ['openid', 'profile']);
    const plain = await install(on, { url, name: 'Plain', variables: { url: 'http://notes.example.com' } });
    expect(plain.diagnostic).toMatchObject({
      code: 'oidc_authority_unavailable',
      message: expect.stringContaining('https origin'),
    });
  });

  it('gets the four values at its plan, and a client when its apply has succeeded', async () => {
    const { capsuleId, plan } = await installApp();
    const early = await clientOf(capsuleId);
    expect(await early.authorize()).toMatchObject({ status: 400, parameters: undefined });
    await applyPlan(on, plan);
    expect(await workspaceOutputsOf(on, capsuleId)).toEqual({
      app: {
        url: origin,
        issuer: on.server.url,
        accounts: on.server.url,
        client: capsuleId,
        redirect: redirectUri,
        title: 'Notes',
      },
    });
    const app = await clientOf(capsuleId);
    const tokens = await app.signIn();
    const svc = { workspace_id: on.workspaceId, role: 'owner', capsule_id: capsuleId };
    expect(tokens.claims()).toMatchObject({ iss: on.server.url, aud: capsuleId, svc });
    expect(await (await app.userInfo(tokens.access_token)).json()).toMatchObject({
      svc,
      workspace_memberships: [on.workspaceId],
    });
    expect((await app.refresh(tokens.refresh_token ?? '')).claims()).toMatchObject({ svc });
    expect(await actionsOn(capsuleId)).toEqual(['oidc_client.registered']);
  });

  it('signs in members of its Workspace only, and for its Workspace only', async () => {
    const capsuleId = await appliedApp();
    const other = await addPerson(on.server);
    const asOther = await (await clientOf(capsuleId, { subject: other.subject })).authorize();
    expect(asOther.parameters?.get('error')).toBe('access_denied');
    const elsewhere = await clientOf(capsuleId, { subject: other.subject, workspaceId: other.workspaceId });
    expect((await elsewhere.authorize()).parameters?.get('error')).toBe('access_denied');
    const scoped = await clientOf(capsuleId, { scope: 'openid email' });
    expect((await scoped.authorize()).parameters?.get('error')).toBe('invalid_scope');
  });

  it('is closed by another configuration until that is applied, and its old tokens end', async () => {
    const capsuleId = await appliedApp();
    const app = await clientOf(capsuleId);
    const before = await app.signIn();
    const plan = await planChange(on, capsuleId, { title: 'Other' });
    expect((await app.userInfo(before.access_token)).status).toBe(401);
    await expect(app.refresh(before.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await app.authorize()).parameters?.get('error')).toBe('access_denied');
    await applyPlan(on, plan);
    expect((await app.userInfo(before.access_token)).status).toBe(401);
    expect((await app.userInfo((await app.signIn()).access_token)).status).toBe(200);
    expect(await actionsOn(capsuleId)).toEqual(['oidc_client.registered', 'oidc_client.registered']);
  });

  it('is closed by a re-adoption until that is applied', async () => {
    const capsuleId = await appliedApp();
    const app = await clientOf(capsuleId);
    const { access_token } = await app.signIn();
    const answer = await reAdopt(on, capsuleId);
    expect(answer.status, answer.text).toBe(200);
    expect((await app.authorize()).parameters?.get('error')).toBe('access_denied');
    expect((await app.userInfo(access_token)).status).toBe(401);
    await applyPlan(on, await planAgain(on, capsuleId));
    expect((await app.signIn()).claims()).toMatchObject({ svc: { capsule_id: capsuleId } });
  });

  it('keeps its tokens over an apply of the same configuration', async () => {
    const capsuleId = await appliedApp();
    const app = await clientOf(capsuleId);
    const { access_token } = await app.signIn();
    await applyPlan(on, await planAgain(on, capsuleId));
    expect((await app.userInfo(access_token)).status).toBe(200);
  });

  it('fails before the tool starts when the allowed scopes change between plan and apply', async () => {
    const { capsuleId, plan } = await installApp();
    await allowScopes(on, ['openid', 'profile']);
    const apply = await settled(on.server, (await startApply(on, plan)).id);
    expect([apply.status, apply.errorCode]).toEqual(['failed', 'oidc_authority_drift']);
    await allowScopes(on, []);
    const again = await on.http.post<{ error: { details: { reason: string } } }>(`/api/v1/capsules/${capsuleId}/plan`);
    expect([again.status, again.body.error.details.reason]).toEqual([409, 'oidc_authority_unavailable']);
    await allowScopes(on, ['openid', 'profile', 'offline_access']);
    expect((await applyPlan(on, await planAgain(on, capsuleId))).status).toBe('succeeded');
  });

  it('fails before the tool starts when the issuer is disabled or has another address', async () => {
    const { capsuleId, plan } = await installApp();
    await on.server.restart({ GROUNDCTL_OIDC_ISSUER: 'off' });
    const off = await applyPlan(on, plan);
    expect([off.status, off.errorCode]).toEqual(['failed', 'oidc_authority_unavailable']);
    await on.server.restart({ GROUNDCTL_OIDC_ISSUER: 'on' });
    const next = await planAgain(on, capsuleId);
    await on.server.restart({ GROUNDCTL_PUBLIC_URL: on.server.url.replace('127.0.0.1', 'localhost') });
    const moved = await applyPlan(on, next);
    expect([moved.status, moved.errorCode]).toEqual(['failed', 'oidc_authority_drift']);
    expect((await errorsOf(on, moved.id)).map(({ code }) => code)).toEqual(['oidc_authority_drift']);
    expect((await applyPlan(on, await planAgain(on, capsuleId))).status).toBe('succeeded');
  });

  it('loses its client, its consents and its tokens when it is destroyed', async () => {
    const capsuleId = await appliedApp();
    const app = await clientOf(capsuleId);
    const { access_token } = await app.signIn();
    expect((await destroy(on, capsuleId)).status).toBe('succeeded');
    expect((await app.userInfo(access_token)).status).toBe(401);
    expect(await app.authorize()).toMatchObject({ status: 400, parameters: undefined });
    const { body } = await on.http.get<{ consents: { clientId: string }[] }>('/api/v1/account/consents');
    expect(body.consents.map(({ clientId }) => clientId)).not.toContain(capsuleId);
    expect(await actionsOn(capsuleId)).toEqual(['oidc_client.retired', 'oidc_client.registered']);
  });
});
