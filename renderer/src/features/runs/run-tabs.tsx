import { Tabs } from '@base-ui/react/tabs';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isApplyType, isPlanType, type Run } from '#shared/runs/contract';
import { runQuery } from '../../api/records.ts';
import type { RunFeed } from '../../api/run-feed.ts';
import { isAtWork } from '../../api/run-record.ts';
import { whenKnown } from '../../api/when-known.ts';
import { useText } from '../../i18n/text.ts';
import { numberText } from '../../ui/number-text.ts';
import { Resources } from './apply/resources.tsx';
import { RunCode, useSnapshotBefore } from './code.tsx';
import { PlanCompare } from './compare/plan-compare.tsx';
import { usePlanNotes } from './compare/plan-notes.tsx';
import { lineOfHash } from './log/log-model.ts';
import { LogView } from './log/log-view.tsx';
import { PlanView } from './plan/plan-view.tsx';
import type { RunSearch, RunTab } from './search.ts';

/** A drift check without findings has no list. */
const isCalm = ({ type, status, driftCount }: Run) =>
  type === 'drift_check' && status === 'succeeded' && driftCount === 0;

/** A plan that was computed can be compared with others of its Capsule. */
const isComparable = (run: Run): run is Run & { capsuleId: string } =>
  run.type === 'plan' && run.planDigest !== undefined && run.capsuleId !== undefined;

function tabsOf(run: Run, hasCode: boolean): readonly RunTab[] {
  const { type } = run;
  const code = hasCode ? (['code'] as const) : [];
  const compare = isComparable(run) ? (['compare'] as const) : [];
  if (isPlanType(type)) return [...(isCalm(run) ? [] : (['plan'] as const)), ...code, ...compare, 'log'];
  return isApplyType(type) ? ['resources', 'log', 'plan', ...code] : ['log'];
}

/** Default tab: the plan if there is one, the resources of an apply, else the log. */
function firstTab(run: Run, feed: RunFeed): RunTab {
  if (isPlanType(run.type)) return run.planDigest === undefined || isAtWork(run.status) ? 'log' : 'plan';
  if (!isApplyType(run.type)) return 'log';
  return run.status === 'failed' && feed.isEnded && feed.resources.length === 0 ? 'log' : 'resources';
}

type Props = { run: Run; feed: RunFeed & { again: () => void }; search: RunSearch };

/** Plan, resources and log of a Run. The URL holds the selected tab and the line of the log. */
export function RunTabs({ run, feed, search }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const hash = useLocation({ select: (location) => location.hash });
  const from = useSnapshotBefore(run);
  const tabs = tabsOf(run, from !== undefined);
  const requestedTab = search.tab ?? (lineOfHash(hash) === undefined ? undefined : 'log');
  const tab = tabs.find((one) => one === requestedTab) ?? firstTab(run, feed);
  const log = <RunLog run={run} feed={feed} />;
  if (tabs.length === 1) return log;
  const choose = (next: RunTab) =>
    void navigate({
      to: '/runs/$id',
      params: { id: run.id },
      search: { ...search, tab: next },
      replace: true,
      resetScroll: false,
    });
  const counts: Partial<Record<RunTab, number>> = { resources: feed.resources.length, log: feed.log.count };
  return (
    <Tabs.Root value={tab} onValueChange={(next: RunTab) => choose(next)}>
      <Tabs.List aria-label={t('run.tabs')} className="mb-3 flex gap-1 border-b border-line">
        {tabs.map((one) => (
          <Tabs.Tab
            key={one}
            value={one}
            className="-mb-px cursor-pointer border-b-2 border-transparent px-3 py-2 font-medium text-muted hover:text-ink data-[active]:border-accent data-[active]:text-ink"
          >
            {t(one === 'plan' && run.type === 'drift_check' ? 'run.tab.drift' : `run.tab.${one}`)}
            {(counts[one] ?? 0) > 0 && (
              <span className="ml-1.5 rounded-full bg-raised px-1.5 py-0.5 text-xs font-normal text-muted tabular-nums">
                {numberText(counts[one] ?? 0)}
              </span>
            )}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Panel value="plan">
        <RunPlan run={run} search={search} />
      </Panel>
      {isComparable(run) && (
        <Panel value="compare">
          <PlanCompare run={run} otherId={search.with} />
        </Panel>
      )}
      <Panel value="resources">
        <ApplyResources run={run} feed={feed} />
      </Panel>
      <Panel value="code">
        <RunCode run={run} from={from} />
      </Panel>
      <Panel value="log">{log}</Panel>
    </Tabs.Root>
  );
}

const Panel = ({ value, children }: { value: RunTab; children: ReactNode }) => (
  <Tabs.Panel value={value} tabIndex={-1} className="min-w-0 outline-none">
    {children}
  </Tabs.Panel>
);

function RunPlan({ run, search }: Omit<Props, 'feed'>) {
  const above = usePlanNotes(run);
  return <PlanView runId={run.id} address={search} isComparison={run.type === 'drift_check'} above={above} />;
}

function RunLog({ run, feed }: Omit<Props, 'search'>) {
  return (
    <LogView
      runId={run.id}
      log={feed.log}
      error={feed.error}
      onAgain={feed.again}
      isLive={isAtWork(run.status)}
      startsAtEnd={isAtWork(run.status) || run.status === 'failed'}
    />
  );
}

/** The plan of the apply lists what is still to come. */
function ApplyResources({ run, feed }: Omit<Props, 'search'>) {
  const { planRunId } = run;
  const plan = useQuery(whenKnown(planRunId, runQuery)).data;
  return <Resources run={run} feed={feed} plan={plan} />;
}
