import { posix } from 'node:path';
import type { Code } from '#server/drivers/code/index';
import { digestOf } from '#server/kernel/digest';
import { invalidArgument, notFound } from '#server/kernel/errors';
import { limits } from '#shared/limits';
import { manifestPath } from '#shared/vendor';
import { snapshotArchive } from './snapshot-archive.ts';
import { unreadable } from './snapshot-scans.ts';
import type { SnapshotRow } from './store.ts';

type Deps = {
  code: Pick<Code, 'readFile' | 'readLines' | 'readReadme'>;
  sources: { getSnapshotRow: (sourceId: string, snapshotId: string) => SnapshotRow };
  archivesDir: string;
};

const field = { field: '/path' };

/** Reads single text files of a snapshot; the repository manifest is read only with the snapshot itself. */
export function createSnapshotFiles({ code, sources, archivesDir }: Deps) {
  const archiveOf = (snapshot: SnapshotRow) => snapshotArchive(archivesDir, snapshot);

  return {
    async readFile(sourceId: string, snapshotId: string, file: string) {
      const snapshot = sources.getSnapshotRow(sourceId, snapshotId);
      refuseManifest(snapshot, file);
      const entry = await code.readFile({ ...archiveOf(snapshot), name: file });
      if (entry.kind === 'failed') throw unreadable(entry.archiveFault, entry.failure);
      if (entry.kind !== 'file') throw notAFile(snapshot, file, entry.kind);
      const { bytes } = entry;
      if (bytes.length > limits.snapshotFileBytes) throw tooLarge('131,072 bytes');
      return {
        sourceSnapshotId: snapshotId,
        path: file,
        text: decode(bytes),
        digest: digestOf(bytes),
        sizeBytes: bytes.length,
      };
    },

    /** Reads lines of a text file, counted from 1; those after its end are left out. */
    async readLines(sourceId: string, snapshotId: string, { path, from, to }: LinesQuery) {
      const snapshot = sources.getSnapshotRow(sourceId, snapshotId);
      refuseManifest(snapshot, path);
      const entry = await code.readLines({ ...archiveOf(snapshot), name: path, from, to });
      if (entry.kind === 'failed') throw unreadable(entry.archiveFault, entry.failure);
      if (entry.kind === 'too_large') throw tooLarge('2 MiB');
      if (entry.kind === 'not_text') throw notText();
      if (entry.kind !== 'lines') throw notAFile(snapshot, path, entry.kind);
      const { lines, totalLines } = entry;
      return { sourceSnapshotId: snapshotId, path, from, lines, totalLines };
    },

    /** Reads the README of a folder of a snapshot. The answer has none when the folder has none that is UTF-8 text. */
    async readReadme(sourceId: string, snapshotId: string, folder: string) {
      const snapshot = sources.getSnapshotRow(sourceId, snapshotId);
      const entry = await code.readReadme({ ...archiveOf(snapshot), folder });
      if (entry.kind === 'failed') throw unreadable(entry.archiveFault, entry.failure);
      if (entry.kind === 'absent') return { sourceSnapshotId: snapshotId };
      const { kind: _, ...readme } = entry;
      return { sourceSnapshotId: snapshotId, readme };
    },
  };
}

type LinesQuery = { path: string; from: number; to: number };

function refuseManifest(snapshot: SnapshotRow, file: string): void {
  if (posix.join(snapshot.path, file) === manifestPath)
    throw invalidArgument(
      'snapshot_file_reserved',
      'The repository manifest cannot be read here. Read the manifest of the snapshot.',
      field,
    );
}

function notAFile(snapshot: SnapshotRow, file: string, kind: 'folder' | 'absent'): Error {
  const isLeftOut = snapshot.leftOut.some(({ path }) => path === file);
  if (!isLeftOut && kind === 'absent') return notFound('file in this snapshot');
  return invalidArgument(
    'snapshot_file_not_regular',
    'The path leads to a folder, a link or a submodule. Choose a regular file.',
    field,
  );
}

const tooLarge = (limit: string): Error =>
  invalidArgument('snapshot_file_too_large', `The file is larger than ${limit}. Read it in the repository.`, field);

const notText = (): Error =>
  invalidArgument('snapshot_file_invalid_utf8', 'The file is not UTF-8 text. Read it in the repository.', field);

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notText();
  }
}
