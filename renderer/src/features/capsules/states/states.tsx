import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { StateVersion } from '#shared/state-versions/contract';
import { statesQuery } from '../../../api/records.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { More } from '../../../components/more.tsx';
import { useText } from '../../../i18n/text.ts';
import { Pill } from '../../../ui/pill.tsx';
import { Card, Skeleton } from '../../../ui/surface.tsx';
import { Since } from '../../../ui/time.tsx';
import { PlanReturn } from './plan-return.tsx';
import { StateOutputs } from './state-outputs.tsx';

/** StateVersions of all applies, newest first. */
type Props = { capsuleId: string; currentId: string | undefined; canReturn: boolean };
export function CapsuleStates({ capsuleId, currentId, canReturn }: Props) {
  const t = useText();
  const pages = useInfiniteQuery(statesQuery(capsuleId));
  const states = pages.data?.pages.flatMap((page) => page.stateVersions) ?? [];
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('states.title')}</h2>
      {pages.isPending && <Skeleton />}
      {pages.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />
        </div>
      )}
      {pages.isSuccess && states.length === 0 && <p className="px-4 py-4 text-muted">{t('states.none')}</p>}
      <ol className="divide-y divide-line">
        {states.map((state, index) => (
          <StateRow
            key={state.id}
            state={state}
            previousId={states[index + 1]?.id}
            isCurrent={state.id === currentId}
            canReturn={canReturn}
          />
        ))}
      </ol>
      <More pages={pages} />
    </Card>
  );
}

type RowProps = { state: StateVersion; previousId: string | undefined; isCurrent: boolean; canReturn: boolean };

function StateRow({ state, previousId, isCurrent, canReturn }: RowProps) {
  const t = useText();
  return (
    <li className="px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">{t('states.generation', { generation: state.generation })}</span>
        {isCurrent && <Pill tone="good">{t('states.current')}</Pill>}
        {state.partial && <Pill tone="warn">{t('states.partial')}</Pill>}
      </div>
      <div className="flex items-baseline justify-between gap-3 text-xs text-muted">
        <p>
          {t('states.resources', { count: state.resourceCount })} · <Since at={state.createdAt} />
        </p>
        <Link
          to="/runs/$id"
          params={{ id: state.createdByRunId }}
          aria-label={t('states.run', { generation: state.generation })}
          className="text-sm text-accent hover:underline"
        >
          Run
        </Link>
      </div>
      <p className="mt-1 flex flex-wrap gap-x-4 text-sm">
        <Link
          to="/capsules/$id/resources"
          params={{ id: state.capsuleId }}
          search={isCurrent ? {} : { state: state.id }}
          aria-label={t('states.resourcesOf', { generation: state.generation })}
          className="text-accent hover:underline"
        >
          {t('resources.title')}
        </Link>
        {previousId !== undefined && (
          <Link
            to="/capsules/$id/states"
            params={{ id: state.capsuleId }}
            search={{ from: previousId, to: state.id }}
            className="text-accent hover:underline"
          >
            {t('states.compare.previous')}
          </Link>
        )}
      </p>
      {state.partial && <p className="mt-1 text-xs">{t('states.partial.text')}</p>}
      {!isCurrent && <StateOutputs stateVersionId={state.id} />}
      {!isCurrent && canReturn && state.sourceSnapshotId !== undefined && <PlanReturn stateVersionId={state.id} />}
    </li>
  );
}
