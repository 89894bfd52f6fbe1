import { posix } from 'node:path';
import { archivePath } from '#server/drivers/archive/index';
import type { Scan } from '#server/drivers/scan/index';
import { digestOf } from '#server/kernel/digest';
import { invalidArgument, notFound } from '#server/kernel/errors';
import { limits } from '#shared/limits';
import { manifestPath } from '#shared/vendor';
import { unreadable } from './snapshot-scans.ts';
import type { SnapshotRow } from './store.ts';

type Deps = {
  scan: Pick<Scan, 'readFile'>;
  sources: { getSnapshotRow: (sourceId: string, snapshotId: string) => SnapshotRow };
  archivesDir: string;
};

/** Reads single text files of a snapshot; the repository manifest is read only with the snapshot itself. */
export function createSnapshotFiles({ scan, sources, archivesDir }: Deps) {
  return {
    async readFile(sourceId: string, snapshotId: string, file: string) {
      const snapshot = sources.getSnapshotRow(sourceId, snapshotId);
      const field = { field: '/path' };
      if (posix.join(snapshot.path, file) === manifestPath)
        throw invalidArgument(
          'snapshot_file_reserved',
          'The repository manifest cannot be read here. Read the manifest of the snapshot.',
          field,
        );
      const entry = await scan.readFile({
        path: archivePath(archivesDir, snapshot.archiveDigest),
        digest: snapshot.archiveDigest,
        name: file,
      });
      if (entry.kind === 'failed') throw unreadable(entry.archiveFault, entry.failure);
      if (entry.kind !== 'file') {
        const isLeftOut = snapshot.leftOut.some(({ path }) => path === file);
        if (isLeftOut || entry.kind === 'folder') {
          throw invalidArgument(
            'snapshot_file_not_regular',
            'The path leads to a folder, a link or a submodule. Choose a regular file.',
            field,
          );
        }
        throw notFound('file in this snapshot');
      }
      const { bytes } = entry;
      if (bytes.length > limits.snapshotFileBytes)
        throw invalidArgument(
          'snapshot_file_too_large',
          'The file is larger than 131,072 bytes. Read it in the repository.',
          field,
        );
      return {
        sourceSnapshotId: snapshotId,
        path: file,
        text: decode(bytes),
        digest: digestOf(bytes),
        sizeBytes: bytes.length,
      };
    },
  };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalidArgument('snapshot_file_invalid_utf8', 'The file is not UTF-8 text. Read it in the repository.', {
      field: '/path',
    });
  }
}
