import { describe, expect, it } from 'vitest';
import { hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { planDestroy } from './fixtures/capsule-changes.ts';
import { groundctl } from './fixtures/groundctl.ts';
import { applyPlan, getCapsule, installPlanned } from './fixtures/journey.ts';
import { declareActions, shellAction } from './fixtures/lifecycle.ts';
import { openRoute } from './fixtures/route.ts';

const longTimeout = { timeout: 30_000 };
const main = 'resource "terraform_data" "a" {}\noutput "url" { value = "https://example.org" }\n';
/** Succeeds once a file with this name is committed. */
const migrate = shellAction('migrate', 'echo migrating; test -e ready || exit 3', { timeoutSeconds: 77 });
const drain = shellAction('drain', 'echo still in use; exit 4', { phase: 'pre_destroy' });

describe.skipIf(!hasChromium)('lifecycle actions in the dashboard', () => {
  serveBrowsed();

  it('are shown before the installation and at the review, and a failed one is corrected and recovered', async () => {
    const repository = harness.repository('shop', { 'main.tf': main });
    await declareActions(harness, repository.url, [migrate, drain]);
    const { page, close } = await browser.visit(harness.server);
    await page.getByRole('main').getByRole('textbox').first().fill(repository.url);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Lifecycle actions' }).waitFor(longTimeout);
    await page.getByText('echo migrating; test -e ready || exit 3').waitFor();
    await page.getByText('Ends after 77 seconds at the latest').waitFor();
    await page.getByText('echo still in use; exit 4').waitFor();
    await keepPicture(page, 'lifecycle-install');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, longTimeout);
    await page.getByRole('heading', { name: 'Runs after this apply' }).waitFor(longTimeout);
    expect(await page.getByText('echo still in use; exit 4').count()).toBe(0);
    await keepPicture(page, 'lifecycle-review');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.waitForURL(/\/runs\/apply_/, longTimeout);
    await page
      .getByText(/Action "migrate" did not succeed/)
      .first()
      .waitFor(longTimeout);
    await keepPicture(page, 'lifecycle-failed');

    repository.commit({ 'main.tf': main, ready: '' });
    await page.getByRole('button', { name: 'Plan again' }).click();
    await page.waitForURL(/\/runs\/plan_/, longTimeout);
    await page.getByRole('button', { name: 'Apply without changes' }).click(longTimeout);
    await page.waitForURL(/\/runs\/apply_/, longTimeout);
    await page.getByText('https://example.org').first().waitFor(longTimeout);
    await close();
  });

  it('that block a destroy say what to do', async () => {
    const { url } = harness.repository('busy', { 'main.tf': main });
    await declareActions(harness, url, [drain]);
    const { plan, capsuleId } = await installPlanned(harness, { url, name: 'busy' });
    await applyPlan(harness, plan);
    const destroy = await planDestroy(harness, capsuleId);
    const { page, close } = await browser.visit(harness.server);
    const isOfConfig = /\/capsule-configs\//;
    await page.route(isOfConfig, (route) => route.fulfill({ status: 500, json: {} }));
    await openRoute(page, `/runs/${destroy.id}`);
    const card = page.getByRole('heading', { name: 'Runs before this destroy' }).locator('..');
    const again = card.getByRole('button', { name: 'Try again' });
    await again.waitFor(longTimeout);
    await page.unroute(isOfConfig);
    await again.click();
    await card.getByText('echo still in use; exit 4').waitFor(longTimeout);
    const { id } = await applyPlan(harness, destroy);
    await openRoute(page, `/runs/${id}`);
    await page
      .getByText(/Action "drain" did not succeed/)
      .first()
      .waitFor(longTimeout);
    expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'unknown' });
    await close();
  });

  it('are shown by the command line before the approval', async () => {
    const { url } = harness.repository('cli', { 'main.tf': main, ready: '' });
    await declareActions(harness, url, [migrate, drain]);
    const { out, err, code } = await groundctl([
      'install',
      url,
      '--data-dir',
      harness.server.dataDir,
      '--auto-approve',
    ]);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(err).toContain('  drain: sh -c "echo still in use; exit 4"');
    expect(out).toContain('After the apply these actions run:');
    expect(out).toContain('  migrate: sh -c "echo migrating; test -e ready || exit 3"');
    expect(out).not.toContain('drain');
  });
});
