import type { InstallConfig } from '#shared/install-configs/contract';
import { parseExactly, writeJson } from '#shared/kernel/exact-number';
import { RepositoryInstallUx } from '#shared/manifest/contract';
import type { CompatibilityReport } from '#shared/sources/report';
import { ApiError, api } from '../../api/client.ts';
import { findBaseConfig } from './base-config.ts';

export type ModuleLocation = { sourceId: string; snapshotId: string; modulePath: string };
/** The Workspace, the folder of the repository and the name of an installation. */
export type Installation = { workspaceId: string; path: string; capsuleName: string };
/** A checked module with the Run of its check; an installation names both. */
export type Checked = {
  report: CompatibilityReport;
  checkRunId: string;
  ux: RepositoryInstallUx;
  /** The configuration compiled from the manifest, else the operator's configuration for this module. */
  config?: InstallConfig;
};

const storedKey = ({ snapshotId, modulePath }: ModuleLocation): string => `install.report:${snapshotId}:${modulePath}`;

type Known = { reportId: string; checkRunId: string; ux: RepositoryInstallUx };

function readKnown(moduleLocation: ModuleLocation): Known | undefined {
  try {
    const known = parseExactly(sessionStorage.getItem(storedKey(moduleLocation)) ?? 'null') as Partial<Known> | null;
    const ux = RepositoryInstallUx.safeParse(known?.ux);
    return known?.reportId && known.checkRunId && ux.success
      ? { reportId: known.reportId, checkRunId: known.checkRunId, ux: ux.data }
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the check that this tab requested before, or requests a new one, because every check leaves a Run in the
 * ledger.
 */
export async function loadChecked(moduleLocation: ModuleLocation, installation: Installation): Promise<Checked> {
  const { capsuleName } = installation;
  const known = readKnown(moduleLocation);
  if (known) {
    try {
      const { report } = (await api.getReport({ params: { reportId: known.reportId } })).body;
      return {
        report,
        checkRunId: known.checkRunId,
        ux: known.ux,
        ...(await configOf(known.ux, moduleLocation, installation)),
      };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  const {
    run,
    report,
    repositoryInstallUx: ux = { status: 'absent' },
  } = (
    await api.checkCompatibility({
      params: { sourceId: moduleLocation.sourceId },
      body: {
        sourceSnapshotId: moduleLocation.snapshotId,
        modulePath: moduleLocation.modulePath,
        compileInstallUx: true,
        capsuleName,
      },
    })
  ).body;
  sessionStorage.setItem(
    storedKey(moduleLocation),
    writeJson({ reportId: report.id, checkRunId: run.id, ux } satisfies Known),
  );
  return { report, checkRunId: run.id, ux, ...(await configOf(ux, moduleLocation, installation)) };
}

async function configOf(
  ux: RepositoryInstallUx,
  { sourceId, modulePath }: ModuleLocation,
  { workspaceId, path }: Installation,
): Promise<Pick<Checked, 'config'>> {
  if (ux.status === 'accepted') {
    const params = { capsuleConfigId: ux.installConfigId };
    return { config: (await api.getInstallConfig({ params })).body.installConfig };
  }
  const config = await findBaseConfig({ workspaceId, sourceId, path, modulePath });
  return config ? { config } : {};
}
