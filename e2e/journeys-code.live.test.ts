import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import type { HarnessRepository } from './fixtures/harness.ts';
import { applyPlan, getCapsule, installPlanned } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

const limitOf = (limit: number, more = '') =>
  `# The most items of a list.\noutput "limit" {\n  value = ${limit}\n}\n${more}`;
const message = 'Raise the limit\n\nTwo were too few.\n\nReviewed-by: Eve <eve@example.com>';

/** Commits files with a message of its own. */
function commitWith(repository: HarnessRepository, files: Record<string, string>, text: string): void {
  repository.commit(files);
  repository.git('commit', '-q', '--amend', '-m', text);
}

describe.skipIf(!hasChromium)('the code of a Capsule', () => {
  serveBrowsed();
  let repository: HarnessRepository;
  let capsuleId = '';
  let sourceId = '';
  let viewer = '';
  beforeAll(async () => {
    viewer = (await addPerson(harness.server)).subject;
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, { accountId: viewer, role: 'viewer' });
    repository = harness.repository('coded', { 'main.tf': limitOf(2), 'logo.png': Buffer.from([0, 1]) });
    const installed = await installPlanned(harness, { url: repository.url, name: 'coded' });
    ({ capsuleId, sourceId } = installed);
    await applyPlan(harness, installed.plan);
  });
  const open = async (page: Page, path: string) => {
    await openRoute(page, path);
    await settledPage(page);
  };
  const planAgain = async (page: Page) => {
    await open(page, `/capsules/${capsuleId}`);
    await page.getByRole('button', { name: 'Plan again' }).first().click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await settledPage(page);
  };

  it('shows what a new commit says and what it changes, beside its plan', async () => {
    commitWith(repository, { 'main.tf': limitOf(5), 'notes.txt': 'x' }, message);
    const { page, close } = await browser.visit(harness.server);
    await planAgain(page);
    const header = page.getByRole('banner').last().or(page.locator('main header').first());
    await header.getByText('Raise the limit').first().click();
    await page.getByText('as the commit says').first().waitFor();
    await page.getByText('Two were too few.').first().waitFor();
    expect(await page.locator('main').textContent()).not.toContain('eve@example.com');
    await page.getByRole('tab', { name: 'Code' }).click();
    const file = page.getByRole('article', { name: 'main.tf' });
    await file.getByText('value = 5').waitFor();
    await file.getByText('value = 2').waitFor();
    await page.getByText('2 commits known.', { exact: false }).waitFor();
    await page.getByRole('article', { name: 'notes.txt' }).getByText('Not configuration').waitFor();
    await page.getByText('2 files differ').waitFor();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('code');
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'code-of-a-plan');
    await observeLayoutShifts(page);
    await page.reload();
    await page.getByRole('article', { name: 'main.tf' }).waitFor();
    await settledPage(page);
    await expectStableLayout(page);
    await close();
  });

  it.each(extremeViews)('compares two snapshots on the page of the Source: %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    await open(page, `/sources/${sourceId}`);
    const [older = '', newer = ''] = (await snapshotIds()).toReversed();
    const [from, to] = view.language === 'ja' ? ['変更前', '変更後'] : ['From', 'To'];
    await page.getByRole('combobox', { name: from }).selectOption(older);
    await page.getByRole('combobox', { name: to, exact: true }).selectOption(newer);
    await page.getByRole('article', { name: 'main.tf' }).getByText('value = 5').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `code-of-a-source-${name.replaceAll(' ', '-')}`);
    await page.reload();
    await page.getByRole('article', { name: 'main.tf' }).waitFor();
    await close();
  });

  it('shows a Viewer the same, and links to the code host once the Source names its kind', async () => {
    const owner = await browser.visit(harness.server);
    await open(owner.page, `/sources/${sourceId}`);
    await owner.page.getByRole('button', { name: 'Edit' }).click();
    await owner.page.getByLabel('Code host').selectOption('gitlab');
    await owner.page.getByRole('button', { name: 'Save' }).click();
    await owner.page.locator('dd').getByText('GitLab', { exact: true }).waitFor();
    await owner.close();
    const { page, close } = await browser.visit(harness.server, { subject: viewer, workspaceId: harness.workspaceId });
    await open(page, `/capsules/${capsuleId}`);
    const adopted = (await getCapsule(harness, capsuleId)).adoptedSourceRevision?.resolvedCommit ?? '';
    const link = page.getByRole('link', { name: /View on 127\.0\.0\.1/ }).first();
    expect(await link.getAttribute('href')).toBe(`${repository.url}/-/commit/${adopted}`);
    expect(await link.getAttribute('rel')).toContain('noreferrer');
    await page.getByRole('link', { name: 'What changed since then' }).click();
    await page.getByRole('article', { name: 'main.tf' }).getByText('value = 5').waitFor();
    await keepPicture(page, 'code-as-viewer');
    await close();
  });

  it('shows what an applied plan and its apply changed', async () => {
    const path = `/api/v1/workspaces/${harness.workspaceId}/runs?capsuleId=${capsuleId}&type=plan&limit=1`;
    const { body } = await harness.http.get<{ runs: [Run] }>(path);
    const [plan] = body.runs;
    const apply = await applyPlan(harness, plan);
    const { page, close } = await browser.visit(harness.server);
    for (const { id } of [plan, apply]) {
      await open(page, `/runs/${id}`);
      await page.getByRole('tab', { name: 'Code' }).click();
      const file = page.getByRole('article', { name: 'main.tf' });
      await file.getByText('value = 2').waitFor();
      await file.getByText('value = 5').waitFor();
    }
    await open(page, `/runs/${plan.id}?tab=code`);
    await page.getByRole('article', { name: 'main.tf' }).waitFor();
    await close();
  });

  it('shows the lines that a diagnostic is about', async () => {
    const broken = 'output "wrong" {\n  value = tonumber(upper("abc"))\n}\n';
    commitWith(repository, { 'main.tf': limitOf(5, broken) }, 'Break it');
    const { page, close } = await browser.visit(harness.server);
    await planAgain(page);
    const lines = page.getByRole('region', { name: /^Lines 4 to 7 of main\.tf$/ }).first();
    await lines.getByText('value = tonumber(upper("abc"))').waitFor({ timeout: 60_000 });
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'code-of-a-diagnostic');
    await close();
  });

  async function snapshotIds(): Promise<string[]> {
    const { body } = await harness.http.get<{ snapshots: { id: string }[] }>(`/api/v1/sources/${sourceId}/snapshots`);
    return body.snapshots.map(({ id }) => id);
  }
});
