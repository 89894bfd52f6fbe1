import { execFile } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { journalFile } from '#server/runner/contract/journal';
import type { VaultStatus } from '#shared/keys/contract';
import { settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { applyPlan, installPlanned, outputsOf, planAgain, startApply, stateVersions } from './fixtures/journey.ts';
import { productEntry } from './fixtures/server.ts';

const slow = `
variable "tag" {
  default = "one"
}
resource "terraform_data" "slow" {
  input = var.tag
  provisioner "local-exec" {
    command = "sleep 4"
  }
}
output "tag" {
  value = terraform_data.slow.output
}
`;

let harness: Harness;
let url = '';
beforeAll(async () => {
  harness = await startHarness();
  ({ url } = harness.repository('slow', { 'main.tf': slow }));
});
afterAll(() => harness?.stop());

const keyFile = () => path.join(harness.server.dataDir, 'keys', 'master.key');
const operator = async <T>(method: string, route: string, body?: object): Promise<T> => {
  const answer = await fetch(`${harness.server.url}/internal/v1${route}`, {
    method,
    headers: { authorization: `Bearer ${harness.server.operatorToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as T;
};
const vaultOf = async () => (await operator<{ vault: VaultStatus }>('GET', '/vault')).vault;

/** The command of the product against the running server. */
async function vault(...args: string[]): Promise<string> {
  const argv = [productEntry(), 'vault', ...args, '--data-dir', harness.server.dataDir];
  const env = { PATH: process.env.PATH, HOME: harness.server.dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env }).catch(
    (failed: { stdout: string; stderr: string }) => ({ stdout: failed.stdout + failed.stderr }),
  );
  return stdout;
}

const rotated = async () => {
  expect(await vault('rotate')).toContain('New keys are created.');
  await vi.waitUntil(async () => (await vaultOf()).job?.finishedAt !== undefined, { timeout: 30_000 });
};

it('new keys invalidate neither reviewed plans nor states, and old keys are removed when nothing needs them', async () => {
  const one = await installPlanned(harness, { url, name: 'one' });
  const other = await installPlanned(harness, { url, name: 'other' });
  await applyPlan(harness, one.plan);
  await rotated();
  expect((await vaultOf()).oldKeys).toBe(1);
  expect(await vault('status')).toMatch(/The vault is open\.\n.*\n1 older keys are kept/);
  const unchanged = { status: 'succeeded', summary: { add: 0, change: 0, destroy: 0 } };
  expect(await planAgain(harness, one.capsuleId)).toMatchObject(unchanged);
  expect(await applyPlan(harness, other.plan)).toMatchObject({ status: 'succeeded' });
  expect(await outputsOf(harness, other.capsuleId)).toEqual({ tag: 'one' });
  await rotated();
  expect(await planAgain(harness, other.capsuleId)).toMatchObject(unchanged);
  await harness.server.restart();
  // The plan of the first one may still be applied, and was sealed with the previous keys.
  await vi.waitUntil(async () => (await vaultOf()).oldKeys === 1, { timeout: 30_000 });
  expect(await vault('change-key', '--to', 'file')).toContain(`It is kept in ${keyFile()}.`);
});

it('an apply continues while its server is sealed after a crash, and is taken over when the key is back', async () => {
  const { capsuleId, plan } = await installPlanned(harness, { url, name: 'sealed' });
  const apply = await startApply(harness, plan);
  const journal = journalFile(path.join(harness.server.dataDir, 'runs', apply.id));
  await vi.waitUntil(() => existsSync(journal) && readFileSync(journal, 'utf8').includes('"command":"apply"'), {
    timeout: 30_000,
  });
  await harness.server.kill9();
  renameSync(keyFile(), `${keyFile()}.away`);
  await harness.server.restart();
  await vi.waitUntil(() => readFileSync(journal, 'utf8').includes('"t":"outcome"'), { timeout: 30_000 });
  expect((await harness.http.get(`/api/v1/runs/${apply.id}`)).status).toBe(503);
  expect(await vault('status')).toMatch(/^The vault is sealed\. The key file .* is missing/);
  expect(await vault('unseal')).toContain('is missing');
  renameSync(`${keyFile()}.away`, keyFile());
  expect(await vault('unseal')).toBe('The vault is open.\n');
  expect(await settled(harness.server, apply.id)).toMatchObject({ status: 'succeeded' });
  expect(await stateVersions(harness, capsuleId)).toHaveLength(1);
  expect(await vault('unseal')).toBe('The vault is already open.\n');
});

it('a data folder without its key reports that and discloses nothing', async () => {
  rmSync(keyFile());
  await harness.server.restart();
  const answer = await harness.http.get('/api/v1/workspaces');
  expect([answer.status, answer.body]).toMatchObject([503, { error: { code: 'vault_sealed' } }]);
});
