import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { destroy, reAdopt } from './fixtures/capsule-changes.ts';
import { settled } from './fixtures/feed.ts';
import { applyByHand } from './fixtures/form-steps.ts';
import { applyPlan, planAgain, workspaceOutputsOf } from './fixtures/journey.ts';
import { type AppConfiguration, type SampleApp, startSampleApp } from './fixtures/sample-app.ts';
import { addPerson } from './fixtures/second-person.ts';
import { allowScopes, signingInModule } from './fixtures/signing-in-module.ts';

const longTimeout = { timeout: 60_000 };

describe.skipIf(!hasChromium)('an app that is installed as a Capsule', () => {
  serveBrowsed();
  let app: SampleApp;
  let capsuleId = '';
  beforeAll(async () => {
    app = await startSampleApp();
    await allowScopes(harness, ['openid', 'profile', 'offline_access']);
  });
  afterAll(() => app?.close());

  it('asks for the sign-in in the form and in the plan, and is applied', async () => {
    const { url } = harness.repository('notes', signingInModule({ scopes: ['openid', 'profile', 'offline_access'] }));
    const { page, close } = await browser.visit(harness.server);
    await page.getByRole('main').getByRole('textbox').first().fill(url);
    await page.keyboard.press('Enter');
    await page.getByText('The app signs people in with Ground Control.').waitFor(longTimeout);
    await page.getByLabel('Address').fill(app.origin);
    await keepPicture(page, 'app-install');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, longTimeout);
    await page.getByText(`${app.origin}/signed-in`, { exact: true }).first().waitFor(longTimeout);
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor(longTimeout);
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'app-plan');
    const { status, capsuleId: id = '' } = await settled(harness.server, await applyByHand(page));
    expect(status).toBe('succeeded');
    capsuleId = id;
    await page.goto(`${harness.server.url}/capsules/${capsuleId}`);
    await page.getByText('sign you in · name · stay signed in').waitFor(longTimeout);
    await keepPicture(page, 'app-capsule');
    await close();
    const outputs = await workspaceOutputsOf(harness, capsuleId);
    app.configure(outputs['app'] as AppConfiguration);
  });

  it.each(extremeViews)('shows who asks, for which Workspace, and where people are sent: %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, { ...view, trustsAll: true });
    await page.goto(`${app.origin}/sign-in`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText(new URL(app.origin).host).first().waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `app-consent-${name.replaceAll(' ', '-')}`);
    await close();
  });

  it('signs in after the consent, silently after that, and with a new key', async () => {
    const { page, close } = await browser.visit(harness.server, { trustsAll: true });
    await page.goto(`${app.origin}/sign-in?prompt=none`);
    await page.getByText('The app was refused: consent_required').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('The app was refused: access_denied').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Signed in with the role owner').waitFor();
    const rotation = await fetch(`${harness.server.url}/internal/v1/oidc/rotations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${harness.server.operatorToken}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(rotation.status).toBe(201);
    await page.reload();
    await page.getByText('Signed in with the role owner').waitFor();
    await page.goto(`${app.origin}/sign-in?prompt=none`);
    await page.getByText('Signed in with the role owner').waitFor();
    await close();
  });

  it('signs a member out who leaves the Workspace', async () => {
    const { subject } = await addPerson(harness.server);
    const members = `/api/v1/workspaces/${harness.workspaceId}/members`;
    await harness.http.post(members, { accountId: subject, role: 'member' });
    const { page, close } = await browser.visit(harness.server, { trustsAll: true, subject });
    await page.goto(`${app.origin}/sign-in`);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Signed in with the role member').waitFor();
    await page.reload();
    await page.getByText('Signed in with the role member').waitFor();
    expect((await harness.http.delete(`${members}/${subject}`)).status).toBe(200);
    await page.reload();
    await page.getByText('Your session has ended').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByText('The app was refused: access_denied').waitFor();
    await close();
  });

  it('is closed by a re-adoption until that is applied, and ends with its Capsule', async () => {
    const { page, close } = await browser.visit(harness.server, { trustsAll: true });
    const signIn = async () => {
      await page.goto(`${app.origin}/sign-in`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    };
    await signIn();
    await page.getByText('Signed in with the role owner').waitFor();
    expect((await reAdopt(harness, capsuleId)).status).toBe(200);
    await page.goto(app.origin);
    await page.getByText('Your session has ended').waitFor();
    await signIn();
    await page.getByText('The app was refused: access_denied').waitFor();
    await applyPlan(harness, await planAgain(harness, capsuleId));
    await signIn();
    await page.getByText('Signed in with the role owner').waitFor();

    await destroy(harness, capsuleId);
    await page.goto(app.origin);
    await page.getByText('Your session has ended').waitFor();
    await signIn();
    await page.getByText('The app sent a sign-in request that is not valid').waitFor();
    await keepPicture(page, 'app-retired');
    await close();
  });
});
