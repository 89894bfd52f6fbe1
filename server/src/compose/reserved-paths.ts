import { realpathSync } from 'node:fs';
import path from 'node:path';
import { toolCacheDir } from '../drivers/tofu/index.ts';
import { repositoryRoot } from '../kernel/entry.ts';
import type { Settings } from '../kernel/settings.ts';

type Host = { env: NodeJS.ProcessEnv; home: string };

/**
 * Lists folders and files that no module may write to: data and keys of the server, its programs, and every folder in
 * which it looks for the tool, which it starts outside the sandbox to read the version. Each is listed under its real
 * path too.
 */
export function listReservedPaths(settings: Settings, { env, home }: Host): string[] {
  const { dataDir, keyFile, passphraseFile, caFile, toolPath, providerMirror, supervisorNode } = settings;
  const searched = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const named = [dataDir, keyFile, passphraseFile, caFile, toolPath, providerMirror, supervisorNode];
  const all = [
    ...named.flatMap((one) => (one === undefined ? [] : path.resolve(one))),
    ...[toolCacheDir(env, home), repositoryRoot, process.execPath],
    ...searched,
  ];
  return [...new Set(all.flatMap((one) => [one, realPathOf(one)]))];
}

/** Returns the path with links resolved, or the path itself when it does not exist. */
export function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
