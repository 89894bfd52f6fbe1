import { type CheckedModule, checkForInstall, findInstallConfig } from '#shared/install-configs/checked-module';
import type { InstallConfig } from '#shared/install-configs/contract';
import { parseExactly, writeJson } from '#shared/kernel/exact-number';
import { RepositoryInstallUx } from '#shared/manifest/contract';
import { ApiError, api } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { sourceQuery } from '../../api/records.ts';

export type ModuleLocation = { sourceId: string; snapshotId: string; modulePath: string };
/** The Workspace, the folder of the repository and the name of an installation. */
type Installation = { workspaceId: string; path: string; capsuleName: string };
/** A checked module with the Run of its check; an installation names both. */
export type Checked = CheckedModule & {
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
  const checked = await checkForInstall(api, { ...moduleLocation, capsuleName: installation.capsuleName });
  const { report, checkRunId, ux } = checked;
  sessionStorage.setItem(storedKey(moduleLocation), writeJson({ reportId: report.id, checkRunId, ux } satisfies Known));
  return { ...checked, ...(await configOf(ux, moduleLocation, installation)) };
}

async function configOf(
  ux: RepositoryInstallUx,
  { sourceId, modulePath }: ModuleLocation,
  { workspaceId, path }: Installation,
): Promise<Pick<Checked, 'config'>> {
  const { url } = await queryClient.fetchQuery({ ...sourceQuery(sourceId), staleTime: Number.POSITIVE_INFINITY });
  const config = await findInstallConfig(api, ux, { workspaceId, url, path, modulePath });
  return config ? { config } : {};
}
