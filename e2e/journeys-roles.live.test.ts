import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { applyPlan, installPlanned, planAgain } from './fixtures/journey.ts';
import { clockResource, dataResource } from './fixtures/modules.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

describe.skipIf(!hasChromium)('the dashboard of a role', () => {
  serveBrowsed();
  let plan: Run;
  let capsuleId = '';
  let sourceId = '';
  const subjects = { member: '', viewer: '' };

  beforeAll(async () => {
    for (const role of ['member', 'viewer'] as const) {
      const { subject } = await addPerson(harness.server);
      await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, { accountId: subject, role });
      subjects[role] = subject;
    }
    // Every plan of it has a change, so that one waits for approval.
    const { url } = harness.repository('roles', { 'main.tf': dataResource('one') + clockResource });
    const installed = await installPlanned(harness, { url, name: 'roles' });
    ({ capsuleId, sourceId } = installed);
    await applyPlan(harness, installed.plan);
    const policy = { approval: { requireSecondPerson: true } };
    await harness.http.patch(`/api/v1/workspaces/${harness.workspaceId}`, { policy });
    plan = await planAgain(harness, capsuleId);
  });

  /** A person with a role in the owner's Workspace, at its home. */
  function visitAs(role: 'member' | 'viewer', view = {}) {
    return browser.visit(harness.server, {
      ...view,
      subject: subjects[role],
      workspaceId: harness.workspaceId,
    });
  }
  const goTo = async (page: Page, path: string) => {
    await openRoute(page, path);
    await settledPage(page);
  };
  const buttonsAt = (page: Page, names: readonly string[]) =>
    Promise.all(names.map((name) => page.getByRole('main').getByRole('button', { name, exact: true }).count()));

  it('names the policy that requires a second person, and lets its author only request the approval', async () => {
    const { page, close } = await browser.visit(harness.server);
    await goTo(page, `/runs/${plan.id}`);
    const bar = page.getByRole('region', { name: 'Decide on this plan' });
    await bar.getByText('You created this plan. Another owner or admin must approve it.').waitFor();
    expect(await bar.textContent()).toContain('Required by the policy of the Workspace');
    expect(await bar.getByRole('button').allTextContents()).toEqual(['Request approval']);
    await keepPicture(page, 'roles-second-person');
    await close();
  });

  it('lets a member propose and shows no approval buttons to a member or viewer', async () => {
    const names = ['Check for drift', 'Plan again', 'Approve and apply', 'Destroy…', 'Edit', 'Sync now'];
    const seen: Record<string, number[]> = {};
    for (const role of ['member', 'viewer'] as const) {
      const { page, close } = await visitAs(role);
      const counts: number[][] = [];
      const tabs = ['', '/configuration', '/settings'].map((tab) => `/capsules/${capsuleId}${tab}`);
      for (const path of [`/runs/${plan.id}`, ...tabs, `/sources/${sourceId}`]) {
        await goTo(page, path);
        await keepPicture(page, `roles-${role}${path.replace(/_.*/, '').replaceAll('/', '-')}`);
        counts.push(await buttonsAt(page, names));
      }
      seen[role] = names.map((_, index) => counts.reduce((sum, one) => sum + (one[index] ?? 0), 0));
      await close();
    }
    // The actions of a Capsule are above each of its three tabs.
    expect(seen).toEqual({ member: [3, 3, 0, 0, 0, 1], viewer: [0, 0, 0, 0, 0, 0] });
  });

  it('calls no vault route for a member', async () => {
    const { page, close } = await visitAs('member');
    const requests: string[] = [];
    page.on('request', (request) => void requests.push(new URL(request.url()).pathname));
    await goTo(page, '/settings');
    await page.getByText('Only for the owner of this installation').waitFor();
    expect(requests.filter((path) => path.includes('/v1/vault'))).toEqual([]);
    expect(requests.length).toBeGreaterThan(0);
    await close();
  });

  it('explains why a viewer cannot install, and offers a member no Connection', async () => {
    const viewer = await visitAs('viewer');
    await goTo(viewer.page, '/new');
    await viewer.page.getByText('Your role cannot install modules').waitFor();
    expect(await viewer.page.getByRole('main').getByRole('textbox').count()).toBe(0);
    await keepPicture(viewer.page, 'roles-viewer-new');
    await viewer.close();

    const files = { 'main.tf': 'provider "aws" {\n  region = "eu-central-1"\n}\nresource "aws_sqs_queue" "q" {}\n' };
    const { url } = harness.repository('bound', files);
    const member = await visitAs('member');
    await goTo(member.page, '/new');
    await member.page.getByRole('main').getByRole('textbox').first().fill(url);
    await member.page.keyboard.press('Enter');
    await member.page.getByText('Your role plans without Connections.').waitFor({ timeout: 60_000 });
    expect(await buttonsAt(member.page, ['New Connection for aws'])).toEqual([0]);
    await keepPicture(member.page, 'roles-member-bindings');
    await member.close();
  });

  it.each(extremeViews)('is accessible to a member: %s', async (name, view) => {
    const { page, close } = await visitAs('member', view);
    for (const path of ['/', `/runs/${plan.id}`, `/capsules/${capsuleId}`, '/workspace', '/settings']) {
      await goTo(page, path);
      expect([path, await accessibilityFindings(page)]).toEqual([path, []]);
      await keepPicture(page, `roles-${name.replaceAll(' ', '-')}${path.replace(/_.*/, '').replaceAll('/', '-')}`);
    }
    await close();
  });
});
