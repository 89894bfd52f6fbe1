import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkForInstall, findInstallConfig } from '#shared/install-configs/checked-module';
import type { InstallConfig } from '#shared/install-configs/contract';
import { isRelativePath } from '#shared/relative-path';
import { copyIdOf } from '#shared/sources/copy-address';
import { isGitRef } from '#shared/sources/git-address';
import { type InspectedAddress, startInspection } from '#shared/sources/inspection';
import { readPastedAddress } from '#shared/sources/pasted-address';
import type { CompatibilityReport } from '#shared/sources/report';
import { nameOf } from '#shared/sources/repository-name';
import { failed, wrongUse } from '../exit-codes.ts';
import type { OptionValues } from '../options.ts';
import { findGitConnection } from './bindings.ts';
import { asMissingModule, chooseModule, remedies } from './choose-module.ts';
import type { Work } from './command.ts';
import { readSubjects, subjectText } from './commit-text.ts';
import { reportManifest } from './manifest.ts';
import { awaitSync } from './sources.ts';
import { cut, oneLine, shortCommit } from './text.ts';

/** Reads the address of the repository, with ref and folder from options or from the address itself. */
export function readAddress(text: string, options: OptionValues, isHere: boolean): InspectedAddress {
  const isFolder = isHere && /^\.{1,2}(?:\/|$)/.test(text);
  const pasted = readPastedAddress(isFolder ? pathToFileURL(path.resolve(text)).href : text);
  if (!pasted)
    throw wrongUse('The address of the repository cannot be read. Use one such as https://host/owner/repository.');
  const ref = options.ref ?? pasted.ref ?? 'HEAD';
  const folder = (options.path ?? pasted.path ?? '.').replace(/^(?:\.\/)+/, '').replace(/\/+$/, '') || '.';
  if (!isGitRef(ref)) throw wrongUse('--ref takes a branch, a tag, HEAD or a full commit id.');
  if (!isRelativePath(folder)) throw wrongUse('--path takes a folder of the repository, such as modules/network.');
  return { url: pasted.url, ref, path: folder };
}

/** Result of an inspection: the commit, the module, its declarations, and the compatibility check that an installation refers to. */
export type InspectionResult = {
  address: InspectedAddress & { authConnectionId?: string };
  commit: string;
  /** The name that was given, or the default one. */
  capsuleName: string;
  report: CompatibilityReport;
  checkRunId: string;
  /** The configuration of the repository or the operator that the installation is based on. */
  config?: InstallConfig;
};

/** Finds or creates the Source of an address, and fetches its newest commit. */
export async function fetchRepository(
  work: Work,
  { workspaceId, address }: { workspaceId: string; address: InspectedAddress },
) {
  const { server, terminal, options } = work;
  const named = options['git-connection'];
  const connectionId = named === undefined ? undefined : await findGitConnection(server, workspaceId, named);
  const { source, run: sync } = await startInspection(server.api, {
    workspaceId,
    address,
    authConnectionId: connectionId,
  });
  terminal.note(`Fetching ${oneLine(source.url)} at ${address.ref}`);
  const { run } = await awaitSync(work, sync.id);
  const { sourceSnapshotId: snapshotId, resolvedCommit: commit } = run;
  if (snapshotId === undefined || commit === undefined) throw new Error('The sync ended without a snapshot.');
  return { source, run, snapshotId, commit };
}

/** Finds or creates the Source, fetches its newest commit, chooses the module and checks it. Runs none of its code. */
export async function inspectRepository(
  work: Work,
  {
    workspaceId,
    address,
    capsuleName,
  }: { workspaceId: string; address: InspectedAddress; capsuleName: string | undefined },
): Promise<InspectionResult> {
  const { server, terminal } = work;
  const { source, run, snapshotId, commit } = await fetchRepository(work, { workspaceId, address });
  const params = { sourceId: source.id, sourceSnapshotId: snapshotId };
  const { body: modules } = await server.api.getInstallModules({ params });
  const modulePath = chooseModule(work, modules, address.path);
  const [subject] = (await readSubjects(server.api, workspaceId, [run])).values();
  const said = subjectText(subject);
  terminal.note(`Commit ${shortCommit(commit)}${said ? `: ${said}` : ''}, module ${oneLine(modulePath)}`);
  work.leaves.message = 'Nothing was planned.';
  const sourceName = copyIdOf(source.url) === undefined ? undefined : source.name;
  const name = capsuleName ?? nameOf(address, modulePath, sourceName);
  const { report, checkRunId, ux } = await checkForInstall(server.api, {
    sourceId: source.id,
    snapshotId,
    modulePath,
    capsuleName: name,
  }).catch((error: unknown) => {
    throw asMissingModule(error, work, modules, modulePath);
  });
  requireReady(report, work, remedies(modules, path.posix.join(address.path, modulePath)));
  reportManifest(work, ux);
  const target = { workspaceId, url: source.url, path: address.path, modulePath };
  const config = await findInstallConfig(server.api, ux, target);
  const { authConnectionId } = source;
  return {
    address: { ...address, url: source.url, ...(authConnectionId !== undefined && { authConnectionId }) },
    commit,
    capsuleName: name,
    report,
    checkRunId,
    ...(config && { config }),
  };
}

/** Throws for blocking findings. Warnings are printed and left to the person who reads the plan. */
function requireReady(report: CompatibilityReport, { terminal }: Work, remedies: readonly string[]): void {
  const lineOf = (finding: CompatibilityReport['findings'][number]): string =>
    `  ${finding.path === undefined ? '' : `${oneLine(finding.path)}: `}${oneLine(finding.message)}${finding.suggestion ? ` ${oneLine(finding.suggestion)}` : ''}`;
  if (report.level !== 'ready') {
    const blocking = report.findings.filter(({ compatibilityImpact }) => compatibilityImpact !== 'none');
    throw failed(
      'compatibility_not_ready',
      ['The module cannot be installed as it is.', ...blocking.map(lineOf), ...remedies].join('\n'),
    );
  }
  for (const finding of report.findings.filter(({ severity }) => severity === 'warning'))
    terminal.note(terminal.paint('yellow', cut(`warning:${lineOf(finding).slice(1)}`, 400)));
}
