import { scanLimits } from '#shared/limits';
import { compatibilityImpacts, type FindingCode, findingRules, findingSeverities } from '#shared/sources/finding-rules';
import type { Finding } from '#shared/sources/module-scan';
import type { CompatibilityLevel } from '#shared/sources/report';
import { attribute, blocksOf, bodiesOf, type Declared } from './blocks.ts';
import { literalText } from './expressions.ts';
import { isVariablesFile } from './file-names.ts';
import type { ModuleFolder } from './module-folder.ts';
import { undeclaredProviders } from './providers.ts';
import type { SourceTree } from './source-tree.ts';
import type { ScanRequest } from './types.ts';
import { satisfies } from './version-constraint.ts';

type Detail = { message: string; path?: string; suggestion?: string; context?: Record<string, string> };

const finding = (code: FindingCode, detail: Detail): Finding => ({
  severity: findingRules[code].severity,
  compatibilityImpact: findingRules[code].impact,
  code,
  ...detail,
});

type FindingsInput = {
  tree: SourceTree;
  request: ScanRequest;
  graph: readonly ModuleFolder[];
  packages: readonly string[];
};

/** Returns all findings of one module; the first folder of `graph` is its root. Worst first, without duplicates. */
export function findingsOf(input: FindingsInput): Finding[] {
  const [root] = input.graph;
  if (!root) return [];
  const all = [
    ...input.graph.flatMap((folder) => [...versionFindings(folder, input.request), ...codeFindings(folder)]),
    ...undeclaredFindings(input.graph),
    ...storageFindings(root),
    ...variablesFileFindings(root, input.tree),
    ...lockFindings(root, input.packages),
  ];
  const distinct = new Map(all.map((item) => [JSON.stringify(item), item]));
  return fitted(worstFirst([...distinct.values()]));
}

/** Findings that a policy may turn into a reason against the module. */
const raisable: readonly FindingCode[] = ['lockfile_missing', 'lockfile_digest_missing'];

/** Returns as many findings as a report holds. Findings that a policy may raise are always included. */
function fitted(findings: readonly Finding[]): Finding[] {
  const limitedFindings = findings.slice(0, scanLimits.findings);
  const raised = findings.find(({ code }) => raisable.includes(code));
  return !raised || limitedFindings.includes(raised) ? limitedFindings : [...limitedFindings.slice(0, -1), raised];
}

/** Sorts findings by weight; those of equal weight keep their order. */
export const worstFirst = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((left, right) => weightOf(right) - weightOf(left));

/** Sort weight that puts the findings that decide the level first, because a report holds a limited number. */
const weightOf = ({ compatibilityImpact, severity }: Finding): number =>
  3 * compatibilityImpacts.indexOf(compatibilityImpact) + findingSeverities.indexOf(severity);

/** Returns the worst impact among the findings. */
export function levelOf(findings: readonly Finding[]): CompatibilityLevel {
  const impacts = new Set(findings.map(({ compatibilityImpact }) => compatibilityImpact));
  return impacts.has('unsupported') ? 'unsupported' : impacts.has('needs_patch') ? 'needs_patch' : 'ready';
}

const toolTitles = { tofu: 'OpenTofu', terraform: 'Terraform' } as const;

function versionFindings(folder: ModuleFolder, { toolName, toolVersion }: ScanRequest): Finding[] {
  const tool = `${toolTitles[toolName]} ${toolVersion}`;
  const unread = folder.unreadTofuFile;
  const results = folder.configuration.versionRules.flatMap(({ constraint, file }) => {
    const text = literalText(constraint);
    const satisfied = text === undefined ? undefined : satisfies(toolVersion, text);
    if (satisfied === undefined) {
      return [finding('configuration_invalid', { path: file, message: 'A tool version constraint cannot be read.' })];
    }
    const context = { constraint: text as string, toolVersion };
    const message = `The module does not run with ${tool}.`;
    return satisfied ? [] : [finding('tool_version_unsatisfied', { path: file, message, context })];
  });
  if (unread === undefined) return results;
  const message = `The module has files for OpenTofu, which ${tool} does not read.`;
  return [...results, finding('tool_version_unsatisfied', { path: unread, message, suggestion: 'Use OpenTofu.' })];
}

