import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDb } from '#server/kernel/db';
import type { Interface } from '#shared/interfaces/contract';
import { manifestPath } from '#shared/vendor';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture, type View } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settled } from './fixtures/feed.ts';
import { settledPage, tabTo } from './fixtures/form-steps.ts';
import type { HarnessRepository } from './fixtures/harness.ts';
import { applyPlan, getRun, installPlanned, planAgain, startApply, takeNewest } from './fixtures/journey.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

const text = (one: string) => ({ en: one, ja: one });
const surface = (key: string, name: string, spec: object, bindingRequests: object[]) => ({
  key,
  name,
  spec: {
    ...spec,
    inputs: { endpoint: { source: 'output', outputName: `${key}_url`, outputType: 'url' } },
    access: { visibility: 'workspace', resourceUriInput: 'endpoint' },
  },
  bindingRequests: bindingRequests.map((request) => ({
    key: 'installer',
    subject: { source: 'installing_principal' },
    ...request,
  })),
});
const manifest = {
  apiVersion: 'svc/v2.3',
  kind: 'Repository',
  install: {
    modules: {
      '.': {
        inputs: [{ name: 'origin', source: { kind: 'user' }, label: text('Origin') }],
        interfaces: [
          surface('app', 'Notes', { type: 'interface.ui.surface', version: '1', document: { title: 'Notes' } }, [
            { permissions: ['ui.open'], delivery: { type: 'none' } },
          ]),
          surface('mcp', 'NotesTools', { type: 'mcp.server', version: '2025-11-25', document: {} }, [
            { permissions: ['mcp.invoke'], delivery: { type: 'oauth2' } },
          ]),
        ],
      },
    },
  },
};
const moduleOf = (appPath: string) => `variable "origin" { type = string }
resource "terraform_data" "origin" { input = var.origin }
output "app_url" { value = "\${terraform_data.origin.output}${appPath}" }
output "mcp_url" { value = "\${terraform_data.origin.output}/mcp" }
`;

