import { describe, expect, it } from 'vitest';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { openRoute } from './fixtures/route.ts';

const longTimeout = { timeout: 60_000 };

describe.skipIf(!hasChromium)('tokens and Workspaces', () => {
  serveBrowsed();

  it('a token is created, shown once, used by a program, and refused as soon as it is revoked', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/tokens');
    await page.getByRole('heading', { name: 'You have no tokens' }).waitFor(longTimeout);
    await page.getByRole('button', { name: 'New token' }).click();
    const scope = page.getByRole('checkbox').first();
    await scope.uncheck();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Write 1 to 80 characters.').waitFor(longTimeout);
    await page.getByText('2 fields need a correction').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'tokens-refused');
    await page.getByRole('button', { name: 'What it may do' }).click();
    expect(await scope.evaluate((box) => box === document.activeElement)).toBe(true);
    await scope.check();
    await page.getByText('1 field needs a correction').waitFor();
    await page.getByLabel('Name').fill('nightly plans');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = (await page.getByTestId('new-token').textContent(longTimeout)) ?? '';
    expect(token).toMatch(/^svcpat_[\w-]{43}$/);
    await keepPicture(page, 'tokens-made');
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('nightly plans').waitFor(longTimeout);

    const listWorkspaces = () =>
      fetch(`${harness.server.url}/api/v1/workspaces`, { headers: { authorization: `Bearer ${token}` } });
    expect((await listWorkspaces()).status).toBe(200);
    await page.reload();
    await page.getByText('nightly plans').waitFor(longTimeout);
    expect(await page.getByText(token).count()).toBe(0);
    expect(await page.getByText('never').count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke nightly plans' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('revoked').waitFor(longTimeout);
    await keepPicture(page, 'tokens-revoked');
    expect((await listWorkspaces()).status).toBe(401);
    await close();
  });

  it('a Workspace is created, gets a policy and a Project, and is archived and restored', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.getByRole('button', { name: /^Workspace: / }).click();
    await page.getByText('you are here').waitFor(longTimeout);
    await page.getByRole('button', { name: 'New Workspace' }).click();
    await page.getByLabel('Handle').fill('team-shop');
    await page.getByLabel('Name').fill('Team Shop');
    await page.getByRole('button', { name: 'Create Workspace' }).click();
    await page.getByRole('button', { name: 'Workspace: Team Shop. Switch' }).click(longTimeout);
    await keepPicture(page, 'workspaces-switcher');
    await page.getByRole('link', { name: 'Settings of this Workspace' }).click();

    await page.getByLabel('The author of a plan may not approve it').check();
    await page.getByLabel('Allowed providers').fill('hashicorp/random\nhashicorp/aws');
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByRole('button', { name: 'Save', disabled: true }).nth(1).waitFor(longTimeout);
    await page.getByRole('button', { name: 'JSON' }).click();
    const json = await page.getByRole('textbox', { name: 'Policy' }).inputValue();
    expect(JSON.parse(json)).toEqual({
      approval: { requireSecondPerson: true },
      allowedProviders: ['hashicorp/random', 'hashicorp/aws'],
    });
    await page.getByRole('button', { name: 'New Project' }).click();
    await page.getByLabel('Name').nth(1).fill('Web Team');
    expect(await page.getByLabel('Short name').inputValue()).toBe('web-team');
    await page.getByRole('button', { name: 'Create Project' }).click();
    await page.getByText('web-team').waitFor(longTimeout);
    await keepPicture(page, 'workspace-settings');

    await page.getByRole('button', { name: 'Archive this Workspace' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Archive this Workspace' }).click();
    await page.getByText('This Workspace is archived').waitFor(longTimeout);
    await page.getByRole('button', { name: 'Unarchive' }).click();
    await page.getByRole('button', { name: 'Archive this Workspace' }).waitFor(longTimeout);
    await close();
  });

  it.each(extremeViews)('both pages are accessible, %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    for (const [screen, at] of [
      ['tokens', '/tokens'],
      ['workspace', '/workspace'],
    ] as const) {
      await page.goto(`${harness.server.url}${at}`);
      await page.getByRole('heading', { level: 1 }).waitFor(longTimeout);
      await page.waitForLoadState('networkidle');
      expect(await accessibilityFindings(page)).toEqual([]);
      await keepPicture(page, `${screen}-${name.replaceAll(' ', '-')}`);
    }
    await close();
  });
});
