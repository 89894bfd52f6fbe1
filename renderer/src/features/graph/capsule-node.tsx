import { Link } from '@tanstack/react-router';
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import type { Capsule } from '#shared/capsules/contract';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { capsuleStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { nodeSize } from './layout.ts';

type CapsuleData = Pick<Capsule, 'name' | 'environment' | 'status' | 'hold' | 'drift'>;
export type CapsuleFlowNode = Node<CapsuleData, 'capsule'>;
export type ForeignFlowNode = Node<Record<string, never>, 'foreign'>;

export const ends = (
  <>
    <Handle type="target" position={Position.Left} isConnectable={false} className="opacity-0" />
    <Handle type="source" position={Position.Right} isConnectable={false} className="opacity-0" />
  </>
);

/** A Capsule in the graph, linked to its page, with its status. */
export function CapsuleNode({ id, data }: NodeProps<CapsuleFlowNode>) {
  const { name, environment, status, hold, drift } = data;
  return (
    <div
      style={nodeSize}
      className="flex flex-col justify-center gap-1 rounded-lg border border-line-strong/60 bg-card px-3 has-[a:focus-visible]:outline-2 has-[a:focus-visible]:outline-accent"
    >
      {ends}
      <Link
        to="/capsules/$id"
        params={{ id }}
        className="truncate font-medium text-ink after:absolute after:inset-0 hover:text-accent focus-visible:outline-none"
      >
        {visibleText(name)}
      </Link>
      <span className="flex items-center gap-2">
        <StatusBadge statusText={capsuleStatusTexts[status]} />
        <CapsuleMarks capsule={{ hold, drift }} />
        <span className="truncate text-xs text-muted">{visibleText(environment)}</span>
      </span>
    </div>
  );
}

/** A Capsule of another Workspace that shares Outputs. Nothing else about it is known here. */
export function ForeignNode() {
  const t = useText();
  return (
    <div
      style={nodeSize}
      className="flex items-center rounded-lg border border-dashed border-line-strong/60 bg-raised px-3 text-sm text-muted"
    >
      {ends}
      {t('graph.foreign')}
    </div>
  );
}
