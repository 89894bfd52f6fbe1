import { describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { installPlanned, startPlan } from './fixtures/journey.ts';
import { fakeModule, thing } from './fixtures/modules.ts';
import { openRoute } from './fixtures/route.ts';

const longTimeout = { timeout: 60_000 };

describe.skipIf(!hasChromium)('pools of runner machines', () => {
  serveBrowsed({ providers: true, env: { GROUNDCTL_NATS_URL: 'nats://127.0.0.1:1' } });

  it('are created and allowed by the owner, chosen for a Capsule, and shown where a Run waits', async () => {
    const { url } = harness.repository('pools', { 'main.tf': fakeModule(thing('one', 'note = "one"')) });
    const { capsuleId } = await installPlanned(harness, { url, name: 'pools' });
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/settings');
    await page.getByRole('link', { name: 'Runner machines' }).click(longTimeout);
    await page.getByRole('heading', { name: 'No pool yet' }).waitFor(longTimeout);
    await keepPicture(page, 'runner-pools-empty');
    await page.getByRole('button', { name: 'New pool' }).click();
    await page.getByLabel('Name').fill('Office network');
    await page.getByRole('button', { name: 'Create pool' }).click();
    await page.getByRole('button', { name: 'Allow in this Workspace' }).click(longTimeout);
    await page.getByRole('button', { name: 'Withdraw from this Workspace' }).waitFor(longTimeout);
    await page.getByRole('button', { name: 'Enrol a machine' }).click();
    await page.getByTestId('runner-enrolment').waitFor(longTimeout);
    await page.getByText('groundctl runner --data-dir ~/groundctl-runner --enrol machine.enrol').waitFor();
    await keepPicture(page, 'runner-pools-enrolment');
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText(/Open enrolment, until/).waitFor(longTimeout);
    await settledPage(page);
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'runner-pools');
    await page.getByRole('button', { name: 'Cancel enrolment' }).click();
    await page.getByText(/Open enrolment, until/).waitFor({ state: 'detached', ...longTimeout });
    await page.getByRole('button', { name: 'Rename pool' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Main office');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename pool' }).click();
    await page.getByRole('heading', { name: 'Main office' }).waitFor(longTimeout);

    await openRoute(page, `/capsules/${capsuleId}/settings`);
    await page.getByLabel('Pool', { exact: true }).selectOption({ label: 'Main office' }, longTimeout);
    await page.getByText('No machine of this pool takes Runs now, so a plan waits.').waitFor(longTimeout);
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'runner-pools-capsule');
    const { id } = await startPlan(harness, capsuleId);
    await openRoute(page, `/runs/${id}`);
    await page.getByText('Pool Main office').waitFor(longTimeout);
    await page.getByText('No machine of this pool takes Runs now. The Run starts when one does.').waitFor(longTimeout);
    await keepPicture(page, 'runner-pools-run');
    await openRoute(page, '/settings/runners');
    await page.getByText('1 Run waits').waitFor(longTimeout);
    await close();
  });
});
