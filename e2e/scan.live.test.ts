import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { extractArchive } from '#server/drivers/archive/index';
import { prepareTree } from '#server/drivers/tofu/index';
import type { ProviderPackage } from '#shared/sources/module-scan';
import { createParser } from '../server/src/drivers/scan/parse-file.ts';
import { scanArchive } from '../server/src/drivers/scan/scan-archive.ts';
import type { ModuleReport, ScanRequest } from '../server/src/drivers/scan/types.ts';
import { withArchive } from '../server/test/scan-fixture.ts';
import { depth } from './fixtures/depth.ts';
import { publicModule, publicModules } from './fixtures/public-modules.ts';
import { findTools, runTool, type Tool, toolOutput } from './fixtures/tool.ts';

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'scan-live-'));
afterAll(() => fs.rmSync(work, { recursive: true, force: true }));
const parse = createParser();

/** Modules that the scan must offer, and those among them that need an external provider. */
const expected: Readonly<Record<string, { modules: string[]; withProviders?: string[] }>> = {
  'cidr-subnets': { modules: ['.'] },
  collection: { modules: ['wrappers/role', 'wrappers/user'] },
  'container-definition': { modules: ['.'] },
  deepmerge: { modules: ['.'] },
  'dir-template': { modules: ['.'] },
  label: { modules: ['.'] },
  'landing-zone': { modules: ['environments/dev', 'environments/prod'] },
  'legacy-network': { modules: ['.'] },
  'local-override': { modules: ['.', 'modules/remote-worker'], withProviders: ['modules/remote-worker'] },
  migrating: { modules: ['.'] },
  'nothing-declared': { modules: ['.'], withProviders: ['.'] },
  'shell-resource': { modules: ['.'] },
  synthesized: { modules: ['.'] },
  tested: { modules: ['.'] },
  'thin-root': { modules: ['.'], withProviders: ['.'] },
  'two-regions': { modules: ['.'], withProviders: ['.'] },
};

/**
 * The tool's own view of one module: what `providers` prints, without what is part of the tool. A module that needs
 * no provider is initialized before, which works without any network.
 */
async function toolPackages(tool: Tool, cwd: string, withInit: boolean): Promise<ProviderPackage[]> {
  await toolOutput(tool, { cwd, args: [...(withInit ? ['init', '-input=false'] : ['get']), '-no-color'] });
  const text = await toolOutput(tool, { cwd, args: ['providers', '-no-color'] });
  const versionsBySource = new Map<string, Set<string>>();
  for (const [, source = '', version = ''] of text.matchAll(/provider\[([^\]]+)\] ?(.*)$/gm)) {
    if (source.startsWith('terraform.io/builtin/')) continue;
    const known = versionsBySource.get(source) ?? new Set();
    for (const part of version.split(',')) if (part.trim()) known.add(part.trim());
    versionsBySource.set(source, known);
  }
  return asPackages(versionsBySource);
}

const asPackages = (versionsBySource: ReadonlyMap<string, ReadonlySet<string>>): ProviderPackage[] =>
  [...versionsBySource]
    .map(([source, versions]) => ({ source, version: [...versions].sort().join(', ') }))
    .sort((left, right) => (left.source < right.source ? -1 : 1));

/** Constraints in the form in which the tool prints them: every rule but `~>` and `=` has three numbers. */
function printedAsTool(packages: readonly ProviderPackage[]): ProviderPackage[] {
  const rules = (version = '') => version.split(',').flatMap((part) => (part.trim() ? [printedRule(part.trim())] : []));
  return asPackages(new Map(packages.map(({ source, version }) => [source, new Set(rules(version))])));
}

function printedRule(rule: string): string {
  const [, sign = '', numbers = ''] = /^([<>=!~]*)\s*(.*)$/.exec(rule) ?? [];
  const full = sign === '~>' ? numbers : [...numbers.split('.'), '0', '0'].slice(0, 3).join('.');
  return sign === '' || sign === '=' ? full : `${sign} ${full}`;
}

/** Replaces a module's own backend, which must not be reached. */
const localBackend = { name: 'zz_override.tf', text: 'terraform {\n  backend "local" {}\n}\n' };

type ScannedTree = { reports: ModuleReport[]; writeTree: (report: ModuleReport) => string };

/** Scans a tree and returns what a Run would start from: the archive, unpacked as the runner does it. */
async function scanned<T>(name: string, tool: Tool, use: (scannedTree: ScannedTree) => Promise<T>): Promise<T> {
  return withArchive(publicModule(name), async (archive) => {
    const request: ScanRequest = { ...archive, ...versionOf(tool) };
    const { discovery, reports } = await scanArchive(request, parse);
    if (discovery.status === 'invalid') throw new Error(`${name}: ${JSON.stringify(discovery.findings)}`);
    const writeTree = ({ modulePath, findings }: ModuleReport) => {
      const generated = findings.some(({ code }) => code === 'backend_overridden') ? [localBackend] : [];
      const treeDir = fs.mkdtempSync(path.join(work, `${name}-`));
      return prepareTree({ archivePath: request.archivePath, treeDir, modulePath, generated, lock: null }).moduleDir;
    };
    return use({ reports, writeTree });
  });
}

type ToolVariable = { required?: boolean; sensitive?: boolean; description?: string; default?: unknown };
type ToolModule = {
  provider_config?: Record<string, { full_name: string }>;
  root_module: { variables?: Record<string, ToolVariable>; outputs?: Record<string, { sensitive?: boolean }> };
};

