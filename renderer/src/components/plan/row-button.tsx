import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Row } from './tree.ts';

export type RowHandle = { row: Row; isActive: boolean; onToggle: () => void; onFocus: () => void };

/** Each level of modules is indented further, up to a limit. */
export const indentOf = (depth: number): number => Math.min(depth, 6) * 16;

export function RowButton({
  handle,
  className,
  children,
}: {
  handle: RowHandle;
  className: string;
  children: ReactNode;
}) {
  const { row, isActive, onToggle, onFocus } = handle;
  return (
    <button
      type="button"
      data-row={row.id}
      tabIndex={isActive ? 0 : -1}
      aria-expanded={row.isOpen}
      onClick={onToggle}
      onFocus={onFocus}
      className={`flex w-full scroll-mt-32 scroll-mb-48 sm:scroll-mb-28 cursor-pointer items-start gap-2 text-left hover:bg-raised focus-visible:outline-offset-[-2px] ${className}`}
      style={{ paddingLeft: 12 + indentOf(row.depth) }}
    >
      <ChevronRight
        size={15}
        aria-hidden="true"
        className={`mt-[3px] shrink-0 text-muted transition-transform motion-reduce:transition-none ${row.isOpen ? 'rotate-90' : ''}`}
      />
      {children}
    </button>
  );
}
