import fs from 'node:fs';
import path from 'node:path';
import { TofuError } from './error.ts';
import type { ToolIdentity, ToolName } from './types.ts';
import { compareVersions } from './version.ts';

/** Runs a short program to its end: argument vector with the program first; `code` is null when a signal ended it. */
export type RunProgram = (
  argv: readonly string[],
  options?: { cwd?: string; signal?: AbortSignal },
) => Promise<{ code: number | null; stdout: string }>;

export type ToolOrigin = 'setting' | 'managed' | 'bundled' | 'cache' | 'path';
export type LocatedTool = ToolIdentity & { origin: ToolOrigin };

export type FindToolRequest = {
  /** Path from a setting: only this one is used. */
  settingPath?: string;
  dataDir: string;
  /** Folder of the copy that a desktop package includes. */
  bundledDir?: string;
  /** Cache outside the data folder, see `toolCacheDir`. */
  cacheDir: string;
  /** The PATH to search; relative entries are skipped. */
  path: string;
  run: RunProgram;
};

/**
 * Finds the tool to use, with the version it reports: setting, managed copy, bundled copy, cache, `tofu` on PATH,
 * `terraform` on PATH. Undefined when none is found. Throws `tool_unavailable` when a setting names one that does not
 * run.
 */
export async function findTool(request: FindToolRequest): Promise<LocatedTool | undefined> {
  if (request.settingPath !== undefined) {
    const tool = await identify({ path: request.settingPath, origin: 'setting' }, request.run);
    if (tool === undefined)
      throw new TofuError(
        'tool_unavailable',
        'The tool named in the settings does not run; correct the setting or remove it.',
      );
    return tool;
  }
  for (const candidate of candidates(request)) {
    const tool = await identify(candidate, request.run);
    if (tool !== undefined) return tool;
  }
  return undefined;
}

/** Returns the folder of a managed copy: `<dataDir>/tools/tofu/<version>`. */
export const managedToolDir = (dataDir: string, version: string): string =>
  path.join(dataDir, 'tools', 'tofu', version);

/** Returns the folder of a copy that was built or downloaded for every checkout: `<cacheDir>/tofu/<version>`. */
export const cachedToolDir = (cacheDir: string, version: string): string => path.join(cacheDir, 'tofu', version);

/** Returns `$XDG_CACHE_HOME/groundctl`, or `~/.cache/groundctl` (XDG Base Directory Specification). */
export function toolCacheDir(env: { readonly [name: string]: string | undefined }, home: string): string {
  const base = env.XDG_CACHE_HOME;
  return path.join(base !== undefined && path.isAbsolute(base) ? base : path.join(home, '.cache'), 'groundctl');
}

/** Returns the file name of a program on this platform. */
export const programName = (name: ToolName): string => (process.platform === 'win32' ? `${name}.exe` : name);

/** Folders of Homebrew, which are not on the PATH of a program that was started from the Finder of macOS. */
const homebrewFolders = ['/opt/homebrew/bin', '/usr/local/bin'];

/** Returns the folders to search: those of PATH, and on macOS those of Homebrew. Relative ones are skipped. */
export function programFolders(searchPath: string, platform: NodeJS.Platform = process.platform): string[] {
  const { delimiter, isAbsolute } = platform === 'win32' ? path.win32 : path.posix;
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
  return platform === 'darwin' ? [...new Set([...folders, ...homebrewFolders])] : folders;
}

type Candidate = { path: string; origin: ToolOrigin };

function* candidates(request: FindToolRequest): Generator<Candidate> {
  const tofu = programName('tofu');
  yield* versioned(managedToolDir(request.dataDir, ''), 'managed');
  if (request.bundledDir !== undefined) yield { path: path.join(request.bundledDir, tofu), origin: 'bundled' };
  yield* versioned(cachedToolDir(request.cacheDir, ''), 'cache');
  const folders = programFolders(request.path);
  for (const name of [tofu, programName('terraform')])
    for (const folder of folders) yield { path: path.join(folder, name), origin: 'path' };
}

/** Yields installed copies by version, the newest first. */
function* versioned(folder: string, origin: ToolOrigin): Generator<Candidate> {
  const versions = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => /^\d/.test(name)) : [];
  for (const version of versions.sort((left, right) => compareVersions(right, left)))
    yield { path: path.join(folder, version, programName('tofu')), origin };
}

/** Returns the tool and version that a program reports: its first line is `OpenTofu v1.12.6` or `Terraform v1.11.4`. */
export async function identify(candidate: Candidate, run: RunProgram): Promise<LocatedTool | undefined> {
  if (!isProgram(candidate.path)) return undefined;
  const answer = await run([candidate.path, 'version']).catch(() => undefined);
  const match = answer?.code === 0 ? /^(OpenTofu|Terraform) v(\d+\.\d+\.\d+\S*)/m.exec(answer.stdout) : null;
  if (match === null) return undefined;
  const name: ToolName = match[1] === 'OpenTofu' ? 'tofu' : 'terraform';
  return { name, version: match[2] as string, path: candidate.path, origin: candidate.origin };
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
