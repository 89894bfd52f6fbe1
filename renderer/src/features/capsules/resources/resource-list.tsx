import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ChevronRight } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { StateResource } from '#shared/state-resources/contract';
import { useText } from '../../../i18n/text.ts';
import { Pill } from '../../../ui/pill.tsx';
import { useTopOf } from '../../../ui/use-top-of.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { ResourceDetail } from './detail.tsx';

const rowPx = 40;
const openPx = 260;

const keyOf = ({ address, deposed = '' }: StateResource): string => `${address} ${deposed}`;

type Props = {
  resources: readonly StateResource[];
  /** The StateVersion in the URL; absent for the current one. */
  state: string | undefined;
  /** True when the URL names one resource, which is shown open. */
  isSingle: boolean;
  /** Called when the end of the list comes into view. */
  onEnd: () => void;
};

/** Resources by address, of which only the visible ones are rendered. The page itself scrolls. */
export function ResourceList({ resources, state, isSingle, onEnd }: Props) {
  const t = useText();
  const box = useRef<HTMLUListElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const scrollMargin = useTopOf(box);
  const isOpen = (resource: StateResource) => isSingle !== open.has(keyOf(resource));
  const virtualizer = useWindowVirtualizer({
    count: resources.length,
    scrollMargin,
    overscan: 8,
    estimateSize: (index) => {
      const resource = resources[index];
      return rowPx + (resource && isOpen(resource) ? openPx : 0);
    },
    getItemKey: useCallback(
      (index: number) => {
        const resource = resources[index];
        return resource ? `${open.has(keyOf(resource)) ? '+' : '-'}${keyOf(resource)}` : index;
      },
      [resources, open],
    ),
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const isAtEnd = last >= resources.length - 20;
  useEffect(() => {
    if (isAtEnd) onEnd();
  }, [isAtEnd, onEnd]);
  const toggle = (resource: StateResource) => {
    const next = new Set(open);
    if (!next.delete(keyOf(resource))) next.add(keyOf(resource));
    setOpen(next);
  };
  return (
    <ul ref={box} aria-label={t('resources.title')} className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {items.map((item) => {
        const resource = resources[item.index];
        return (
          resource && (
            <li
              key={keyOf(resource)}
              ref={virtualizer.measureElement}
              data-index={item.index}
              aria-setsize={resources.length}
              aria-posinset={item.index + 1}
              className="absolute top-0 left-0 w-full border-t border-line/70"
              style={{ transform: `translateY(${item.start - scrollMargin}px)` }}
            >
              <ResourceHead resource={resource} isOpen={isOpen(resource)} onToggle={() => toggle(resource)} />
              {isOpen(resource) && <ResourceDetail resource={resource} state={state} />}
            </li>
          )
        );
      })}
    </ul>
  );
}

type HeadProps = { resource: StateResource; isOpen: boolean; onToggle: () => void };

function ResourceHead({ resource, isOpen, onToggle }: HeadProps) {
  const t = useText();
  const { address, moduleAddress, mode, tainted, deposed } = resource;
  const start = moduleAddress === undefined ? '' : `${moduleAddress}.`;
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex w-full cursor-pointer items-start gap-2 px-4 py-2 text-left hover:bg-raised focus-visible:outline-offset-[-2px]"
    >
      <ChevronRight
        size={15}
        aria-hidden="true"
        className={`mt-[3px] shrink-0 text-muted ${isOpen ? 'rotate-90' : ''}`}
      />
      <span className="min-w-0 flex-1 font-mono text-[0.93em] leading-6 break-all">
        <span className="text-muted">{visibleText(start)}</span>
        <span className="font-medium">{visibleText(address.slice(start.length))}</span>
      </span>
      {mode === 'data' && <Pill tone="neutral">{t('resources.data')}</Pill>}
      {tainted && <Pill tone="warn">{t('resources.tainted')}</Pill>}
      {deposed !== undefined && <Pill tone="warn">{t('resources.deposed', { key: visibleText(deposed) })}</Pill>}
    </button>
  );
}
