import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { ActivityEvent } from '#shared/activity/contract';
import type { RevisionPlanAnswer } from '#shared/revision-plans/api';
import type { Run } from '#shared/runs/contract';
import { accessibilityFindings, hasChromium, keepPicture, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import type { HarnessRepository } from './fixtures/harness.ts';
import { applyPlan, installPlanned } from './fixtures/journey.ts';
import { fakeModule, thing } from './fixtures/modules.ts';

const plain = 'output "one" {\n  value = 1\n}\n';
const question = 'This commit adds code or providers';

type Applied = { capsuleId: string; repository: HarnessRepository };

async function installApplied(name: string): Promise<Applied> {
  const repository = harness.repository(name, { 'main.tf': plain });
  const { capsuleId, plan } = await installPlanned(harness, { url: repository.url, name });
  await applyPlan(harness, plan);
  return { capsuleId, repository };
}

async function openCapsule(page: Page, { capsuleId }: Applied): Promise<void> {
  await page.goto(`${harness.server.url}/capsules/${capsuleId}`);
  await settledPage(page);
}

/** Revision plans of a Capsule, oldest first. */
async function revisionPlansOf({ capsuleId }: Applied) {
  const path = `/api/v1/workspaces/${harness.workspaceId}/activity?targetType=revision_plan&capsuleId=${capsuleId}`;
  const { events } = (await harness.http.get<{ events: ActivityEvent[] }>(path)).body;
  const ids = [...new Set(events.map(({ targetId }) => targetId))].reverse();
  const answers = ids.map((id) => harness.http.get<RevisionPlanAnswer>(`/api/v1/revision-plans/${id}`));
  return (await Promise.all(answers)).map(({ body }) => body.revisionPlan);
}

async function planCount({ capsuleId }: Applied): Promise<number> {
  const path = `/api/v1/workspaces/${harness.workspaceId}/runs?capsuleId=${capsuleId}&type=plan`;
  return (await harness.http.get<{ runs: Run[] }>(path)).body.runs.length;
}

const again = (page: Page) => page.getByRole('button', { name: 'Plan again' });

describe.skipIf(!hasChromium)('planning an applied Capsule again', () => {
  serveBrowsed({ providers: true });

  it('asks before it plans new code, after a reload and in another tab, and plans once', async () => {
    const applied = await installApplied('grows');
    applied.repository.commit({ 'main.tf': fakeModule(thing('one')) });
    const { page, close } = await browser.visit(harness.server);
    await openCapsule(page, applied);
    await again(page).dblclick();
    await page.getByText(question).waitFor({ timeout: 60_000 });
    await page.reload();
    await page.getByText(question).waitFor({ timeout: 60_000 });
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'plan-again-applied-asks');
    const other = await page.context().newPage();
    await openCapsule(other, applied);
    await other.getByText(question).waitFor();
    expect(await planCount(applied)).toBe(1);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByText('fake_thing.one').first().waitFor({ timeout: 60_000 });
    await expect.poll(async () => (await revisionPlansOf(applied)).map(({ phase }) => phase)).toEqual(['reviewable']);
    expect(await planCount(applied)).toBe(2);
    await close();
  });

  it.each(views)('shows each step, and goes on in a page that is opened later: %s', async (name, view) => {
    const applied = await installApplied(`steps-${name.replaceAll(' ', '-')}`);
    const { page, close } = await browser.visit(harness.server, view);
    await openCapsule(page, applied);
    await page.route('**/reconcile', () => undefined);
    await page
      .getByRole('button', { name: /^(?:Plan again|もう一度)/ })
      .first()
      .click();
    await page.locator('li[aria-current=step]').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `plan-again-running-${name.replaceAll(' ', '-')}`);
    await page
      .context()
      .newPage()
      .then((other) => openCapsule(other, applied));
    await expect.poll(() => planCount(applied), { timeout: 60_000 }).toBe(2);
    expect(await revisionPlansOf(applied)).toHaveLength(1);
    await close();
  });

  it('ends the revision plan when the user does not confirm it', async () => {
    const applied = await installApplied('refused');
    applied.repository.commit({ 'main.tf': fakeModule(thing('one')) });
    const { page, close } = await browser.visit(harness.server);
    await openCapsule(page, applied);
    await again(page).click();
    await page.getByText(question).waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await expect
      .poll(async () => (await revisionPlansOf(applied)).map(({ diagnostic }) => diagnostic?.code))
      .toEqual(['revision_plan_cancelled']);
    await page.reload();
    await again(page).waitFor();
    expect(await page.getByText(question).count()).toBe(0);
    expect(await planCount(applied)).toBe(1);
    await close();
  });

  it('lists what blocks a newer commit, and plans the same commit instead', async () => {
    const applied = await installApplied('blocked');
    applied.repository.commit({ 'main.tf': 'module "far" {\n  source = "git::https://host.example/far.git"\n}\n' });
    const { page, close } = await browser.visit(harness.server);
    await openCapsule(page, applied);
    await again(page).click();
    await page.getByText('One finding blocks the plan').waitFor({ timeout: 60_000 });
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'plan-again-blocked');
    // The head of the page has such a button too.
    await page.getByRole('button', { name: 'Plan the same commit' }).last().click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    expect(await revisionPlansOf(applied)).toHaveLength(1);
    await close();
  });

  it('shows why the Source could not be fetched, and tries again with a new revision plan', async () => {
    const applied = await installApplied('moved');
    applied.repository.git('branch', '-m', 'main', 'elsewhere');
    const { page, close } = await browser.visit(harness.server);
    await openCapsule(page, applied);
    await again(page).click();
    await page.getByText('The Source could not be fetched').waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'See the sync' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'plan-again-sync-failed');
    applied.repository.git('branch', '-m', 'elsewhere', 'main');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    expect(await revisionPlansOf(applied)).toHaveLength(2);
    await close();
  });
});
