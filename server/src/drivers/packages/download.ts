import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { GitAccess } from '#server/drivers/git/index';
import { bounds } from './bounds.ts';
import { PackageError, refused } from './package-error.ts';
import { createPackageHttp, failureOfStatus } from './package-http.ts';
import type { PackageCredentials, ResolvedArchive } from './package-types.ts';

const peer = { server: 'server of the module', address: 'module address' };

type DownloadRequest = {
  resolved: ResolvedArchive;
  /** New file. */
  file: string;
  credentials: PackageCredentials | undefined;
  access: GitAccess;
  signal: AbortSignal;
};

/** Downloads an archive into a new file and compares its checksum. Throws `PackageError`, or the reason of the signal. */
export async function download({ resolved, file, credentials, access, signal }: DownloadRequest): Promise<void> {
  const url = new URL(resolved.url);
  const isRegistry = url.host === resolved.tokenHost;
  const token = isRegistry ? credentials?.registryTokens?.get(url.host) : undefined;
  const http = createPackageHttp(access, signal, peer);
  try {
    const answer = await http.get(url, { maxBytes: bounds.downloadBytes, token });
    const failure = failureOfStatus(answer.status, peer, token !== undefined);
    if (failure) throw failure;
    if (answer.status !== 200) throw refused('The server of the module delivers an empty archive.');
    const hash = createHash(resolved.checksum?.algorithm ?? 'sha256');
    const handle = await fs.promises.open(file, 'wx', 0o600);
    try {
      for await (const chunk of answer.body) {
        hash.update(chunk);
        await handle.writeFile(chunk);
      }
    } finally {
      await handle.close();
    }
    if (resolved.checksum && hash.digest('hex') !== resolved.checksum.value) throw changed();
  } finally {
    http.close();
  }
}

const changed = (): PackageError =>
  new PackageError('package_changed', 'The archive of the module does not have the checksum of its address.');
