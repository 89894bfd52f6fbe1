import { ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ModuleCount } from '#shared/state-resources/contract';
import { useText } from '../../../i18n/text.ts';
import { numberText } from '../../../ui/number-text.ts';
import { Card } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { type ModuleRow, moduleRows } from './module-rows.ts';

type Props = {
  modules: readonly ModuleCount[];
  /** Address of the chosen module, empty for the root module; undefined for all. */
  chosen: string | undefined;
  onChoose: (module: string | undefined) => void;
};

/** Modules of a state with the number of their resources. A press shows only those of one module. */
export function ModuleTree({ modules, chosen, onChoose }: Props) {
  const t = useText();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => moduleRows(modules, closed), [modules, closed]);
  const toggle = (address: string) => {
    const next = new Set(closed);
    if (!next.delete(address)) next.add(address);
    setClosed(next);
  };
  return (
    <Card className="min-w-0">
      <nav aria-label={t('resources.modules')} className="max-h-56 overflow-auto p-1.5 lg:max-h-[70vh]">
        <ul>
          {rows.map((row) => (
            <Module
              key={row.address}
              row={row}
              isChosen={chosen === row.address}
              onChoose={() => onChoose(chosen === row.address ? undefined : row.address)}
              onToggle={() => toggle(row.address)}
            />
          ))}
        </ul>
      </nav>
    </Card>
  );
}

type RowProps = { row: ModuleRow; isChosen: boolean; onChoose: () => void; onToggle: () => void };

function Module({ row, isChosen, onChoose, onToggle }: RowProps) {
  const t = useText();
  const { address, label, depth, count, innerCount, isOpen } = row;
  const name = visibleText(label);
  return (
    <li className="flex items-start" style={{ paddingLeft: Math.min(depth, 6) * 12 }}>
      {innerCount > 0 ? (
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={t('resources.modules.inside', { name })}
          onClick={onToggle}
          className="flex size-7 shrink-0 cursor-pointer items-center justify-center rounded text-muted hover:bg-raised"
        >
          <ChevronRight
            size={14}
            aria-hidden="true"
            className={`transition-transform motion-reduce:transition-none ${isOpen ? 'rotate-90' : ''}`}
          />
        </button>
      ) : (
        <span className="w-7 shrink-0" />
      )}
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={onChoose}
        className="flex min-h-7 min-w-0 flex-1 cursor-pointer items-baseline justify-between gap-2 rounded px-1.5 py-1 text-left text-sm hover:bg-raised aria-pressed:bg-accent-soft aria-pressed:font-medium"
      >
        <span className={`min-w-0 break-all ${address === '' ? '' : 'font-mono text-xs'}`}>
          {address === '' ? t('resources.root') : name}
        </span>
        <span className="text-xs text-muted tabular-nums">{numberText(isOpen ? count : count + innerCount)}</span>
      </button>
    </li>
  );
}