/** Returns what OpenTofu reads of one module, without the modules it calls. */
const toolModule = async (tool: Tool, cwd: string): Promise<ToolModule> =>
  JSON.parse(await toolOutput(tool, { cwd, args: ['show', '-json', '-module=.'] })) as ToolModule;

const versionOf = ({ name }: Tool): Pick<ScanRequest, 'toolName' | 'toolVersion'> => ({
  toolName: name,
  toolVersion: name === 'tofu' ? '1.12.6' : '1.11.4',
});

describe.each(findTools().map((tool) => [tool.name, tool] as const))(
  'modules as people publish them, with %s',
  (toolName, tool) => {
    const all = publicModules.filter((name) => toolName === 'tofu' || name !== 'migrating');
    // Both tools print the same; a quick run asks the second one about a few modules.
    const names = toolName === 'tofu' ? all : depth({ quick: all.filter((_name, at) => at % 5 === 0), deep: all });
    it.each(names)('%s needs the providers that the tool reports', async (name) => {
      await scanned(name, tool, async ({ reports, writeTree }) => {
        expect(reports.map(({ modulePath }) => modulePath)).toEqual(expected[name]?.modules);
        for (const report of reports) {
          const { modulePath, providerPackages } = report;
          const needsProvider = expected[name]?.withProviders?.includes(modulePath) === true;
          const own = await toolPackages(tool, writeTree(report), !needsProvider);
          expect([modulePath, printedAsTool(providerPackages)]).toEqual([modulePath, own]);
          expect(own.length > 0).toBe(needsProvider);
        }
      });
    });
  },
);

describe('modules as people publish them, as OpenTofu reads them', () => {
  const tofu = findTools().filter(({ name }) => name === 'tofu');
  it.each(tofu.length > 0 ? publicModules : [])('%s declares what the tool reads', async (name) => {
    await scanned(name, tofu[0] as Tool, async ({ reports, writeTree }) => {
      for (const report of reports) {
        const { root_module, provider_config = {} } = await toolModule(tofu[0] as Tool, writeTree(report));
        const { variables = {}, outputs = {} } = root_module;
        const own = Object.entries(variables).map(([variable, { required, sensitive, description }]) => ({
          name: variable,
          hasDefault: required !== true,
          sensitive: sensitive === true,
          description,
        }));
        // The tool lists them by name, the scan as they stand in the files.
        const byName = report.rootModuleVariableDeclarations.toSorted((a, b) => (a.name < b.name ? -1 : 1));
        const scannedOnes = byName.map((one) => ({
          name: one.name,
          hasDefault: one.hasDefault,
          sensitive: one.sensitive === true,
          description: one.description,
        }));
        expect(scannedOnes).toEqual(own);
        // The tool fills in an object with optional members.
        for (const { name: variable, typeText = '', default: defaultValue } of report.rootModuleVariableDeclarations) {
          if (defaultValue !== undefined && !typeText.includes('optional'))
            expect(defaultValue).toEqual(variables[variable]?.default);
        }
        expect(report.rootModuleOutputs.map((one) => [one.name, one.sensitive])).toEqual(
          Object.entries(outputs).map(([output, { sensitive }]) => [output, sensitive === true]),
        );
        const tuples = report.rootProviderRequirements.map(
          (one) => `${one.moduleLocalName}${one.childAlias === undefined ? '' : `.${one.childAlias}`} ${one.source}`,
        );
        const configured = Object.entries(provider_config).map(([key, { full_name }]) => `${key} ${full_name}`);
        expect(configured).toEqual(expect.arrayContaining(tuples));
        expect(tuples).toEqual(expect.arrayContaining(configured.filter((key) => /^[^ ]*\./.test(key))));
      }
    });
  });
});

describe('tests that come with a module', () => {
  it.each(findTools().map((tool) => [tool.name, tool] as const))(
    'are not written, or %s would fetch the modules they name',
    async (toolName, tool) => {
      const visits: string[] = [];
      const server = http.createServer((request, response) => {
        visits.push(request.url ?? '');
        response.writeHead(404).end();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const run = `run "x" {\n  module {\n    source = "http://127.0.0.1:${port}/m.zip"\n  }\n}\n`;
      const files = { 'main.tf': 'resource "terraform_data" "a" {}\n', 'a.tftest.hcl': run, 'tests/b.tftest.hcl': run };
      const init = (cwd: string) => runTool(tool, { cwd, args: ['init', '-input=false'] });
      try {
        const asPublished = fs.mkdtempSync(path.join(work, 'published-'));
        await withArchive(files, async (archive) => {
          const request = { ...archive, ...versionOf(tool) };
          expect((await scanArchive(request, parse)).discovery.status).toBe('ready');
          const treeDir = fs.mkdtempSync(path.join(work, 'written-'));
          prepareTree({ archivePath: archive.archivePath, treeDir, modulePath: '.', generated: [], lock: null });
          expect((await init(treeDir)).code).toBe(0);
          expect(visits).toEqual([]);
          extractArchive({ path: archive.archivePath, dir: asPublished });
        });
        expect((await init(asPublished)).code).toBe(1);
        // Terraform accepts only registry modules in a test, and refuses this one before it sends a request.
        expect(visits.length > 0).toBe(toolName === 'tofu');
      } finally {
        server.closeAllConnections();
        server.close();
      }
    },
  );
});
