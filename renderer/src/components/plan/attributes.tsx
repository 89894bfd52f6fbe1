import { useState } from 'react';
import { useText } from '../../i18n/text.ts';
import type { DiffGroup, DiffNode, NodeChange } from './diff.ts';
import { LeafValue } from './leaf-value.tsx';
import { nodeMatches } from './search.ts';
import { HighlightedText, useQueryText } from './search-matches.tsx';
import { isMissing, isSame } from './side-text.ts';

const step = 100;
/** Group of the attributes. In a create or delete, the remaining attributes are not set rather than unchanged. */
type Inside = { nodes: readonly DiffNode[]; depth?: number; isWhole?: boolean };

/** Attributes of one change with both sides. Unchanged ones are shown on request. */
export function Attributes({ nodes, name }: { nodes: readonly DiffNode[]; name: string }) {
  const t = useText();
  if (nodes.length === 0) return <p className="pl-6 text-muted">{t('plan.noAttributes')}</p>;
  const isWhole =
    nodes.every((node) => isSame(node) || node.change === 'add') ||
    nodes.every((node) => isSame(node) || node.change === 'remove');
  return (
    <section aria-label={name} className="min-w-0 pl-1 md:pl-6">
      <NodeList nodes={nodes} isWhole={isWhole && nodes.some((node) => !isSame(node))} />
    </section>
  );
}

function NodeList({ nodes, depth = 0, isWhole = false }: Inside) {
  const t = useText();
  const query = useQueryText();
  const [isAll, setAll] = useState(false);
  const [most, setMost] = useState(step);
  const isMatch = (node: DiffNode) => nodeMatches(node, query);
  const listed = nodes.filter((node) => isAll || !isSame(node) || isMatch(node));
  const same = nodes.filter(isSame).length;
  const shown = listed.slice(0, most);
  return (
    <div className="flex min-w-0 flex-col">
      {shown.map((node) => (
        <NodeView key={`${node.change} ${node.name}`} node={node} depth={depth} />
      ))}
      {shown.length < listed.length && (
        <MoreButton depth={depth} onClick={() => setMost(most + step)}>
          {t('plan.moreItems', { count: listed.length - shown.length })}
        </MoreButton>
      )}
      {same > 0 && (
        <MoreButton depth={depth} isOpen={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? t('plan.hideAgain') : t(isWhole ? 'plan.showUnset' : 'plan.showUnchanged', { count: same })}
        </MoreButton>
      )}
    </div>
  );
}

type MoreProps = { depth: number; isOpen?: boolean; onClick: () => void; children: string };
const MoreButton = ({ depth, isOpen, onClick, children }: MoreProps) => (
  <div className="py-0.5" style={{ paddingLeft: 20 + depth * 14 }}>
    <button
      type="button"
      onClick={onClick}
      aria-expanded={isOpen}
      className="cursor-pointer rounded px-1 text-xs leading-5 text-accent hover:underline"
    >
      {children}
    </button>
  </div>
);

const gutters: Readonly<Record<NodeChange, { symbol: string; tone: string }>> = {
  add: { symbol: '+', tone: 'text-good' },
  remove: { symbol: '−', tone: 'text-bad' },
  update: { symbol: '~', tone: 'text-warn' },
  same: { symbol: '', tone: 'text-muted' },
};

function NodeView({ node, depth }: { node: DiffNode; depth: number }) {
  const t = useText();
  const { symbol, tone } = gutters[node.change];
  return (
    <div className={node.forces ? 'rounded bg-replace-soft/60' : ''}>
      <div
        className="grid grid-cols-[1.25rem_minmax(0,1fr)] items-baseline gap-x-2 gap-y-0.5 py-0.5 md:grid-cols-[1.25rem_minmax(7rem,14rem)_minmax(0,1fr)]"
        style={{ paddingLeft: depth * 14 }}
      >
        <span
          role="img"
          aria-label={t(`plan.change.${node.change}`)}
          className={`text-center font-mono font-semibold ${tone}`}
        >
          {symbol}
        </span>
        <span
          className={`min-w-0 font-mono text-[0.93em] leading-5 break-all ${node.change === 'same' ? 'text-muted' : ''}`}
        >
          <HighlightedText text={node.name === '' ? t('plan.value.whole') : node.name} />
          {node.forces && (
            <span className="ml-2 rounded bg-replace px-1.5 py-px font-sans text-xs font-semibold whitespace-nowrap text-card">
              {t('plan.forces')}
            </span>
          )}
        </span>
        <div className="col-start-2 min-w-0 md:col-start-3">
          {node.kind === 'leaf' ? <LeafValue leaf={node} /> : <GroupFacts group={node} />}
        </div>
      </div>
      {node.kind === 'group' && (
        <NodeList nodes={node.children} depth={depth + 1} isWhole={node.change === 'add' || node.change === 'remove'} />
      )}
    </div>
  );
}

/** Size of a structure, or an explicit null. */
function GroupFacts({ group }: { group: DiffGroup }) {
  const t = useText();
  const { before, after, children, shape } = group;
  const items = t(shape === 'list' ? 'plan.items' : 'plan.members', { count: children.length });
  const toNull = after.kind === 'value' && isMissing(after);
  const fromNull = before.kind === 'value' && isMissing(before);
  return (
    <span className="font-mono text-xs leading-5 text-muted">
      {fromNull && 'null → '}
      {items}
      {toNull && ' → null'}
    </span>
  );
}
