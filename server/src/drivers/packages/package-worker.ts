import { parentPort } from 'node:worker_threads';
import { ArchiveError } from '#server/drivers/archive/index';
import { isDiskFault } from '#server/kernel/disk';
import { type InspectedPackage, type InspectRequest, inspectPackage } from './inspect-package.ts';
import { PackageError, type PackageErrorCode } from './package-error.ts';
import { type Unpacked, type UnpackRequest, unpack } from './unpack.ts';

/* Thread that unpacks packages, because inflating and hashing would block the server's own thread. */

export type PackageTask = { unpack: UnpackRequest } | { inspect: InspectRequest };
export type PackageAnswer =
  | { unpacked: Unpacked }
  | { inspected: InspectedPackage }
  | { code: PackageErrorCode; message: string };

async function answer(task: PackageTask): Promise<PackageAnswer> {
  try {
    return 'unpack' in task ? { unpacked: await unpack(task.unpack) } : { inspected: inspectPackage(task.inspect) };
  } catch (error) {
    return failureOf(error);
  }
}

const archiveCodes = {
  archive_missing: 'package_changed',
  archive_corrupt: 'package_changed',
  archive_path_refused: 'package_refused',
  archive_too_large: 'package_too_large',
} as const satisfies Record<ArchiveError['code'], PackageErrorCode>;

function failureOf(error: unknown): { code: PackageErrorCode; message: string } {
  if (error instanceof PackageError) return { code: error.code, message: error.message };
  if (error instanceof ArchiveError) {
    return { code: archiveCodes[error.code], message: error.message };
  }
  const name = String((error as NodeJS.ErrnoException)?.code ?? (error as Error)?.name);
  if (isDiskFault(error)) return { code: 'disk_full', message: 'The disk is full or read-only. Free some space.' };
  return { code: 'package_refused', message: `The package could not be unpacked (${name}).` };
}

const port = parentPort;

port?.on('message', async (task: PackageTask) => port.postMessage(await answer(task)));
