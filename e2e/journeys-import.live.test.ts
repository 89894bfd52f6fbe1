import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Capsule } from '#shared/capsules/contract';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { runIn, settledPage } from './fixtures/form-steps.ts';
import { getRun } from './fixtures/journey.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { openRoute } from './fixtures/route.ts';

const longTimeout = { timeout: 60_000 };
const module = 'resource "terraform_data" "kept" {\n  input = "canary-of-the-state"\n}\n';

/** The state that an apply of the module has written elsewhere. */
const stateText = (lineage: string) =>
  JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial: 7,
    lineage,
    outputs: {},
    resources: [
      {
        mode: 'managed',
        type: 'terraform_data',
        name: 'kept',
        provider: 'provider["terraform.io/builtin/terraform"]',
        instances: [
          {
            schema_version: 0,
            attributes: {
              id: randomUUID(),
              input: { value: 'canary-of-the-state', type: 'string' },
              output: { value: 'canary-of-the-state', type: 'string' },
              triggers_replace: null,
            },
            sensitive_attributes: [],
          },
        ],
      },
    ],
    check_results: null,
  });
const fileOf = (text: string) => ({ name: 'state.json', mimeType: 'application/json', buffer: Buffer.from(text) });

describe.skipIf(!hasChromium)('a module that was applied elsewhere', () => {
  serveBrowsed();
  let runId = '';

  async function openForm(name: string) {
    const { url } = harness.repository(name, { 'main.tf': module });
    const visitor = await browser.visit(harness.server);
    await visitor.page.getByRole('main').getByRole('textbox').first().fill(url);
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByText('Applied elsewhere already? Upload its state').click(longTimeout);
    return visitor;
  }

  it('is moved in with its state, which is checked and reviewed, and its first plan has no changes', async () => {
    const { page, close } = await openForm('moved');
    await page.getByLabel('State file').setInputFiles(fileOf('{"version": 4'));
    await page.getByText('The file is damaged or not a state.').waitFor(longTimeout);
    await page.getByLabel('State file').setInputFiles(fileOf(stateText(randomUUID())));
    await page.getByRole('region', { name: 'The state can be read' }).waitFor(longTimeout);
    await page.getByText('Creates the Capsule, and a restore that waits for your approval.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'import-checked');
    await page.getByRole('button', { name: 'Review import' }).dblclick();
    await page.waitForURL(/\/runs\/restore_/, longTimeout);
    runId = runIn(page);
    await page.getByText('A state from an uploaded file.').waitFor(longTimeout);
    await page.getByText('No state').waitFor();
    await page.getByText('terraform_data.kept').waitFor();
    expect((await page.getByRole('main').textContent()) ?? '').not.toContain('canary-of-the-state');
    await keepPicture(page, 'import-review');
    await page.getByRole('button', { name: 'Approve and restore' }).click();
    await page.getByText('The state of 1 Capsule was restored').waitFor(longTimeout);
    await page.getByRole('button', { name: 'Plan again' }).click(longTimeout);
    await page.waitForURL(/\/runs\/plan_/, longTimeout);
    await page.getByText('No changes').first().waitFor(longTimeout);
    expect((await getRun(harness, runIn(page))).hasChanges).toBe(false);
    const address = `/api/v1/workspaces/${harness.workspaceId}/capsules`;
    expect((await harness.http.get<{ capsules: Capsule[] }>(address)).body.capsules).toHaveLength(1);
    await close();
  });

  it('can leave its upload again', async () => {
    const { page, close } = await openForm('left');
    await page.getByLabel('State file').setInputFiles(fileOf(stateText(randomUUID())));
    await page.getByRole('button', { name: 'Remove this state' }).click(longTimeout);
    await page.getByLabel('State file').waitFor(longTimeout);
    await page.getByRole('button', { name: 'Review import' }).waitFor({ state: 'detached' });
    await close();
  });

  it.each(extremeViews)('is reviewed without findings, %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    await observeLayoutShifts(page);
    await openRoute(page, `/runs/${runId}`);
    await settledPage(page);
    expect(await accessibilityFindings(page)).toEqual([]);
    await expectStableLayout(page);
    await keepPicture(page, `import-${name}`);
    await close();
  });
});
