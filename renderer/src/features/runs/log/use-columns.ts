import { type RefObject, useEffect, useState } from 'react';
import { stripAnsi } from '../../../ui/ansi.ts';

/** Width in pixels of a character, and of the number, the marks and the copy button beside the text. */
const characterPx = 7.23;
const besidePx = 100;
const fallback = 120;

/**
 * Approximate number of characters in one line of the box, in steps, so that a small change does not trigger a new
 * layout.
 */
export function useColumns(box: RefObject<HTMLElement | null>): number {
  const [columns, setColumns] = useState(fallback);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      const width = entry?.contentRect.width ?? 0;
      if (width > 0) setColumns(Math.max(10, Math.floor((width - besidePx) / characterPx / 4) * 4));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return columns;
}

/** About how many rows a text takes when it is wrapped; what is on the screen is measured. */
export const rowsOfText = (text: string, columns: number): number =>
  text.length <= columns ? 1 : Math.max(1, Math.ceil(stripAnsi(text).length / columns));
