import type { ManifestFinding } from '#server/drivers/manifest/index';
import type { RepositoryManifest } from '#shared/sources/contract';
import type { ManifestRow } from './store.ts';

/** What a snapshot tells of its manifest. */
export function statusOf(found: ManifestFinding): RepositoryManifest {
  if (found.status === 'absent') return { status: 'absent' };
  if (found.status === 'present') return { status: 'present', digest: found.digest };
  const { reason } = found;
  return { status: 'invalid', reason, ...('digest' in found && { digest: found.digest }) };
}

/** What is kept of a manifest beside the snapshot, where there is anything. */
export function manifestRows(snapshotId: string, found: ManifestFinding): ManifestRow[] {
  if (found.status === 'present')
    return [{ snapshotId, document: found.text, modulePaths: found.modulePaths, problems: [] }];
  if (found.status === 'invalid' && found.reason === 'invalid_document')
    return [{ snapshotId, document: null, modulePaths: [], problems: found.problems }];
  return [];
}
