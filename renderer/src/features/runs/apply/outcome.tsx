import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Run } from '#shared/runs/contract';
import type { StateVersion } from '#shared/state-versions/contract';
import { api } from '../../../api/client.ts';
import { capsuleQuery, reportQuery } from '../../../api/records.ts';
import { hasEnded } from '../../../api/run-record.ts';
import { whenKnown } from '../../../api/when-known.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { OutputList, PendingOutputs } from '../../../ui/output-list.tsx';
import { Card } from '../../../ui/surface.tsx';
import { useStateOf } from './use-state-of.ts';

const useReportOf = ({ compatibilityReportId }: Run) => useQuery(whenKnown(compatibilityReportId, reportQuery)).data;

/**
 * Outputs of the StateVersion that the apply created, even when a later one exists. While the apply runs, their names
 * have the place of the values, so that the page does not move when it succeeds.
 */
export function ApplyOutputs({ run, capsuleId }: { run: Run; capsuleId: string }) {
  const t = useText();
  const isOver = hasEnded(run.status);
  const report = useReportOf(run);
  const { state, isPending, error, again } = useStateOf(run, isOver ? capsuleId : undefined);
  const capsule = useQuery(capsuleQuery(capsuleId)).data;
  const isCurrent = capsule === undefined || capsule.currentStateVersionId === state?.id;
  return (
    <Card className="mb-4">
      <h2 className="flex flex-wrap items-baseline justify-between gap-2 border-b border-line px-4 py-2.5 font-semibold">
        {t('outputs.title')}
        {state && (
          <span className="text-xs font-normal text-muted">
            StateVersion · {t('states.generation', { generation: state.generation })} ·{' '}
            {t('states.resources', { count: state.resourceCount })}
          </span>
        )}
      </h2>
      {!isOver && (
        <PendingOutputs report={report}>
          <span className="text-muted">{t('plan.value.unknown')}</span>
        </PendingOutputs>
      )}
      {isOver && isPending && <PendingOutputs report={report} />}
      {error !== null && (
        <div className="p-4">
          <ErrorNote error={error} onAgain={again} />
        </div>
      )}
      {state && !isCurrent && (
        <p className="border-b border-line px-4 py-2 text-sm text-muted">
          {t('run.outputs.older')}{' '}
          <Link to="/capsules/$id" params={{ id: capsuleId }} className="text-accent underline underline-offset-2">
            {t('run.outputs.current')}
          </Link>
        </p>
      )}
      {state && <OutputRows run={run} state={state} />}
    </Card>
  );
}

function OutputRows({ run, state }: { run: Run; state: StateVersion }) {
  const output = useQuery({
    queryKey: ['state_version', 'one', state.id],
    queryFn: async () => (await api.getStateVersion({ params: { stateVersionId: state.id } })).body.output ?? null,
  });
  const report = useReportOf(run);
  if (output.isPending) return <PendingOutputs report={report} />;
  if (output.error) {
    return (
      <div className="p-4">
        <ErrorNote error={output.error} onAgain={() => void output.refetch()} />
      </div>
    );
  }
  return <OutputList values={output.data?.workspaceOutputs ?? {}} report={report} />;
}
