import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import type { Workspace } from '#shared/workspaces/contract';
import {
  accessibilityFindings,
  extremeViews,
  hasChromium,
  keepPicture,
  type View,
  type Visitor,
} from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settled } from './fixtures/feed.ts';
import { runIn, settledPage } from './fixtures/form-steps.ts';
import { applyPlan, installPlanned } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { clockResource, dataResource } from './fixtures/modules.ts';
import { pretendMachine } from './fixtures/pretend-machine.ts';
import { addPerson, type SecondPerson } from './fixtures/second-person.ts';

/*
 * A member under four eyes asks for an approval, and an owner is notified and approves: in the browser, as two people.
 */

type Notices = { title: string; body: string }[];

/** Replaces the notifications of the system by a list, and shows whether the page asked for the permission. */
function recordNotices(): void {
  const notices: { title: string; body: string; notice: { onclick: (() => void) | null } }[] = [];
  class RecordedNotification {
    static permission = sessionStorage.getItem('permission') ?? 'default';
    static requestPermission() {
      sessionStorage.setItem('permission', 'granted');
      RecordedNotification.permission = 'granted';
      return Promise.resolve('granted');
    }
    onclick: (() => void) | null = null;
    constructor(title: string, { body = '' }: { body?: string } = {}) {
      notices.push({ title, body, notice: this });
    }
    close() {}
  }
  Object.assign(globalThis, { Notification: RecordedNotification, notices });
}
const noticesOf = (page: Page): Promise<Notices> =>
  page.evaluate(() =>
    (globalThis as unknown as { notices: Notices }).notices.map(({ title, body }) => ({ title, body })),
  );
const clickNotice = (page: Page) =>
  page.evaluate(() =>
    (globalThis as unknown as { notices: { notice: { onclick: () => void } }[] }).notices[0]?.notice.onclick(),
  );

