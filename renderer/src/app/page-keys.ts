import { useEffect } from 'react';
import { useOpenPage } from '../components/use-open-page.ts';
import { isPageKey, isSingleKey } from '../ui/keys/key-event.ts';
import { type KeyGroup, showKeySheet } from '../ui/keys/key-help.ts';
import { moveOnPage } from '../ui/keys/row-keys.ts';
import { paletteKeys } from '../ui/platform.ts';

/** Pages behind `g`. */
const pages = [
  { key: 'h', to: '/', text: 'keys.go.home' },
  { key: 'c', to: '/capsules', text: 'keys.go.capsules' },
  { key: 'r', to: '/runs', text: 'keys.go.runs' },
  { key: 's', to: '/sources', text: 'keys.go.sources' },
] as const;
/** Time in which the second key of a sequence has to follow. */
const sequenceMs = 1_500;

/** Keys that work on every page. */
export const everywhereKeys: KeyGroup = {
  title: 'keys.everywhere',
  lines: [
    { keys: paletteKeys, joint: 'together', text: 'keys.palette' },
    { keys: ['?'], text: 'keys.help' },
    ...pages.map(({ key, text }) => ({ keys: ['g', key], joint: 'then', text }) as const),
  ],
};

const content = (): ParentNode => document.getElementById('content') ?? document;

function focusFilter(): boolean {
  const filter = content().querySelector<HTMLInputElement>('input[aria-keyshortcuts~="/"]');
  filter?.focus();
  filter?.select();
  return filter !== null;
}

/** Opens the row that has the focus. */
function openRow(): boolean {
  const row = document.activeElement;
  if (!(row instanceof HTMLElement) || row.closest('[data-row-list]') === null || row.dataset['row'] === undefined)
    return false;
  row.click();
  return true;
}

function showSheet(): boolean {
  showKeySheet(true);
  return true;
}

const actions = new Map<string, () => boolean>([
  ['?', showSheet],
  ['/', focusFilter],
  ['o', openRow],
  ...['j', 'k', 'ArrowDown', 'ArrowUp'].map((key) => [key, () => moveOnPage(key, content())] as const),
]);

function onKey(event: KeyboardEvent): void {
  const isOurs = event.key.startsWith('Arrow') ? isPageKey(event) : isSingleKey(event);
  if (isOurs && actions.get(event.key)?.()) event.preventDefault();
}

/** Listens for `g` and the key of a page behind it, which no part of the page gets. */
function listenForSequences(open: (page: (typeof pages)[number]) => void): (event: KeyboardEvent) => void {
  let until = 0;
  return (event) => {
    // Modifiers have long names.
    if ([...event.key].length > 1) return;
    const isSecond = event.timeStamp < until;
    until = 0;
    if (!isSingleKey(event)) return;
    const page = isSecond ? pages.find(({ key }) => key === event.key) : undefined;
    if (event.key === 'g') until = event.timeStamp + sequenceMs;
    if (!page) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    open(page);
  };
}

/** The keys of every page. A part of the page that handles a key goes first. */
export function usePageKeys(): void {
  const openPage = useOpenPage();
  useEffect(() => {
    const onSequence = listenForSequences(({ to }) => openPage(to));
    window.addEventListener('keydown', onSequence, true);
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onSequence, true);
      window.removeEventListener('keydown', onKey);
    };
  }, [openPage]);
}
