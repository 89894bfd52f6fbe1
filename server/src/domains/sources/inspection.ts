import type { Code } from '#server/drivers/code/index';
import type { Scan } from '#server/drivers/scan/index';
import type { InstallModules } from '#shared/sources/module-scan';
import { createCodeComparison } from './code-comparison.ts';
import { type CompatibilityPorts, createCompatibilityChecks } from './compatibility-checks.ts';
import { createSnapshotFiles } from './snapshot-files.ts';
import { createSnapshotScans, type ToolOfScan } from './snapshot-scans.ts';
import type { SourcesStore } from './store.ts';

export type InspectionService = ReturnType<typeof createInspection>;

type Deps = CompatibilityPorts & {
  store: SourcesStore;
  scan: Scan;
  code: Code;
  archivesDir: string;
  findTool: () => Promise<ToolOfScan>;
};

/** Inspects snapshots without running any tool: modules, compatibility, single files. */
export function createInspection(deps: Deps) {
  const { store, sources } = deps;
  const scans = createSnapshotScans(deps);

  return {
    ...scans,
    ...createCompatibilityChecks({ ...deps, scans }),
    ...createSnapshotFiles(deps),
    ...createCodeComparison(deps),
    findNewestReport: store.findNewestReport,
    findReport: store.findReport,

    async listModules(sourceId: string, snapshotId: string): Promise<InstallModules> {
      return (await scans.ensureScan(sources.getSnapshotRow(sourceId, snapshotId))).result.discovery;
    },

    /** Returns the list including the named module, even when the general list leaves it out. */
    async findModules(sourceId: string, snapshotId: string, modulePath: string | undefined): Promise<InstallModules> {
      return (await scans.ensureScanFor(sources.getSnapshotRow(sourceId, snapshotId), modulePath)).result.discovery;
    },
  };
}