describe.skipIf(!hasChromium)('a request for an approval in the dashboard', () => {
  serveBrowsed();
  let member: SecondPerson;
  let capsuleId: string;
  let owner: Visitor;
  let asking: Visitor;

  beforeAll(async () => {
    member = await addPerson(harness.server);
    const members = `/api/v1/workspaces/${harness.workspaceId}/members`;
    await harness.http.post(members, { accountId: member.subject, role: 'member' });
    const { url } = harness.repository('shop', { 'main.tf': dataResource('a') + clockResource });
    const planned = await installPlanned(harness, { url, name: 'shop' });
    ({ capsuleId } = planned);
    await applyPlan(harness, planned.plan);
    const policy = { approval: { requireSecondPerson: true } };
    await harness.http.patch(`/api/v1/workspaces/${harness.workspaceId}`, { policy });
  });

  function visitAsMember(view: View = {}): Promise<Visitor> {
    return browser.visit(harness.server, {
      ...view,
      subject: member.subject,
      workspaceId: harness.workspaceId,
    });
  }
  const goTo = async (page: Page, path: string) => {
    await page.goto(harness.server.url + path);
    await settledPage(page);
  };
  async function planAsMember(): Promise<Run> {
    const { body } = await member.http.post<{ run: Run }>(`/api/v1/capsules/${capsuleId}/plan`);
    return settled(harness.server, body.run.id);
  }

  it('asks for the permission of the browser by a click only', async () => {
    owner = await browser.visit(harness.server);
    const { page } = owner;
    await page.context().addInitScript(recordNotices);
    await goTo(page, '/account');
    await page.getByRole('heading', { name: 'Notifications' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem('permission'))).toBeNull();
    await page.getByRole('button', { name: 'Allow notifications' }).click();
    await page.getByText('This browser shows the events below').waitFor();
    await keepPicture(page, 'notifications-account');
  });

  it('is made once by the member, who has no button to approve', async () => {
    await goTo(owner.page, '/');
    const plan = await planAsMember();
    asking = await visitAsMember();
    const { page } = asking;
    await goTo(page, `/runs/${plan.id}`);
    const bar = page.getByRole('region', { name: 'Decide on this plan' });
    expect(await bar.getByRole('button').allTextContents()).toEqual(['Request approval']);
    await bar.getByLabel('Note (optional)').fill('Before noon, please');
    await bar.getByRole('button', { name: 'Request approval' }).click();
    await bar.getByText('An approval was requested.').waitFor();
    expect(await bar.getByRole('button').count()).toBe(0);
    await page.getByText('Approval requested by you').waitFor();
    await keepPicture(page, 'approval-requested-member');
    await goTo(page, '/');
    expect(await page.getByText('Your review is requested').count()).toBe(0);
  });

  it('reaches the owner in the title, the navigation, on Home and as one notification of several tabs', async () => {
    const { page } = owner;
    await expect.poll(() => page.title(), { timeout: 10_000 }).toBe('(1) Home · Ground Control');
    await page.getByRole('link', { name: 'Home 1 waiting for you' }).waitFor();
    const requests = page.getByRole('region', { name: 'Your review is requested' });
    await requests.getByText('Before noon, please').waitFor();
    await expect.poll(() => noticesOf(page)).toEqual([{ title: 'Your approval is requested', body: 'shop' }]);
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image\/svg/);
    await keepPicture(page, 'approval-requested-home');

    // With a second tab one of the two speaks.
    const second = await page.context().newPage();
    await second.goto(`${harness.server.url}/capsules`);
    await second.evaluate(() => sessionStorage.setItem('permission', 'granted'));
    await second.reload();
    await expect.poll(() => second.title()).toBe('(1) Capsules · Ground Control');
    const failing = await planAsMember();
    await member.http.post(`/api/v1/runs/${failing.id}/approval-requests`, {});
    await expect.poll(async () => (await noticesOf(page)).length).toBe(2);
    await second.getByRole('link', { name: 'Home' }).click();
    await second.getByRole('region', { name: 'Your review is requested' }).waitFor();
    expect(await noticesOf(second)).toEqual([]);
    // The tab that speaks is closed, and the other one takes its place.
    await page.close();
    const third = await planAsMember();
    await member.http.post(`/api/v1/runs/${third.id}/approval-requests`, {});
    await expect.poll(async () => (await noticesOf(second)).length).toBe(1);
    owner = { ...owner, page: second };
  });

  it('opens by a click on the notification, and is approved and applied by the owner', async () => {
    const { page } = owner;
    await clickNotice(page);
    await page.waitForURL(/\/runs\/plan_/);
    await settledPage(page);
    await page.getByRole('button', { name: 'Approve and apply' }).click();
    await page.waitForURL(/\/runs\/apply_/, { timeout: 60_000 });
    await expect.poll(() => page.title(), { timeout: 60_000 }).not.toMatch(/^\(/);
    await expect.poll(() => page.locator('link[rel=icon]').getAttribute('href')).toBe('/icon.svg');
    // A plan that is created during the apply would be superseded by it.
    await settled(harness.server, runIn(page));
  });

  it('is not shown to an owner who looks at the plan', async () => {
    const { page } = owner;
    const plan = await planAsMember();
    await goTo(page, `/runs/${plan.id}`);
    await member.http.post(`/api/v1/runs/${plan.id}/approval-requests`, {});
    await page.getByText('Approval requested by').waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
    // A later event of another plan shows that the first one was decided on.
    await goTo(page, '/');
    const other = await planAsMember();
    await member.http.post(`/api/v1/runs/${other.id}/approval-requests`, {});
    await expect.poll(async () => (await noticesOf(page)).length).toBe(1);
  });

  it('reaches an owner who has another Workspace open, and leads to the plan in its Workspace', async () => {
    const { page } = owner;
    const { body } = await harness.http.post<{ workspace: Workspace }>('/api/v1/workspaces', { handle: 'elsewhere' });
    await page.evaluate((id) => localStorage.setItem('workspace', id), body.workspace.id);
    await goTo(page, '/');
    const plan = await planAsMember();
    await member.http.post(`/api/v1/runs/${plan.id}/approval-requests`, {});
    await expect.poll(() => noticesOf(page)).toEqual([{ title: 'Your approval is requested', body: 'shop · Main' }]);
    expect(await page.title()).not.toMatch(/^\(/);
    await clickNotice(page);
    await page.waitForURL(`**/runs/${plan.id}`);
    await settledPage(page);
    await page.getByRole('button', { name: 'Approve and apply' }).waitFor();
    expect(await page.evaluate(() => localStorage.getItem('workspace'))).toBe(harness.workspaceId);
    const line = page.getByText('No sandbox on this machine: an apply runs with the rights of the server’s user.');
    for (const sandbox of ['bwrap', 'none'] as const) {
      await pretendMachine(page, { sandbox, network: 'shared' });
      await page.reload();
      await page.getByRole('button', { name: 'Approve and apply' }).waitFor();
      await settledPage(page);
      expect(await line.count()).toBe(sandbox === 'none' ? 1 : 0);
    }
    await keepPicture(page, 'approval-without-sandbox');
  });

  it('leaves a member on the pages of the Capsule no button that is refused', async () => {
    const { page } = asking;
    const refused: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() === 403) refused.push(`${answer.request().method()} ${new URL(answer.url()).pathname}`);
    });
    // The buttons of the Capsule are on each page.
    const tried = new Set<string>();
    for (const tab of ['configuration', 'resources', 'states']) {
      const path = `/capsules/${capsuleId}/${tab}`;
      await goTo(page, path);
      const names = await page.getByRole('main').getByRole('button', { disabled: false }).allInnerTexts();
      for (const [index, name] of names.entries()) {
        if (name !== '' && tried.has(name)) continue;
        tried.add(name);
        await goTo(page, path);
        const button = page.getByRole('main').getByRole('button', { disabled: false }).nth(index);
        await button.click();
        await page.waitForLoadState('networkidle').catch(() => {});
        const confirm = page.getByRole('dialog').getByRole('button').last();
        if (await confirm.isVisible()) await confirm.click();
        expect([tab, name, refused]).toEqual([tab, name, []]);
      }
    }
  });

  it.each(extremeViews)('is accessible while it is requested: %s', async (name, view) => {
    const plan = await planAsMember();
    const visitor = await visitAsMember(view);
    await goTo(visitor.page, `/runs/${plan.id}`);
    await keepPicture(visitor.page, `approval-request-${name.replaceAll(' ', '-')}`);
    expect(await accessibilityFindings(visitor.page)).toEqual([]);
    await visitor.page
      .getByRole('button', { name: view.language === 'ja' ? '承認を依頼' : 'Request approval' })
      .click();
    await visitor.page.getByText(view.language === 'ja' ? '承認を依頼しました' : 'An approval was requested').waitFor();
    expect(await accessibilityFindings(visitor.page)).toEqual([]);
    await visitor.close();
  });

  it.each(extremeViews)('is accessible and stays in its place for an owner: %s', async (name, view) => {
    const plan = await planAsMember();
    await member.http.post(`/api/v1/runs/${plan.id}/approval-requests`, {});
    const { page, close } = await browser.visit(harness.server, view);
    await observeLayoutShifts(page);
    const isJapanese = view.language === 'ja';
    // What is loaded last must not move the rest: the requests, and the offer to compare with the replaced plan.
    const last: Record<string, Locator> = {
      '/': page.getByRole('region', { name: isJapanese ? 'レビューの依頼' : 'Your review is requested' }),
      [`/runs/${plan.id}`]: page.getByRole('link', { name: isJapanese ? '変更点を見る' : 'What changed since' }),
    };
    for (const path of ['/', '/account', `/runs/${plan.id}`]) {
      await goTo(page, path);
      await last[path]?.waitFor();
      expect([path, await accessibilityFindings(page)]).toEqual([path, []]);
      await expectStableLayout(page);
      await keepPicture(page, `notified-${name.replaceAll(' ', '-')}${path.replace(/_.*/, '').replaceAll('/', '-')}`);
    }
    await close();
  });
});
