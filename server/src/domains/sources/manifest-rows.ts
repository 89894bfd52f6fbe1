import type { ManifestFinding } from '#server/drivers/manifest/index';
import type { RepositoryManifest } from '#shared/sources/contract';
import type { ManifestRow } from './store.ts';

/** Returns the manifest status of a snapshot. */
export function statusOf(finding: ManifestFinding): RepositoryManifest {
  if (finding.status === 'absent') return { status: 'absent' };
  if (finding.status === 'present') return { status: 'present', digest: finding.digest };
  const { reason } = finding;
  return { status: 'invalid', reason, ...('digest' in finding && { digest: finding.digest }) };
}

/** Returns the rows that store a manifest beside its snapshot, if there is one. */
export function manifestRows(snapshotId: string, finding: ManifestFinding): ManifestRow[] {
  if (finding.status === 'present')
    return [{ snapshotId, document: finding.text, modulePaths: finding.modulePaths, problems: [] }];
  if (finding.status === 'invalid' && finding.reason === 'invalid_document')
    return [{ snapshotId, document: null, modulePaths: [], problems: finding.problems }];
  return [];
}
