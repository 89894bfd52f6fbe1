import { type KeyboardEvent, type RefObject, useEffect } from 'react';
import type { RunFeed } from '../../../api/run-feed.ts';
import { isSingleKey } from '../../../ui/keys/key-event.ts';
import { type KeyGroup, useKeyHelp } from '../../../ui/keys/key-help.ts';
import { areSingleKeysOn } from '../../../ui/keys/single-keys.ts';
import { isUnclaimed } from '../../../ui/unclaimed-focus.ts';
import { useCopy } from '../../../ui/use-copy.ts';
import { plainText } from './log-model.ts';
import type { LogList } from './use-log-list.ts';

type Parts = {
  root: RefObject<HTMLElement | null>;
  box: RefObject<HTMLElement | null>;
  input: RefObject<HTMLInputElement | null>;
  log: RunFeed['log'];
  list: LogList;
  step: (by: 1 | -1) => void;
};

const logKeys: KeyGroup = {
  title: 'keys.log',
  lines: [
    { keys: ['/', 'Ctrl+F'], text: 'keys.log.search' },
    { keys: ['n', 'N'], text: 'keys.log.matches' },
    { keys: ['j', 'k'], text: 'keys.log.move' },
    { keys: ['c'], text: 'keys.log.copy' },
    { keys: ['Home', 'End'], text: 'keys.log.ends' },
  ],
};

type LogKeys = { onKeyDown: (event: KeyboardEvent) => void; isCopyFailed: boolean };

/** The keys of the log: `/` and Ctrl+F search, n and N go on, j and k choose a line, c copies it, Home and End. */
export function useLogKeys({ root, box, input, log, list, step }: Parts): LogKeys {
  useKeyHelp(logKeys);
  const { outcome, copy } = useCopy();
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const isFind = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'f';
      const active = document.activeElement;
      const isHere = isUnclaimed(active) || root.current?.contains(active) === true;
      // A second Ctrl+F is the browser's own search.
      if (!isHere || active === input.current) return;
      if (!isFind && (event.key !== '/' || !isSingleKey(event))) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [root, input]);

  const choose = (by: 1 | -1) => {
    const { selected, virtualizer, rows } = list;
    const top = virtualizer.getVirtualItems().find((item) => item.start >= (virtualizer.scrollOffset ?? 0));
    const first = rows.slice(top?.index ?? 0).find((row) => row >= 0) ?? 0;
    const next = selected === undefined ? first : Math.min(Math.max(selected + by, 0), log.count - 1);
    list.select(next);
    list.show(next, 'nearest');
  };
  const copyLine = () => {
    const entry = list.selected === undefined ? undefined : log.entries[list.selected];
    if (entry) void copy(plainText(entry));
  };
  const toStart = () => {
    if (box.current) box.current.scrollTop = 0;
  };
  const actions = new Map<string, () => void>([
    ['j', () => choose(1)],
    ['k', () => choose(-1)],
    ['c', copyLine],
    ['n', () => step(1)],
    ['N', () => step(-1)],
    ['Home', toStart],
    ['End', list.toEnd],
  ]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== box.current) return;
    const action = actions.get(event.key);
    if (!action || (event.key.length === 1 && !areSingleKeysOn())) return;
    event.preventDefault();
    action();
  };
  return { onKeyDown, isCopyFailed: outcome === 'failed' };
}
