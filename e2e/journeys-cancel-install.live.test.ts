import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstallPlanAnswer } from '#shared/install-plans/api';
import { accessibilityFindings, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { openRoute } from './fixtures/route.ts';

/* An installation that is cancelled by the person who started it. */

/** A Git host that accepts requests and answers none. */
const silent = http.createServer(() => {});
beforeAll(() => new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});

describe.skipIf(!hasChromium)('the page of an installation', () => {
  serveBrowsed();

  it('cancels it while its repository does not answer, and leaves nothing on Home', async () => {
    const { port } = silent.address() as AddressInfo;
    const body = {
      source: { name: 'Silent', url: `http://127.0.0.1:${port}/modules.git`, ref: 'main', path: '.' },
      capsule: { name: 'Never there', environment: 'test' },
    };
    const created = await harness.http.post<InstallPlanAnswer>(
      `/api/v1/workspaces/${harness.workspaceId}/install-plans`,
      body,
      { 'idempotency-key': 'silent' },
    );
    const { id } = created.body.installPlan;
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, `/install-plans/${id}`);
    await page.getByRole('button', { name: 'Cancel installation' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Cancel installation' }).waitFor();
    await keepPicture(page, 'install-cancel');
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel installation' }).click();
    await page.getByText('The installation was cancelled').waitFor({ timeout: 60_000 });
    await keepPicture(page, 'install-cancelled');
    expect(await page.getByRole('button', { name: 'Cancel installation' }).count()).toBe(0);
    const { installPlan } = (await harness.http.get<InstallPlanAnswer>(`/api/v1/install-plans/${id}`)).body;
    expect(installPlan).toMatchObject({ phase: 'failed', diagnostic: { code: 'install_plan_cancelled' } });
    await openRoute(page, '/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.getByText('Never there').count()).toBe(0);
    await close();
  });
});
