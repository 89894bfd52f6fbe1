import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { CapsuleHold } from '#shared/capsules/contract';
import type { RunGroup } from '#shared/run-groups/contract';
import type { RunRow } from '#shared/runs/contract';
import { runGroupQuery } from '../../api/groups.ts';
import { graphQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { PageError } from '../../components/page-error.tsx';
import { runStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Note, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { DecisionBar } from './decision-bar.tsx';
import { Layer } from './layer.tsx';
import { countStates, layersOf, type MemberState, memberStateOf } from './members.ts';
import { RetryGroup } from './retry-group.tsx';
import { StateFilter } from './state-filter.tsx';
import { useSelection } from './use-selection.ts';

/** Page of a RunGroup: its members layer by layer, and the decisions on them. */
export function RunGroupPage({ id }: { id: string }) {
  const query = useQuery(runGroupQuery(id));
  // The marks and the selection follow from the holds, so rows would move when they arrived later.
  const graph = useQuery(graphQuery(useWorkspaceId()));
  if (query.isPending || graph.isPending) return <Skeleton lines={6} />;
  if (!query.data) return <PageError error={query.error} onAgain={() => void query.refetch()} />;
  const holds = new Map(graph.data?.nodes.map(({ capsuleId, hold }) => [capsuleId, hold]));
  return <GroupView key={id} group={query.data.runGroup} runs={query.data.runs} holds={holds} />;
}

type Props = {
  group: RunGroup;
  runs: readonly RunRow[];
  /** Holds of Capsules by their ids. */
  holds: ReadonlyMap<string | undefined, CapsuleHold | null>;
};

function GroupView({ group, runs, holds }: Props) {
  const t = useText();
  const [state, setState] = useState<MemberState>();
  const layers = layersOf(group, runs);
  const members = layers.flat();
  const counts = countStates(members);
  const selection = useSelection(members, holds);
  const isShown = (run: RunRow) => state === undefined || memberStateOf(run) === state;
  const shown = layers.map((layer) => layer.filter(isShown));
  return (
    <>
      <PageTitle
        title={t(`group.title.${group.type}`)}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            <StatusBadge statusText={runStatusTexts[group.status]} /> {t('group.lead', { count: members.length })} ·{' '}
            <Since at={group.createdAt} /> ·{' '}
            <Link to="/run-groups" className="text-accent hover:underline">
              {t('groups.all')}
            </Link>
          </span>
        }
        actions={counts.failed > 0 && <RetryGroup group={group} count={counts.failed} />}
      />
      <StateFilter counts={counts} total={members.length} state={state} onChange={setState} />
      {layers.length > 1 && (
        <div className="mb-4">
          <Note>{t('group.stale')}</Note>
        </div>
      )}
      <div className="flex flex-col gap-4">
        {shown.map((layer, at) =>
          layer.length === 0 ? null : (
            <Layer
              key={layers[at]?.[0]?.capsuleId}
              number={layers.length > 1 ? at + 1 : undefined}
              runs={layer}
              selection={selection}
              holds={holds}
            />
          ),
        )}
        {shown.every((layer) => layer.length === 0) && <p className="text-muted">{t('group.state.nothing')}</p>}
      </div>
      <DecisionBar group={group} plans={members.filter(({ awaits }) => awaits !== undefined)} selection={selection} />
    </>
  );
}
