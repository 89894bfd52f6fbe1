import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { approveCopy, prepareCopy } from '../e2e/fixtures/copies.ts';
import { createHttp, type Http } from '../e2e/fixtures/http.ts';
import { trusting } from '../e2e/fixtures/plain-outputs.ts';
import { startServer, type TestServer } from '../e2e/fixtures/server.ts';
import { findTool, type Tool, toolOutput } from '../e2e/fixtures/tool.ts';
import { callOf } from '../server/test/copy-fixture.ts';
import { type ModuleRegistry, startModuleRegistry } from '../server/test/module-registry.ts';
import { type Api, createApi } from './api.ts';
import { type CaseResult, compare, timed } from './median.ts';

const names = ['network', 'cluster', 'database', 'storage'];
const files = 40;

type Sides = { tool: Tool; registry: ModuleRegistry; server: TestServer; http: Http; api: Api; workspaceId: string };
type Sample = { initMs: number; makeMs: number; installMs: number };

/**
 * An installable copy of a module that calls four packages of a registry, each a Git repository, against `init` of the
 * same module with the tool alone. No side has a package in a cache.
 */
export async function copies(samples: number, entry: string): Promise<CaseResult[]> {
  const registry = await startModuleRegistry();
  try {
    const server = await startServer({ entry, env: { GROUNDCTL_CA_FILE: registry.caFile } });
    try {
      const api = createApi(server);
      const workspaceId = await api.workspaceId();
      const sides = { tool: findTool(), registry, server, http: createHttp(server), api, workspaceId };
      const taken: Sample[] = [];
      for (let index = 0; index < samples; index += 1) taken.push(await sample(sides, `bench-${index}`));
      const init = taken.map(({ initMs }) => initMs);
      return [
        compare(
          'copy: 4 packages until it is committed, against init',
          taken.map(({ makeMs }) => makeMs),
          init,
        ),
        compare(
          'copy: 4 packages until its plan can be reviewed, against init',
          taken.map(({ makeMs, installMs }) => makeMs + installMs),
          init,
        ),
      ];
    } finally {
      await server.stop();
    }
  } finally {
    await registry.close();
  }
}

/** Publishes packages that neither side has fetched, and measures both sides. The time of an approval is that of its request. */
async function sample(sides: Sides, name: string): Promise<Sample> {
  const { api, registry, workspaceId } = sides;
  const main = publishPackages(registry, name);
  const { url } = registry.repository(name, { 'main.tf': main });
  const initMs = await initSample(sides, main);
  const made = await timed(async () => approveCopy(sides, await prepareCopy(sides, { url, name })));
  const source = { name, url: made.value, ref: 'main', path: '.' };
  const installed = await timed(async () =>
    api.reconcile(await api.createInstallPlan(workspaceId, { source, capsule: { name, environment: 'default' } })),
  );
  return { initMs, makeMs: made.ms, installMs: installed.ms };
}

/** Publishes the packages under names of their own and returns a module that calls them. */
function publishPackages(registry: ModuleRegistry, prefix: string): string {
  return names
    .map((name) => {
      const repository = registry.repository(`${prefix}-${name}`, packageOf(`${prefix}-${name}`));
      repository.git('tag', 'v1.0.0');
      // One pack, as a code host keeps it.
      repository.git('repack', '-a', '-d', '-q');
      registry.publish(`${prefix}/${name}/null`, '1.0.0', `git::${repository.url}?ref=v1.0.0`);
      return callOf(name, `${registry.host}/${prefix}/${name}/null`, '~> 1.0');
    })
    .join('\n');
}

/** Files of a package: a module that calls another one beside it, and small texts. */
function packageOf(name: string): { [path: string]: string } {
  const text = (file: number) => `line of ${name} in file ${file}\n`.repeat(40);
  return {
    'main.tf': `module "part" {\n  source = "./modules/part"\n}\n`,
    'modules/part/main.tf': `resource "terraform_data" "part" {\n  input = "${name}"\n}\n`,
    ...Object.fromEntries(Array.from({ length: files }, (_, file) => [`docs/${file}.md`, text(file)])),
  };
}

/** Returns the milliseconds of `init` in a fresh folder that already holds the module. */
async function initSample({ tool, registry }: Sides, main: string): Promise<number> {
  const cwd = mkdtempSync(path.join(os.tmpdir(), 'groundctl-init-'));
  try {
    writeFileSync(path.join(cwd, 'main.tf'), main);
    const run = { cwd, args: ['init', '-input=false'], env: trusting(registry) };
    return (await timed(() => toolOutput(tool, run))).ms;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
