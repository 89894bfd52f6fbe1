import { describe, expect, it } from 'vitest';
import { writeServiceFiles } from '../server/test/credential-service.ts';
import { accessibilityFindings, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { openRoute } from './fixtures/route.ts';

const env = { ACME_TOKEN: { from: 'generated', name: 'access_token' } };
const recipe = {
  id: 'acme',
  displayName: 'Acme Cloud',
  terraformSource: ['acme/cloud'],
  requiredEnvGroups: [['ACME_TOKEN']],
  authModes: {
    client: {
      env,
      preRun: {
        type: 'oauth_client_credentials',
        inputs: {
          token_url: { from: 'literal', value: 'https://login.acme.example/token' },
          client_id: { from: 'value' },
          client_secret: { from: 'secret' },
        },
      },
      presentation: { displayName: 'OAuth client' },
    },
    issued: {
      env,
      runIssuance: {
        context: 'capsule-run.v1',
        operatorConnection: 'workspace-bindable',
        storedMaterial: 'none',
        audience: 'acme',
        scopes: [],
      },
      presentation: { displayName: 'Acme broker' },
    },
  },
};
const secret = 'canary-client-secret-83f2';

type Listed = { connections: { scopeHints?: object; envNames: string[] }[] };

describe.skipIf(!hasChromium)('a Connection whose credentials exist for one Run', () => {
  serveBrowsed();

  it('is created from the form, which names what only the operator creates', async () => {
    writeServiceFiles(harness.server.dataDir, { recipe, service: { url: 'http://127.0.0.1:1/' } });
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/connections/new?recipe=acme');
    await page.getByText('The operator creates Connections for: Acme broker').waitFor();
    await page.getByText('Each Run requests its own token').waitFor();
    await page.getByRole('button', { name: 'Save and test' }).click();
    await expect.poll(() => page.getByLabel(/^Client ID/).getAttribute('aria-invalid')).toBe('true');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByLabel(/^Client ID/).fill('shop');
    await page.getByLabel('Client secret', { exact: true }).fill(secret);
    await keepPicture(page, 'connection-token-request');
    await page.getByRole('button', { name: 'Save and test' }).dblclick();
    await page.getByRole('heading', { level: 1, name: 'Acme Cloud' }).waitFor();
    await page.getByText('shop', { exact: true }).waitFor();
    const { body } = await harness.http.get<Listed>(`/api/v1/connections?workspaceId=${harness.workspaceId}`);
    expect(body.connections).toMatchObject([
      { scopeHints: { providerSettings: { client_id: 'shop' } }, envNames: ['ACME_TOKEN'] },
    ]);
    expect(await page.content()).not.toContain(secret);
    await close();
  });

  it('is explained where the recipe has no other method', async () => {
    const { issued } = recipe.authModes;
    writeServiceFiles(harness.server.dataDir, { recipe: { ...recipe, authModes: { issued } } as typeof recipe });
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/connections/new?recipe=acme');
    await page.getByText('The operator creates Connections for: Acme broker').waitFor();
    expect(await page.getByRole('button', { name: 'Save and test' }).count()).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Choose something else' }).click();
    await page.getByRole('searchbox').waitFor();
    await close();
  });

  it('is explained in Japanese too', async () => {
    writeServiceFiles(harness.server.dataDir, { recipe });
    const { page, close } = await browser.visit(harness.server, { language: 'ja' });
    await openRoute(page, '/connections/new?recipe=acme');
    await page.getByText('Run ごとにトークンを取得します').waitFor();
    await page.getByText('運用者が Connection を作成する方法: Acme broker').waitFor();
    await page.getByLabel('クライアントシークレット', { exact: true }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await close();
  });
});
