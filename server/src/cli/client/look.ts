import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InstallConfig } from '#shared/configs/contract';
import { isRelativePath } from '#shared/relative-path';
import { isGitRef } from '#shared/sources/git-address';
import type { InstallModulesReason, ScanProblem } from '#shared/sources/module-scan';
import { readPastedAddress } from '#shared/sources/pasted-address';
import type { CompatibilityReport } from '#shared/sources/report';
import { nameOf, sourceNameOf } from '#shared/sources/repository-name';
import { CommandError, exitCodes, failed, wrongUse } from '../exit-codes.ts';
import type { OptionValues } from '../options.ts';
import { findGitConnection } from './bindings.ts';
import type { Work } from './command.ts';
import { readAdopted } from './manifest.ts';
import { listSources, syncSource } from './sources.ts';
import { cut, oneLine, shortCommit } from './text.ts';

export type Address = { url: string; ref: string; path: string };

/** The repository that was named, with ref and folder from options or from the address itself. */
export function readAddress(text: string, options: OptionValues, isHere: boolean): Address {
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

/** What was found: the commit, the module, what it declares, and the check that an installation refers to. */
export type Looked = {
  address: Address & { authConnectionId?: string };
  commit: string;
  report: CompatibilityReport;
  checkRunId: string;
  /** What the manifest of the repository was compiled into. */
  config?: InstallConfig;
};

/** Finds or makes the Source, fetches its newest commit, chooses the module and checks it. Runs nothing of it. */
export async function lookInside(
  work: Work,
  { workspaceId, address, capsuleName }: { workspaceId: string; address: Address; capsuleName: string | undefined },
): Promise<Looked> {
  const { server, terminal, options } = work;
  const named = options['git-connection'];
  const asked = named === undefined ? undefined : await findGitConnection(server, workspaceId, named);
  const source = await findOrMakeSource(work, { workspaceId, address, authConnectionId: asked });
  terminal.note(`Fetching ${oneLine(source.url)} at ${address.ref}`);
  const { run } = await syncSource(work, source.id);
  const snapshotId = run.sourceSnapshotId ?? '';
  const commit = run.resolvedCommit ?? '';
  const modulePath = await chooseModule(work, { sourceId: source.id, snapshotId });
  terminal.note(`Commit ${shortCommit(commit)}, module ${modulePath}`);
  work.leaves.sentence = 'Nothing was planned.';
  const { body } = await server.api.checkCompatibility({
    params: { sourceId: source.id },
    body: {
      sourceSnapshotId: snapshotId,
      modulePath,
      compileInstallUx: true,
      capsuleName: capsuleName ?? nameOf(address, modulePath),
    },
  });
  requireReady(body.report, work);
  const config = await readAdopted(work, body.repositoryInstallUx);
  const { authConnectionId } = source;
  return {
    address: { ...address, url: source.url, ...(authConnectionId !== undefined && { authConnectionId }) },
    commit,
    report: body.report,
    checkRunId: body.run.id,
    ...(config && { config }),
  };
}

type SourceAsk = { workspaceId: string; address: Address; authConnectionId: string | undefined };

async function findOrMakeSource({ server }: Work, { workspaceId, address, authConnectionId }: SourceAsk) {
  const found = (await listSources(server, { workspaceId, url: address.url })).find(
    (one) =>
      one.defaultRef === address.ref &&
      one.defaultPath === address.path &&
      one.status !== 'disabled' &&
      (authConnectionId === undefined || one.authConnectionId === authConnectionId),
  );
  if (found) return found;
  const body = {
    workspaceId,
    name: sourceNameOf(address.url),
    url: address.url,
    defaultRef: address.ref,
    defaultPath: address.path,
    ...(authConnectionId !== undefined && { authConnectionId }),
  };
  return (await server.api.createSource({ body })).body.source;
}

const reasons: Readonly<Record<InstallModulesReason, string>> = {
  scan_unavailable: 'this commit was never scanned',
  scan_failed: 'the scan did not end',
  file_limit_exceeded: 'it has more configuration files than a scan reads',
  file_too_large: 'a configuration file is too large',
  total_bytes_exceeded: 'its configuration files are too large together',
  module_limit_exceeded: 'it has more modules than a scan lists',
  configuration_invalid: 'its configuration cannot be used as it is',
};
const shownModules = 200;

async function chooseModule(
  { server, options, terminal }: Work,
  at: { sourceId: string; snapshotId: string },
): Promise<string> {
  const params = { sourceId: at.sourceId, sourceSnapshotId: at.snapshotId };
  const { body } = await server.api.getInstallModules({ params });
  if (body.status === 'invalid') {
    throw failed(body.reason, invalidText(reasons[body.reason], body.findings, body.cleanScopes));
  }
  const paths = body.modules.map((module) => module.path);
  const wanted = options.module?.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '') || (options.module && '.');
  if (wanted !== undefined && paths.includes(wanted)) return wanted;
  if (wanted === undefined && paths.length === 1) return paths[0] ?? '.';
  if (paths.length === 0) throw failed('no_module', 'There is no module here. Name another folder with --path.');
  if (terminal.isJson) terminal.document({ modules: paths });
  const lead =
    wanted === undefined
      ? 'There are several modules. Choose one'
      : `There is no module "${oneLine(wanted)}". Choose one`;
  const more = paths.length > shownModules ? `\n  … and ${paths.length - shownModules} more` : '';
  const list = paths.slice(0, shownModules).map((one) => `\n  --module ${oneLine(one)}`);
  throw new CommandError(`${lead}:${list.join('')}${more}`, {
    exitCode: exitCodes.wrongUse,
    code: 'module_path_required',
  });
}

const shownFindings = 20;

function invalidText(reason: string, findings: readonly ScanProblem[], cleanScopes: readonly string[]): string {
  const more = findings.length - shownFindings;
  return [
    `No module can be installed from here: ${reason}.`,
    ...findings.slice(0, shownFindings).map((one) => `  ${oneLine(one.path)}: ${oneLine(one.message)}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
    ...(cleanScopes.length > 0
      ? ['These folders can be used:', ...cleanScopes.map((one) => `  --path ${oneLine(one)}`)]
      : []),
  ].join('\n');
}

/** Blocking findings end it; warnings are told and left to the person who reads the plan. */
function requireReady(report: CompatibilityReport, { terminal }: Work): void {
  const lineOf = (finding: CompatibilityReport['findings'][number]): string =>
    `  ${finding.path === undefined ? '' : `${oneLine(finding.path)}: `}${oneLine(finding.message)}${finding.suggestion ? ` ${oneLine(finding.suggestion)}` : ''}`;
  if (report.level !== 'ready') {
    const blocking = report.findings.filter(({ compatibilityImpact }) => compatibilityImpact !== 'none');
    throw failed(
      'compatibility_not_ready',
      ['The module cannot be installed as it is.', ...blocking.map(lineOf)].join('\n'),
    );
  }
  for (const finding of report.findings.filter(({ severity }) => severity === 'warning'))
    terminal.note(terminal.paint('yellow', cut(`warning:${lineOf(finding).slice(1)}`, 400)));
}
