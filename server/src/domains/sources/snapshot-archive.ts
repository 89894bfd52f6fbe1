import { archivePath } from '#server/drivers/archive/index';
import type { SnapshotRow } from './store.ts';

/** Returns the file of a snapshot's archive, and the digest that its bytes must have. */
export const snapshotArchive = (archivesDir: string, { archiveDigest }: SnapshotRow) => ({
  path: archivePath(archivesDir, archiveDigest),
  digest: archiveDigest,
});
