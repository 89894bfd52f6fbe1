import { useQuery } from '@tanstack/react-query';
import type { AllowedPools, RunnerPool, WorkspacePool } from '#shared/runner-pools/contract';
import { localPool } from '#shared/runs/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { workspacePoolsQuery } from '../../api/runner-pools.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';

const allowedOf = (pools: readonly WorkspacePool[]): AllowedPools => ({
  poolIds: pools.filter(({ id, isAllowed }) => isAllowed && id !== localPool).map(({ id }) => id),
  defaultPoolId: pools.find(({ isDefault }) => isDefault)?.id ?? localPool,
});

/** Right of the current Workspace to use a pool, and its default for Capsules that choose none. */
export function WorkspaceAccess({ pool: { id } }: { pool: RunnerPool }) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const pools = useQuery(workspacePoolsQuery(workspaceId)).data;
  const save = useIntent(async (keyOf, body: AllowedPools) => {
    await api.setWorkspaceRunnerPools({ params: { workspaceId }, body }, keyOf(JSON.stringify(body)));
    invalidateRecord({ kind: 'runner', id });
  });
  if (!pools) return null;
  const { poolIds, defaultPoolId } = allowedOf(pools);
  const isAllowed = poolIds.includes(id);
  const isDefault = defaultPoolId === id;
  const switched: AllowedPools = isAllowed
    ? { poolIds: poolIds.filter((one) => one !== id), defaultPoolId: isDefault ? localPool : defaultPoolId }
    : { poolIds: [...poolIds, id], defaultPoolId };
  const other: AllowedPools = { poolIds, defaultPoolId: isDefault ? localPool : id };
  return (
    <>
      <Button busy={save.isBusy} onClick={() => void save.run(switched)}>
        {t(isAllowed ? 'runners.withdraw' : 'runners.allow')}
      </Button>
      {isAllowed && (
        <Button busy={save.isBusy} onClick={() => void save.run(other)}>
          {t(isDefault ? 'runners.default.off' : 'runners.default.on')}
        </Button>
      )}
      {save.error !== undefined && <ErrorNote error={save.error} />}
    </>
  );
}