describe.skipIf(!hasChromium)('the Interfaces of an installed module', () => {
  serveBrowsed();
  const visits: { path: string | undefined; headers: IncomingHttpHeaders }[] = [];
  let app: Server;
  let origin = '';
  let repository: HarnessRepository;
  let capsuleId = '';
  let sourceId = '';
  let member = '';

  beforeAll(async () => {
    app = createServer(({ url, headers }, answer) => {
      if (url !== '/favicon.ico') visits.push({ path: url, headers });
      answer
        .setHeader('content-type', 'text/html')
        .end('<title>Notes</title><script>document.title=String(opener)</script>');
    }).listen(0, '127.0.0.1');
    await once(app, 'listening');
    origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
    repository = harness.repository('notes', {
      'main.tf': moduleOf('/one'),
      [manifestPath]: JSON.stringify(manifest),
    });
    const planned = await installPlanned(harness, { url: repository.url, name: 'notes', variables: { origin } });
    ({ capsuleId, sourceId } = planned);
    await applyPlan(harness, planned.plan);
    member = (await addPerson(harness.server)).subject;
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, { accountId: member, role: 'member' });
    await vi.waitFor(async () => expect(await listed()).toHaveLength(2));
  });
  afterAll(() => void app?.close());

  const listed = async (): Promise<Interface[]> =>
    (await harness.http.get<{ interfaces: Interface[] }>(`/api/v1/interfaces?workspaceId=${harness.workspaceId}`)).body
      .interfaces;
  const idOf = async (name: string): Promise<string> => (await listed()).find((one) => one.name === name)?.id ?? '';
  const goTo = async (page: Page, path: string) => {
    await openRoute(page, path);
    await settledPage(page);
  };
  function visitAsMember(view: View = {}) {
    return browser.visit(harness.server, { ...view, subject: member, workspaceId: harness.workspaceId });
  }
  /** Presses a button that opens a tab, and returns what the tab shows as its opener. */
  async function openedBy(page: Page, press: () => Promise<void>): Promise<[url: string, opener: string]> {
    const [tab] = await Promise.all([page.context().waitForEvent('page'), press()]);
    await tab.waitForLoadState();
    const shown: [string, string] = [tab.url(), await tab.title()];
    await tab.close();
    return shown;
  }

  it('are opened from the home page, the Capsule and the launcher, without referrer or opener', async () => {
    const { page, close } = await browser.visit(harness.server);
    for (const path of ['/', `/capsules/${capsuleId}`, `/capsules/${capsuleId}/interfaces`, '/apps']) {
      await goTo(page, path);
      const open = page.getByRole('button', { name: 'Open Notes', exact: true });
      await open.waitFor();
      expect(await page.getByRole('main').textContent()).toContain(`${origin}/one`);
      await keepPicture(page, `interfaces${path.replace(/_[0-9A-Z]+/, '').replaceAll('/', '-')}`);
      expect([path, await openedBy(page, () => open.click())]).toEqual([path, [`${origin}/one`, 'null']]);
    }
    await close();
    expect(visits.map(({ path }) => path)).toEqual(['/one', '/one', '/one', '/one']);
    for (const { headers } of visits) expect(headers.referer).toBeUndefined();
  });

  it('show what a client needs to connect, and why it cannot yet', async () => {
    const { page, close } = await browser.visit(harness.server);
    await goTo(page, `/capsules/${capsuleId}/interfaces`);
    await page.getByRole('link', { name: 'NotesTools' }).click();
    await page.getByRole('heading', { name: 'NotesTools' }).waitFor();
    await page.getByRole('button', { name: 'Copy: Address' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${origin}/mcp`);
    await page.getByRole('button', { name: 'Copy: Client configuration' }).click();
    const entry = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as unknown;
    expect(entry).toEqual({ mcpServers: { NotesTools: { type: 'http', url: `${origin}/mcp` } } });
    await page.getByText('You may use its tools').waitFor();
    await page.getByText('this server does not issue tokens yet').waitFor();
    await page.getByText('Output mcp_url of').waitFor();
    await keepPicture(page, 'interfaces-mcp');
    expect(await accessibilityFindings(page)).toEqual([]);
    await close();
  });

  it('follow a changed Output while the page is open', async () => {
    const { page, close } = await browser.visit(harness.server);
    await goTo(page, `/interfaces/${await idOf('Notes')}`);
    const revision = (await listed())[0]?.status.resolvedRevision ?? 0;
    repository.commit({ 'main.tf': moduleOf('/two') });
    await takeNewest(harness, sourceId);
    await applyPlan(harness, await planAgain(harness, capsuleId));
    await page.getByText(`${origin}/two`).first().waitFor();
    expect((await listed())[0]?.status.resolvedRevision).toBe(revision + 1);
    const open = page.getByRole('button', { name: 'Open Notes', exact: true });
    expect(await openedBy(page, () => open.click())).toEqual([`${origin}/two`, 'null']);
    await close();
  });

  it('offer a member what they were allowed, and no button that is refused', async () => {
    const { page, close } = await visitAsMember();
    const id = await idOf('Notes');
    await goTo(page, `/interfaces/${id}`);
    await page.getByText('You are not allowed to open this app.').waitFor();
    const buttons = page.getByRole('main').getByRole('button', { name: /Allow|Revoke|Retire|Open/ });
    expect(await buttons.count()).toBe(0);
    const owner = await browser.visit(harness.server);
    await goTo(owner.page, `/interfaces/${id}`);
    await owner.page.getByRole('button', { name: 'Allow…' }).click();
    const dialog = owner.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Allow', exact: true }).click();
    await dialog.getByText('Choose a person, a Capsule or a Resource.').waitFor();
    await dialog.getByLabel('Person, Capsule or Resource').selectOption(`Principal ${member}`);
    await keepPicture(owner.page, 'interfaces-allow');
    expect(await accessibilityFindings(owner.page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Allow', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Open Notes', exact: true }).waitFor();
    await goTo(page, '/');
    const open = page.getByRole('button', { name: 'Open Notes', exact: true });
    expect(await openedBy(page, () => open.click())).toEqual([`${origin}/two`, 'null']);
    expect(await buttons.count()).toBe(1);
    await keepPicture(page, 'interfaces-member-home');
    await owner.close();
    await close();
  });

  it('are not opened by a page that does not know yet that the permission has ended', async () => {
    const { page, close } = await visitAsMember();
    await page.route('**/events*', (route) => route.abort());
    // Loaded, so that no event reaches it.
    await page.goto(`${harness.server.url}/apps`);
    const open = page.getByRole('button', { name: 'Open Notes', exact: true });
    await open.waitFor();
    const owner = await browser.visit(harness.server);
    await goTo(owner.page, `/interfaces/${await idOf('Notes')}`);
    await owner.page.getByRole('button', { name: `Revoke for ${member}` }).click();
    await owner.page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await owner.page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    await owner.close();
    const before = visits.length;
    await open.click();
    await page.getByText('“Notes” was not opened').waitFor();
    expect(visits.length).toBe(before);
    await page.getByRole('button', { name: 'Reload apps' }).click();
    await page.getByText('No apps to open').waitFor();
    await close();
  });

  it.each(extremeViews)('are shown accessibly: %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    for (const path of ['/', '/apps', `/interfaces/${await idOf('Notes')}`, `/capsules/${capsuleId}/interfaces`]) {
      await goTo(page, path);
      expect([path, await accessibilityFindings(page)]).toEqual([path, []]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([path, width]).toEqual([path, 0]);
      await keepPicture(
        page,
        `interfaces-${name.replaceAll(' ', '-')}${path.replace(/_[0-9A-Z]+/, '').replaceAll('/', '-')}`,
      );
    }
    await close();
  });

  it('that could not be created are reported where they are missing, until another attempt succeeds', async () => {
    const db = openDb(harness.server.dataDir, (error) => {
      throw error;
    });
    // The last attempt is half an hour after the apply, so the failure is written.
    db.sqlite
      .prepare(
        `UPDATE materialization_intents SET status = 'failed', error_code = 'interface_name_conflict'
         WHERE seq = (SELECT max(seq) FROM materialization_intents)`,
      )
      .run();
    db.close();
    const { page, close } = await browser.visit(harness.server);
    const note = page.getByText('An Interface could not be created after the apply');
    for (const path of ['/apps', `/capsules/${capsuleId}/interfaces`]) {
      await goTo(page, path);
      await note.waitFor();
      expect([path, await accessibilityFindings(page)]).toEqual([path, []]);
    }
    await keepPicture(page, 'interfaces-failure');
    await page.getByRole('button', { name: 'Try again' }).click();
    await note.waitFor({ state: 'hidden' });
    await close();
  });

  it('can be read with an access token that reads nothing else, for one Workspace', async () => {
    const { page, close } = await browser.visit(harness.server);
    await goTo(page, '/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('interfaces');
    await dialog.getByRole('checkbox', { checked: true }).uncheck();
    await dialog.getByRole('checkbox', { name: /Read Interfaces/ }).check();
    await dialog.getByText('This needs one Workspace.').waitFor();
    expect(await dialog.getByRole('radio', { name: /Only in/ }).isChecked()).toBe(true);
    expect(await dialog.getByRole('radio', { name: 'In all my Workspaces' }).isDisabled()).toBe(true);
    await keepPicture(page, 'interfaces-token');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    const token = (await page.getByTestId('new-token').textContent()) ?? '';
    const statusOf = async (path: string) =>
      (await fetch(harness.server.url + path, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await statusOf(`/api/v1/interfaces?workspaceId=${harness.workspaceId}`)).toBe(200);
    expect(await statusOf(`/api/v1/capsules/${capsuleId}`)).toBe(403);
    await close();
  });

  it('are opened, revoked and retired by the keyboard alone', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Notes');
    await page.getByRole('option', { name: /^Notes .*Interface/ }).waitFor();
    await page.keyboard.press('Escape');
    await goTo(page, `/interfaces/${await idOf('Notes')}`);
    await tabTo(page, page.getByRole('button', { name: 'Open Notes', exact: true }));
    expect(await openedBy(page, () => page.keyboard.press('Enter'))).toEqual([`${origin}/two`, 'null']);
    await tabTo(page, page.getByRole('button', { name: 'Revoke for you' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByText('No one may use it yet.').waitFor();
    await page.getByText('You are not allowed to open this app.').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Retire…' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('alertdialog').getByRole('button', { name: 'Retire', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByText('No one can use it any more.').waitFor();
    await close();
  });

  it('are retired with their Capsule, and stay readable', async () => {
    const { http, server } = harness;
    const { body } = await http.post<{ run: { id: string } }>(`/api/v1/capsules/${capsuleId}/destroy-plan`, {});
    await settled(server, body.run.id);
    await startApply(harness, await getRun(harness, body.run.id)).then(({ id }) => settled(server, id));
    const { page, close } = await browser.visit(server);
    await goTo(page, `/capsules/${capsuleId}/interfaces`);
    expect(await page.getByRole('table').getByText('Retired').count()).toBe(2);
    await keepPicture(page, 'interfaces-destroyed');
    await goTo(page, '/apps');
    await page.getByText('No apps to open').waitFor();
    await page.getByText('No Interfaces').waitFor();
    await keepPicture(page, 'interfaces-empty');
    await close();
  });
});
