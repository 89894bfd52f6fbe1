import type { Node, NodeProps } from '@xyflow/react';
import { type CapsuleStatus, capsuleStatuses } from '#shared/capsules/contract';
import { capsuleStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ends } from './capsule-node.tsx';
import { nodeSize } from './layout.ts';

type ProjectData = { name: string; capsules: readonly { status: CapsuleStatus }[]; onExpand: () => void };
export type ProjectFlowNode = Node<ProjectData, 'project'>;

/** Statuses that a collapsed Project shows, the most urgent first. */
const urgency: readonly CapsuleStatus[] = ['error', 'stale', 'pending', 'disabled', 'active'];

/** A collapsed Project: its number of Capsules, and the most urgent status among them. */
export function ProjectNode({ data: { name, capsules, onExpand } }: NodeProps<ProjectFlowNode>) {
  const t = useText();
  const worst = [...urgency, ...capsuleStatuses].find((status) => capsules.some((one) => one.status === status));
  const count = capsules.filter(({ status }) => status === worst).length;
  return (
    <button
      type="button"
      style={nodeSize}
      onClick={onExpand}
      className="nodrag flex cursor-pointer flex-col justify-center gap-1 rounded-lg border-2 border-line-strong bg-raised px-3 text-left hover:border-accent"
    >
      {ends}
      <span className="w-full truncate font-medium text-ink">{visibleText(name)}</span>
      <span className="flex items-center gap-2">
        <span className="text-xs text-muted">{t('graph.project.count', { count: capsules.length })}</span>
        {worst && (
          <>
            <StatusBadge statusText={capsuleStatusTexts[worst]} />
            {count < capsules.length && <span className="text-xs text-muted tabular-nums">{count}</span>}
          </>
        )}
      </span>
    </button>
  );
}
