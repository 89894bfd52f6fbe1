import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  findTool,
  type InstallProgress,
  installTool,
  type LocatedTool,
  type RunProgram,
  type ToolVersions,
  toolCacheDir,
} from '../drivers/tofu/index.ts';
import { resourcePath } from '../kernel/entry.ts';
import type { Environment } from '../kernel/settings.ts';
import { runTool } from '../runner/index.ts';

export type ToolHost = { dataDir: string; home: string; env: Environment; settingPath: string | undefined };

const buildMs = 30 * 60_000;
/** Environment variables that a source build may see: Go's own settings, and no credential of the server. */
const builderNames =
  /^(?:PATH|HOME|LANG|TMPDIR|XDG_CACHE_HOME|GO[A-Z0-9]+|HTTPS?_PROXY|NO_PROXY|SSL_CERT_(?:FILE|DIR))$/;

const runFrom =
  (env: Environment): RunProgram =>
  async ([file = '', ...argv], options = {}) => {
    const builderEnv = Object.fromEntries(
      Object.entries(env).filter(([name, value]) => builderNames.test(name) && value !== undefined),
    ) as Record<string, string>;
    const { code, stdout } = await runTool({
      file,
      argv,
      env: builderEnv,
      timeoutMs: buildMs,
      ...(options.cwd && { cwd: options.cwd }),
    });
    return { code, stdout };
  };

export const pinnedTool = (): ToolVersions =>
  JSON.parse(readFileSync(resourcePath('tofu', 'versions.json'), 'utf8')) as ToolVersions;

/** Returns the folder of executable, unreadable copies of the tool: beside the cached tools, outside the backups of the data. */
export const toolCopiesDir = (env: NodeJS.ProcessEnv, home: string): string =>
  path.join(toolCacheDir(env, home), 'execute-only');

/** Locates the tool of this machine: the setting, then our copies, then PATH. */
export const locateTool = ({ dataDir, home, env, settingPath }: ToolHost): Promise<LocatedTool | undefined> =>
  findTool({
    dataDir,
    cacheDir: toolCacheDir(env, home),
    path: env['PATH'] ?? '',
    run: runFrom(env),
    ...(settingPath && { settingPath }),
  });

/** Installs the pinned tool into the data folder: the official archive, or a build from source when it cannot be reached. */
export const installPinnedTool = (
  { dataDir, home, env }: ToolHost,
  onProgress: (progress: InstallProgress) => void,
): Promise<LocatedTool> =>
  installTool({
    dataDir,
    cacheDir: toolCacheDir(env, home),
    versions: pinnedTool(),
    buildScript: resourcePath('tofu', 'build.sh'),
    onProgress,
    run: runFrom(env),
  });
