import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { PlanAddress } from './plan-address.ts';

/** Many changes follow each other while a key is held, and browsers limit how often a URL may change. */
const pauseMs = 150;

/** Stores the view of a list of changes in the URL of the page, without an entry in the browser's history. */
export function usePlanAddress(address: PlanAddress): void {
  const navigate = useNavigate();
  const text = JSON.stringify(address);
  const stored = useRef(text);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `text` is the address
  useEffect(() => {
    if (text === stored.current) return;
    const timer = setTimeout(() => {
      stored.current = text;
      void navigate({
        to: '.',
        search: ({ q: _q, kinds: _kinds, open: _open, ...others }) => ({ ...others, ...address }),
        hash: true,
        replace: true,
        resetScroll: false,
        hashScrollIntoView: false,
      });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
}
