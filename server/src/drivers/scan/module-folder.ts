import path from 'node:path';
import { isJsonObject, type Json } from '#shared/kernel/json';
import type { InstallModulesReason, ScanProblem } from '#shared/sources/module-scan';
import { attribute, type LoadedFile, type Problem } from './blocks.ts';
import { type Configuration, readConfiguration } from './configuration.ts';
import { type ProviderReference, providerReference } from './expressions.ts';
import { isConfiguration, type LoadedName, loadOrder, lockFileName } from './file-names.ts';
import { type RemoteSource, resolveCall } from './local-source.ts';
import type { Parser } from './parse-file.ts';
import { describeKind, leftOutConfiguration, type SourceTree, type TreeFile } from './source-tree.ts';
import type { ToolName } from './types.ts';

/** A provider configuration passed to a called module: its name there, and its name here. */
type PassedProvider = { child: string; parent: ProviderReference };
/** A call of a module inside the repository. */
type LocalCall = { name: string; target: string; passed: readonly PassedProvider[]; file: string };

/** A call of a module elsewhere. `file` is that of its first block; an override may set the source. */
export type DeclaredRemoteCall = RemoteSource & { name: string; file: string };

export type FolderProblem = ScanProblem & {
  reason: Extract<InstallModulesReason, 'configuration_invalid' | 'file_too_large'>;
};

/** Creates a problem because of which the tool would reject the configuration. */
export const invalid = (at: string, message: string): FolderProblem => ({
  path: at,
  code: 'configuration_invalid',
  message,
  reason: 'configuration_invalid',
});

/** One folder of configuration, read as the running tool reads it. */
export type ModuleFolder = {
  path: string;
  configuration: Configuration;
  calls: readonly LocalCall[];
  /** Each has a problem as well, because a scan does not follow it. */
  remoteCalls: readonly DeclaredRemoteCall[];
  problems: readonly FolderProblem[];
  /** Configuration files, without the lock file. */
  files: readonly TreeFile[];
  /** First `.tofu` file that a tool other than tofu ignores. */
  unreadTofuFile: string | undefined;
  /** Body of the lock file; undefined when it does not exist. */
  lock: { file: TreeFile; root: Json } | undefined;
};

export type FolderReader = (path: string) => Promise<ModuleFolder>;

type Context = { tree: SourceTree; toolName: ToolName; parse: Parser };

/** Reads folders of one archive, each once. */
export function createFolderReader(context: Context): FolderReader {
  const known = new Map<string, Promise<ModuleFolder>>();
  return (folder) => {
    const reading = known.get(folder) ?? readFolder(folder, context);
    known.set(folder, reading);
    return reading;
  };
}

async function readFolder(folder: string, context: Context): Promise<ModuleFolder> {
  const { tree, toolName } = context;
  const problems: FolderProblem[] = [...unreadConfiguration(folder, context)];
  const names = tree.folders.get(folder) ?? [];
  const loaded: LoadedFile[] = [];
  for (const name of loadOrder(names, toolName)) {
    const file = await loadFile(path.posix.join(folder, name.name), name, context, problems);
    if (file) loaded.push(file);
  }
  const refused: Problem[] = [];
  const configuration = readConfiguration(loaded, toolName, refused);
  problems.push(...refused.map((problem) => invalid(problem.path, problem.message)));
  const lock = names.includes(lockFileName)
    ? await readLock(path.posix.join(folder, lockFileName), context, problems)
    : undefined;
  const tofuName = names.find((name) => isConfiguration(name, 'tofu') && !isConfiguration(name, toolName));
  return {
    path: folder,
    configuration,
    ...readCalls(folder, configuration, context, problems),
    problems,
    files: loaded.flatMap((file) => tree.contents.get(file.path) ?? []),
    unreadTofuFile: tofuName === undefined ? undefined : path.posix.join(folder, tofuName),
    lock,
  };
}

/**
 * Returns a problem for configuration that a snapshot leaves out: in a working copy the tool would read files that no
 * scan has checked.
 */
export const unreadConfiguration = (folder: string, { tree, toolName }: Omit<Context, 'parse'>): FolderProblem[] =>
  leftOutConfiguration(tree, folder, toolName).map((at) => {
    const kind = describeKind(tree.leftOut.get(at) ?? '');
    return invalid(
      at,
      `This configuration file is ${kind}, which is not part of a snapshot. It must be a regular file.`,
    );
  });

async function loadFile(
  at: string,
  name: LoadedName,
  context: Context,
  problems: FolderProblem[],
): Promise<LoadedFile | undefined> {
  const root = await parseTreeFile(at, name.json, context, problems);
  if (root === undefined) return undefined;
  return { path: at, override: name.override, tofu: name.tofu, json: name.json, root };
}

async function parseTreeFile(
  at: string,
  json: boolean,
  context: Context,
  problems: FolderProblem[],
): Promise<Json | undefined> {
  const file = context.tree.contents.get(at);
  if (!file?.bytes) {
    const message = 'This file is larger than a scan reads. Choose a Source path without it.';
    problems.push({ ...invalid(at, message), reason: 'file_too_large' });
    return undefined;
  }
  const parsed = await context.parse({ bytes: file.bytes, digest: file.digest, json });
  if (parsed.ok) return parsed.root;
  problems.push(invalid(at, `This file cannot be read as configuration: ${parsed.message}.`));
  return undefined;
}

async function readLock(at: string, context: Context, problems: FolderProblem[]): Promise<ModuleFolder['lock']> {
  const root = await parseTreeFile(at, false, context, problems);
  const file = context.tree.contents.get(at);
  return root === undefined || !file ? undefined : { file, root };
}

function readCalls(
  folder: string,
  configuration: Configuration,
  context: Context,
  problems: FolderProblem[],
): Pick<ModuleFolder, 'calls' | 'remoteCalls'> {
  const calls: LocalCall[] = [];
  const remoteCalls: DeclaredRemoteCall[] = [];
  for (const call of configuration.calls) {
    const resolved = resolveCall(call, folder, context);
    const [name, { file }] = [call.labels[0] as string, call];
    if ('problem' in resolved) {
      problems.push({ ...resolved.problem, reason: 'configuration_invalid' });
      if (resolved.remote) remoteCalls.push({ ...resolved.remote, name, file });
    } else {
      const passed = readPassed(attribute(call.body, 'providers'));
      calls.push({ name, target: resolved.target, passed, file });
    }
  }
  return { calls: calls.sort(byName), remoteCalls: remoteCalls.sort(byName) };
}

const byName = (left: { name: string }, right: { name: string }): number => (left.name < right.name ? -1 : 1);

function readPassed(value: Json | undefined): PassedProvider[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([child, reference]) => {
    const parent = providerReference(reference);
    return parent ? [{ child, parent }] : [];
  });
}