/** Data sources that start a program of the module's choice. */
export const programTypes: ReadonlySet<string> = new Set(['external', 'local_command']);
export const isProgramSource = ({ labels: [type = ''] }: Declared): boolean => programTypes.has(type);

function codeFindings({ configuration }: ModuleFolder): Finding[] {
  const { resources, removed, dataSources } = configuration;
  const provisioners = [...resources, ...removed].flatMap((block) =>
    provisionerTypes(block).map((type) => {
      const message = `A ${type} provisioner runs code during apply.`;
      return finding('provisioner_present', { path: block.file, message, context: { type } });
    }),
  );
  const programs = dataSources.filter(isProgramSource).map(({ labels: [type = ''], file }) => {
    const message = `A data source of type ${type} runs a program during plan.`;
    return finding('external_program_present', { path: file, message, context: { type } });
  });
  return [...provisioners, ...programs];
}

/** Returns the types of the provisioners of a resource or removed block. */
export const provisionerTypes = ({ body }: Declared): string[] =>
  blocksOf(body, 'provisioner', 1).map(({ labels }) => labels[0] as string);

function undeclaredFindings(graph: readonly ModuleFolder[]): Finding[] {
  return undeclaredProviders(graph).map(({ localName, file, use }) =>
    finding('provider_not_declared', {
      path: file,
      message:
        use === 'function'
          ? `A function of the provider "${localName}" is called, but the module does not require that provider.`
          : `The provider "${localName}" is passed to a module, but nothing declares it.`,
      suggestion: `Add "${localName}" to required_providers.`,
      context: { provider: localName },
    }),
  );
}

function storageFindings({ configuration: { storage } }: ModuleFolder): Finding[] {
  const results: Finding[] = [];
  const add = (code: FindingCode, path: string | undefined, message: string) => {
    if (path !== undefined) results.push(finding(code, { path, message }));
  };
  add('backend_overridden', storage.backendFile, 'The backend is replaced: state is kept in the private store.');
  add('cloud_block_present', storage.cloudFile, 'The cloud block is replaced: state is kept in the private store.');
  add(
    'encryption_overridden',
    storage.encryptionFile,
    'The encryption block is overridden: state and plan are sealed here.',
  );
  add('external_program_present', storage.keyProgramFile, 'A key provider of the module starts a program.');
  return results;
}

function variablesFileFindings(root: ModuleFolder, tree: SourceTree): Finding[] {
  return (tree.folders.get(root.path) ?? []).filter(isVariablesFile).map((name) =>
    finding('tfvars_ignored', {
      path: root.path === '.' ? name : `${root.path}/${name}`,
      message: 'This variable file is not read. Set its values as variables of the installation.',
    }),
  );
}

/**
 * Returns findings about the lock file. Without providers there is nothing to lock. Entries count under the address
 * that the running tool gives a provider.
 */
function lockFindings({ lock, path }: ModuleFolder, packages: readonly string[]): Finding[] {
  if (packages.length === 0) return [];
  if (!lock) {
    const message = 'No lock file, so provider versions are chosen at the first plan.';
    return [finding('lockfile_missing', { path, message })];
  }
  const entries = bodiesOf(lock.root).flatMap((body) => blocksOf(body, 'provider', 1));
  const locked = new Map(entries.map(({ labels, body }) => [labels[0], body]));
  return packages.flatMap((source) => {
    const hashes = attribute(locked.get(source) ?? {}, 'hashes');
    if (Array.isArray(hashes) && hashes.some((hash) => typeof hash === 'string' && hash.startsWith('h1:'))) return [];
    const message = `The lock file has no h1 digest for ${source}.`;
    return [finding('lockfile_digest_missing', { path: lock.file.path, message, context: { provider: source } })];
  });
}
