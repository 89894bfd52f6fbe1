import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { depth } from './fixtures/depth.ts';
import { type FeedEvent, settled } from './fixtures/feed.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { gate, type HeldApply, killTool, openGate, startHeldApply } from './fixtures/held-apply.ts';
import { getCapsule } from './fixtures/journey.ts';
import { fakeModule, thing } from './fixtures/modules.ts';
import { type Machine, pretendMachine } from './fixtures/pretend-machine.ts';
import { openRoute } from './fixtures/route.ts';

const title = 'What was reached, and what to do';
const many = depth({ quick: 200, deep: 1_000 });

describe.skipIf(!hasChromium)('the dashboard after a broken apply', () => {
  let broken: HeldApply;
  let long: HeldApply;

  serveBrowsed({ providers: true });
  beforeAll(async () => {
    broken = await startHeldApply(harness, { name: 'broken' });
    killTool(harness, broken);
    await settled(harness.server, broken.apply.id);
    const module = fakeModule(`resource "fake_thing" "many" {
  count = ${many}
  name  = "many-\${count.index}"
  ${gate}
}
`);
    const reached = ({ event, data }: FeedEvent) => event === 'resource' && data['state'] === 'started';
    long = await startHeldApply(harness, { name: 'long', module, reached });
    killTool(harness, long);
    await settled(harness.server, long.apply.id);
  });

  const pageOf = ({ apply }: HeldApply) => `/runs/${apply.id}`;

  it.each(views)('shows the completed and the uncertain resources: %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    for (const [what, held] of Object.entries({ broken, long })) {
      await openRoute(page, pageOf(held));
      await page.locator('details').first().waitFor();
      await page.locator('summary').first().click();
      await settledPage(page);
      expect([what, await accessibilityFindings(page)]).toEqual([what, []]);
      await keepPicture(page, `recovery-${what}-${name.replaceAll(' ', '-')}`);
    }
    for (const [what, route] of [['home', '/'] as const, ['capsule', `/capsules/${broken.capsuleId}`] as const]) {
      await openRoute(page, route);
      await settledPage(page);
      expect([what, await accessibilityFindings(page)]).toEqual([what, []]);
      await keepPicture(page, `recovery-${what}-${name.replaceAll(' ', '-')}`);
    }
    await close();
  });

  it('goes from the first page over an import block to a repaired Capsule', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page
      .getByRole('listitem')
      .filter({ hasText: 'broken' })
      .getByRole('link', { name: 'See recovery steps' })
      .first()
      .click();
    await page.waitForURL(`**${pageOf(broken)}`);
    await page.getByRole('heading', { name: title }).waitFor();
    await page.getByText('3 resources may exist that the state does not contain').waitFor();
    await page.locator('summary').filter({ hasText: 'fake_thing.held' }).click();
    await page.getByRole('button', { name: 'Copy: import block of fake_thing.held' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^import \{\n {2}to = fake_thing\.held\n {2}id = ".*held.*"\n\}$/);
    openGate(harness, broken);
    const again = page.getByRole('button', { name: 'Plan again' });
    await again.click();
    // A started recovery continues after a reload.
    await page.reload();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByRole('button', { name: 'Apply', exact: true }).click({ timeout: 60_000 });
    await page.waitForURL(/\/runs\/apply_/);
    await expect
      .poll(async () => (await getCapsule(harness, broken.capsuleId)).runtimeSafety, { timeout: 60_000 })
      .toBe('safe');
    await openRoute(page, pageOf(broken));
    await page.getByText('A later apply has succeeded').waitFor();
    expect(await again.count()).toBe(0);
    await close();
  });

  it('searches many uncertain resources, and shows the requested number', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, pageOf(long));
    await page.getByText(`${many.toLocaleString('en')} resources may exist that the state does not contain`).waitFor();
    expect(await page.locator('summary').count()).toBeLessThan(20);
    await page.getByRole('searchbox', { name: 'Search these addresses' }).fill(`many[${many - 1}]`);
    await expect.poll(() => page.locator('summary').allInnerTexts()).toHaveLength(1);
    await page.locator('summary').click();
    await page.getByText(`to = fake_thing.many[${many - 1}]`).waitFor();
    await close();
  });

  it('shows in one line that the server was restarted during an apply', async () => {
    const held = await startHeldApply(harness, { name: 'restarted' });
    await harness.server.kill9();
    await harness.server.restart();
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, pageOf(held));
    const line = page.getByText('Ground Control was restarted while this apply ran. The apply continued.');
    await line.waitFor();
    openGate(harness, held);
    await settled(harness.server, held.apply.id);
    await page.getByRole('button', { name: 'Plan again' }).waitFor();
    expect([await line.count(), await page.getByRole('heading', { name: title }).count()]).toEqual([1, 0]);
    await keepPicture(page, 'recovery-restarted');
    await close();
  });
});

