import type { Client } from '../kernel/client.ts';
import type { RepositoryInstallUx } from '../manifest/contract.ts';
import type { sourcesApi } from '../sources/api.ts';
import type { CompatibilityReport } from '../sources/report.ts';
import type { installConfigsApi } from './api.ts';
import { type BaseTarget, chooseBase } from './choose-base.ts';
import type { InstallConfig } from './contract.ts';

/** A checked module with the Run of its check; an installation names both. */
export type CheckedModule = { report: CompatibilityReport; checkRunId: string; ux: RepositoryInstallUx };

/** A module of an inspected snapshot, and the name of the Capsule that is to be installed. */
export type CheckInput = { sourceId: string; snapshotId: string; modulePath: string; capsuleName: string };

/** Checks a module before its installation, and compiles the manifest of its repository. Every call leaves a Run. */
export async function checkForInstall(
  api: Pick<Client<typeof sourcesApi>, 'checkCompatibility'>,
  { sourceId, snapshotId, modulePath, capsuleName }: CheckInput,
): Promise<CheckedModule> {
  const body = { sourceSnapshotId: snapshotId, modulePath, compileInstallUx: true, capsuleName };
  const { report, run, repositoryInstallUx } = (await api.checkCompatibility({ params: { sourceId }, body })).body;
  return { report, checkRunId: run.id, ux: repositoryInstallUx ?? { status: 'absent' } };
}

/**
 * Returns the configuration that an installation is based on: the one compiled from an accepted manifest, else the
 * operator's configuration for this module; undefined for the built-in one.
 */
export async function findInstallConfig(
  api: Pick<Client<typeof installConfigsApi>, 'getInstallConfig' | 'listInstallConfigs'>,
  ux: RepositoryInstallUx,
  { workspaceId, ...target }: BaseTarget & { workspaceId: string },
): Promise<InstallConfig | undefined> {
  if (ux.status === 'accepted') {
    const params = { capsuleConfigId: ux.installConfigId };
    return (await api.getInstallConfig({ params })).body.installConfig;
  }
  const configs: InstallConfig[] = [];
  let cursor: string | undefined;
  do {
    const query = { workspaceId, limit: '100', ...(cursor !== undefined && { cursor }) };
    const { body } = await api.listInstallConfigs({ query });
    configs.push(...body.installConfigs);
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  return chooseBase(configs, target);
}
