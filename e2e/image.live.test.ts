import { chmodSync, cpSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, type TestContext, test } from 'vitest';
import type { RunnerCapability } from '#shared/execution/tool';
import type { Workspace } from '#shared/workspaces/contract';
import { imageRootProblem, writeImageRoot } from '../.ci/release/image-root.ts';
import { removeTree } from '../server/src/kernel/remove-tree.ts';
import { createTestRepository, type GitFixture, startGitFixture } from './fixtures/git-server.ts';
import type { Harness } from './fixtures/harness.ts';
import { createHttp } from './fixtures/http.ts';
import { type Container, nestingProblem, startContainer } from './fixtures/image-container.ts';
import { applyPlan, installPlanned, outputsOf } from './fixtures/journey.ts';
import { dataResource } from './fixtures/modules.ts';
import { findTool } from './fixtures/tool.ts';

let problem = imageRootProblem();
let folder: string;
let git: GitFixture;
const containers: Container[] = [];
const root = () => path.join(folder, 'root');
beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'groundctl-image-'));
  chmodSync(folder, 0o755);
  git = await startGitFixture({ root: path.join(folder, 'git') });
  createTestRepository(path.join(folder, 'git/shop')).commit({
    'main.tf': `${dataResource('a')}output "a" {\n  value = terraform_data.a.output\n}\n`,
  });
  try {
    if (problem === undefined) {
      writeImageRoot(root());
      // The image contains no tool.
      cpSync(findTool().path, path.join(root(), 'usr/local/bin/tofu'));
    }
  } catch (error) {
    problem = `Debian could not be installed: ${error instanceof Error ? error.message : 'unknown error'}`;
  }
  if (problem !== undefined) process.stderr.write(`\n!! The image is not started. ${problem}\n\n`);
}, 600_000);
afterEach(async () => {
  for (const container of containers.splice(0)) await container.stop();
});
afterAll(async () => {
  await git?.close();
  removeTree(folder);
});

/** Starts the image, or skips the test with the reason. */
async function start(context: TestContext, options: { isLocal?: boolean; masksProc?: boolean }): Promise<Container> {
  context.skip(problem !== undefined, problem);
  const container = await startContainer({ root: root(), ...options });
  containers.push(container);
  return container;
}
const capabilityOf = async (http: Harness['http']) =>
  (await http.get<{ runner: RunnerCapability }>('/api/v1/capabilities')).body.runner;

test('the image serves its page and applies a plan in a sandbox, as an ordinary user on a read-only root', async (context) => {
  const nesting = nestingProblem();
  context.skip(nesting !== undefined, nesting);
  const container = await start(context, { isLocal: true });
  const { url, token } = container;
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
  const script = /src="(?<path>\/[^"]+\.js)"/.exec(page)?.groups?.['path'];
  expect((await fetch(`${url}${script}`)).status).toBe(200);

  const http = createHttp({ url, token });
  expect(await capabilityOf(http)).toMatchObject({ available: true, sandbox: 'bwrap' });
  const { body } = await http.get<{ workspaces: Workspace[] }>('/api/v1/workspaces');
  const harness = { http, server: { url, token }, workspaceId: body.workspaces[0]?.id ?? '' } as Harness;
  const { plan, capsuleId } = await installPlanned(harness, { url: `${git.url}/plain/shop`, name: 'shop' });
  expect((await applyPlan(harness, plan)).status, container.log()).toBe('succeeded');
  expect(await outputsOf(harness, capsuleId)).toMatchObject({ a: 'a' });
});

test('a container that masks /proc has no sandbox, and the log and the capabilities name the remedy', async (context) => {
  const container = await start(context, { masksProc: true });
  const { sandbox, sandboxProblem } = await capabilityOf(createHttp(container));
  expect({ sandbox, code: sandboxProblem?.code }).toEqual({ sandbox: 'none', code: 'proc_masked' });
  expect(sandboxProblem?.message).toContain('--security-opt systempaths=unconfined');
  expect(container.log().split(sandboxProblem?.message ?? '-')).toHaveLength(2);
});
