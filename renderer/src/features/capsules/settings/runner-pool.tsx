import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { WorkspacePool } from '#shared/runner-pools/contract';
import { localPool } from '#shared/runs/contract';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { useMay } from '../../../api/role.ts';
import { workspacePoolsQuery } from '../../../api/runner-pools.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { poolWaitOf } from '../../../components/pool-wait.ts';
import { useText } from '../../../i18n/text.ts';
import { inputClass, Labelled } from '../../../ui/controls.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { isLiving } from '../living.ts';

/** Returns the pools to choose from; undefined where only `local` can be used. */
export function usePoolChoice({ workspaceId, runnerPoolId }: Capsule): WorkspacePool[] | undefined {
  const pools = useQuery(workspacePoolsQuery(workspaceId)).data;
  const shown = pools?.filter(({ id, isAllowed }) => isAllowed || id === runnerPoolId) ?? [];
  return shown.length > 1 ? shown : undefined;
}

/** Pool of the next plans of a Capsule. */
export function RunnerPoolSetting({ capsule, pools }: { capsule: Capsule; pools: readonly WorkspacePool[] }) {
  const t = useText();
  const may = useMay();
  const id = useId();
  const nameOf = (pool: WorkspacePool): string => (pool.id === localPool ? t('runners.local') : visibleText(pool.name));
  const inherited = pools.find(({ isDefault }) => isDefault);
  const save = useIntent(async (keyOf, runnerPoolId: string | null) => {
    const params = { capsuleId: capsule.id };
    await api.updateCapsule({ params, body: { runnerPoolId } }, keyOf(`pool ${runnerPoolId}`));
    invalidateRecord({ kind: 'capsule', id: capsule.id });
  });
  const chosen = pools.find((pool) => pool.id === (capsule.runnerPoolId ?? inherited?.id));
  const wait = poolWaitOf(chosen);
  return (
    <div className="flex flex-col gap-2">
      <Labelled id={id} label={t('capsule.pool.label')} help={t('capsule.pool.help')}>
        <select
          id={id}
          className={inputClass}
          value={capsule.runnerPoolId ?? ''}
          disabled={!may('updateCapsule') || !isLiving(capsule) || save.isBusy}
          aria-describedby={`${id}-help`}
          onChange={({ target }) => void save.run(target.value === '' ? null : target.value)}
        >
          <option value="">{t('capsule.pool.default', { name: inherited ? nameOf(inherited) : localPool })}</option>
          {pools.map((pool) => (
            <option key={pool.id} value={pool.id} disabled={!pool.isAllowed}>
              {pool.isAllowed ? nameOf(pool) : t('capsule.pool.withdrawn', { name: nameOf(pool) })}
            </option>
          ))}
        </select>
      </Labelled>
      {wait && <p className="text-sm text-muted">{t(`capsule.pool.${wait}`)}</p>}
      {save.error !== undefined && <ErrorNote error={save.error} />}
    </div>
  );
}