describe.skipIf(!hasChromium)('before the first plan', () => {
  let url = '';
  let plainUrl = '';

  serveBrowsed({ providers: true });
  beforeAll(() => {
    const run = 'provisioner "local-exec" {\n    command = "true"\n  }';
    ({ url } = harness.repository('programs', { 'main.tf': fakeModule(thing('one', run)) }));
    ({ url: plainUrl } = harness.repository('plain', { 'main.tf': 'output "one" {\n  value = 1\n}\n' }));
  });

  /** Every value on each commit, every pair of values in a deep run. */
  const someMachines: Machine[] = [
    { sandbox: 'bwrap', network: 'isolated' },
    { sandbox: 'bwrap', network: 'none' },
    { sandbox: 'none', network: 'shared' },
  ];
  const otherMachines: Machine[] = [
    { sandbox: 'bwrap', network: 'shared' },
    { sandbox: 'none', network: 'isolated' },
    { sandbox: 'none', network: 'none' },
  ];
  const machines = depth({ quick: someMachines, deep: [...someMachines, ...otherMachines] });

  async function inspectRepository(page: Page, address: string): Promise<void> {
    // Loaded, because a page asks once what the machine offers.
    await page.goto(`${harness.server.url}/new`);
    await page.getByRole('main').getByRole('textbox').first().fill(address);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^(?:Plan|プランを作成)$/ }).waitFor({ timeout: 60_000 });
  }

  const networks = {
    isolated: 'no service that listens only inside',
    shared: 'shares the network',
    none: 'no network',
  };

  async function expectExecutionNotice(page: Page, { sandbox, network }: Machine): Promise<void> {
    const main = page.getByRole('main');
    await main.getByText('This module runs code during plan or apply').first().waitFor();
    await main.getByText('Its providers:').first().waitFor();
    const counts = async (text: string) => [text, await main.getByText(text).count()];
    const isOpen = sandbox === 'none';
    const open = isOpen ? 1 : 0;
    expect(await counts('Plans run without a sandbox on this machine')).toEqual([expect.anything(), open]);
    expect(await counts('Runs without a sandbox')).toEqual([expect.anything(), open]);
    expect(await counts('sees only the files of the Run')).toEqual([expect.anything(), 1 - open]);
    for (const [one, text] of Object.entries(networks))
      expect(await counts(text)).toEqual([text, one === network ? 1 : 0]);
  }

  it('shows what a module with programs can run and reach, on every machine', async () => {
    const { page, close } = await browser.visit(harness.server);
    await inspectRepository(page, url);
    for (const machine of machines) {
      await pretendMachine(page, machine);
      await page.reload();
      await expectExecutionNotice(page, machine);
      expect([machine, await accessibilityFindings(page)]).toEqual([machine, []]);
      await keepPicture(page, `first-plan-${machine.sandbox}-${machine.network}`);
    }
    await close();
  });

  it('also shows it for a module without programs, where there is no sandbox', async () => {
    const { page, close } = await browser.visit(harness.server, {
      dark: true,
      language: 'ja',
      width: 390,
      height: 844,
    });
    await pretendMachine(page, { sandbox: 'none', network: 'shared' });
    await inspectRepository(page, plainUrl);
    await page.getByText('このマシンではサンドボックスなしでプランが実行されます').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'first-plan-plain-none-shared-dark-ja-narrow');
    await close();
  });

  it('asks again when a newer commit contains a program, and plans nothing before a person has answered', async () => {
    const { page, close } = await browser.visit(harness.server);
    const repository = harness.repository('grows', { 'main.tf': 'output "one" {\n  value = 1\n}\n' });
    await inspectRepository(page, repository.url);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    // A Capsule is planned again when its first plan has ended.
    await settled(harness.server, path.basename(new URL(page.url()).pathname));
    repository.commit({ 'main.tf': fakeModule(thing('one')) });
    await page.getByRole('link', { name: 'Capsule grows' }).click();
    // The page of the Run has such a button too.
    await page.getByRole('heading', { name: 'grows', exact: true, level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Plan again' }).click();
    await page.getByText('This commit adds code or providers').waitFor({ timeout: 60_000 });
    await page.reload();
    await page.getByText('This commit adds code or providers').waitFor({ timeout: 60_000 });
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'plan-again-asks');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByText('fake_thing.one').first().waitFor({ timeout: 60_000 });
    await close();
  });
});
