import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { cachedToolDir, identify, type LocatedTool, managedToolDir, programName, type RunProgram } from './binary.ts';
import { TofuError } from './error.ts';
import { currentPlatform } from './provider-store.ts';
import { readZipFile } from './zip.ts';

/**
 * Pinned release: archives by platform, with the SHA-256 of each in hex. A platform without one is never downloaded.
 */
export type ToolVersions = {
  version: string;
  /** HTTPS folder of the archives, ending in `/`. */
  baseUrl: string;
  archives: { readonly [platform: string]: { file: string; sha256: string } };
};

export type InstallProgress =
  | { step: 'download'; receivedBytes: number; totalBytes?: number }
  | { step: 'verify' }
  | { step: 'build'; reason: string }
  | { step: 'done'; tool: LocatedTool };

export type InstallRequest = {
  dataDir: string;
  /** Folder in which a build is cached for every checkout and data folder, see `toolCacheDir`. */
  cacheDir: string;
  versions: ToolVersions;
  /** The script that builds the pinned version from source and prints the path of the binary on its last line. */
  buildScript?: string;
  platform?: string;
  onProgress?: (progress: InstallProgress) => void;
  signal?: AbortSignal;
  /** Runs `sh` and the installed tool; for the build its environment needs PATH, HOME and Go's own settings. */
  run: RunProgram;
  fetch?: typeof globalThis.fetch;
};

const maxArchiveBytes = 256 * 1024 * 1024;
const maxProgramBytes = 512 * 1024 * 1024;

/**
 * Installs the pinned version: the official archive, verified by its SHA-256 and moved into place atomically. When the
 * release site cannot be reached, or no hash is pinned for this platform, it builds from source. A wrong hash ends the
 * installation: it must not cause a build. Throws `tool_download_failed` or `tool_build_failed`.
 */
export async function installTool(request: InstallRequest): Promise<LocatedTool> {
  const installed = await findInstalled(request);
  if (installed !== undefined) return finish(request, installed);
  const unreachable = await download(request);
  if (unreachable === undefined) {
    const tool = await identify({ path: managedPath(request), origin: 'managed' }, request.run);
    if (tool?.version !== request.versions.version) {
      fs.rmSync(managedPath(request), { force: true });
      throw new TofuError(
        'tool_download_failed',
        'The downloaded tool does not run on this machine; install OpenTofu yourself and name it in the settings.',
      );
    }
    return finish(request, tool);
  }
  request.signal?.throwIfAborted();
  return finish(request, await build(request, unreachable));
}

const managedPath = (request: InstallRequest): string =>
  path.join(managedToolDir(request.dataDir, request.versions.version), programName('tofu'));

async function findInstalled(request: InstallRequest): Promise<LocatedTool | undefined> {
  const cached = path.join(cachedToolDir(request.cacheDir, request.versions.version), programName('tofu'));
  const candidates = [
    { path: managedPath(request), origin: 'managed' as const },
    { path: cached, origin: 'cache' as const },
  ];
  for (const candidate of candidates) {
    const tool = await identify(candidate, request.run);
    if (tool?.version === request.versions.version) return tool;
  }
  return undefined;
}

/**
 * Returns undefined when the tool is in place, else why the archive could not be downloaded, as the end of a sentence.
 */
async function download(request: InstallRequest): Promise<string | undefined> {
  const pinned = request.versions.archives[request.platform ?? currentPlatform()];
  if (pinned === undefined) return 'no checksum of a release archive is pinned for this platform';
  let archive: Buffer;
  try {
    archive = await fetchArchive(new URL(pinned.file, request.versions.baseUrl), request);
  } catch (error) {
    request.signal?.throwIfAborted();
    if (error instanceof TofuError) throw error;
    return 'the release site could not be reached';
  }
  request.onProgress?.({ step: 'verify' });
  if (createHash('sha256').update(archive).digest('hex') !== pinned.sha256)
    throw new TofuError(
      'tool_download_failed',
      'The downloaded archive does not have the pinned checksum, so it was not used. Check the network or proxy and try again.',
    );
  writeAtomically(managedPath(request), readZipFile(archive, programName('tofu'), maxProgramBytes));
  return undefined;
}

async function fetchArchive(url: URL, request: InstallRequest): Promise<Buffer> {
  const response = await (request.fetch ?? globalThis.fetch)(url, {
    signal: request.signal ?? null,
    redirect: 'follow',
  });
  const secure = url.protocol === 'https:' && (response.url === '' || response.url.startsWith('https:'));
  if (!secure) throw new TofuError('tool_download_failed', 'The release site left HTTPS, so nothing was downloaded.');
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
  const total = Number(response.headers.get('content-length'));
  const pieces: Uint8Array[] = [];
  let receivedBytes = 0;
  for await (const piece of response.body) {
    pieces.push(piece);
    receivedBytes += piece.length;
    if (receivedBytes > maxArchiveBytes)
      throw new TofuError(
        'tool_download_failed',
        'The release archive is larger than any release; nothing was installed.',
      );
    request.onProgress?.({ step: 'download', receivedBytes, ...(total > 0 ? { totalBytes: total } : {}) });
  }
  return Buffer.concat(pieces);
}

function writeAtomically(target: string, bytes: Buffer): void {
  const folder = path.dirname(target);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = path.join(folder, `.${randomUUID()}.part`);
  try {
    fs.writeFileSync(temporary, bytes, { mode: 0o755, flag: 'wx', flush: true });
    fs.renameSync(temporary, target);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

async function build(request: InstallRequest, reason: string): Promise<LocatedTool> {
  if (request.buildScript === undefined || process.platform === 'win32')
    throw new TofuError(
      'tool_download_failed',
      `OpenTofu was not installed: ${reason}. Install it yourself and name it in the settings.`,
    );
  request.onProgress?.({ step: 'build', reason });
  const argv = ['sh', request.buildScript];
  const answer = await request.run(argv, request.signal === undefined ? {} : { signal: request.signal });
  const built = answer.stdout.trimEnd().split('\n').at(-1) ?? '';
  const tool = answer.code === 0 ? await identify({ path: built, origin: 'cache' }, request.run) : undefined;
  if (tool?.version === request.versions.version) return tool;
  const details = answer.code === null ? { argv } : { argv, exitCode: answer.code };
  throw new TofuError(
    'tool_build_failed',
    `OpenTofu was not installed: ${reason}, and it could not be built from source. Install Go 1.26, or install OpenTofu yourself.`,
    details,
  );
}

function finish(request: InstallRequest, tool: LocatedTool): LocatedTool {
  request.onProgress?.({ step: 'done', tool });
  return tool;
}
