import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, type Visitor, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settled } from './fixtures/feed.ts';
import { expectAccessible, runIn } from './fixtures/form-steps.ts';
import { applyPlan, getCapsule, installPlanned, syncSource } from './fixtures/journey.ts';
import { fakeModule, thing } from './fixtures/modules.ts';
import { openRoute } from './fixtures/route.ts';

/*
 * Drift checks and updates of all Capsules at once, and one Capsule from its first drift to its destruction, as a
 * person does it in the dashboard.
 */

let capsuleId: string;
let groupPath: string;
let visitor: Visitor;

describe.skipIf(!hasChromium)('drift checks, updates and destroys in the dashboard', () => {
  serveBrowsed({ providers: true });
  let commit: () => Promise<unknown>;
  beforeAll(async () => {
    const module = (note: string) => ({ 'main.tf': fakeModule(thing('a', `note = "${note}"`)) });
    const repository = harness.repository('kept', module('mine'));
    const planned = await installPlanned(harness, { url: repository.url, name: 'shop' });
    ({ capsuleId } = planned);
    await applyPlan(harness, planned.plan);
    commit = () => {
      repository.commit(module('newer'));
      return syncSource(harness, planned.sourceId);
    };
  });

  it('finds outside changes and offers no button to apply them', async () => {
    visitor = await browser.visit(harness.server);
    const { page } = visitor;
    const world = path.join(harness.server.dataDir, 'capsules', capsuleId, 'tree', 'world');
    for (const name of readdirSync(world).filter((file) => file.endsWith('.json'))) {
      const file = path.join(world, name);
      writeFileSync(file, readFileSync(file, 'utf8').replace('mine', 'theirs'));
    }
    await openRoute(page, `/capsules/${capsuleId}`);
    await page.getByRole('button', { name: 'Check for drift' }).click();
    await page.waitForURL(/\/runs\/plan_/);
    await page.getByText('1 resource differs from the state').waitFor({ timeout: 60_000 });
    await page.getByRole('tab', { name: 'Differences' }).waitFor();
    await page.getByText('fake_thing.a').first().waitFor();
    expect(await page.getByText('No changes').count()).toBe(0);
    for (const name of ['Apply', 'Approve and apply'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    // The Capsule says so too, until something is more urgent.
    await page.getByRole('link', { name: 'Capsule shop' }).click();
    await page.getByText('1 resource differs from the state').waitFor();
    await page.getByRole('link', { name: 'See what differs' }).click();
    await page.waitForURL(/\/runs\/plan_/);
  });

  it('says that nothing differs', async () => {
    const { page } = visitor;
    // Every plan of it has a change, and a comparison with what exists has none.
    const module = 'resource "terraform_data" "clock" {\n  input = plantimestamp()\n}\n';
    const { url } = harness.repository('calm', { 'main.tf': module });
    const calm = await installPlanned(harness, { url, name: 'calm' });
    await applyPlan(harness, calm.plan);
    await openRoute(page, `/capsules/${calm.capsuleId}`);
    await page.getByRole('button', { name: 'Check for drift' }).click();
    await page.waitForURL(/\/runs\/plan_/);
    await page.getByText('Nothing differs').waitFor({ timeout: 60_000 });
    await page.getByRole('searchbox', { name: 'Search the log' }).waitFor();
    expect(await page.getByText(/nothing|no changes/i).count()).toBe(1);
    await openRoute(page, `/capsules/${calm.capsuleId}/runs`);
    await page.getByRole('table').getByText('No drift').waitFor();

    // A comparison does not hide the plan that waits.
    const { body } = await harness.http.post<{ run: { id: string } }>(`/api/v1/capsules/${calm.capsuleId}/plan`);
    await settled(harness.server, body.run.id);
    await page.getByRole('button', { name: 'Check for drift' }).click();
    await page.getByText('Nothing differs').waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'Capsule calm' }).click();
    await page.getByRole('link', { name: 'Review the plan', exact: true }).click();
    await page.waitForURL(`**/runs/${body.run.id}`);
  });

  it('shows that everything is up to date, and plans all updates once one is available', async () => {
    const { page } = visitor;
    await openRoute(page, '/capsules');
    await page.getByRole('button', { name: 'Plan all updates' }).click();
    await page.getByText('No Capsule of this Workspace is out of date').waitFor();
    await commit();
    await page.getByRole('button', { name: 'Plan all updates' }).click();
    await page.waitForURL(/\/run-groups\/rg_/);
    groupPath = new URL(page.url()).pathname;
    await page.getByRole('heading', { name: 'Update of the Workspace' }).waitFor();
    await page.getByText('Ready to apply').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Apply 1 plan' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Apply 1 plan' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    expect(await page.getByRole('button', { name: 'Apply 1 plan' }).count()).toBe(0);
    await page.getByRole('link', { name: /shop/ }).click();
    await page.waitForURL(/\/runs\/apply_/);
    await page.getByRole('link', { name: 'Group' }).waitFor();
    await settled(harness.server, runIn(page));
  });

  it('rolls back to an earlier state with a plan', async () => {
    const { page } = visitor;
    await openRoute(page, `/capsules/${capsuleId}/states`);
    await page.getByRole('button', { name: 'Create rollback plan' }).click();
    await page.waitForURL(/\/runs\/plan_/);
    expect(await settled(harness.server, runIn(page))).toMatchObject({ status: 'succeeded', type: 'plan' });
  });

  it.each(views)('shows the group, what was used and the Capsule without a finding: %s', async (view, viewOptions) => {
    const guest = await browser.visit(harness.server, viewOptions);
    const tabs = ['', '/runs', '/states'].map((tab) => `/capsules/${capsuleId}${tab}`);
    await expectAccessible(guest.page, { view, routes: [groupPath, '/usage', ...tabs] });
    await guest.close();
  });

  it('destroys a Capsule after its addresses were shown', async () => {
    const { page } = visitor;
    await openRoute(page, `/capsules/${capsuleId}`);
    await page.getByRole('button', { name: 'Destroy…' }).click();
    await page.getByRole('button', { name: 'Create destroy plan' }).click();
    await page.waitForURL(/\/runs\/plan_/);
    await page.getByRole('button', { name: 'Approve and apply' }).click({ timeout: 60_000 });
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('fake_thing.a').waitFor();
    await dialog.getByRole('button', { name: 'Approve and apply' }).click();
    await page.waitForURL(/\/runs\/apply_/);
    expect(await settled(harness.server, runIn(page))).toMatchObject({ status: 'succeeded', type: 'destroy_apply' });
    expect((await getCapsule(harness, capsuleId)).status).toBe('destroyed');
    await visitor.close();
  });
});
