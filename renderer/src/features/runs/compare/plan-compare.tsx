import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { PlanComparison } from '#shared/plans/comparison';
import type { Run, RunRow } from '#shared/runs/contract';
import { comparablePlansQuery, comparisonQuery } from '../../../api/plan-comparison.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { More } from '../../../components/more.tsx';
import { useText } from '../../../i18n/text.ts';
import { Choice } from '../../../ui/choice.tsx';
import { Card, EmptyState, Skeleton } from '../../../ui/surface.tsx';
import { dateTimeText } from '../../../ui/time.tsx';
import { ComparedOutputRow, ComparedResourceRow } from './compared-row.tsx';
import { InputDifferenceList } from './input-differences.tsx';

type Props = { run: Run & { capsuleId: string }; otherId: string | undefined };

/** Compares the plan of a Run with another plan of its Capsule: by default with the one before it. */
export function PlanCompare({ run, otherId }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const plans = useQuery(comparablePlansQuery(useWorkspaceId(), run.capsuleId));
  if (plans.isPending) return <Skeleton lines={5} />;
  if (plans.isError) return <ErrorNote error={plans.error} onAgain={() => void plans.refetch()} />;
  const others = plans.data.filter(({ id }) => id !== run.id);
  const chosen = otherId ?? previousOf(run, others)?.id;
  if (chosen === undefined)
    return (
      <Card>
        <EmptyState title={t('compare.none.title')} text={t('compare.none.text')} />
      </Card>
    );
  const choose = (other: string | undefined) =>
    void navigate({
      to: '/runs/$id',
      params: { id: run.id },
      search: { tab: 'compare', ...(other !== undefined && { with: other }) },
      replace: true,
      resetScroll: false,
    });
  return (
    <section aria-label={t('compare.title')} className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-muted">{t('compare.with')}</span>
        <Choice
          label={t('compare.with')}
          any={t('compare.with.previous')}
          value={chosen}
          options={others.map(optionOf)}
          onChange={choose}
        />
      </div>
      <Differences runId={run.id} otherId={chosen} />
    </section>
  );
}

/** The newest plan before a Run, else the oldest one after it. */
const previousOf = (run: Run, others: readonly RunRow[]): RunRow | undefined =>
  others.find(({ createdAt }) => createdAt < run.createdAt) ?? others.at(-1);

const optionOf = ({ id, createdAt, resolvedCommit }: RunRow) => ({
  value: id,
  text: `${dateTimeText(createdAt)}${resolvedCommit === undefined ? '' : ` · ${resolvedCommit.slice(0, 7)}`}`,
});

function Differences({ runId, otherId }: { runId: string; otherId: string }) {
  const t = useText();
  const pages = useInfiniteQuery(comparisonQuery(runId, otherId));
  if (pages.isPending) return <Skeleton lines={5} />;
  if (pages.isLoadingError) return <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />;
  const [first] = pages.data?.pages ?? [];
  if (!first) return null;
  const resources = pages.data?.pages.flatMap((page) => page.resources) ?? [];
  return (
    <>
      <Summary comparison={first} />
      <InputDifferenceList differences={first} title={t('compare.inputs')} />
      {resources.length + first.outputs.length > 0 && (
        <Card>
          <h3 className="border-b border-line px-4 py-2.5 font-semibold">
            {t('compare.resources', { count: first.resourceCount })}
          </h3>
          {resources.map((resource) => (
            <ComparedResourceRow key={`${resource.address} ${resource.deposed ?? ''}`} resource={resource} />
          ))}
          <More pages={pages} />
          {first.outputs.map((output) => (
            <ComparedOutputRow key={output.name} output={output} />
          ))}
        </Card>
      )}
    </>
  );
}

function Summary({ comparison }: { comparison: PlanComparison }) {
  const t = useText();
  const { earlier, later, resourceCount, outputs, inputs, bindings, sameCount } = comparison;
  const isSame = resourceCount + outputs.length + inputs.length + bindings.length === 0;
  return (
    <p role="status">
      {t(isSame ? 'compare.same' : 'compare.differ', {
        earlier: dateTimeText(earlier.createdAt),
        later: dateTimeText(later.createdAt),
        count: sameCount,
      })}
    </p>
  );
}
