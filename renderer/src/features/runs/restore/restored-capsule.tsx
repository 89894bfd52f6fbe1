import { Link } from '@tanstack/react-router';
import type { RestoredCapsule } from '#shared/restores/contract';
import type { Run } from '#shared/runs/contract';
import { toolNames } from '../../../components/status-text.ts';
import { useText } from '../../../i18n/text.ts';
import { Pill } from '../../../ui/pill.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { Differences } from './differences.tsx';

type Props = { capsule: RestoredCapsule; run: Run; isLate: boolean };

/** Effect of the restore on one Capsule. */
export function RestoredCapsuleRow({ capsule, run, isLate }: Props) {
  const t = useText();
  const { capsuleId, name, environment, conversion, newGeneration, stateVersionId } = capsule;
  return (
    <li className="flex min-w-0 flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="min-w-0 font-medium break-words">
          <Link to="/capsules/$id" params={{ id: capsuleId }} className="hover:text-accent hover:underline">
            {visibleText(name)}
          </Link>{' '}
          {environment !== 'default' && (
            <span className="text-xs font-normal text-muted">{visibleText(environment)}</span>
          )}
        </h3>
        {run.status === 'succeeded' && stateVersionId !== undefined && (
          <Link
            to="/capsules/$id/states"
            params={{ id: capsuleId }}
            className="text-sm text-accent underline-offset-2 hover:underline"
          >
            {t('restore.state', { generation: newGeneration })}
          </Link>
        )}
      </div>
      <Generations capsule={capsule} isDone={run.status === 'succeeded'} isLate={isLate} />
      {conversion && (
        <p className="flex flex-wrap items-baseline gap-2 text-sm">
          <Pill tone="warn">{t('restore.conversion')}</Pill>
          <span className="min-w-0 flex-1 basis-64">
            {t('restore.conversion.text', { from: toolNames[conversion.from], to: toolNames[conversion.to] })}
          </span>
        </p>
      )}
      <Differences capsule={capsule} isUpload={capsule.sourceGeneration === undefined && !isLate} />
    </li>
  );
}

/** The state before, the one that returns, and the new one, each with its number of resources. */
function Generations({ capsule, isDone, isLate }: { capsule: RestoredCapsule; isDone: boolean; isLate: boolean }) {
  const t = useText();
  const { currentGeneration, sourceGeneration, newGeneration } = capsule;
  const isUpload = sourceGeneration === undefined && !isLate;
  const fileText = t(isLate ? 'restore.returns.late' : 'restore.returns.file');
  const steps = [
    {
      term: t(isDone ? 'restore.done.before' : 'restore.before'),
      value:
        currentGeneration === 0 ? t('restore.before.none') : t('states.generation', { generation: currentGeneration }),
      count: capsule.currentResourceCount,
    },
    {
      term: t(isUpload ? 'restore.upload' : isDone ? 'restore.done.returned' : 'restore.returns'),
      value: sourceGeneration === undefined ? fileText : t('states.generation', { generation: sourceGeneration }),
      count: capsule.restoredResourceCount,
    },
    {
      term: t(isDone ? 'restore.done.became' : 'restore.becomes'),
      value: t('states.generation', { generation: newGeneration }),
      count: capsule.restoredResourceCount,
    },
  ];
  return (
    <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-3">
      {steps.map(({ term, value, count }) => (
        <div key={term} className="min-w-0 border-l-2 border-line pl-3">
          <dt className="text-xs text-muted">{term}</dt>
          <dd>
            {value} <span className="text-sm text-muted">· {t('states.resources', { count })}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
