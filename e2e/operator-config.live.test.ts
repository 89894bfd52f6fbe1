import { describe, expect, it } from 'vitest';
import type { Capsule } from '#shared/capsules/contract';
import type { InstallConfig } from '#shared/install-configs/contract';
import { hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { groundctl } from './fixtures/groundctl.ts';
import { getRun } from './fixtures/journey.ts';

const longTimeout = { timeout: 60_000 };
const module = `variable "title" { type = string }
variable "region" { type = string }
variable "token" { type = string }
output "page" { value = "\${var.title} in \${var.region}, \${length(var.token)}" }
`;
const text = (en: string) => ({ en, ja: `${en} (ja)` });

/* Dashboard and command line use the operator's configuration that the server chooses for a module. */

describe.skipIf(!hasChromium)('a module that the operator has configured', () => {
  serveBrowsed();

  /** A repository with a shared configuration that fixes the region. */
  async function configure(name: string): Promise<string> {
    const { url } = harness.repository(name, { 'main.tf': module });
    const response = await fetch(`${harness.server.url}/internal/v1/install-configs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${harness.server.operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Ours',
        sourceSelector: { url, path: '.' },
        variableMapping: { region: 'eu' },
        variablePresentation: [
          { name: 'title', label: text('Title of the page') },
          { name: 'token', label: text('Token'), secret: true },
        ],
      }),
    });
    expect(response.status, await response.clone().text()).toBe(201);
    return url;
  }

  it('is installed from the dashboard without the inputs that are fixed', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page
      .getByRole('main')
      .getByRole('textbox')
      .first()
      .fill(await configure('ours'));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Plan', exact: true }).waitFor(longTimeout);
    expect(await page.getByText('region').count()).toBe(0);
    await page.getByLabel(/^title/).fill('Notes');
    await page.getByLabel(/^token/).fill('hidden');
    await keepPicture(page, 'operator-config');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, longTimeout);
    const runId = new URL(page.url()).pathname.split('/')[2] ?? '';
    const { capsuleId = '' } = await getRun(harness, runId);
    const { capsule } = (await harness.http.get<{ capsule: Capsule }>(`/api/v1/capsules/${capsuleId}`)).body;
    const configAt = `/api/v1/capsule-configs/${capsule.installConfigId}`;
    const { installConfig } = (await harness.http.get<{ installConfig: InstallConfig }>(configAt)).body;
    expect(installConfig.variableMapping).toEqual({ title: 'Notes', token: '[REDACTED]', region: 'eu' });
    await close();
  });

  it('is installed from the command line in the same way', async () => {
    const url = await configure('theirs');
    const install = (...more: string[]) =>
      groundctl(['install', url, '--data-dir', harness.server.dataDir, ...more], { input: 'hidden' });
    const missing = await install();
    expect(missing.err).toContain('--var title=VALUE   string: Title of the page');
    expect(missing.err).not.toContain('region');
    const { code, out, err } = await install('--var', 'title=Notes', '--secret-var', 'token', '--auto-approve');
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain('page = Notes in eu, 6');
  });
});
