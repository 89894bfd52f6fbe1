import { Link } from '@tanstack/react-router';
import type { CapsuleGraph } from '#shared/dependencies/contract';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { capsuleStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { listKeys, useKeyHelp } from '../../ui/keys/key-help.ts';
import { moveBetweenRows, rowListMark } from '../../ui/keys/row-keys.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { labelOf } from './label.ts';

type Node = CapsuleGraph['nodes'][number];

/** The graph as a list: each Capsule with what it uses. */
export function CapsuleList({ graph: { nodes, edges } }: { graph: CapsuleGraph }) {
  const t = useText();
  useKeyHelp(listKeys);
  const nodeById = new Map(nodes.map((node) => [node.capsuleId, node]));
  const usesOf = Map.groupBy(edges, ({ consumerCapsuleId }) => consumerCapsuleId);
  const nameOf = (id: string) => visibleText(nodeById.get(id)?.name ?? t('graph.foreign'));
  return (
    <ul {...rowListMark} className="divide-y divide-line" aria-label={t('nav.graph')} onKeyDown={moveBetweenRows}>
      {nodes.map((node) => (
        <CapsuleRow
          key={node.capsuleId}
          node={node}
          uses={(usesOf.get(node.capsuleId) ?? []).map((edge) => ({
            id: edge.id,
            text: `${nameOf(edge.producerCapsuleId)}: ${labelOf(edge)}`,
          }))}
        />
      ))}
    </ul>
  );
}

type RowProps = { node: Node; uses: readonly { id: string; text: string }[] };

function CapsuleRow({ node: { capsuleId, name, environment, status, hold, drift }, uses }: RowProps) {
  const t = useText();
  return (
    <li className="relative flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 hover:bg-raised">
      <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
        <Link to="/capsules/$id" params={{ id: capsuleId }} data-row className={`${rowLinkClass} break-words`}>
          {visibleText(name)}
        </Link>
        <span className="text-xs text-muted">{visibleText(environment)}</span>
      </span>
      <StatusBadge statusText={capsuleStatusTexts[status]} />
      <CapsuleMarks capsule={{ hold, drift }} />
      {uses.length > 0 && (
        <div className="w-full text-xs text-muted">
          {t('graph.uses')}
          <ul className="list-disc pl-5">
            {uses.map(({ id, text }) => (
              <li key={id} className="break-words">
                {text}
              </li>
            ))}
          </ul>
        </div>
      )}
    </li>
  );
}
