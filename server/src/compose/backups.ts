import { createBackupsService } from '../domains/backups/index.ts';
import type { PlansService } from '../domains/plans/index.ts';
import { createRestoreSecrets, createRestoresService } from '../domains/restores/index.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';

type Parts = Omit<Parameters<typeof createRestoresService>[0], 'secretsOf' | 'approvalTtlMs'> &
  Omit<Parameters<typeof createBackupsService>[0], 'restores' | 'dataDir'> &
  Parameters<typeof createRestoreSecrets>[0] & {
    runs: Pick<BaseDomains['runs'], 'getRecord'>;
    plans: Pick<PlansService, 'approve'>;
  };

/** Builds backups and restores, and the approval of a Run by the rules of its type. */
export function buildBackups({ dataDir, planTtlHours }: AppContext['settings'], parts: Parts) {
  const { runs, plans } = parts;
  const restores = createRestoresService({
    ...parts,
    secretsOf: createRestoreSecrets(parts),
    approvalTtlMs: planTtlHours * 3_600_000,
  });
  const backups = createBackupsService({ ...parts, restores, dataDir });
  const approve: PlansService['approve'] = (runId, input) =>
    runs.getRecord(runId).type === 'restore' ? restores.approve(runId, input) : plans.approve(runId, input);
  return { restores, backups, approve };
}
