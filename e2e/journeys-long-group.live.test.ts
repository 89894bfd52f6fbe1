import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#server/kernel/ids';
import { startTestServer, type TestServer } from '../server/test/harness.ts';
import { seedCapsule, seedPlan } from '../server/test/ledger-rows.ts';
import {
  accessibilityFindings,
  extremeViews,
  hasChromium,
  keepPicture,
  shareBrowser,
  type TestBrowser,
} from './fixtures/browser.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { openRoute } from './fixtures/route.ts';

const size = 100;

/** A group whose members are in ten layers: most of them wait for a decision, some failed, one is held. */
describe.skipIf(!hasChromium)('a group of a hundred members', () => {
  let server: TestServer;
  let browser: TestBrowser;
  const id = newId('runGroup');
  beforeAll(async () => {
    server = await startTestServer();
    browser = await shareBrowser();
    const layers: string[][] = [];
    const { sourceId } = await seedCapsule(server, { name: 'first' });
    for (let at = 0; at < size; at += 1) {
      const capsule = await seedCapsule(server, { name: `member-${at}`, status: 'stale', sourceId });
      const groupLayer = Math.floor(at / 10);
      layers[groupLayer] = [...(layers[groupLayer] ?? []), capsule.id];
      const moves = at % 10 === 3 ? (['claim', 'fail'] as const) : (['claim', 'finish'] as const);
      seedPlan(server, capsule, { runGroupId: id, groupLayer, capsuleName: capsule.name, moves });
      if (at === 5) await server.api.holdCapsule({ params: { capsuleId: capsule.id }, body: { reason: 'Freeze' } });
    }
    server.ledger(({ sqlite }) =>
      sqlite
        .prepare(
          'INSERT INTO run_groups (id, workspace_id, type, created_by, layers, created_at) VALUES (?, ?, ?, ?, ?, ?)',
        )
        .run(id, server.workspaceId, 'workspace_update', server.subject, JSON.stringify(layers), Date.now()),
    );
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  it.each(extremeViews)('is readable, and each state of it is one click away: %s', async (view, options) => {
    const { page, close } = await browser.visit(server, options);
    await observeLayoutShifts(page);
    await openRoute(page, `/run-groups/${id}`);
    await settledPage(page);
    const rows = page.getByRole('main').getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(size);
    expect(await page.getByRole('checkbox').count()).toBeGreaterThan(size / 2);
    expect(await accessibilityFindings(page)).toEqual([]);
    await expectStableLayout(page);
    await keepPicture(page, `long-group-${view.replaceAll(' ', '-')}`);
    await page.getByRole('button', { name: /^(?:Failed or cancelled|失敗またはキャンセル)/ }).click();
    await expect.poll(() => rows.count()).toBe(10);
    await close();
  });
});
