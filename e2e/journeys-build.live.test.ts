import { describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { getRun, workspaceOutputsOf } from './fixtures/journey.ts';

const sourceBuild = {
  commands: [
    { argv: ['sh', 'render.sh', 'Hello world'], workingDirectory: 'web' },
    { argv: ['cp', 'web/out/page.html', 'page.html'] },
  ],
  outputs: ['page.html'],
};
const manifest = {
  apiVersion: 'svc/v2.3',
  kind: 'Repository',
  install: { modules: { '.': { inputs: [], sourceBuild } } },
};
const files = (render: string) => ({
  '.well-known/svc.json': JSON.stringify(manifest),
  'main.tf': 'output "page" {\n  value = file("page.html")\n}\n',
  'web/render.sh': render,
});
const renders = 'mkdir -p out\nprintf "<p>%s</p>" "$1" >out/page.html\necho "rendered $1"\n';

describe.skipIf(!hasChromium)('a repository whose manifest requests a build', () => {
  serveBrowsed();

  /** Opens the form of inputs for an address. */
  async function inspectRepository(name: string, render: string, view = {}) {
    const { url } = harness.repository(name, files(render));
    const visitor = await browser.visit(harness.server, view);
    const { page } = visitor;
    await page.getByRole('main').getByRole('textbox').first().fill(url);
    await page.keyboard.press('Enter');
    await page.locator('code', { hasText: 'Hello world' }).waitFor({ timeout: 60_000 });
    return visitor;
  }
  const idIn = (url: string): string => new URL(url).pathname.split('/')[2] ?? '';

  it('shows the exact commands before the plan and at its review, and applies their output', async () => {
    const { page, close } = await inspectRepository('site', renders);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor({ timeout: 60_000 });
    const built = page.locator('details', { hasText: 'Built before this plan' });
    await built.getByText('2 commands').waitFor();
    expect(await built.locator('li code').allTextContents()).toEqual([
      'sh',
      'render.sh',
      'Hello world',
      'web',
      'cp',
      'web/out/page.html',
      'page.html',
      'page.html',
    ]);
    await keepPicture(page, 'build-review');
    await page
      .getByRole('list', { name: 'Phases' })
      .getByRole('button', { name: /^Build/ })
      .click();
    await page.getByText('rendered Hello world').first().waitFor();
    await page.reload();
    await built.getByText('2 commands').waitFor();
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.waitForURL(/\/runs\/apply_/, { timeout: 60_000 });
    await page.getByText('<p>Hello world</p>').first().waitFor({ timeout: 60_000 });
    const { capsuleId = '' } = await getRun(harness, idIn(page.url()));
    // The manifest makes none of its Outputs public; every Workspace member sees them.
    expect(await workspaceOutputsOf(harness, capsuleId)).toEqual({ page: '<p>Hello world</p>' });
    await close();
  });

  it('shows the failed command and its output', async () => {
    const { page, close } = await inspectRepository('broken', 'echo the ink is gone >&2\nexit 4\n');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page
      .getByText(/Command 1 of 2 ended with exit code 4/)
      .first()
      .waitFor({ timeout: 60_000 });
    await page.getByText('the ink is gone').first().waitFor();
    await close();
  });

  it.each(views)('is accessible at its review: %s', async (name, view) => {
    const { page, close } = await inspectRepository(`site-${name.replaceAll(' ', '-')}`, renders, view);
    await page.locator('form button[type=submit]').last().click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.locator('details[open] code', { hasText: 'Hello world' }).waitFor({ timeout: 60_000 });
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `build-review-${name.replaceAll(' ', '-')}`);
    await close();
  });
});
