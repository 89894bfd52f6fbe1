import { memo } from 'react';
import { type TextId, useText } from '../../i18n/text.ts';
import { numberText } from '../../ui/number-text.ts';
import { KindCounts } from './kind-mark.tsx';
import { OutputRow } from './output-row.tsx';
import { ResourceRow } from './resource-row.tsx';
import { RowButton, type RowHandle } from './row-button.tsx';
import { HighlightedText } from './search-matches.tsx';
import type { Row, Section } from './tree.ts';

type Props = { row: Row; isActive: boolean; onToggle: (row: Row) => void; onFocus: (id: string) => void };

/** One line of the list: a button that opens and closes its content. */
export const RowView = memo(function RowView({ row, isActive, onToggle, onFocus }: Props) {
  const handle: RowHandle = { row, isActive, onToggle: () => onToggle(row), onFocus: () => onFocus(row.id) };
  if (row.type === 'section') return <SectionRow row={row} handle={handle} />;
  if (row.type === 'module') return <ModuleRow row={row} handle={handle} />;
  if (row.type === 'output') return <OutputRow row={row} handle={handle} />;
  return <ResourceRow row={row} handle={handle} />;
});

const titles: Readonly<Record<Section, TextId>> = {
  destroyed: 'plan.section.danger',
  rest: 'plan.section.rest',
  outputs: 'plan.section.outputs',
  drift: 'plan.section.drift',
};

function SectionRow({ row, handle }: { row: Extract<Row, { type: 'section' }>; handle: RowHandle }) {
  const t = useText();
  const tone = row.section === 'destroyed' ? 'text-bad' : 'text-ink';
  const title = row.section === 'rest' && row.isFirst ? 'plan.section.restOnly' : titles[row.section];
  return (
    <h3 className="border-t border-line bg-raised/60">
      <RowButton handle={handle} className="py-2.5 pr-4">
        <span className={`min-w-0 flex-1 font-semibold ${tone}`}>
          {t(title)} <span className="font-normal text-muted tabular-nums">{numberText(row.count)}</span>
          {row.section === 'drift' && row.isOpen && (
            <span className="mt-0.5 block text-xs font-normal text-muted">{t('plan.section.driftText')}</span>
          )}
        </span>
      </RowButton>
    </h3>
  );
}

function ModuleRow({ row, handle }: { row: Extract<Row, { type: 'module' }>; handle: RowHandle }) {
  return (
    <RowButton handle={handle} className="border-t border-line/70 py-1.5 pr-4">
      <span className="min-w-0 flex-1 font-mono text-[0.93em] font-semibold break-all">
        <HighlightedText text={row.module.label} />
      </span>
      <KindCounts counts={row.module.counts} />
    </RowButton>
  );
}
