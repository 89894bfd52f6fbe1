import { describe, expect, it } from 'vitest';
import type { SourceSyncRun } from '#shared/sources/contract';
import { accessibilityFindings, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settled } from './fixtures/feed.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { openRoute } from './fixtures/route.ts';

const module = 'output "name" {\n  value = "one"\n}\n';

async function createSource(name: string, url: string): Promise<string> {
  const body = { workspaceId: harness.workspaceId, name, url };
  return (await harness.http.post<{ source: { id: string } }>('/api/v1/sources', body)).body.source.id;
}

describe.skipIf(!hasChromium)('the page of a Source', () => {
  serveBrowsed();

  it('deletes a Source without a snapshot, and offers that for no other', async () => {
    const { url } = harness.repository('kept', { 'main.tf': module });
    const emptyId = await createSource('mistyped', `${new URL(url).origin}/nothing/here.git`);
    const syncedId = await createSource('synced', url);
    const { body } = await harness.http.post<{ run: SourceSyncRun }>(`/api/v1/sources/${syncedId}/sync`, {});
    await settled(harness.server, body.run.id);
    const { page, close } = await browser.visit(harness.server);
    const remove = page.getByRole('main').getByRole('button', { name: 'Delete…' });
    await openRoute(page, `/sources/${syncedId}`);
    await page.getByRole('link', { name: /^Run that fetched/ }).waitFor();
    expect(await remove.count()).toBe(0);
    await openRoute(page, `/sources/${emptyId}`);
    await remove.click();
    await keepPicture(page, 'source-delete');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete Source' }).click();
    await page.waitForURL(/\/sources$/);
    await page.getByRole('link', { name: 'synced' }).waitFor();
    expect(await page.getByRole('link', { name: 'mistyped' }).count()).toBe(0);
    expect((await harness.http.get(`/api/v1/sources/${emptyId}`)).status).toBe(404);
    await close();
  });

  it('says "Up to date" until another sync finds a newer commit', async () => {
    const { url, commit } = harness.repository('moving', { 'main.tf': module });
    const id = await createSource('moving', url);
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, `/sources/${id}`);
    await settledPage(page);
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('Up to date').waitFor({ timeout: 30_000 });
    await commit({ 'main.tf': module.replace('one', 'two') });
    const { body } = await harness.http.post<{ run: SourceSyncRun }>(`/api/v1/sources/${id}/sync`, {});
    const { resolvedCommit = '' } = await settled(harness.server, body.run.id);
    await page.getByRole('link', { name: `Run that fetched ${resolvedCommit.slice(0, 8)}` }).waitFor();
    await expect.poll(() => page.getByText('Up to date').count()).toBe(0);
    await close();
  });
});
