import { scanLimits } from '#shared/limits';
import type { InstallModulesReason, ScanProblem } from '#shared/sources/module-scan';
import { findCleanScopes } from './clean-scopes.ts';
import {
  configurationFolders,
  type Exploration,
  explore,
  type Folders,
  isExample,
  offered,
  readReachable,
} from './exploration.ts';
import { invalidResult } from './invalid-result.ts';
import { createFolderReader, type FolderProblem, type FolderReader, unreadConfiguration } from './module-folder.ts';
import type { Parser } from './parse-file.ts';
import { digestOfOtherFiles } from './programs.ts';
import { reportOn } from './report.ts';
import { readSourceTree, type SourceTree } from './source-tree.ts';
import type { ModuleReport, ScanRequest, ScanResult } from './types.ts';

type Scan = {
  request: ScanRequest;
  tree: SourceTree;
  read: FolderReader;
  folders: Folders;
  /** Folders with configuration, sorted. */
  configured: readonly string[];
};

/**
 * Finds the modules of an archive and reports on each, without running anything. All or nothing: one unreadable module
 * makes the discovery invalid, because an incomplete list of providers is worse than none. Throws the errors of the
 * archive.
 */
export async function scanArchive(request: ScanRequest, parse: Parser): Promise<ScanResult> {
  const tree = readSourceTree(request);
  if (tree.exceeded) return invalidResult({ request, reason: tree.exceeded });
  const read = createFolderReader({ tree, toolName: request.toolName, parse });
  const configured = configurationFolders(tree, request.toolName);
  const scan: Scan = { request, tree, read, folders: new Map(), configured };
  const named = new Set(request.namedPaths ?? []);
  const roots = offered(configured, '.', named);
  await readReachable(roots, read, scan.folders);
  const listed = explore(roots, '.', named, scan.folders);
  const { onlyPath } = request;
  const isLeftOut = onlyPath !== undefined && !listed.candidates.includes(onlyPath);
  const { candidates, problems } = isLeftOut ? await exploreFolder(onlyPath, scan) : listed;
  // When every configuration file is a link, the repository must not look like one without modules.
  const unread = candidates.length === 0 && !isLeftOut ? unreadAnywhere(tree, request) : [];
  const all = [...forbiddenProblems(tree), ...problems, ...unread];
  if (all.length > 0) return refuse(scan, worstReason(all), all);
  if (candidates.length > scanLimits.modules) {
    return refuse(scan, 'module_limit_exceeded', [
      tooMany('.', `The Source path holds more than ${scanLimits.modules} modules. Choose a smaller one.`),
    ]);
  }
  let otherFiles: string | undefined;
  const filesDigest = () => (otherFiles ??= digestOfOtherFiles(request));
  const reports = candidates.flatMap((at) => {
    const root = scan.folders.get(at);
    return root ? [reportOn(root, { ...scan, filesDigest })] : [];
  });
  const oversized = reports.flatMap(boundProblems);
  return oversized.length > 0 ? refuse(scan, 'module_limit_exceeded', oversized) : readyResult(request, reports);
}

/** Explores a folder that the list leaves out, only with the modules it reaches; returns none without configuration. */
async function exploreFolder(at: string, { request, tree, read, folders, configured }: Scan): Promise<Exploration> {
  if (!configured.includes(at)) {
    const { toolName } = request;
    return { candidates: [], problems: unreadConfiguration(at, { tree, toolName }) };
  }
  await readReachable([at], read, folders);
  return explore([at], '.', new Set([at]), folders);
}

const tooMany = (path: string, message: string): ScanProblem => ({ path, code: 'configuration_invalid', message });

function boundProblems({ modulePath, providerPackages, rootProviderRequirements }: ModuleReport): ScanProblem[] {
  const over = (count: number, most: number, what: string) =>
    count > most ? [tooMany(modulePath, `The module needs more than ${most} ${what}. That is too many.`)] : [];
  return [
    ...over(providerPackages.length, scanLimits.packages, 'providers'),
    ...over(rootProviderRequirements.length, scanLimits.requirements, 'provider configurations'),
  ];
}

const forbiddenProblems = ({ forbidden }: SourceTree): FolderProblem[] =>
  forbidden.map((path) => ({
    path,
    code: 'configuration_invalid',
    message: 'This path would change how the tool runs. Choose a Source path without it.',
    reason: 'configuration_invalid',
  }));

const unreadAnywhere = (tree: SourceTree, { toolName }: ScanRequest): FolderProblem[] =>
  [...tree.leftOutIn.keys()]
    .filter((folder) => !isExample(folder))
    .flatMap((folder) => unreadConfiguration(folder, { tree, toolName }));

const worstReason = (problems: readonly FolderProblem[]): InstallModulesReason =>
  problems.find(({ reason }) => reason === 'file_too_large')?.reason ?? 'configuration_invalid';

function readyResult({ sourceSnapshotId, scopePath }: ScanRequest, reports: ModuleReport[]): ScanResult {
  const modules = reports.map(({ modulePath, providerPackages, rootProviderRequirements }) => ({
    path: modulePath,
    providerPackages,
    rootProviderRequirements,
  }));
  return { discovery: { status: 'ready', sourceSnapshotId, scopePath, modules }, reports };
}

/** Returns a refusal with clean scopes. The examples must have been read before a scope can be called clean. */
async function refuse(scan: Scan, reason: InstallModulesReason, problems: readonly ScanProblem[]): Promise<ScanResult> {
  const { request, tree, read, folders, configured } = scan;
  await readReachable(configured, read, folders);
  const { scopePath, toolName } = request;
  const cleanScopes = findCleanScopes({ tree, configured, folders, scopePath, toolName });
  return invalidResult({ request, reason, problems, cleanScopes });
}
