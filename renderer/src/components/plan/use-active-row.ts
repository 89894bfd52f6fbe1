import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { Row } from './tree.ts';

/**
 * The one line of the list that Tab reaches (a roving tabindex). It follows the focus, and `focus` moves the focus to a
 * line that may not be rendered yet: the list always renders the active line.
 */
export function useActiveRow(rows: readonly Row[], root: RefObject<HTMLElement | null>) {
  const [requestedRow, setRequestedRow] = useState<{ id: string } | undefined>();
  const pending = useRef<string | undefined>(undefined);
  const matchIndex = rows.findIndex((row) => row.id === requestedRow?.id);
  const index = matchIndex === -1 ? firstChange(rows) : matchIndex;
  const id = rows[index]?.id;

  const focus = useCallback((next: string | undefined) => {
    if (next === undefined) return;
    pending.current = next;
    setRequestedRow({ id: next });
  }, []);
  const follow = useCallback((next: string) => setRequestedRow({ id: next }), []);

  useLayoutEffect(() => {
    const wanted = pending.current;
    const button = wanted && root.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wanted)}"]`);
    if (!button) return;
    pending.current = undefined;
    button.focus({ preventScroll: true });
    button.scrollIntoView({ block: 'nearest' });
    // New lines are measured only when they come into view, and may move this one.
    requestAnimationFrame(() => document.activeElement === button && button.scrollIntoView({ block: 'nearest' }));
  });
  return { id, index, focus, follow };
}
export type ActiveRow = ReturnType<typeof useActiveRow>;

const firstChange = (rows: readonly Row[]): number =>
  Math.max(
    rows.findIndex((row) => row.type === 'resource' || row.type === 'output'),
    0,
  );
