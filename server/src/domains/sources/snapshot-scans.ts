import { type ArchiveFault, archivePath } from '#server/drivers/archive/index';
import { type Scan, type ScanResult, scanKeyOf } from '#server/drivers/scan/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition } from '#server/kernel/errors';
import { isRelativePath } from '#shared/relative-path';
import type { SnapshotRow, SourcesStore } from './store.ts';

export type ToolOfScan = { name: 'tofu' | 'terraform'; version: string };
type Scanned = { result: ScanResult; tool: ToolOfScan };
export type SnapshotScans = ReturnType<typeof createSnapshotScans>;

type Deps = {
  db: Db;
  clock: Clock;
  store: Pick<SourcesStore, 'findScan' | 'saveScan' | 'findManifestPaths'>;
  scan: Pick<Scan, 'scan' | 'warmUp'>;
  archivesDir: string;
  findTool: () => Promise<ToolOfScan>;
};

/** Returns a repository path relative to a Source path; none when it lies elsewhere. */
function withinScope(scope: string, path: string): string[] {
  if (scope === '.' || path === scope) return [path === scope ? '.' : path];
  return path.startsWith(`${scope}/`) ? [path.slice(scope.length + 1)] : [];
}

/** Scans the modules of a snapshot, once for each tool and version of the scanner. */
export function createSnapshotScans({ db, clock, store, scan, archivesDir, findTool }: Deps) {
  /** Returns the stored scan, or a fresh one when the tool or the scan version has changed since. */
  async function ensureScan(snapshot: SnapshotRow, onlyPath?: string): Promise<Scanned> {
    const tool = await findTool();
    const key = scanKeyOf(tool, onlyPath);
    const stored = store.findScan(snapshot.id, key) as ScanResult | undefined;
    if (stored) return { result: stored, tool };
    const result = await scan.scan({
      archivePath: archivePath(archivesDir, snapshot.archiveDigest),
      archiveDigest: snapshot.archiveDigest,
      sourceSnapshotId: snapshot.id,
      scopePath: snapshot.path,
      toolName: tool.name,
      toolVersion: tool.version,
      leftOut: snapshot.leftOut,
      namedPaths: store.findManifestPaths(snapshot.id).flatMap((path) => withinScope(snapshot.path, path)),
      ...(onlyPath !== undefined && { onlyPath }),
    });
    if (result.archiveFault) throw unreadable(result.archiveFault);
    const isEvidence = onlyPath === undefined || result.reports.length > 0;
    if (result.failure === undefined && isEvidence)
      db.write(() => store.saveScan({ snapshotId: snapshot.id, tool: key, result, createdAt: clock.now() }));
    return { result, tool };
  }

  /** Returns the scan that has the named module: the list, or a scan of that folder when the list leaves it out. */
  async function ensureScanFor(snapshot: SnapshotRow, modulePath: string | undefined): Promise<Scanned> {
    const listed = await ensureScan(snapshot);
    const isListed = listed.result.reports.some((report) => report.modulePath === modulePath);
    const isNamed = modulePath !== undefined && isRelativePath(modulePath);
    return isNamed && !isListed ? ensureScan(snapshot, modulePath) : listed;
  }

  return {
    ensureScan,
    ensureScanFor,
    /** Prepares for the scan of a snapshot that is about to be complete. */
    warmUp: () => scan.warmUp(),
  };
}

/**
 * Creates the error for missing files. A snapshot record is kept forever; its files only as long as something may need
 * them.
 */
export function unreadable(fault: ArchiveFault | undefined, failure = ''): Error {
  if (fault === undefined) return new Error(`a file of a snapshot could not be read: ${failure}`);
  const what =
    fault === 'archive_missing'
      ? 'The files of this snapshot were removed.'
      : 'The files of this snapshot are not the ones that were recorded, so they are not used.';
  return failedPrecondition('source_sync_required', `${what} Sync the Source again to bring them back.`);
}
