import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { applyPlan, getCapsule, installPlanned, outputsOf } from './fixtures/journey.ts';
import { openRoute } from './fixtures/route.ts';

const main = (text: string) => `output "said" {\n  value = "${text}"\n}\n`;
const longTimeout = { timeout: 60_000 };

describe.skipIf(!hasChromium)('a Source that is watched', () => {
  serveBrowsed();

  it('is enabled, receives a push by its webhook, and shows the trigger, the new commit and outdated Capsules', async () => {
    const repository = harness.repository('watched', { 'main.tf': main('one') });
    const { capsuleId, sourceId, plan } = await installPlanned(harness, { url: repository.url, name: 'watched' });
    await applyPlan(harness, plan);
    expect((await getCapsule(harness, capsuleId)).status).toBe('active');

    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, `/sources/${sourceId}`);
    const snapshots = page.getByRole('listitem').filter({ hasText: 'main' });
    await snapshots.getByText('you').first().waitFor(longTimeout);
    // The first check of the schedule starts when it is enabled.
    await page.getByLabel('Auto-sync').click();
    await page.getByRole('checkbox', { checked: true }).waitFor(longTimeout);
    await page.getByText('the schedule').waitFor(longTimeout);
    const address = (await page.getByText(/\/hooks\/sources\/src_/).textContent()) ?? '';

    await page.getByRole('button', { name: 'Create a new secret' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Create a new secret' }).click();
    const secret = (await page.getByTestId('hook-secret').textContent(longTimeout)) ?? '';
    expect(secret).toMatch(/^svchook_[\w-]{43}$/);
    await keepPicture(page, 'watching-secret');
    await page.reload();
    await page.getByText('stored sealed').waitFor(longTimeout);
    expect(await page.getByTestId('hook-secret').count()).toBe(0);

    const push = async (text: string) => {
      const commit = repository.commit({ 'main.tf': main(text) });
      const body = JSON.stringify({ ref: 'refs/heads/main', after: commit });
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
      const headers = { 'x-hub-signature-256': signature, 'content-type': 'application/json' };
      const answer = await fetch(address, { method: 'POST', headers, body });
      expect([answer.status, await answer.json()]).toEqual([202, expect.objectContaining({ accepted: true })]);
      return commit;
    };
    await push('two');

    // No one reloads the page: the stream of the Workspace reports it.
    await snapshots.getByText('a webhook').first().waitFor(longTimeout);
    await expect.poll(async () => (await getCapsule(harness, capsuleId)).status, longTimeout).toBe('stale');
    await keepPicture(page, 'watching-snapshot');
    await openRoute(page, `/capsules/${capsuleId}`);
    await page.getByText('Out of date').first().waitFor(longTimeout);
    await page.getByText('Update available').waitFor(longTimeout);
    await page.getByRole('main').getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Auto-update').click();
    await page.getByRole('checkbox', { name: 'Auto-update', checked: true }).waitFor(longTimeout);
    await keepPicture(page, 'watching-stale');

    const commit = await push('three');
    const adopted = async () => (await getCapsule(harness, capsuleId)).adoptedSourceRevision?.resolvedCommit;
    await expect.poll(adopted, longTimeout).toBe(commit);
    expect((await getCapsule(harness, capsuleId)).status).toBe('active');
    expect(await outputsOf(harness, capsuleId)).toEqual({ said: 'three' });
    // The page follows, and shows that no person started it.
    await page.getByRole('main').getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('table').getByText('Ground Control').first().waitFor(longTimeout);
    await page.getByText('Active').first().waitFor(longTimeout);
    await keepPicture(page, 'watching-updated');
    await close();
  });

  it.each(extremeViews)('is accessible, also when it cannot be fetched or is disabled: %s', async (name, view) => {
    const body = { workspaceId: harness.workspaceId, name: 'Gone', url: 'http://127.0.0.1:1/gone', autoSync: true };
    const { source } = (await harness.http.post<{ source: { id: string } }>('/api/v1/sources', body)).body;
    const { page, close } = await browser.visit(harness.server, view);
    await openRoute(page, `/sources/${source.id}`);
    await page.getByText(`/hooks/sources/${source.id}`).waitFor(longTimeout);
    await page.locator('details summary').last().click();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `watching-${name.replaceAll(' ', '-')}`);
    await page.getByRole('button', { name: view.language === 'ja' ? '無効にする' : 'Disable' }).click();
    await page.getByRole('checkbox').and(page.locator(':disabled')).waitFor(longTimeout);
    expect(await accessibilityFindings(page)).toEqual([]);
    await close();
  });
});
